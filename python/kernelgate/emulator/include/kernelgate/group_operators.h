// The operators of cg::reduce and of its scans.
#pragma once

namespace cooperative_groups {
#define KERNELGATE_GROUP_OPERATOR(name, expression)                   \
  template <typename T>                                               \
  struct name {                                                       \
    T operator()(const T& a, const T& b) const { return expression; } \
  };
KERNELGATE_GROUP_OPERATOR(plus, a + b)
KERNELGATE_GROUP_OPERATOR(less, b < a ? b : a)
KERNELGATE_GROUP_OPERATOR(greater, a < b ? b : a)
KERNELGATE_GROUP_OPERATOR(bit_and, (a & b))
KERNELGATE_GROUP_OPERATOR(bit_or, a | b)
KERNELGATE_GROUP_OPERATOR(bit_xor, a ^ b)
#undef KERNELGATE_GROUP_OPERATOR
}  // namespace cooperative_groups
