// Warp collectives: shuffles, votes, matches and reductions, each a call of the scheduler.
#pragma once
#include <kernelgate/abi.h>
#include <kernelgate/bits.h>

namespace kernelgate {
inline uint64_t warp(WarpOp op, unsigned mask, uint64_t value, int parameter, int width, int line) {
  return kernelgate_warp(static_cast<int>(op), mask, value, parameter, width, line);
}
// CUDA shuffles these types and no others; half types join in their own headers.
template <typename T>
constexpr bool shuffles =
    std::is_same_v<T, int> || std::is_same_v<T, unsigned> || std::is_same_v<T, long> ||
    std::is_same_v<T, unsigned long> || std::is_same_v<T, long long> || std::is_same_v<T, unsigned long long> ||
    std::is_same_v<T, float> || std::is_same_v<T, double>;
}  // namespace kernelgate

#define KERNELGATE_SHUFFLE(name, op, type)                                                                   \
  inline type name(unsigned mask, type value, int parameter, int width = 32, int line = __builtin_LINE()) {  \
    return kernelgate::from_bits<type>(                                                                      \
        kernelgate::warp(kernelgate::WarpOp::op, mask, kernelgate::to_bits(value), parameter, width, line)); \
  }
#define KERNELGATE_SHUFFLES(type)                          \
  KERNELGATE_SHUFFLE(__shfl_sync, shuffle, type)           \
  KERNELGATE_SHUFFLE(__shfl_up_sync, shuffle_up, type)     \
  KERNELGATE_SHUFFLE(__shfl_down_sync, shuffle_down, type) \
  KERNELGATE_SHUFFLE(__shfl_xor_sync, shuffle_xor, type)
KERNELGATE_SHUFFLES(int)
KERNELGATE_SHUFFLES(unsigned int)
KERNELGATE_SHUFFLES(long)
KERNELGATE_SHUFFLES(unsigned long)
KERNELGATE_SHUFFLES(long long)
KERNELGATE_SHUFFLES(unsigned long long)
KERNELGATE_SHUFFLES(float)
KERNELGATE_SHUFFLES(double)

// CUDA has these no more, for sm_70 and later: a lane has to say which others it waits for.
#define KERNELGATE_REMOVED(name) \
  template <typename... T>       \
  void name(T...) = delete;
KERNELGATE_REMOVED(__shfl)
KERNELGATE_REMOVED(__shfl_up)
KERNELGATE_REMOVED(__shfl_down)
KERNELGATE_REMOVED(__shfl_xor)
KERNELGATE_REMOVED(__any)
KERNELGATE_REMOVED(__all)
KERNELGATE_REMOVED(__ballot)
#undef KERNELGATE_REMOVED

inline void __syncwarp(unsigned mask = 0xffffffffu, int line = __builtin_LINE()) {
  kernelgate::warp(kernelgate::WarpOp::sync, mask, 0, 0, 32, line);
}
inline unsigned __ballot_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return static_cast<unsigned>(kernelgate::warp(kernelgate::WarpOp::ballot, mask, predicate != 0, 0, 32, line));
}
inline int __any_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return static_cast<int>(kernelgate::warp(kernelgate::WarpOp::any, mask, predicate != 0, 0, 32, line));
}
inline int __all_sync(unsigned mask, int predicate, int line = __builtin_LINE()) {
  return static_cast<int>(kernelgate::warp(kernelgate::WarpOp::all, mask, predicate != 0, 0, 32, line));
}
template <typename T, std::enable_if_t<kernelgate::shuffles<T>, int> = 0>
inline unsigned __match_any_sync(unsigned mask, T value, int line = __builtin_LINE()) {
  return static_cast<unsigned>(
      kernelgate::warp(kernelgate::WarpOp::match_any, mask, kernelgate::to_bits(value), 0, 32, line));
}
template <typename T, std::enable_if_t<kernelgate::shuffles<T>, int> = 0>
inline unsigned __match_all_sync(unsigned mask, T value, int* predicate, int line = __builtin_LINE()) {
  unsigned lanes = static_cast<unsigned>(
      kernelgate::warp(kernelgate::WarpOp::match_all, mask, kernelgate::to_bits(value), 0, 32, line));
  *predicate = lanes != 0;
  return lanes;
}
inline unsigned __activemask(int line = __builtin_LINE()) { return kernelgate_converged_lanes(line); }

#define KERNELGATE_REDUCE(name, op, type)                                                           \
  inline type name(unsigned mask, type value, int line = __builtin_LINE()) {                        \
    return static_cast<type>(                                                                       \
        kernelgate::warp(kernelgate::WarpOp::op, mask, static_cast<unsigned>(value), 0, 32, line)); \
  }
KERNELGATE_REDUCE(__reduce_add_sync, add, int)
KERNELGATE_REDUCE(__reduce_add_sync, add, unsigned)
KERNELGATE_REDUCE(__reduce_min_sync, min_signed, int)
KERNELGATE_REDUCE(__reduce_min_sync, min_unsigned, unsigned)
KERNELGATE_REDUCE(__reduce_max_sync, max_signed, int)
KERNELGATE_REDUCE(__reduce_max_sync, max_unsigned, unsigned)
KERNELGATE_REDUCE(__reduce_and_sync, bit_and, unsigned)
KERNELGATE_REDUCE(__reduce_or_sync, bit_or, unsigned)
KERNELGATE_REDUCE(__reduce_xor_sync, bit_xor, unsigned)
#undef KERNELGATE_REDUCE
