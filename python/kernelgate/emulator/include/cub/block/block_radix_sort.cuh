// cub::BlockRadixSort: keys, or keys with values, blocked over the threads; stable, as a radix sort is.
#pragma once
#include <algorithm>
#include <kernelgate/cub.h>
#include <numeric>

namespace cub {

struct NullType {};

template <typename Key, int BlockDimX, int Items, typename Value = NullType>
class BlockRadixSort {
  static constexpr int count = BlockDimX * Items;

 public:
  struct TempStorage {
    kernelgate::BlockStorage<Key, count> keys;
    kernelgate::BlockStorage<Value, count> values;
    kernelgate::BlockStorage<int, count> order;
  };
  explicit BlockRadixSort(TempStorage& storage) : storage_(storage) {}

  void Sort(Key (&keys)[Items], int line = __builtin_LINE()) { sort(keys, none_, false, line); }
  void SortDescending(Key (&keys)[Items], int line = __builtin_LINE()) { sort(keys, none_, true, line); }
  void Sort(Key (&keys)[Items], Value (&values)[Items], int line = __builtin_LINE()) {
    sort(keys, values, false, line);
  }
  void SortDescending(Key (&keys)[Items], Value (&values)[Items], int line = __builtin_LINE()) {
    sort(keys, values, true, line);
  }

 private:
  void sort(Key (&keys)[Items], Value (&values)[Items], bool descending, int line) {
    const int first = kernelgate::linear_thread() * Items;
    for (int i = 0; i < Items; i++) {
      storage_.keys[first + i] = keys[i];
      if constexpr (!std::is_same_v<Value, NullType>) storage_.values[first + i] = values[i];
    }
    kernelgate::block_barrier(line);
    if (first == 0) {
      int* order = &storage_.order[0];
      std::iota(order, order + count, 0);
      std::stable_sort(order, order + count, [&](int a, int b) {
        return descending ? storage_.keys[b] < storage_.keys[a] : storage_.keys[a] < storage_.keys[b];
      });
    }
    kernelgate::block_barrier(line);
    for (int i = 0; i < Items; i++) {
      keys[i] = storage_.keys[storage_.order[first + i]];
      if constexpr (!std::is_same_v<Value, NullType>) values[i] = storage_.values[storage_.order[first + i]];
    }
  }
  TempStorage& storage_;
  Value none_[Items];
};

}  // namespace cub
