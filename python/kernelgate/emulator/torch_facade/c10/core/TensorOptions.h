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
  TensorOptions(Layout) : has_layout_(true) {}
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
  [[nodiscard]] TensorOptions layout(Layout) const {
    return with([&](auto& o) { o.has_layout_ = true; });
  }
  [[nodiscard]] TensorOptions memory_format(MemoryFormat f) const {
    return with([&](auto& o) { o.format_ = f; });
  }
  [[nodiscard]] TensorOptions pinned_memory(bool wanted) const {
    return with([&](auto& o) { o.pinned_memory_ = wanted; });
  }

  optional<ScalarType> dtype_opt() const { return type_; }
  optional<Device> device_opt() const { return device_; }
  optional<MemoryFormat> memory_format_opt() const { return format_; }
  bool has_layout() const { return has_layout_; }
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
  bool has_layout_ = false, requires_grad_ = false, pinned_memory_ = false;
};

inline void describe(std::string& out, Layout) { out += "Strided"; }
inline void describe(std::string& out, MemoryFormat format) {
  const char* const names[] = {"Contiguous", "Preserve", "ChannelsLast", "ChannelsLast3d"};
  out += names[static_cast<int>(format)];
}
inline void describe(std::string& out, const TensorOptions& options) {
  const auto given = [](bool is) { return is ? "" : " (default)"; };
  out += std::string("TensorOptions(dtype=") + options.dtype().name() + given(options.dtype_opt().has_value());
  out += ", device=" + options.device().str() + given(options.device_opt().has_value()) + ", layout=Strided" +
         given(options.has_layout());
  out += std::string(", requires_grad=") + (options.requires_grad() ? "true" : "false (default)");
  out += std::string(", pinned_memory=") + (options.pinned_memory() ? "true" : "false (default)") + ", memory_format=";
  if (options.memory_format_opt()) describe(out, *options.memory_format_opt());
  else out += "(nullopt)";
  out += ")";
}

inline TensorOptions dtype(ScalarType type) { return TensorOptions(type); }
inline TensorOptions device(Device device) { return TensorOptions(device); }
inline TensorOptions requires_grad(bool wanted = true) { return TensorOptions().requires_grad(wanted); }
}  // namespace c10
