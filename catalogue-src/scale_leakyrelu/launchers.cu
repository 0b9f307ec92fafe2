#include "kernels.cuh"
#include "prototypes.h"
#include "types.h"

template <typename T>
static Forward<T> forward_of(const Arguments& arguments) {
  return {static_cast<Wide<T>>(arguments.multiplier), static_cast<const T*>(arguments.pointer),
          static_cast<Wide<T>>(arguments.slope)};
}
template <typename T>
static Backward<T> backward_of(const Arguments& arguments) {
  return {static_cast<Wide<T>>(arguments.multiplier), static_cast<Wide<T>>(arguments.slope)};
}

#include "../shared/masked_launchers.cuh"

template <typename T>
static int both(const void* grad, const void* x, void* grad_x, void* parts, int blocks, int64_t n,
                const void* multiplier, double slope, void* stream) {
  backward_both<T><<<blocks, kBothThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const T*>(grad), static_cast<const T*>(x), static_cast<T*>(grad_x), static_cast<Wide<T>*>(parts), n,
      static_cast<const T*>(multiplier), static_cast<Wide<T>>(slope));
  return cudaGetLastError();
}

int launch_blocks(int* blocks) {
  int device = 0, processors = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) {
    code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  }
  *blocks = processors * kBothBlocks;
  return code;
}

int launch_backward_both(Kind kind, const void* grad, const void* x, void* grad_x, void* parts, int blocks, int64_t n,
                         const void* multiplier, double slope, void* stream) {
  switch (kind) {
    case Kind::Float: return both<float>(grad, x, grad_x, parts, blocks, n, multiplier, slope, stream);
    case Kind::Double: return both<double>(grad, x, grad_x, parts, blocks, n, multiplier, slope, stream);
    case Kind::Half: return both<__half>(grad, x, grad_x, parts, blocks, n, multiplier, slope, stream);
    case Kind::BFloat16: return both<__nv_bfloat16>(grad, x, grad_x, parts, blocks, n, multiplier, slope, stream);
  }
  return cudaErrorInvalidValue;
}
