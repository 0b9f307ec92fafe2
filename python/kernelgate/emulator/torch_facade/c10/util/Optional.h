// c10::optional is std::optional, c10::string_view std::string_view.
#pragma once
#include <optional>
#include <string_view>

namespace c10 {
using std::make_optional;
using std::nullopt;
using std::nullopt_t;
using std::optional;
using std::string_view;
}  // namespace c10
