// What the block and warp primitives of CUB share: a value a thread in shared memory, read after one barrier.
// As with CUB, a program must wait itself before it uses the same storage again.
#pragma once
#include <cuda/functional>
#include <cuda_runtime.h>
#include <kernelgate/barriers.h>
#include <kernelgate/groups.h>

namespace kernelgate {

template <typename T>
struct alignas(T) Uninitialised {
  char bytes[sizeof(T)];
  T& value() { return reinterpret_cast<T&>(bytes); }
};
template <typename T, int threads>
struct BlockStorage {
  Uninitialised<T> slots[threads];
  T& operator[](int i) { return slots[i].value(); }
};
inline void block_barrier(int line) { kernelgate_barrier(static_cast<int>(BarrierOp::plain), 0, line); }
inline int linear_thread() { return static_cast<int>(kernelgate_current->linear); }

template <typename T, typename Op, int items>
inline T reduce_items(const T (&values)[items], Op op) {
  T sum = values[0];
  for (int i = 1; i < items; i++) sum = op(sum, values[i]);
  return sum;
}

}  // namespace kernelgate
