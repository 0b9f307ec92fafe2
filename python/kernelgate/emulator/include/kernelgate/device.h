// The device side of CUDA C++: what a kernel sees without including anything.
#pragma once
#include <kernelgate/abi.h>
#include <kernelgate/atomics.h>
#include <kernelgate/barriers.h>
#include <kernelgate/bits.h>
#include <kernelgate/launch.h>
#include <kernelgate/loads.h>
#include <kernelgate/maths.h>
#include <kernelgate/shared.h>
#include <kernelgate/texture_fetch.h>
#include <kernelgate/video.h>
#include <kernelgate/warp.h>

// Variables, as nvcc has them, and not macros: a program may give their names to variables of its own. Each OS thread has
// its own; the scheduler sets them before it runs a thread or goes on with one.
extern __thread const uint3 threadIdx __asm__("kernelgate_thread_index") __attribute__((tls_model("initial-exec")));
extern __thread const uint3 blockIdx __asm__("kernelgate_block_index") __attribute__((tls_model("initial-exec")));
extern __thread const dim3 blockDim __asm__("kernelgate_block_dim") __attribute__((tls_model("initial-exec")));
extern __thread const dim3 gridDim __asm__("kernelgate_grid_dim") __attribute__((tls_model("initial-exec")));
constexpr int warpSize = 32;
// A wish to sleep: no time passes here.
inline void __nanosleep(unsigned) {}
