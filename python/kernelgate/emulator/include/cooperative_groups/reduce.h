// cg::reduce over a tile or a coalesced group, and its operators.
#pragma once
#include <cooperative_groups.h>
#include <kernelgate/group_operators.h>

namespace cooperative_groups {
template <typename Group, typename T, typename Op>
inline T reduce(const Group& group, T value, Op&& op, int line = __builtin_LINE()) {
  return kernelgate::combine(group.kernelgate_mask(), value, op, true, line).total;
}
}  // namespace cooperative_groups
