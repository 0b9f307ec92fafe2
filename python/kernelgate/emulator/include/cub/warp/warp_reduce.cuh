// cub::WarpReduce. The result is lane 0's alone, as in CUB; here the others get their own value back.
#pragma once
#include <kernelgate/cub.h>

namespace cub {

template <typename T, int Lanes = 32>
class WarpReduce {
 public:
  struct TempStorage {
    char unused;
  };
  explicit WarpReduce(TempStorage&) {}
  template <typename Op>
  T Reduce(T value, Op op, int line = __builtin_LINE()) {
    const T total = kernelgate::combine(lanes(), value, op, true, line).total;
    return kernelgate::lane() % Lanes ? value : total;
  }
  T Sum(T value, int line = __builtin_LINE()) {
    return Reduce(value, [](const T& a, const T& b) -> T { return a + b; }, line);
  }

 private:
  static unsigned lanes() {
    return (Lanes == 32 ? ~0u : (1u << Lanes % 32) - 1u) << kernelgate::lane() / Lanes * Lanes;
  }
};

}  // namespace cub
