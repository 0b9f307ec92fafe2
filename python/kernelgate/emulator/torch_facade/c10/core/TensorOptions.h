// Element type and device of a tensor to be made.
#pragma once
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>
#include <c10/util/Optional.h>

namespace c10 {
enum class Layout : int8_t { Strided = 0 };
constexpr Layout kStrided = Layout::Strided;
enum class MemoryFormat : int8_t { Contiguous = 0, Preserve = 1, ChannelsLast = 2, ChannelsLast3d = 3 };

class TensorOptions {
 public:
  TensorOptions() = default;
  TensorOptions(ScalarType type) : type_(type) {}
  TensorOptions(caffe2::TypeMeta type) : type_(type.toScalarType()) {}
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType device) : device_(Device(device)) {}
  TensorOptions(Layout) {}
  TensorOptions(MemoryFormat format) : format_(format) {}

  [[nodiscard]] TensorOptions dtype(optional<ScalarType> type) const {
    return with([&](auto& o) { o.type_ = type; });
  }
  [[nodiscard]] TensorOptions dtype(caffe2::TypeMeta type) const { return dtype(type.toScalarType()); }
  [[nodiscard]] TensorOptions device(optional<Device> device) const {
    return with([&](auto& o) { o.device_ = device; });
  }
  [[nodiscard]] TensorOptions device(DeviceType type, DeviceIndex index = -1) const {
    return device(Device(type, index));
  }
  [[nodiscard]] TensorOptions requires_grad(bool wanted) const {
    return with([&](auto& o) { o.requires_grad_ = wanted; });
  }
  [[nodiscard]] TensorOptions layout(Layout) const { return *this; }
  [[nodiscard]] TensorOptions memory_format(MemoryFormat f) const {
    return with([&](auto& o) { o.format_ = f; });
  }
  [[nodiscard]] TensorOptions pinned_memory(bool wanted) const {
    return with([&](auto& o) { o.pinned_memory_ = wanted; });
  }

  optional<ScalarType> dtype_opt() const { return type_; }
  optional<Device> device_opt() const { return device_; }
  optional<MemoryFormat> memory_format_opt() const { return format_; }
  bool requires_grad() const { return requires_grad_; }
  bool pinned_memory() const { return pinned_memory_; }
  Device device() const { return device_.value_or(Device(kCPU)); }
  caffe2::TypeMeta dtype() const { return caffe2::TypeMeta(type_.value_or(kFloat)); }

 private:
  template <typename Change>
  TensorOptions with(Change change) const {
    TensorOptions copy = *this;
    change(copy);
    return copy;
  }
  optional<ScalarType> type_;
  optional<Device> device_;
  optional<MemoryFormat> format_;
  bool requires_grad_ = false, pinned_memory_ = false;
};

inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions requires_grad(bool wanted = true) { return TensorOptions().requires_grad(wanted); }
}  // namespace c10
