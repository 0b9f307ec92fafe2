// Macros of c10, and the namespaces that see one another because this header says so.
#pragma once
#include <assert.h>

#define C10_API
#define C10_EXPORT
#define C10_CUDA_API
#define TORCH_API
#define TORCH_CUDA_CPP_API
#define TORCH_CUDA_CU_API
#define C10_LIKELY(e) (__builtin_expect(static_cast<bool>(e), 1))
#define C10_UNLIKELY(e) (__builtin_expect(static_cast<bool>(e), 0))
#define C10_UNUSED [[maybe_unused]]
#define C10_RESTRICT __restrict
#define C10_ALWAYS_INLINE inline __attribute__((always_inline))
#define C10_NOINLINE __attribute__((noinline))
#define C10_HOST_DEVICE
#define C10_DEVICE
#define C10_HOST
#define C10_LAUNCH_BOUNDS_0
#define C10_LAUNCH_BOUNDS_1(a)
#define C10_LAUNCH_BOUNDS_2(a, b)
#define C10_WARP_SIZE 32
#define GPU_LAMBDA __device__
#define CUDA_KERNEL_ASSERT(condition) assert(condition)
#define CUDA_KERNEL_ASSERT_MSG(condition, message) assert((condition) && (message))

namespace c10 {}
namespace c10::cuda {}
namespace at {
using namespace c10;
}
namespace at::cuda {
using namespace c10::cuda;
}
