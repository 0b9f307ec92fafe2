// A stream of any backend. All are the default one of cuda:0, whose work is over when its call returns.
#pragma once
#include <c10/core/Device.h>
#include <stdint.h>

namespace c10 {

using StreamId = int64_t;

class Stream final {
 public:
  enum Unsafe { UNSAFE };
  enum Default { DEFAULT };
  explicit Stream(Unsafe, Device device, StreamId id) : device_(device), id_(id) {}
  explicit Stream(Default, Device device) : device_(device), id_(0) {}
  Device device() const noexcept { return device_; }
  DeviceType device_type() const noexcept { return device_.type(); }
  DeviceIndex device_index() const noexcept { return device_.index(); }
  StreamId id() const noexcept { return id_; }
  bool query() const { return true; }
  void synchronize() const {}
  bool operator==(const Stream& other) const noexcept { return device_ == other.device_ && id_ == other.id_; }
  bool operator!=(const Stream& other) const noexcept { return !(*this == other); }

 private:
  Device device_;
  StreamId id_;
};

}  // namespace c10
