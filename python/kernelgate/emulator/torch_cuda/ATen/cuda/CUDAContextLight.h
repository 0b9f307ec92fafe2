// Properties of the current device, and its handle of cuBLAS.
#pragma once
#include <c10/cuda/CUDAFunctions.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

namespace at::cuda {
inline bool is_available() { return true; }
inline cudaDeviceProp* getDeviceProperties(DeviceIndex) {
  static cudaDeviceProp properties = kernelgate::device_properties();
  return &properties;
}
inline cudaDeviceProp* getCurrentDeviceProperties() { return getDeviceProperties(0); }
inline int warp_size() { return 32; }
inline cublasHandle_t getCurrentCUDABlasHandle() {
  static cublasContext handle;
  handle.stream = static_cast<cudaStream_t>(kernelgate_current_stream());
  return &handle;
}
}  // namespace at::cuda
