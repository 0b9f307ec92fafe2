#pragma once

#include <cuda_runtime.h>

namespace {

template <typename... Arguments>
cudaError_t launch_next(void (*kernel)(Arguments...), dim3 grid, int threads, int shared, cudaStream_t stream,
                        Arguments... arguments) {
  int device = 0, major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  config.attrs = &early;
  config.numAttrs = major >= 9;
  return cudaLaunchKernelEx(&config, kernel, arguments...);
}

}  // namespace
