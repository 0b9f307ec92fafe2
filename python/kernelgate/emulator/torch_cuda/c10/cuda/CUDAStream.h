// Streams. All are the default one: a launch is over when it returns.
#pragma once
#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>
#include <cuda_runtime_api.h>

namespace c10::cuda {
class CUDAStream {
 public:
  operator cudaStream_t() const { return stream(); }
  operator Stream() const { return unwrap(); }
  Stream unwrap() const { return Stream(Stream::DEFAULT, device()); }
  cudaStream_t stream() const { return nullptr; }
  DeviceIndex device_index() const { return 0; }
  Device device() const { return Device(kCUDA, 0); }
  StreamId id() const { return 0; }
  bool query() const { return true; }
  void synchronize() const {}
  bool operator==(const CUDAStream&) const noexcept { return true; }
  bool operator!=(const CUDAStream&) const noexcept { return false; }
};
inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) { return {}; }
inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return {}; }
inline CUDAStream getStreamFromPool(const bool = false, DeviceIndex = -1) { return {}; }
inline void setCurrentCUDAStream(CUDAStream) {}
}  // namespace c10::cuda
