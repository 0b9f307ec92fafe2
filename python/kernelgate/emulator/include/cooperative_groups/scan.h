// cg::inclusive_scan and cg::exclusive_scan over a tile or a coalesced group.
#pragma once
#include <cooperative_groups.h>
#include <kernelgate/group_operators.h>

namespace cooperative_groups {
template <typename Group, typename T, typename Op>
inline T inclusive_scan(const Group& group, T value, Op&& op, int line = __builtin_LINE()) {
  return kernelgate::combine(group.kernelgate_mask(), value, op, true, line).result;
}
template <typename Group, typename T>
inline T inclusive_scan(const Group& group, T value, int line = __builtin_LINE()) {
  return inclusive_scan(group, value, plus<T>(), line);
}
template <typename Group, typename T, typename Op>
inline T exclusive_scan(const Group& group, T value, Op&& op, int line = __builtin_LINE()) {
  const T before = kernelgate::combine(group.kernelgate_mask(), value, op, false, line).result;
  return group.thread_rank() == 0 ? T() : before;
}
template <typename Group, typename T>
inline T exclusive_scan(const Group& group, T value, int line = __builtin_LINE()) {
  return exclusive_scan(group, value, plus<T>(), line);
}
}  // namespace cooperative_groups
