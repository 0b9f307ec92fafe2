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
struct CUDAStreamGuard {
  explicit CUDAStreamGuard(CUDAStream) {}
};
}  // namespace c10::cuda
