// Shuffles, votes and reductions over any lanes of a warp and of any copyable type, for the group libraries.
#pragma once
#include <kernelgate/together.h>
#include <kernelgate/warp.h>

namespace kernelgate {

template <typename T>
inline void poison_value(T& value) {
  constexpr uint64_t pattern = 0xFFF9FFF9FFF9FFF9ull;  // memory.h's undefined_pattern()
  for (size_t i = 0; i < sizeof(T); i += 8)
    memcpy(reinterpret_cast<char*>(&value) + i, &pattern, sizeof(T) - i < 8 ? sizeof(T) - i : 8);
}

// The value of lane `source` of the warp, for values of any size.
template <typename T>
struct Exchange : Together {
  const T* value;
  T* result;
  int source;
  bool absent;  // the source
  static void work(Exchange* const* lanes, unsigned mask) {
    for (int l = 0; l < 32; l++)
      if (mask >> l & 1) {
        const Exchange* from = lanes[lanes[l]->source & 31];
        lanes[l]->absent = !from;
        // A lane that does not take part has an undefined value: poison here.
        if (from) memcpy(static_cast<void*>(lanes[l]->result), from->value, sizeof(T));
        else poison_value(*lanes[l]->result);
      }
  }
};
template <typename T>
inline T exchange(unsigned mask, const T& value, int source, int line) {
  T result = value;
  Exchange<T> mine;
  mine.value = &value, mine.result = &result, mine.source = source;
  together(mask, mine, line);
  if (mine.absent) kernelgate_absent_lane(line);
  return result;
}

// Reductions and scans in the order of the lanes.
template <typename T, typename Op>
struct Combine : Together {
  T value, result, total;
  const Op* op;
  bool inclusive;
  unsigned present;
  static void work(Combine* const* lanes, unsigned mask) {
    const int first = __builtin_ctz(mask);
    T sum = lanes[first]->value;
    for (int l = first; l < 32; l++) {
      if (!(mask >> l & 1)) continue;
      if (l != first) {
        lanes[l]->result = sum;  // of those before
        sum = (*lanes[l]->op)(sum, lanes[l]->value);
      }
      if (lanes[l]->inclusive) lanes[l]->result = sum;
    }
    for (int l = 0; l < 32; l++)
      if (mask >> l & 1) lanes[l]->total = sum, lanes[l]->present = mask;
  }
};
template <typename T, typename Op>
inline Combine<T, Op> combine(unsigned mask, const T& value, const Op& op, bool inclusive, int line) {
  Combine<T, Op> mine;
  mine.value = mine.result = mine.total = value;
  mine.op = &op;
  mine.inclusive = inclusive;
  together(mask, mine, line);
  return mine;
}

inline unsigned lanes_below() { return (1u << lane()) - 1u; }
// The lane that is the rank-th of a mask.
inline int lane_of_rank(unsigned mask, unsigned rank) {
  for (; rank && mask; rank--) mask &= mask - 1;
  return mask ? __builtin_ctz(mask) : 0;
}

}  // namespace kernelgate
