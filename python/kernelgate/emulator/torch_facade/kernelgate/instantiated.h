// Only in a precompiled header. What the functions of <string> use of its templates is instantiated at the end of each
// unit, called there or not, and that takes a sixth of the time of a unit with bindings. What a constant expression calls
// is instantiated at once instead, so that the precompiled header holds it.
#pragma once
#include <string>
#include <string_view>

#if __cpp_lib_constexpr_string >= 201907L
static_assert([] {
  using namespace std::literals;
  const auto texts = "a"s.size() + L"a"s.size() + u"a"s.size() + U"a"s.size() + u8"a"s.size();
  const auto views = "a"sv.size() + L"a"sv.size() + u"a"sv.size() + U"a"sv.size() + u8"a"sv.size();
  return texts == 5 && views == 5;
}());
#endif
