// acc_type: the type in which a sum is kept; on CUDA float stays float.
#pragma once
#include <c10/core/DeviceType.h>
#include <c10/core/ScalarType.h>

namespace at {
template <typename T, bool is_cuda>
struct AccumulateType {
  using type =
      std::conditional_t<std::is_same_v<T, bool>, bool,
                         std::conditional_t<std::is_integral_v<T>, int64_t,
                                            std::conditional_t<std::is_same_v<T, double> || !is_cuda, double, float>>>;
};
template <typename T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;
}  // namespace at
