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
#include <kernelgate/warp.h>

#define threadIdx (static_cast<const uint3&>(::kernelgate_current->index))
#define blockIdx (static_cast<const uint3&>(::kernelgate_current->block->index))
#define blockDim (static_cast<const dim3&>(::kernelgate_current->block->block_dim))
#define gridDim (static_cast<const dim3&>(::kernelgate_current->block->grid_dim))
constexpr int warpSize = 32;
