// Atomics, with CUDA's own overloads and no others: a type that nvcc refuses is refused here.
#pragma once
#include <kernelgate/bits.h>

namespace kernelgate {
// Compare and swap on the bits, so that float and half work as integers do. Returns the old value. The swap is a weak one,
// by which a memory check knows it from a program's own (callbacks.cpp).
template <typename T, typename Update>
inline T atomic_update(T* address, Update update) {
  using Bits = std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>;
  static_assert(sizeof(T) == sizeof(Bits));
  Bits* bits = reinterpret_cast<Bits*>(address);
  Bits seen = __atomic_load_n(bits, __ATOMIC_RELAXED);
  for (;;) {
    T old = from_bits<T>(seen);
    Bits wanted = static_cast<Bits>(to_bits<T>(update(old)));
    if (__atomic_compare_exchange_n(bits, &seen, wanted, true, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) return old;
  }
}
}  // namespace kernelgate

#define KERNELGATE_ATOMIC(name, type, expression)                                                             \
  inline type name(type* address, type value) {                                                               \
    return kernelgate::atomic_update(address, [=]([[maybe_unused]] type old) -> type { return expression; }); \
  }
#define KERNELGATE_ATOMIC_INTEGERS(name, expression) \
  KERNELGATE_ATOMIC(name, int, expression)           \
  KERNELGATE_ATOMIC(name, unsigned, expression)      \
  KERNELGATE_ATOMIC(name, unsigned long long, expression)

KERNELGATE_ATOMIC_INTEGERS(atomicAdd, old + value)
KERNELGATE_ATOMIC(atomicAdd, float, old + value)
KERNELGATE_ATOMIC(atomicAdd, double, old + value)
KERNELGATE_ATOMIC(atomicSub, int, old - value)
KERNELGATE_ATOMIC(atomicSub, unsigned, old - value)
KERNELGATE_ATOMIC_INTEGERS(atomicExch, value)
KERNELGATE_ATOMIC(atomicExch, float, value)
KERNELGATE_ATOMIC_INTEGERS(atomicMax, old > value ? old : value)
KERNELGATE_ATOMIC(atomicMax, long long, old > value ? old : value)
KERNELGATE_ATOMIC_INTEGERS(atomicMin, old < value ? old : value)
KERNELGATE_ATOMIC(atomicMin, long long, old < value ? old : value)
KERNELGATE_ATOMIC_INTEGERS(atomicAnd, (old & value))
KERNELGATE_ATOMIC_INTEGERS(atomicOr, old | value)
KERNELGATE_ATOMIC_INTEGERS(atomicXor, old ^ value)
KERNELGATE_ATOMIC(atomicInc, unsigned, old >= value ? 0u : old + 1u)
KERNELGATE_ATOMIC(atomicDec, unsigned, old == 0u || old > value ? value : old - 1u)

#define KERNELGATE_ATOMIC_CAS(type)                                                                    \
  inline type atomicCAS(type* address, type expected, type value) {                                    \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED); \
    return expected;                                                                                   \
  }
KERNELGATE_ATOMIC_CAS(unsigned short)
KERNELGATE_ATOMIC_CAS(int)
KERNELGATE_ATOMIC_CAS(unsigned)
KERNELGATE_ATOMIC_CAS(unsigned long long)

#define KERNELGATE_ATOMIC_BLOCK(name)                 \
  template <typename T, typename... V>                \
  inline auto name##_block(T* address, V... value) {  \
    return name(address, value...);                   \
  }                                                   \
  template <typename T, typename... V>                \
  inline auto name##_system(T* address, V... value) { \
    return name(address, value...);                   \
  }
KERNELGATE_ATOMIC_BLOCK(atomicAdd)
KERNELGATE_ATOMIC_BLOCK(atomicCAS)
KERNELGATE_ATOMIC_BLOCK(atomicExch)
KERNELGATE_ATOMIC_BLOCK(atomicMax)
KERNELGATE_ATOMIC_BLOCK(atomicMin)
KERNELGATE_ATOMIC_BLOCK(atomicAnd)
KERNELGATE_ATOMIC_BLOCK(atomicOr)
KERNELGATE_ATOMIC_BLOCK(atomicXor)
KERNELGATE_ATOMIC_BLOCK(atomicSub)
KERNELGATE_ATOMIC_BLOCK(atomicInc)
KERNELGATE_ATOMIC_BLOCK(atomicDec)
#undef KERNELGATE_ATOMIC_BLOCK
