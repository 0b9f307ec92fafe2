#pragma once

#include <cuda_runtime.h>

namespace {

template <typename... Arguments>
cudaError_t launch_next(void (*kernel)(Arguments...), dim3 grid, int threads, int shared, cudaStream_t stream,
                        Arguments... arguments) {
  kernel<<<grid, threads, shared, stream>>>(arguments...);
  return cudaGetLastError();
}

}  // namespace
