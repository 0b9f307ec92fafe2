#pragma once

#include "../shared/walk.h"

// The multiplier: a number, or one element in the device's memory, of the dtype of x, where `pointer` is not null.
struct Arguments {
  double multiplier;
  double slope;
  const void* pointer = nullptr;
};
