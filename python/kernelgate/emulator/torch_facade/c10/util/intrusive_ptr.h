// c10::intrusive_ptr, by which torch counts the owners of its own objects.
#pragma once
#include <memory>

namespace c10 {
template <typename T>
using intrusive_ptr = std::shared_ptr<T>;
template <typename T, typename... Arguments>
intrusive_ptr<T> make_intrusive(Arguments&&... arguments) {
  return std::make_shared<T>(std::forward<Arguments>(arguments)...);
}
}  // namespace c10
