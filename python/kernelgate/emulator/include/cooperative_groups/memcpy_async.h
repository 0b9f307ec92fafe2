// cg::memcpy_async: the threads of a group copy together; the bytes are there after cg::wait.
#pragma once
#include <cooperative_groups.h>
#include <kernelgate/async_copy.h>

namespace cooperative_groups {
template <typename Group>
inline void memcpy_async(const Group& group, void* target, const void* source, size_t bytes) {
  const uint64_t to = reinterpret_cast<uint64_t>(target), from = reinterpret_cast<uint64_t>(source);
  const bool by_words = to % 4 == 0 && from % 4 == 0 && bytes % 4 == 0;
  for (size_t i = group.thread_rank(); i < (by_words ? bytes / 4 : bytes); i += group.size()) {
    if (by_words) kernelgate::request_copy<4>(to + 4 * i, from + 4 * i, 4);
    else static_cast<char*>(target)[i] = static_cast<const char*>(source)[i];  // as the hardware's library does
  }
  kernelgate_async_commit();
}
template <typename Group>
inline void wait(const Group& group, int line = __builtin_LINE()) {
  kernelgate::wait_async_copies(0);
  group.sync(line);
}
template <unsigned kept, typename Group>
inline void wait_prior(const Group& group, int line = __builtin_LINE()) {
  kernelgate::wait_async_copies(kept);
  group.sync(line);
}
}  // namespace cooperative_groups
