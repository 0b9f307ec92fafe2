// Before <cmath>: without the special functions of C++17, which no device has. g++ would instantiate them in each unit of
// a program, used or not.
#pragma once
#if __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_USE_STD_SPEC_FUNCS
#define _GLIBCXX_USE_STD_SPEC_FUNCS 0
#endif
