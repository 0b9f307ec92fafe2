// gpuAtomicAdd and its kin, for the types that atomics of CUDA have.
#pragma once
#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <type_traits>

#ifdef __CUDACC__
template <typename T>
inline T gpuAtomicAdd(T* address, T value) {
  if constexpr (std::is_same_v<T, int64_t> || sizeof(T) < 4 || std::is_same_v<T, unsigned long>)
    return kernelgate::atomic_update(address, [=](T old) { return static_cast<T>(old + value); });
  else return atomicAdd(address, value);
}
template <typename T>
inline void gpuAtomicAddNoReturn(T* address, T value) {
  gpuAtomicAdd(address, value);
}
#define KERNELGATE_GPU_ATOMIC(name, expression)                                          \
  template <typename T>                                                                  \
  inline T name(T* address, T value) {                                                   \
    return kernelgate::atomic_update(address, [=](T old) -> T { return (expression); }); \
  }
KERNELGATE_GPU_ATOMIC(gpuAtomicMul, old* value)
KERNELGATE_GPU_ATOMIC(gpuAtomicMax, old < value ? value : old)
KERNELGATE_GPU_ATOMIC(gpuAtomicMin, value < old ? value : old)
#undef KERNELGATE_GPU_ATOMIC
#endif
