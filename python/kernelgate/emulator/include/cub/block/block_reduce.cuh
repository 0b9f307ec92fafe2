// cub::BlockReduce. The result is thread 0's alone, as in CUB.
#pragma once
#include <kernelgate/cub.h>

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
};

template <typename T, int BlockDimX, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int BlockDimY = 1,
          int BlockDimZ = 1>
class BlockReduce {
  static constexpr int threads = BlockDimX * BlockDimY * BlockDimZ;

 public:
  using TempStorage = kernelgate::BlockStorage<T, threads>;
  explicit BlockReduce(TempStorage& storage) : storage_(storage) {}

  template <typename Op>
  T Reduce(T value, Op op, int valid = threads, int line = __builtin_LINE()) {
    const int self = kernelgate::linear_thread();
    storage_[self] = value;
    kernelgate::block_barrier(line);
    if (self == 0)
      for (int i = 1; i < valid; i++) value = op(value, storage_[i]);
    return value;
  }
  template <int items, typename Op>
  T Reduce(T (&values)[items], Op op, int line = __builtin_LINE()) {
    return Reduce(kernelgate::reduce_items(values, op), op, threads, line);
  }
  T Sum(T value, int valid = threads, int line = __builtin_LINE()) {
    return Reduce(value, [](const T& a, const T& b) -> T { return a + b; }, valid, line);
  }
  template <int items>
  T Sum(T (&values)[items], int line = __builtin_LINE()) {
    return Reduce(values, [](const T& a, const T& b) -> T { return a + b; }, line);
  }

 private:
  TempStorage& storage_;
};

}  // namespace cub
