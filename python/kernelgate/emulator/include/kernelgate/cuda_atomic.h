// cuda::atomic and cuda::atomic_ref: an atomic operation, after a fence where its order releases.
// In: objects of 1 to 8 bytes in any memory. An order that acquires needs nothing: what follows an atomic follows it.
#pragma once
#include <atomic>
#include <kernelgate/atomics.h>
#include <kernelgate/cuda_scope.h>

namespace cuda {
using ::std::memory_order;
using ::std::memory_order_acq_rel;
using ::std::memory_order_acquire;
using ::std::memory_order_consume;
using ::std::memory_order_relaxed;
using ::std::memory_order_release;
using ::std::memory_order_seq_cst;
}  // namespace cuda

namespace kernelgate {
inline void release(std::memory_order order) {
  if (order == std::memory_order_release || order == std::memory_order_acq_rel || order == std::memory_order_seq_cst)
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

// The operations of both; `Derived` says where the object lies.
template <typename Derived, typename T>
class Atomic {
  static constexpr auto any = std::memory_order_seq_cst;
  T* at() const { return static_cast<const Derived*>(this)->kernelgate_place(); }
  template <typename Update>
  T update(std::memory_order order, Update next) const {
    release(order);
    return atomic_update(at(), next);
  }

 public:
  using value_type = T;
  static constexpr bool is_always_lock_free = true;
  static constexpr bool is_lock_free() { return true; }
  T load(std::memory_order = any) const {
    T value;
    __atomic_load(at(), &value, __ATOMIC_SEQ_CST);
    return value;
  }
  void store(T value, std::memory_order order = any) const {
    release(order);
    __atomic_store(at(), &value, __ATOMIC_SEQ_CST);
  }
  operator T() const { return load(); }
  T operator=(T value) const { return store(value), value; }
  T exchange(T value, std::memory_order order = any) const {
    return update(order, [=](T) { return value; });
  }
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order order = any) const {
    const uint64_t guess = to_bits<T>(expected);
    expected = update(order, [=](T old) { return to_bits<T>(old) == guess ? wanted : old; });
    return to_bits<T>(expected) == guess;
  }
  bool compare_exchange_strong(T& expected, T wanted, std::memory_order order, std::memory_order) const {
    return compare_exchange_strong(expected, wanted, order);
  }
  bool compare_exchange_weak(T& expected, T wanted, std::memory_order order = any) const {
    return compare_exchange_strong(expected, wanted, order);
  }
  bool compare_exchange_weak(T& expected, T wanted, std::memory_order order, std::memory_order) const {
    return compare_exchange_strong(expected, wanted, order);
  }
#define KERNELGATE_FETCH(name, expression)                          \
  T fetch_##name(T value, std::memory_order order = any) const {    \
    return update(order, [=](T old) -> T { return (expression); }); \
  }
  KERNELGATE_FETCH(add, old + value)
  KERNELGATE_FETCH(sub, old - value)
  KERNELGATE_FETCH(and, old& value)
  KERNELGATE_FETCH(or, old | value)
  KERNELGATE_FETCH(xor, old ^ value)
  KERNELGATE_FETCH(max, old < value ? value : old)
  KERNELGATE_FETCH(min, value < old ? value : old)
#undef KERNELGATE_FETCH
  T operator++(int) const { return fetch_add(1); }
  T operator--(int) const { return fetch_sub(1); }
  T operator++() const { return static_cast<T>(fetch_add(1) + 1); }
  T operator--() const { return static_cast<T>(fetch_sub(1) - 1); }
  T operator+=(T value) const { return static_cast<T>(fetch_add(value) + value); }
  T operator-=(T value) const { return static_cast<T>(fetch_sub(value) - value); }
};
}  // namespace kernelgate

namespace cuda {
template <typename T, thread_scope = thread_scope_system>
class atomic_ref : public ::kernelgate::Atomic<atomic_ref<T>, T> {
  T* place_;

 public:
  explicit atomic_ref(T& object) : place_(&object) {}
  T* kernelgate_place() const { return place_; }
  using ::kernelgate::Atomic<atomic_ref<T>, T>::operator=;
};
template <typename T, thread_scope = thread_scope_system>
class atomic : public ::kernelgate::Atomic<atomic<T>, T> {
  mutable T value_;

 public:
  atomic() = default;
  constexpr atomic(T value) : value_(value) {}
  atomic(const atomic&) = delete;
  T* kernelgate_place() const { return &value_; }
  using ::kernelgate::Atomic<atomic<T>, T>::operator=;
};
inline void atomic_thread_fence(memory_order, thread_scope = thread_scope_system) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
}  // namespace cuda
