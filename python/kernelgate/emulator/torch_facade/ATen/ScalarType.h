// The element types, by their older header.
#pragma once
#include <ATen/ATen.h>
