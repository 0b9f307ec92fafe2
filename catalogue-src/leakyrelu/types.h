#pragma once

#include "../shared/walk.h"

struct Arguments {
  double slope;
};
