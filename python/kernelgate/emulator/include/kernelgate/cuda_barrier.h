// cuda::barrier of a block, and cuda::memcpy_async that one of its phases waits for.
#pragma once
#include <kernelgate/async_copy.h>
#include <kernelgate/barriers.h>
#include <kernelgate/cuda_scope.h>
#include <utility>

namespace cuda {

template <size_t alignment>
struct aligned_size_t {
  static constexpr size_t align = alignment;
  size_t value;
  explicit constexpr aligned_size_t(size_t size) : value(size) {}
  constexpr operator size_t() const { return value; }
};

template <thread_scope scope>
class barrier;  // of a block alone

// It lies in shared memory and is initialised by init(&barrier, count): an mbarrier. `line` is the caller's.
template <>
class alignas(8) barrier<thread_scope_block> {
 public:
  class arrival_token {
    friend class barrier;
    uint64_t phase;
  };
  barrier() = default;
  barrier(const barrier&) = delete;
  static constexpr ptrdiff_t max() { return (1 << 20) - 1; }
  arrival_token arrive(ptrdiff_t count = 1, int line = __builtin_LINE()) {
    arrival_token token;
    token.phase = kernelgate_mbarrier_arrive(kernelgate_address(), static_cast<unsigned>(count), 0, line);
    return token;
  }
  void wait(arrival_token&& token, int line = __builtin_LINE()) const {
    kernelgate_mbarrier_wait(kernelgate_address(), token.phase, 0, 0, line);
  }
  void wait_parity(bool parity, int line = __builtin_LINE()) const {
    kernelgate_mbarrier_wait(kernelgate_address(), parity, 1, 0, line);
  }
  void arrive_and_wait(int line = __builtin_LINE()) { wait(arrive(1, line), line); }
  uint64_t kernelgate_address() const { return reinterpret_cast<uint64_t>(this); }

 private:
  uint64_t state_;
};
inline void init(barrier<thread_scope_block>* barrier, ptrdiff_t expected, int line = __builtin_LINE()) {
  kernelgate_mbarrier_init(barrier->kernelgate_address(), static_cast<unsigned>(expected), line);
}
namespace device {
inline uint64_t* barrier_native_handle(barrier<thread_scope_block>& barrier) {
  return reinterpret_cast<uint64_t*>(&barrier);
}
}  // namespace device

// Made at once: who reads before the phase is complete has no order with it, which a memory check sees.
template <typename Group>
inline void kernelgate_copy_now(const Group& group, void* target, const void* source, size_t bytes) {
  const uint64_t to = reinterpret_cast<uint64_t>(target), from = reinterpret_cast<uint64_t>(source);
  const size_t unit = (to | from | bytes) % 16 == 0 ? 16 : (to | from | bytes) % 4 == 0 ? 4 : 1;
  for (size_t i = group.thread_rank() * unit; i < bytes; i += group.size() * unit) {
    using namespace kernelgate;
    if (unit == 16) *reinterpret_cast<Chunk<16>*>(to + i) = *reinterpret_cast<const Chunk<16>*>(from + i);
    else if (unit == 4) *reinterpret_cast<Chunk<4>*>(to + i) = *reinterpret_cast<const Chunk<4>*>(from + i);
    else *reinterpret_cast<char*>(to + i) = *reinterpret_cast<const char*>(from + i);
  }
}
struct kernelgate_single_thread {
  static constexpr size_t thread_rank() { return 0; }
  static constexpr size_t size() { return 1; }
};
template <typename Group, typename Size>
inline void memcpy_async(const Group& group, void* target, const void* source, Size bytes,
                         barrier<thread_scope_block>&) {
  kernelgate_copy_now(group, target, source, bytes);
}
template <typename Size>
inline void memcpy_async(void* target, const void* source, Size bytes, barrier<thread_scope_block>&) {
  kernelgate_copy_now(kernelgate_single_thread(), target, source, bytes);
}

}  // namespace cuda
