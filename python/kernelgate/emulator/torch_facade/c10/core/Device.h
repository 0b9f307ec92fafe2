// Devices. Emulation has one GPU, cuda:0.
#pragma once
#include <c10/core/DeviceType.h>
#include <c10/util/Exception.h>
#include <stdint.h>

namespace c10 {

using DeviceIndex = int8_t;

struct Device final {
  Device(DeviceType type, DeviceIndex index = -1) : type_(type), index_(index) {}
  Device(const std::string& name) : type_(DeviceType::CPU), index_(-1) {
    if (name.compare(0, 4, "cuda") == 0) {
      type_ = DeviceType::CUDA;
      if (name.size() > 5) index_ = static_cast<DeviceIndex>(name[5] - '0');
    } else {
      TORCH_CHECK(name.compare(0, 3, "cpu") == 0, "Invalid device string: '", name, "'");
    }
  }
  DeviceType type() const { return type_; }
  DeviceIndex index() const { return index_; }
  bool has_index() const { return index_ != -1; }
  void set_index(DeviceIndex index) { index_ = index; }
  bool is_cuda() const { return type_ == DeviceType::CUDA; }
  bool is_cpu() const { return type_ == DeviceType::CPU; }
  std::string str() const {
    std::string name = is_cuda() ? "cuda" : "cpu";
    return has_index() ? name + ":" + std::to_string(index_) : name;
  }
  bool operator==(const Device& other) const { return type_ == other.type_ && index_ == other.index_; }
  bool operator!=(const Device& other) const { return !(*this == other); }

 private:
  DeviceType type_;
  DeviceIndex index_;
};
inline void describe(std::string& out, const Device& device) { out += device.str(); }

}  // namespace c10
