// Sizes that may be symbols with torch; here they are numbers.
#pragma once
#include <c10/util/ArrayRef.h>

namespace c10 {
using SymInt = int64_t;
using SymIntArrayRef = ArrayRef<int64_t>;
}  // namespace c10
