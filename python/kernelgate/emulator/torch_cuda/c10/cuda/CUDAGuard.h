// Device and stream guards; as in torch, this header brings streams and the CUDA checks with it, but no ATen.
#pragma once
#include <c10/core/Device.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAFunctions.h>
#include <c10/cuda/CUDAStream.h>
#include <optional>

namespace c10::cuda {
struct CUDAGuard {
  explicit CUDAGuard(DeviceIndex) {}
  explicit CUDAGuard(Device) {}
  void set_device(Device) {}
  void set_index(DeviceIndex) {}
  Device current_device() const { return Device(kCUDA, 0); }
};
struct OptionalCUDAGuard {
  OptionalCUDAGuard() = default;
  explicit OptionalCUDAGuard(std::optional<Device>) {}
  explicit OptionalCUDAGuard(std::optional<DeviceIndex>) {}
  explicit OptionalCUDAGuard(Device) {}
  void set_device(Device) {}
  void set_index(DeviceIndex) {}
};
class CUDAStreamGuard {
 public:
  template <typename Given>
  explicit CUDAStreamGuard(const Given& stream) {
    reset_stream(stream);
  }
  CUDAStreamGuard(const CUDAStreamGuard&) = delete;
  CUDAStreamGuard& operator=(const CUDAStreamGuard&) = delete;
  ~CUDAStreamGuard() { setCurrentCUDAStream(before_); }
  template <typename Given>
  void reset_stream(const Given& stream) {
    setCurrentCUDAStream(CUDAStream(stream));
  }
  CUDAStream original_stream() const { return before_; }
  CUDAStream current_stream() const { return getCurrentCUDAStream(); }

 private:
  CUDAStream before_ = getCurrentCUDAStream();
};
class OptionalCUDAStreamGuard {
 public:
  OptionalCUDAStreamGuard() = default;
  explicit OptionalCUDAStreamGuard(std::optional<CUDAStream> stream) {
    if (stream) guard_.emplace(*stream);
  }
  void reset_stream(CUDAStream stream) {
    guard_.reset();
    guard_.emplace(stream);
  }

 private:
  std::optional<CUDAStreamGuard> guard_;
};
}  // namespace c10::cuda
