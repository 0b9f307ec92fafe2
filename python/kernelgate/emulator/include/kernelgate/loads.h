// Loads and stores with cache hints: here plain ones. Hints change speed, which emulation never speaks of.
// And addresses of a state space: the same as generic ones; those in shared memory fit into 32 bits.
#pragma once
#include <stddef.h>
#include <time.h>
#include <type_traits>

#define KERNELGATE_LOAD(name) \
  template <typename T>       \
  inline T name(const T* p) { \
    return *p;                \
  }
KERNELGATE_LOAD(__ldg)
KERNELGATE_LOAD(__ldca)
KERNELGATE_LOAD(__ldcg)
KERNELGATE_LOAD(__ldcs)
KERNELGATE_LOAD(__ldlu)
KERNELGATE_LOAD(__ldcv)
#undef KERNELGATE_LOAD

#define KERNELGATE_STORE(name)                        \
  template <typename T>                               \
  inline void name(T* p, std::type_identity_t<T> v) { \
    *p = v;                                           \
  }
KERNELGATE_STORE(__stwb)
KERNELGATE_STORE(__stcg)
KERNELGATE_STORE(__stcs)
KERNELGATE_STORE(__stwt)
#undef KERNELGATE_STORE

// Goes up with each reading, and measures nothing.
inline long long clock64() { return clock(); }

inline size_t __cvta_generic_to_shared(const void* p) { return reinterpret_cast<size_t>(p); }
inline size_t __cvta_generic_to_global(const void* p) { return reinterpret_cast<size_t>(p); }
inline void* __cvta_shared_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
inline void* __cvta_global_to_generic(size_t p) { return reinterpret_cast<void*>(p); }
