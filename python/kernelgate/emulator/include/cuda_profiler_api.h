// A profiler's range: there is nothing to profile.
#pragma once
#include <cuda_runtime_api.h>
inline cudaError_t cudaProfilerStart() { return cudaSuccess; }
inline cudaError_t cudaProfilerStop() { return cudaSuccess; }
