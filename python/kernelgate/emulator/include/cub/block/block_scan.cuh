// cub::BlockScan, without prefix callbacks.
#pragma once
#include <kernelgate/cub.h>

namespace cub {

enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };

template <typename T, int BlockDimX, BlockScanAlgorithm = BLOCK_SCAN_RAKING, int BlockDimY = 1, int BlockDimZ = 1>
class BlockScan {
  static constexpr int threads = BlockDimX * BlockDimY * BlockDimZ;
  struct Plus {
    T operator()(const T& a, const T& b) const { return a + b; }
  };

 public:
  using TempStorage = kernelgate::BlockStorage<T, threads>;
  explicit BlockScan(TempStorage& storage) : storage_(storage) {}

  void InclusiveSum(T in, T& out, int line = __builtin_LINE()) { InclusiveScan(in, out, Plus(), line); }
  void InclusiveSum(T in, T& out, T& total, int line = __builtin_LINE()) {
    InclusiveScan(in, out, Plus(), total, line);
  }
  template <int items>
  void InclusiveSum(T (&in)[items], T (&out)[items], int line = __builtin_LINE()) {
    InclusiveScan(in, out, Plus(), line);
  }
  void ExclusiveSum(T in, T& out, int line = __builtin_LINE()) { ExclusiveScan(in, out, T(), Plus(), line); }
  void ExclusiveSum(T in, T& out, T& total, int line = __builtin_LINE()) {
    ExclusiveScan(in, out, T(), Plus(), total, line);
  }
  template <int items>
  void ExclusiveSum(T (&in)[items], T (&out)[items], int line = __builtin_LINE()) {
    ExclusiveScan(in, out, T(), Plus(), line);
  }

  template <typename Op>
  void InclusiveScan(T in, T& out, Op op, int line = __builtin_LINE()) {
    T total;
    InclusiveScan(in, out, op, total, line);
  }
  template <typename Op>
  void InclusiveScan(T in, T& out, Op op, T& total, int line = __builtin_LINE()) {
    share(in, line);
    const int self = kernelgate::linear_thread();
    out = self ? op(before(self, op), in) : in;
    total = before(threads, op);
  }
  template <int items, typename Op>
  void InclusiveScan(T (&in)[items], T (&out)[items], Op op, int line = __builtin_LINE()) {
    share(kernelgate::reduce_items(in, op), line);
    const int self = kernelgate::linear_thread();
    T sum = self ? op(before(self, op), in[0]) : in[0];
    for (int i = 0; i < items; i++) {
      if (i) sum = op(sum, in[i]);
      out[i] = sum;
    }
  }
  template <typename Op>
  void ExclusiveScan(T in, T& out, T initial, Op op, int line = __builtin_LINE()) {
    T total;
    ExclusiveScan(in, out, initial, op, total, line);
  }
  template <typename Op>
  void ExclusiveScan(T in, T& out, T initial, Op op, T& total, int line = __builtin_LINE()) {
    share(in, line);
    const int self = kernelgate::linear_thread();
    out = self ? op(initial, before(self, op)) : initial;
    total = before(threads, op);
  }
  template <int items, typename Op>
  void ExclusiveScan(T (&in)[items], T (&out)[items], T initial, Op op, int line = __builtin_LINE()) {
    share(kernelgate::reduce_items(in, op), line);
    const int self = kernelgate::linear_thread();
    T sum = self ? op(initial, before(self, op)) : initial;
    for (int i = 0; i < items; i++) {
      const T next = op(sum, in[i]);
      out[i] = sum;
      sum = next;
    }
  }

 private:
  void share(T value, int line) {
    storage_[kernelgate::linear_thread()] = value;
    kernelgate::block_barrier(line);
  }
  template <typename Op>
  T before(int end, Op op) {
    T sum = storage_[0];
    for (int i = 1; i < end; i++) sum = op(sum, storage_[i]);
    return sum;
  }
  TempStorage& storage_;
};

}  // namespace cub
