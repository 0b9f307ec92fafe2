// Streams, as the runtime keeps them: what orders work is known, though a launch is over when it returns.
#pragma once
#include <c10/core/DeviceGuard.h>
#include <c10/core/Stream.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/util/Exception.h>
#include <cuda_runtime_api.h>

namespace c10::cuda {
class CUDAStream {
 public:
  enum Unchecked { UNCHECKED };
  explicit CUDAStream(cudaStream_t stream = nullptr) : stream_(stream) {}
  explicit CUDAStream(Stream stream) : CUDAStream(Unchecked::UNCHECKED, stream) {}
  CUDAStream(Unchecked, Stream stream) : stream_(reinterpret_cast<cudaStream_t>(stream.id())) {}
  operator cudaStream_t() const { return stream(); }
  operator Stream() const { return unwrap(); }
  Stream unwrap() const { return Stream(Stream::UNSAFE, device(), id()); }
  cudaStream_t stream() const { return stream_; }
  DeviceIndex device_index() const { return 0; }
  Device device() const { return Device(kCUDA, 0); }
  StreamId id() const { return reinterpret_cast<StreamId>(stream_); }
  bool query() const { return true; }
  void synchronize() const { C10_CUDA_CHECK(cudaStreamSynchronize(stream_)); }
  bool operator==(const CUDAStream& other) const noexcept { return stream_ == other.stream_; }
  bool operator!=(const CUDAStream& other) const noexcept { return stream_ != other.stream_; }

 private:
  cudaStream_t stream_;
};
inline CUDAStream stream_at(void* handle) { return CUDAStream(static_cast<cudaStream_t>(handle)); }
inline CUDAStream getCurrentCUDAStream(DeviceIndex = -1) { return stream_at(kernelgate_current_stream()); }
inline CUDAStream getDefaultCUDAStream(DeviceIndex = -1) { return CUDAStream(); }
inline CUDAStream getStreamFromPool(const bool = false, DeviceIndex = -1) {
  return stream_at(kernelgate_stream_of_pool());
}
inline CUDAStream getStreamFromPool(const int, DeviceIndex = -1) { return stream_at(kernelgate_stream_of_pool()); }
inline CUDAStream getStreamFromExternal(cudaStream_t stream, DeviceIndex) { return CUDAStream(stream); }
inline void setCurrentCUDAStream(CUDAStream stream) { kernelgate_use_stream(stream.stream()); }
}  // namespace c10::cuda
