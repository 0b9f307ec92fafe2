// The allocator of the device, as far as programs call it by name.
#pragma once
#include <c10/cuda/CUDAStream.h>

namespace c10::cuda::CUDACachingAllocator {
inline void* raw_alloc(size_t bytes) { return kernelgate_allocate(bytes); }
inline void* raw_alloc_with_stream(size_t bytes, cudaStream_t) { return kernelgate_allocate(bytes); }
inline void raw_delete(void* pointer) { kernelgate_release(pointer); }
inline void emptyCache() {}
}  // namespace c10::cuda::CUDACachingAllocator
