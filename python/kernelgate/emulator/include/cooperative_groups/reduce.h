// cg::reduce over a tile or a coalesced group, and its operators.
#pragma once
#include <cooperative_groups.h>
#include <kernelgate/group_operators.h>
#include <type_traits>

namespace cooperative_groups {
template <typename Group, typename T, typename Op>
inline T reduce(const Group& group, T value, Op&& op, int line = __builtin_LINE()) {
  const auto combined = kernelgate::combine(group.kernelgate_mask(), value, op, true, line);
  // Integers of 32 bits are reduced by an instruction that leaves ended lanes out, all others by shuffles.
  constexpr bool by_shuffles = !std::is_integral_v<T> || sizeof(T) != 4;
  if (by_shuffles && (group.kernelgate_mask() & ~combined.present)) kernelgate_absent_lane(line);
  return combined.total;
}
}  // namespace cooperative_groups
