// Guards that would switch the current device; there is one device, so they only take the place.
#pragma once
#include <c10/core/Device.h>
#include <optional>

namespace c10 {
class DeviceGuard {
 public:
  explicit DeviceGuard(Device device) : device_(device) {}
  Device current_device() const { return device_; }

 private:
  Device device_;
};
class OptionalDeviceGuard {
 public:
  OptionalDeviceGuard() = default;
  explicit OptionalDeviceGuard(std::optional<Device>) {}
};
}  // namespace c10
