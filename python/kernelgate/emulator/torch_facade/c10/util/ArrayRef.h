// A view of values that someone else owns.
#pragma once
#include <array>
#include <c10/util/Exception.h>
#include <initializer_list>
#include <optional>
#include <stdint.h>
#include <vector>

namespace c10 {

template <typename T>
class ArrayRef final {
 public:
  using value_type = T;
  using iterator = const T*;
  constexpr ArrayRef() = default;
  constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}
  constexpr ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T* first, const T* last) : data_(first), size_(static_cast<size_t>(last - first)) {}
  ArrayRef(const std::vector<T>& values) : data_(values.data()), size_(values.size()) {}
  template <size_t N>
  constexpr ArrayRef(const std::array<T, N>& values) : data_(values.data()), size_(N) {}
  template <size_t N>
  constexpr ArrayRef(const T (&values)[N]) : data_(values), size_(N) {}
  constexpr ArrayRef(const std::initializer_list<T>& values) : data_(values.begin()), size_(values.size()) {}

  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T& operator[](size_t i) const { return data_[i]; }
  const T& at(size_t i) const {
    TORCH_CHECK(i < size_, "ArrayRef: invalid index Index = ", i, "; Length = ", size_);
    return data_[i];
  }
  const T& front() const { return at(0); }
  const T& back() const { return at(size_ - 1); }
  ArrayRef<T> slice(size_t from, size_t count) const { return ArrayRef<T>(data_ + from, count); }
  ArrayRef<T> slice(size_t from) const { return slice(from, size_ - from); }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
  bool equals(ArrayRef other) const {
    if (size_ != other.size_) return false;
    for (size_t i = 0; i < size_; i++)
      if (!(data_[i] == other.data_[i])) return false;
    return true;
  }

 private:
  const T* data_ = nullptr;
  size_t size_ = 0;
};
template <typename T>
inline bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <typename T>
inline bool operator==(ArrayRef<T> a, const std::vector<T>& b) {
  return a.equals(ArrayRef<T>(b));
}

using IntArrayRef = ArrayRef<int64_t>;
class OptionalIntArrayRef final : public std::optional<IntArrayRef> {
 public:
  using std::optional<IntArrayRef>::optional;
  OptionalIntArrayRef(const int64_t& one) : std::optional<IntArrayRef>(one) {}
  OptionalIntArrayRef(const std::initializer_list<int64_t>& values) : std::optional<IntArrayRef>(values) {}
};

inline void describe(std::string& out, IntArrayRef values) {
  out += "[";
  for (size_t i = 0; i < values.size(); i++) out += (i ? ", " : "") + std::to_string(values[i]);
  out += "]";
}

}  // namespace c10
