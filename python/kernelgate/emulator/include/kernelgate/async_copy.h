// cp.async and __pipeline_*: a copy is made when its thread waits for it (runtime/async_copy.cpp).
#pragma once
#include <kernelgate/abi.h>
#include <string.h>

namespace kernelgate {

template <unsigned bytes>
struct alignas(bytes) Chunk {
  char data[bytes];
};

// Reads the source now: a bad address is reported at the line that asked. What lies beyond `source_bytes` becomes zero.
template <unsigned bytes>
inline void request_copy(uint64_t target, uint64_t source, unsigned source_bytes) {
  if (target % bytes || source % bytes) __builtin_trap();  // reported as misaligned
  AsyncCopy copy{reinterpret_cast<void*>(target), bytes, {}};
  if (source_bytes >= bytes) {
    const Chunk<bytes> chunk = *reinterpret_cast<const Chunk<bytes>*>(source);
    memcpy(copy.data, &chunk, bytes);
  } else {
    for (unsigned i = 0; i < source_bytes; i++) copy.data[i] = reinterpret_cast<const char*>(source)[i];
  }
  kernelgate_async_copy(&copy);
}
inline void request_copy(uint64_t target, uint64_t source, unsigned bytes, unsigned source_bytes) {
  switch (bytes) {
    case 4: return request_copy<4>(target, source, source_bytes);
    case 8: return request_copy<8>(target, source, source_bytes);
    default: return request_copy<16>(target, source, source_bytes);
  }
}

// Makes the copies of all committed groups but the `kept` newest. They are made here, in the program's own code, so
// that its accesses to shared memory are seen as its accesses.
inline void wait_async_copies(unsigned kept) {
  while (const AsyncCopy* copy = kernelgate_async_next(kept)) {
    switch (copy->bytes) {
      case 4: *static_cast<Chunk<4>*>(copy->target) = *reinterpret_cast<const Chunk<4>*>(copy->data); break;
      case 8: *static_cast<Chunk<8>*>(copy->target) = *reinterpret_cast<const Chunk<8>*>(copy->data); break;
      default: *static_cast<Chunk<16>*>(copy->target) = *reinterpret_cast<const Chunk<16>*>(copy->data);
    }
  }
}

}  // namespace kernelgate
