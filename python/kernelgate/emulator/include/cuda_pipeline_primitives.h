// __pipeline_memcpy_async, __pipeline_commit, __pipeline_wait_prior.
#pragma once
#include <kernelgate/async_copy.h>

inline void __pipeline_memcpy_async(void* target, const void* source, size_t bytes, size_t zero_bytes = 0) {
  if (bytes != 4 && bytes != 8 && bytes != 16) __builtin_trap();
  kernelgate::request_copy(reinterpret_cast<uint64_t>(target), reinterpret_cast<uint64_t>(source),
                           static_cast<unsigned>(bytes), static_cast<unsigned>(bytes - zero_bytes));
}
inline void __pipeline_commit() { kernelgate_async_commit(); }
inline void __pipeline_wait_prior(unsigned kept) { kernelgate::wait_async_copies(kept); }
