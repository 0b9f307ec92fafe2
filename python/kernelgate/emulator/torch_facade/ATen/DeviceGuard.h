// device_of, for guards made from a tensor.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/core/DeviceGuard.h>

namespace at {
inline optional<Device> device_of(const Tensor& tensor) {
  return tensor.defined() ? optional<Device>(tensor.device()) : nullopt;
}
inline optional<Device> device_of(const optional<Tensor>& tensor) { return tensor ? device_of(*tensor) : nullopt; }
}  // namespace at
