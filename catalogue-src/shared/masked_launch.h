#pragma once

#include "walk.h"

struct Arguments;  // the numbers of the operator, which defines it

#define HIDDEN __attribute__((visibility("hidden")))
// Both return a cudaError_t. `walk` is null where in and out are dense, alike, and 16-byte aligned; in may be out.
HIDDEN int launch_forward(Kind, const void* x, void* y, uint32_t* mask, int64_t n, const Walk*, const Arguments&,
                          void* stream);
HIDDEN int launch_backward(Kind, const void* grad, const uint32_t* mask, void* grad_x, int64_t n, const Walk*,
                           const Arguments&, void* stream);
