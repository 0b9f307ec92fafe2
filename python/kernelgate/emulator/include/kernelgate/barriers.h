// Block barriers and fences. The line travels with the call: two different lines in one block are an error.
#pragma once
#include <kernelgate/abi.h>

#define __syncthreads() \
  static_cast<void>(kernelgate_barrier(static_cast<int>(::kernelgate::BarrierOp::plain), 0, __builtin_LINE()))

inline int __syncthreads_count(int predicate, int line = __builtin_LINE()) {
  return kernelgate_barrier(static_cast<int>(kernelgate::BarrierOp::count), predicate != 0, line);
}
inline int __syncthreads_and(int predicate, int line = __builtin_LINE()) {
  return kernelgate_barrier(static_cast<int>(kernelgate::BarrierOp::all), predicate != 0, line);
}
inline int __syncthreads_or(int predicate, int line = __builtin_LINE()) {
  return kernelgate_barrier(static_cast<int>(kernelgate::BarrierOp::any), predicate != 0, line);
}

// Blocks may run on several OS threads, so that a device-wide fence is a real one.
inline void __threadfence_block() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
