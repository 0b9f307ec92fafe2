// c10::Error and the checks. Messages are torch's as Python shows them: without a C++ stack.
#pragma once
#include <c10/macros/Macros.h>
#include <kernelgate/in_library.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace kernelgate {
// Parts of a message.
KERNELGATE_IN_LIBRARY void append(std::string& out, std::string_view text);
KERNELGATE_IN_LIBRARY void append_integer(std::string& out, long long value);
KERNELGATE_IN_LIBRARY void append_natural(std::string& out, unsigned long long value);
KERNELGATE_IN_LIBRARY void append_real(std::string& out, double value);
KERNELGATE_IN_LIBRARY std::string expected(const char* condition);
// Notes where a check has failed, and with which words: an exception in Python no longer knows.
KERNELGATE_IN_LIBRARY std::string&& failed_at(const char* unit, int line, std::string&& message);

[[noreturn]] KERNELGATE_IN_LIBRARY void throw_Error(std::string&& message);
[[noreturn]] KERNELGATE_IN_LIBRARY void throw_TypeError(std::string&& message);
[[noreturn]] KERNELGATE_IN_LIBRARY void throw_ValueError(std::string&& message);
[[noreturn]] KERNELGATE_IN_LIBRARY void throw_IndexError(std::string&& message);
[[noreturn]] KERNELGATE_IN_LIBRARY void throw_NotImplementedError(std::string&& message);
}  // namespace kernelgate

namespace c10 {

class Error : public std::exception {
 public:
  explicit Error(std::string message) : message_(std::move(message)) {}
  const char* what() const noexcept override { return message_.c_str(); }
  const char* what_without_backtrace() const noexcept { return message_.c_str(); }

 private:
  std::string message_;
};
class TypeError : public Error {
  using Error::Error;
};
class ValueError : public Error {
  using Error::Error;
};
class IndexError : public Error {
  using Error::Error;
};
class NotImplementedError : public Error {
  using Error::Error;
};

namespace detail {
// One overload a family of types; a type with `describe(std::string&, T)` found by its namespace joins in.
inline void describe(std::string& out, std::string_view text) { kernelgate::append(out, text); }
inline void describe(std::string& out, const char* text) { kernelgate::append(out, text); }
inline void describe(std::string& out, char letter) { kernelgate::append(out, {&letter, 1}); }
inline void describe(std::string& out, bool value) { kernelgate::append(out, value ? "1" : "0"); }
template <typename T>
inline std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>> describe(
    std::string& out, T value) {
  if constexpr (std::is_signed_v<T>) kernelgate::append_integer(out, value);
  else kernelgate::append_natural(out, value);
}
inline void describe(std::string& out, double value) { kernelgate::append_real(out, value); }
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
  if constexpr (sizeof...(Parts) == 0) return kernelgate::expected(condition);
  else return str(parts...);
}
}  // namespace detail

}  // namespace c10

#define KERNELGATE_CHECK(error, condition, ...)                                                      \
  do {                                                                                               \
    if (C10_UNLIKELY(!(condition))) {                                                                \
      ::kernelgate::throw_##error(::kernelgate::failed_at(                                           \
          __FILE__, __LINE__, ::c10::detail::check_message(#condition __VA_OPT__(, ) __VA_ARGS__))); \
    }                                                                                                \
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
#define AT_ERROR(...) ::kernelgate::throw_Error(::kernelgate::failed_at(__FILE__, __LINE__, ::c10::str(__VA_ARGS__)))
#define AT_ASSERT(condition) TORCH_INTERNAL_ASSERT(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
