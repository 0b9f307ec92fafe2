// c10::Error and the checks. Messages are torch's as Python shows them: without a C++ stack.
#pragma once
#include <c10/macros/Macros.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace c10 {

class Error : public std::exception {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  const char* what_without_backtrace() const noexcept { return message_.c_str(); }

 private:
  std::string message_;
};
class TypeError : public Error { using Error::Error; };
class ValueError : public Error { using Error::Error; };
class IndexError : public Error { using Error::Error; };
class NotImplementedError : public Error { using Error::Error; };

namespace detail {
// One overload a family of types; a type with `describe(std::string&, T)` found by its namespace joins in.
inline void describe(std::string& out, std::string_view text) { out += text; }
inline void describe(std::string& out, const char* text) { out += text; }
inline void describe(std::string& out, char letter) { out += letter; }
inline void describe(std::string& out, bool value) { out += value ? "1" : "0"; }
template <typename T>
inline std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>> describe(
    std::string& out, T value) {
  out += std::to_string(value);
}
inline void describe(std::string& out, double value) {
  char text[32];
  __builtin_snprintf(text, sizeof text, "%g", value);
  out += text;
}
inline void describe(std::string& out, float value) { describe(out, static_cast<double>(value)); }
}  // namespace detail

template <typename... Parts>
inline std::string str(const Parts&... parts) {
  using detail::describe;
  std::string out;
  (describe(out, parts), ...);
  return out;
}

namespace detail {
template <typename... Parts>
inline std::string check_message(const char* condition, const Parts&... parts) {
  if constexpr (sizeof...(Parts) == 0)
    return std::string("Expected ") + condition +
           " to be true, but got false.  (Could this error message be improved?  If so, please report an "
           "enhancement request to PyTorch.)";
  else
    return str(parts...);
}
}  // namespace detail

}  // namespace c10

#define KERNELGATE_CHECK(error, condition, ...)                                             \
  do {                                                                                      \
    if (C10_UNLIKELY(!(condition))) {                                                       \
      throw ::c10::error(::c10::detail::check_message(#condition __VA_OPT__(, ) __VA_ARGS__)); \
    }                                                                                       \
  } while (false)

#define TORCH_CHECK(condition, ...) KERNELGATE_CHECK(Error, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) KERNELGATE_CHECK(TypeError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) KERNELGATE_CHECK(ValueError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) KERNELGATE_CHECK(IndexError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) \
  KERNELGATE_CHECK(NotImplementedError, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(condition, ...) KERNELGATE_CHECK(Error, condition __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(...) static_cast<void>(0)
#define TORCH_WARN(...) static_cast<void>(::c10::str(__VA_ARGS__))
#define TORCH_WARN_ONCE(...) TORCH_WARN(__VA_ARGS__)
#define AT_ERROR(...) throw ::c10::Error(::c10::str(__VA_ARGS__))
#define AT_ASSERT(condition) TORCH_INTERNAL_ASSERT(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
