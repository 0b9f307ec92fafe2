#pragma once

#include "../shared/masked_launch.h"

// How many blocks of the next function the current device holds at once.
HIDDEN int launch_blocks(int* blocks);
// The gradients of x and of a multiplier in memory, in one pass. All dense, alike, and 16-byte aligned. Each of the
// `blocks` blocks leaves its part of the second in `parts`: double for Kind::Double, else float.
HIDDEN int launch_backward_both(Kind, const void* grad, const void* x, void* grad_x, void* parts, int blocks, int64_t n,
                                const void* multiplier, double slope, void* stream);
