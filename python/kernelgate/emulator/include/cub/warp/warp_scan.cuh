// cub::WarpScan.
#pragma once
#include <kernelgate/cub.h>

namespace cub {

template <typename T, int Lanes = 32>
class WarpScan {
  struct Plus {
    T operator()(const T& a, const T& b) const { return a + b; }
  };

 public:
  struct TempStorage {
    char unused;
  };
  explicit WarpScan(TempStorage&) {}
  void InclusiveSum(T in, T& out, int line = __builtin_LINE()) { InclusiveScan(in, out, Plus(), line); }
  void ExclusiveSum(T in, T& out, int line = __builtin_LINE()) { ExclusiveScan(in, out, T(), Plus(), line); }
  template <typename Op>
  void InclusiveScan(T in, T& out, Op op, int line = __builtin_LINE()) {
    out = kernelgate::combine(lanes(), in, op, true, line).result;
  }
  template <typename Op>
  void ExclusiveScan(T in, T& out, T initial, Op op, int line = __builtin_LINE()) {
    const T before = kernelgate::combine(lanes(), in, op, false, line).result;
    out = kernelgate::lane() % Lanes ? op(initial, before) : initial;
  }

 private:
  static unsigned lanes() {
    return (Lanes == 32 ? ~0u : (1u << Lanes % 32) - 1u) << kernelgate::lane() / Lanes * Lanes;
  }
};

}  // namespace cub
