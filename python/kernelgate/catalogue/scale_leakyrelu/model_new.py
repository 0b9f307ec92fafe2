"""leaky_relu(x * multiplier, slope) as one CUDA kernel. Needs torch and a CUDA toolchain, nothing else.

    layer = ModelNew(multiplier=2.0, negative_slope=0.1)
    y = layer(linear(x))        # same shape, strides, dtype and bits as F.leaky_relu(linear(x) * 2.0, 0.1)

Eager PyTorch moves each element twice, for the product and for the activation; this moves it once. For the gradient it
keeps one bit an element, "the product was positive". A multiplier that is a tensor of one element (a learned scale)
stays on the GPU and gets its gradient in the same pass; x is then kept instead of the mask, because that gradient needs
it. Other tensors, and everything on other devices, run PyTorch's own operators.
"""

import hashlib
import inspect
import threading

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

try:
    from torch.compiler import assume_constant_result
except ImportError:  # PyTorch before 2.1
    from torch._dynamo import assume_constant_result

# What the two halves of the program tell each other, in plain types: nvcc then reads no header of PyTorch, and compiles
# in a second.
TYPES = r"""
#include <cstdint>

enum class Kind { Float, Double, Half, BFloat16 };

constexpr int kMaxDims = 8;

struct Dimension {
  int64_t size;
  int64_t in_stride;  // in elements
  int64_t out_stride;
  uint32_t magic;  // i / size without a division: see quotient()
  uint32_t shift;
};

struct Walk {
  int dims;
  bool narrow;              // every place is below 2^31
  Dimension dim[kMaxDims];  // first the one in which neighbours of out lie closest together
};

// The multiplier: a number, or one element in the device's memory, of the dtype of x, where `pointer` is not null.
struct Arguments {
  double multiplier;
  double slope;
  const void* pointer = nullptr;
};
"""

PROTOTYPES = r"""
struct Arguments;  // the numbers of the operator, which defines it

#define HIDDEN __attribute__((visibility("hidden")))
// Both return a cudaError_t. `walk` is null where in and out are dense, alike, and 16-byte aligned; in may be out.
HIDDEN int launch_forward(Kind, const void* x, void* y, uint32_t* mask, int64_t n, const Walk*, const Arguments&,
                          void* stream);
HIDDEN int launch_backward(Kind, const void* grad, const uint32_t* mask, void* grad_x, int64_t n, const Walk*,
                           const Arguments&, void* stream);

// How many blocks of the next function the current device holds at once.
HIDDEN int launch_blocks(int* blocks);
// The gradients of x and of a multiplier in memory, in one pass. All dense, alike, and 16-byte aligned. Each of the
// `blocks` blocks leaves its part of the second in `parts`: double for Kind::Double, else float.
HIDDEN int launch_backward_both(Kind, const void* grad, const void* x, void* grad_x, void* parts, int blocks, int64_t n,
                                const void* multiplier, double slope, void* stream);
"""

# ------------------------------------------------------------------------------------------------------------ device

KERNELS = r"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Half types are computed in float and rounded once, as PyTorch does: the results are equal to the bit.
template <typename T>
struct Number;
template <>
struct Number<float> {
  using Wide = float;
  static __device__ __forceinline__ float widen(float a) { return a; }
  static __device__ __forceinline__ float narrow(float a) { return a; }
};
template <>
struct Number<double> {
  using Wide = double;
  static __device__ __forceinline__ double widen(double a) { return a; }
  static __device__ __forceinline__ double narrow(double a) { return a; }
};
template <>
struct Number<__half> {
  using Wide = float;
  static __device__ __forceinline__ float widen(__half a) { return __half2float(a); }
  static __device__ __forceinline__ __half narrow(float a) { return __float2half_rn(a); }
};
template <>
struct Number<__nv_bfloat16> {
  using Wide = float;
  static __device__ __forceinline__ float widen(__nv_bfloat16 a) { return __bfloat162float(a); }
  static __device__ __forceinline__ __nv_bfloat16 narrow(float a) { return __float2bfloat16_rn(a); }
};
template <typename T>
using Wide = typename Number<T>::Wide;

template <typename T>
__device__ __forceinline__ bool positive(T a) {
  return Number<T>::widen(a) > Wide<T>(0);
}
// A product as PyTorch stores it: rounded to T.
template <typename T>
__device__ __forceinline__ T times(T a, Wide<T> b) {
  return Number<T>::narrow(Number<T>::widen(a) * b);
}

// forward:  t = x * m; y = t > 0 ? t : slope * t    mask bit: t > 0, so 0, -0 and NaN are on the side of the slope
template <typename T>
struct Loaded {
  Wide<T> m, slope;
  __device__ __forceinline__ T operator()(T x, bool* keep) const {
    const T t = times(x, m);
    *keep = positive(t);
    return *keep ? t : times(t, slope);
  }
};
// The multiplier as the kernels take it. A number is not rounded to T before it multiplies: neither does PyTorch.
template <typename T>
struct Forward {
  Wide<T> multiplier;
  const T* pointer;
  Wide<T> slope;
  __device__ __forceinline__ Loaded<T> loaded() const {
    return {pointer == nullptr ? multiplier : Number<T>::widen(*pointer), slope};
  }
};
// backward: grad_x = (bit ? grad : slope * grad) * m
template <typename T>
struct Backward {
  Wide<T> m, slope;
  __device__ __forceinline__ T operator()(bool keep, T grad) const {
    return times(keep ? grad : times(grad, slope), m);
  }
};

// The kernels of an operator that computes each element by itself, and keeps one bit of it for the gradient. The
// operator defines what they compute, as arguments of the kernels:
//   Forward<T>::loaded() gives what is called for an element: y = loaded(x, &bit)
//   Backward<T> is called for an element: grad_x = backward(bit, grad)

// The mask: bit i % 32 of word i / 32 belongs to element i, counted in the order in which y lies in memory.

// 16 bytes, moved by one load or store.
template <typename T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T value[size];
};

constexpr int kThreads = 128;
constexpr unsigned kAllLanes = 0xffffffffu;

// Dense: thread t owns the pack of elements [t * size, (t + 1) * size). The last pack may be partial.
template <typename T, bool kWithMask>
__global__ void __launch_bounds__(kThreads)
    forward_dense(const T* x, T* y, uint32_t* mask, int64_t n, Forward<T> given) {
  constexpr int kSize = Pack<T>::size;
  const int64_t first = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kSize;
  const auto forward = given.loaded();
  uint32_t bits = 0;
  if (first + kSize <= n) {
    Pack<T> pack = *reinterpret_cast<const Pack<T>*>(x + first);
#pragma unroll
    for (int k = 0; k < kSize; ++k) {
      bool keep;
      pack.value[k] = forward(pack.value[k], &keep);
      bits |= static_cast<uint32_t>(keep) << k;
    }
    *reinterpret_cast<Pack<T>*>(y + first) = pack;
  } else {
    for (int k = 0; first + k < n; ++k) {
      bool keep;
      y[first + k] = forward(x[first + k], &keep);
      bits |= static_cast<uint32_t>(keep) << k;
    }
  }
  if (kWithMask) {
    // 32 / size neighbouring threads put their bits together into one word. All of them get here, also behind the end.
    constexpr int kGroup = 32 / kSize;
    bits <<= threadIdx.x % kGroup * kSize;
#pragma unroll
    for (int distance = 1; distance < kGroup; distance *= 2) {
      bits |= __shfl_xor_sync(kAllLanes, bits, distance);
    }
    if (threadIdx.x % kGroup == 0 && first < n) {
      mask[first / 32] = bits;
    }
  }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_dense(const T* grad, const uint32_t* mask, T* grad_x, int64_t n, Backward<T> backward) {
  constexpr int kSize = Pack<T>::size;
  const int64_t first = (static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x) * kSize;
  if (first >= n) {
    return;
  }
  if (first + kSize <= n) {
    // Both loads before the first use of either, or they wait for each other.
    Pack<T> pack = *reinterpret_cast<const Pack<T>*>(grad + first);
    const uint32_t bits = mask[first / 32] >> (first % 32);
#pragma unroll
    for (int k = 0; k < kSize; ++k) {
      pack.value[k] = backward(bits >> k & 1, pack.value[k]);
    }
    *reinterpret_cast<Pack<T>*>(grad_x + first) = pack;
  } else {
    const uint32_t bits = mask[first / 32] >> (first % 32);
    for (int k = 0; first + k < n; ++k) {
      grad_x[first + k] = backward(bits >> k & 1, grad[first + k]);
    }
  }
}

// i / size. Below 2^31 by a multiplication (Granlund and Montgomery, with the host's magic and shift).
__device__ __forceinline__ uint32_t quotient(uint32_t i, const Dimension& dim) {
  return (__umulhi(i, dim.magic) + i) >> dim.shift;
}
__device__ __forceinline__ uint64_t quotient(uint64_t i, const Dimension& dim) {
  return i >> 31 == 0 ? quotient(static_cast<uint32_t>(i), dim) : i / static_cast<uint64_t>(dim.size);
}

// Any layout: a thread takes kItems elements, kThreads apart. So a warp has 32 elements in a row, one word of the mask,
// and all loads of a thread are on their way before the first is used.
constexpr int kItems = 4;

// Where a thread's elements are, counted from the start of in and out. Index: uint32_t for a narrow walk, or uint64_t.
template <typename Index>
struct Places {
  Index in[kItems], out[kItems];
};

// Element i has the index (i % size[0], i / size[0] % size[1], ...).
template <typename Index>
__device__ __forceinline__ Places<Index> places(const Walk& walk, Index first) {
  Places<Index> at{};
  Index left[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    left[k] = first + k * kThreads;
  }
#pragma unroll 1  // a call of a few microseconds waits for its instructions: the fewer, the sooner they are there
  for (int d = 0; d < walk.dims; ++d) {
    const Dimension& dim = walk.dim[d];
    const bool last = d + 1 == walk.dims;
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const Index next = last ? 0 : quotient(left[k], dim);
      const Index index = left[k] - next * static_cast<Index>(dim.size);
      at.in[k] += index * static_cast<Index>(dim.in_stride);
      at.out[k] += index * static_cast<Index>(dim.out_stride);
      left[k] = next;
    }
  }
  return at;
}

template <typename T, bool kWithMask, typename Index>
__global__ void __launch_bounds__(kThreads)
    forward_strided(const T* x, T* y, uint32_t* mask, Index n, Walk walk, Forward<T> given) {
  const auto forward = given.loaded();
  const Index first = static_cast<Index>(blockIdx.x) * (kThreads * kItems) + threadIdx.x;
  const Places<Index> at = places(walk, first);
  T value[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const Index i = first + k * kThreads;
    if (i < n) {
      value[k] = x[at.in[k]];
    }
  }
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const Index i = first + k * kThreads;
    bool keep = false;
    if (i < n) {
      y[at.out[k]] = forward(value[k], &keep);
    }
    if (kWithMask) {
      const uint32_t word = __ballot_sync(kAllLanes, keep);
      if (threadIdx.x % 32 == 0 && i < n) {
        mask[i / 32] = word;
      }
    }
  }
}

template <typename T, typename Index>
__global__ void __launch_bounds__(kThreads)
    backward_strided(const T* grad, const uint32_t* mask, T* grad_x, Index n, Walk walk, Backward<T> backward) {
  const Index first = static_cast<Index>(blockIdx.x) * (kThreads * kItems) + threadIdx.x;
  const Places<Index> at = places(walk, first);
  T value[kItems];
  uint32_t word[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const Index i = first + k * kThreads;
    if (i < n) {
      value[k] = grad[at.in[k]];
      word[k] = mask[i / 32];
    }
  }
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const Index i = first + k * kThreads;
    if (i < n) {
      grad_x[at.out[k]] = backward(word[k] >> (i % 32) & 1, value[k]);
    }
  }
}

// grad_x as above, the choice made anew from x, and
//   grad_m = sum over i of (t[i] > 0 ? grad[i] : slope * grad[i]) * x[i]
// A grid as large as the device holds at once (five blocks a multiprocessor: 40 KiB of loads on their way) strides over
// the packs. Every thread adds up its own products, the warp by shuffles, the block in shared memory, and the host adds
// up parts[block]: always in the same order.
constexpr int kBothThreads = 256;
constexpr int kBothBlocks = 5;

template <typename T>
__global__ void __launch_bounds__(kBothThreads, kBothBlocks)
    backward_both(const T* grad, const T* x, T* grad_x, Wide<T>* parts, int64_t n, const T* multiplier, Wide<T> slope) {
  constexpr int kSize = Pack<T>::size;
  const Wide<T> m = Number<T>::widen(*multiplier);
  const int64_t step = static_cast<int64_t>(gridDim.x) * kBothThreads * kSize;
  Wide<T> sum[kSize] = {};
  for (int64_t first = (static_cast<int64_t>(blockIdx.x) * kBothThreads + threadIdx.x) * kSize; first < n;
       first += step) {
    Pack<T> g, a;
    const bool whole = first + kSize <= n;
    if (whole) {
      g = *reinterpret_cast<const Pack<T>*>(grad + first);
      a = *reinterpret_cast<const Pack<T>*>(x + first);
    }
#pragma unroll
    for (int k = 0; k < kSize; ++k) {
      if (whole || first + k < n) {
        const T value = whole ? a.value[k] : x[first + k];
        const T upstream = whole ? g.value[k] : grad[first + k];
        const T chosen = positive(times(value, m)) ? upstream : times(upstream, slope);
        sum[k] += Number<T>::widen(chosen) * Number<T>::widen(value);
        g.value[k] = times(chosen, m);
      }
    }
    if (whole) {
      *reinterpret_cast<Pack<T>*>(grad_x + first) = g;
    } else {
#pragma unroll
      for (int k = 0; k < kSize; ++k) {
        if (first + k < n) {
          grad_x[first + k] = g.value[k];
        }
      }
    }
  }

  Wide<T> total = 0;
#pragma unroll
  for (int k = 0; k < kSize; ++k) {
    total += sum[k];
  }
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    total += __shfl_xor_sync(kAllLanes, total, distance);
  }
  __shared__ Wide<T> of_warp[kBothThreads / 32];
  if (threadIdx.x % 32 == 0) {
    of_warp[threadIdx.x / 32] = total;
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < kBothThreads / 32; ++warp) {
      total += of_warp[warp];
    }
    parts[blockIdx.x] = total;
  }
}
"""

LAUNCHERS = r"""
template <typename T>
static Forward<T> forward_of(const Arguments& arguments) {
  return {static_cast<Wide<T>>(arguments.multiplier), static_cast<const T*>(arguments.pointer),
          static_cast<Wide<T>>(arguments.slope)};
}
template <typename T>
static Backward<T> backward_of(const Arguments& arguments) {
  return {static_cast<Wide<T>>(arguments.multiplier), static_cast<Wide<T>>(arguments.slope)};
}

// The operator defines forward_of<T>(Arguments) and backward_of<T>(Arguments), which make the kernels' arguments.

static unsigned blocks_for(int64_t n, int64_t elements_per_block) {
  return static_cast<unsigned>((n + elements_per_block - 1) / elements_per_block);
}

template <typename T, bool kWithMask>
static void forward(const void* from, void* to, uint32_t* mask, int64_t n, const Walk* walk, const Arguments& arguments,
                    cudaStream_t stream) {
  const T* x = static_cast<const T*>(from);
  T* y = static_cast<T*>(to);
  const Forward<T> given = forward_of<T>(arguments);
  if (walk == nullptr) {
    const unsigned blocks = blocks_for(n, kThreads * Pack<T>::size);
    forward_dense<T, kWithMask><<<blocks, kThreads, 0, stream>>>(x, y, mask, n, given);
  } else {
    const unsigned blocks = blocks_for(n, kThreads * kItems);
    if (walk->narrow) {
      forward_strided<T, kWithMask, uint32_t>
          <<<blocks, kThreads, 0, stream>>>(x, y, mask, static_cast<uint32_t>(n), *walk, given);
    } else {
      forward_strided<T, kWithMask, uint64_t><<<blocks, kThreads, 0, stream>>>(x, y, mask, n, *walk, given);
    }
  }
}

template <typename T>
static int forward(const void* x, void* y, uint32_t* mask, int64_t n, const Walk* walk, const Arguments& arguments,
                   void* stream) {
  if (mask != nullptr) {
    forward<T, true>(x, y, mask, n, walk, arguments, static_cast<cudaStream_t>(stream));
  } else {
    forward<T, false>(x, y, mask, n, walk, arguments, static_cast<cudaStream_t>(stream));
  }
  return cudaGetLastError();
}

template <typename T>
static int backward(const void* from, const uint32_t* mask, void* to, int64_t n, const Walk* walk,
                    const Arguments& arguments, void* on) {
  const T* grad = static_cast<const T*>(from);
  T* grad_x = static_cast<T*>(to);
  const Backward<T> given = backward_of<T>(arguments);
  const cudaStream_t stream = static_cast<cudaStream_t>(on);
  if (walk == nullptr) {
    const unsigned blocks = blocks_for(n, kThreads * Pack<T>::size);
    backward_dense<T><<<blocks, kThreads, 0, stream>>>(grad, mask, grad_x, n, given);
  } else {
    const unsigned blocks = blocks_for(n, kThreads * kItems);
    if (walk->narrow) {
      backward_strided<T, uint32_t>
          <<<blocks, kThreads, 0, stream>>>(grad, mask, grad_x, static_cast<uint32_t>(n), *walk, given);
    } else {
      backward_strided<T, uint64_t><<<blocks, kThreads, 0, stream>>>(grad, mask, grad_x, n, *walk, given);
    }
  }
  return cudaGetLastError();
}

int launch_forward(Kind kind, const void* x, void* y, uint32_t* mask, int64_t n, const Walk* walk,
                   const Arguments& arguments, void* stream) {
  switch (kind) {
    case Kind::Float: return forward<float>(x, y, mask, n, walk, arguments, stream);
    case Kind::Double: return forward<double>(x, y, mask, n, walk, arguments, stream);
    case Kind::Half: return forward<__half>(x, y, mask, n, walk, arguments, stream);
    case Kind::BFloat16: return forward<__nv_bfloat16>(x, y, mask, n, walk, arguments, stream);
  }
  return cudaErrorInvalidValue;
}

int launch_backward(Kind kind, const void* grad, const uint32_t* mask, void* grad_x, int64_t n, const Walk* walk,
                    const Arguments& arguments, void* stream) {
  switch (kind) {
    case Kind::Float: return backward<float>(grad, mask, grad_x, n, walk, arguments, stream);
    case Kind::Double: return backward<double>(grad, mask, grad_x, n, walk, arguments, stream);
    case Kind::Half: return backward<__half>(grad, mask, grad_x, n, walk, arguments, stream);
    case Kind::BFloat16: return backward<__nv_bfloat16>(grad, mask, grad_x, n, walk, arguments, stream);
  }
  return cudaErrorInvalidValue;
}

template <typename T>
static int both(const void* grad, const void* x, void* grad_x, void* parts, int blocks, int64_t n,
                const void* multiplier, double slope, void* stream) {
  backward_both<T><<<blocks, kBothThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const T*>(grad), static_cast<const T*>(x), static_cast<T*>(grad_x), static_cast<Wide<T>*>(parts), n,
      static_cast<const T*>(multiplier), static_cast<Wide<T>>(slope));
  return cudaGetLastError();
}

int launch_blocks(int* blocks) {
  int device = 0, processors = 0;
  cudaError_t code = cudaGetDevice(&device);
  if (code == cudaSuccess) {
    code = cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
  }
  *blocks = processors * kBothBlocks;
  return code;
}

int launch_backward_both(Kind kind, const void* grad, const void* x, void* grad_x, void* parts, int blocks, int64_t n,
                         const void* multiplier, double slope, void* stream) {
  switch (kind) {
    case Kind::Float: return both<float>(grad, x, grad_x, parts, blocks, n, multiplier, slope, stream);
    case Kind::Double: return both<double>(grad, x, grad_x, parts, blocks, n, multiplier, slope, stream);
    case Kind::Half: return both<__half>(grad, x, grad_x, parts, blocks, n, multiplier, slope, stream);
    case Kind::BFloat16: return both<__nv_bfloat16>(grad, x, grad_x, parts, blocks, n, multiplier, slope, stream);
  }
  return cudaErrorInvalidValue;
}
"""

# -------------------------------------------------------------------------------------------------------------- host

HOST = r"""
#define AT_PER_OPERATOR_HEADERS  // the headers named below, and not those of all operators
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/leaky_relu_backward.h>
#include <ATen/ops/mul.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/library.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

// The namespace of the operators is the name of the extension, which holds a hash of this source: another version of
// the program, in the same process, has operators of its own.
#define EXPANDED(text) #text
#define QUOTED(text) EXPANDED(text)
#define OPERATOR(name) QUOTED(TORCH_EXTENSION_NAME) "::" name
// PyTorch's macros paste their arguments as they stand; one step more puts the extension's name in.
#define LIBRARY(name, m) TORCH_LIBRARY(name, m)
#define IMPLEMENTATIONS(name, key, m) TORCH_LIBRARY_IMPL(name, key, m)

namespace {

template <typename Signature>
c10::TypedOperatorHandle<Signature> op(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

// Whether forward-mode differentiation or a transform of torch.func is at work, which know PyTorch's operators alone.
bool transformed(const at::Tensor& x) {
  return c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::FuncTorchDynamicLayerBackMode) ||
         (x.defined() && x._fw_grad(/*level=*/0).defined());
}

// A node of the autograd graph. Its owners are counted by shared_ptr up to PyTorch 2.12, by intrusive_ptr since.
// Nodes are written by hand: the templates of torch::autograd::Function would take g++ half as long again.
template <typename T, typename Owner = decltype(torch::autograd::Edge::function)>
auto make_node() {
  if constexpr (std::is_same_v<Owner, std::shared_ptr<torch::autograd::Node>>) {
    return std::shared_ptr<T>(new T, [](auto* node) { deleteNode(node); });
  } else {
    return c10::make_intrusive<T>();
  }
}

using at::Tensor;

std::optional<Kind> kind_of(const Tensor& x) {
  switch (x.scalar_type()) {
    case at::kFloat: return Kind::Float;
    case at::kDouble: return Kind::Double;
    case at::kHalf: return Kind::Half;
    case at::kBFloat16: return Kind::BFloat16;
    default: return std::nullopt;
  }
}

// How to walk over `in` and `out` in the order in which out lies in memory. Neighbouring dimensions that both step
// through evenly are merged; nullopt where more than kMaxDims are left.
std::optional<Walk> plan_walk(const Tensor& in, const Tensor& out) {
  int order[64];  // dimensions, the smallest stride of out first
  int rank = 0;
  for (int d = 0; d < in.dim(); ++d) {
    if (in.size(d) == 1) {
      continue;
    }
    int place = rank++;
    for (; place > 0 && out.stride(d) < out.stride(order[place - 1]); --place) {
      order[place] = order[place - 1];
    }
    order[place] = d;
  }

  Walk walk{};
  for (int k = 0; k < rank; ++k) {
    const int64_t size = in.size(order[k]), in_stride = in.stride(order[k]), out_stride = out.stride(order[k]);
    if (walk.dims > 0) {
      Dimension& last = walk.dim[walk.dims - 1];
      if (in_stride == last.in_stride * last.size && out_stride == last.out_stride * last.size) {
        last.size *= size;
        continue;
      }
    }
    if (walk.dims == kMaxDims) {
      return std::nullopt;
    }
    walk.dim[walk.dims++] = Dimension{size, in_stride, out_stride, 0, 31};
  }
  int64_t last_in = 0, last_out = 0;
  for (int d = 0; d < walk.dims; ++d) {
    Dimension& dim = walk.dim[d];
    last_in += (dim.size - 1) * dim.in_stride;
    last_out += (dim.size - 1) * dim.out_stride;
    if (dim.size < int64_t(1) << 31) {  // larger ones keep magic 0 and shift 31: the quotient is 0
      dim.shift = 0;
      while (int64_t(1) << dim.shift < dim.size) {
        ++dim.shift;
      }
      dim.magic = static_cast<uint32_t>(((uint64_t(1) << 32) * ((uint64_t(1) << dim.shift) - dim.size)) / dim.size + 1);
    }
  }
  walk.narrow = std::max({in.numel(), last_in, last_out}) < int64_t(1) << 31;
  return walk;
}

bool aligned(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % 16 == 0; }

bool dense(const Walk& walk) {
  return walk.dims == 0 || (walk.dims == 1 && walk.dim[0].in_stride == 1 && walk.dim[0].out_stride == 1);
}

void check(int code) { C10_CUDA_CHECK(static_cast<cudaError_t>(code)); }

void* current_stream() { return c10::cuda::getCurrentCUDAStream().stream(); }

using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// What is only read. PyTorch before 2.1 has one name for what is read and what is written.
template <typename T>
auto read_only(const T& x, int) -> decltype(x.const_data_ptr()) {
  return x.const_data_ptr();
}
template <typename T>
const void* read_only(const T& x, long) {
  return x.data_ptr();
}
const void* data_of(const Tensor& x) { return read_only(x, 0); }

bool differentiates(const Tensor& x) { return x.requires_grad() && at::GradMode::is_enabled(); }

// y[...] = f(x[...]), and the mask where it is defined.
void run_forward(Kind kind, const Tensor& x, const Tensor& y, const Tensor& mask, const Arguments& arguments) {
  if (x.numel() == 0) {
    return;
  }
  const std::optional<Walk> walk = plan_walk(x, y);
  if (!walk) {  // rare: PyTorch's copy gathers the elements, and the kernel works in place on them
    y.copy_(x);
    run_forward(kind, y, y, mask, arguments);
    return;
  }
  const c10::cuda::CUDAGuard guard(x.device());
  const void* in = data_of(x);
  void* out = y.data_ptr();
  const bool packed = dense(*walk) && aligned(in) && aligned(out);
  uint32_t* bits = mask.defined() ? static_cast<uint32_t*>(mask.data_ptr()) : nullptr;
  check(launch_forward(kind, in, out, bits, x.numel(), packed ? nullptr : &*walk, arguments, current_stream()));
}

// The operator and its gradient as PyTorch's dispatcher calls them. `Numbers`: those of its schema, all of them float.
// `Schema` has the names of its three functions, and PyTorch's own operators in place of the first.
template <typename Schema, typename... Numbers>
struct Masked {
  // ---- Through the dispatcher

  static Tensor call_forward(const Tensor& x, Numbers... numbers) {
    static const auto call = op<Tensor(const Tensor&, Numbers...)>(Schema::kForward);
    return call.call(x, numbers...);
  }

  static std::tuple<Tensor, Tensor> call_with_mask(const Tensor& x, Numbers... numbers) {
    static const auto call = op<std::tuple<Tensor, Tensor>(const Tensor&, Numbers...)>(Schema::kWithMask);
    return call.call(x, numbers...);
  }

  static Tensor call_backward(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef stride, Numbers... numbers) {
    static const auto call =
        op<Tensor(const Tensor&, const Tensor&, c10::SymIntArrayRef, Numbers...)>(Schema::kBackward);
    return call.call(grad, mask, stride, numbers...);
  }

  // ---- CUDA

  static Tensor forward(const Tensor& x, Numbers... numbers) {
    const std::optional<Kind> kind = kind_of(x);
    if (!kind) {
      return Schema::pytorch(x, numbers...);  // or PyTorch's own error
    }
    Tensor y = at::empty_like(x);
    run_forward(*kind, x, y, Tensor(), {numbers...});
    return y;
  }

  static std::tuple<Tensor, Tensor> with_mask(const Tensor& x, Numbers... numbers) {
    Tensor y = at::empty_like(x);
    Tensor mask = at::empty({(x.numel() + 31) / 32}, x.options().dtype(at::kInt));
    run_forward(kind_of(x).value(), x, y, mask, {numbers...});
    return {y, mask};
  }

  static Tensor backward(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef stride, Numbers... numbers) {
    Tensor grad_x = at::empty_strided_symint(grad.sym_sizes(), stride, grad.options());
    if (grad.numel() == 0) {
      return grad_x;
    }
    Tensor from = grad;
    std::optional<Walk> walk = plan_walk(from, grad_x);
    if (!walk) {  // as in run_forward
      grad_x.copy_(grad);
      from = grad_x;
      walk = plan_walk(from, grad_x);
    }
    const c10::cuda::CUDAGuard guard(grad.device());
    const void* in = data_of(from);
    void* out = grad_x.data_ptr();
    const bool packed = dense(*walk) && aligned(in) && aligned(out);
    check(launch_backward(kind_of(grad).value(), in, static_cast<const uint32_t*>(data_of(mask)), out, grad.numel(),
                          packed ? nullptr : &*walk, {numbers...}, current_stream()));
    return grad_x;
  }

  // ---- Shapes alone, for torch.compile and torch.export. The sizes may be symbols.

  static Tensor forward_shape(const Tensor& x, Numbers...) { return at::empty_like(x); }

  static std::tuple<Tensor, Tensor> with_mask_shape(const Tensor& x, Numbers...) {
    return {at::empty_like(x), at::empty_symint({(x.sym_numel() + 31) / 32}, x.options().dtype(at::kInt))};
  }

  static Tensor backward_shape(const Tensor& grad, const Tensor&, c10::SymIntArrayRef stride, Numbers...) {
    return at::empty_strided_symint(grad.sym_sizes(), stride, grad.options());
  }

  // ---- Autograd

  // grad_x is linear in grad, with the same mask. So one kind of node is behind the forward and the backward pass, and
  // double backward is this once more.
  struct ByMask : Node {
    SavedVariable mask;
    std::vector<c10::SymInt> stride;
    std::tuple<Numbers...> numbers;

    std::string name() const override { return Schema::kNode; }
    variable_list apply(variable_list&& grads) override {
      const std::lock_guard lock(mutex_);
      if (!grads[0].defined()) {
        return {Tensor()};
      }
      const auto call = [&](auto... each) { return call_backward(grads[0], mask.unpack(), stride, each...); };
      return {std::apply(call, numbers)};
    }
    void release_variables() override {
      const std::lock_guard lock(mutex_);
      mask.reset_data();
    }
  };

  // `to` was made of `from` by the mask.
  static void remember(const Tensor& from, Tensor& to, const Tensor& mask, Numbers... numbers) {
    const auto node = make_node<ByMask>();
    node->set_next_edges(torch::autograd::collect_next_edges(from));
    node->mask = SavedVariable(mask, /*is_output=*/false);
    node->stride = to.sym_strides().vec();
    node->numbers = {numbers...};
    torch::autograd::set_history(to, node);
  }

  static Tensor forward_autograd(const Tensor& x, Numbers... numbers) {
    if (transformed(x)) {
      return Schema::pytorch(x, numbers...);
    }
    if (!differentiates(x)) {
      at::AutoDispatchBelowADInplaceOrView below;
      return call_forward(x, numbers...);
    }
    auto [y, mask] = [&] {
      at::AutoDispatchBelowADInplaceOrView below;
      return call_with_mask(x, numbers...);
    }();
    remember(x, y, mask, numbers...);
    return y;
  }

  static Tensor backward_autograd(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef stride,
                                  Numbers... numbers) {
    Tensor grad_x = [&] {
      at::AutoDispatchBelowADInplaceOrView below;
      return call_backward(grad, mask, stride, numbers...);
    }();
    if (differentiates(grad)) {
      remember(grad, grad_x, mask, numbers...);
    }
    return grad_x;
  }
};

// ---- A number as multiplier

struct ScaleLeakyRelu {
  static constexpr const char* kForward = OPERATOR("scale_leaky_relu");
  static constexpr const char* kWithMask = OPERATOR("scale_leaky_relu_with_mask");
  static constexpr const char* kBackward = OPERATOR("scale_leaky_relu_backward");
  static constexpr const char* kNode = "ScaleLeakyReluByMask";

  // PyTorch's own operators: what the kernels replace, and what runs where there is no kernel here.

  static Tensor pytorch(const Tensor& x, double multiplier, double slope) {
    return at::leaky_relu(at::mul(x, multiplier), slope);
  }

  static std::tuple<Tensor, Tensor> pytorch_with_mask(const Tensor& x, double multiplier, double slope) {
    const Tensor product = at::mul(x, multiplier);
    return {at::leaky_relu(product, slope), product.gt(0)};
  }

  static Tensor pytorch_backward(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef, double multiplier,
                                 double slope) {
    return at::mul(grad.where(mask, at::mul(grad, slope)), multiplier);
  }
};
using ByNumber = Masked<ScaleLeakyRelu, double, double>;

// ---- A tensor as multiplier

Tensor forward_by_op(const Tensor& x, const Tensor& multiplier, double slope) {
  static const auto call = op<Tensor(const Tensor&, const Tensor&, double)>(OPERATOR("scale_leaky_relu_by"));
  return call.call(x, multiplier, slope);
}

std::tuple<Tensor, Tensor> backward_by_op(const Tensor& grad, const Tensor& x, const Tensor& multiplier, double slope) {
  static const auto call = op<std::tuple<Tensor, Tensor>(const Tensor&, const Tensor&, const Tensor&, double)>(
      OPERATOR("scale_leaky_relu_by_backward"));
  return call.call(grad, x, multiplier, slope);
}

Tensor pytorch_by(const Tensor& x, const Tensor& multiplier, double slope) {
  return at::leaky_relu(at::mul(x, multiplier), slope);
}

// The gradients by PyTorch's own operators, which differentiate once more.
std::tuple<Tensor, Tensor> pytorch_by_backward(const Tensor& grad, const Tensor& x, const Tensor& multiplier,
                                               double slope) {
  const Tensor inner = at::leaky_relu_backward(grad, at::mul(x, multiplier), slope, /*self_is_result=*/false);
  const Tensor sum = at::mul(inner, x).sum().to(multiplier.scalar_type());
  return {at::mul(inner, multiplier), sum.view_symint(multiplier.sym_sizes())};
}

// Whether the kernels take this multiplier: one floating element on the device of x that changes neither the shape nor
// the dtype of the product.
bool takes(const Tensor& x, const Tensor& multiplier) {
  return x.is_cuda() && multiplier.device() == x.device() && multiplier.sym_numel() == 1 &&
         multiplier.dim() <= x.dim() && kind_of(x) &&
         (multiplier.scalar_type() == x.scalar_type() || (multiplier.dim() == 0 && x.dim() > 0 && kind_of(multiplier)));
}

Tensor forward_by_cuda(const Tensor& x, const Tensor& multiplier, double slope) {
  if (!takes(x, multiplier)) {
    return pytorch_by(x, multiplier, slope);
  }
  const Tensor own = multiplier.to(x.scalar_type());
  Tensor y = at::empty_like(x);
  run_forward(kind_of(x).value(), x, y, Tensor(), {0.0, slope, data_of(own)});
  return y;
}

std::tuple<Tensor, Tensor> backward_by_cuda(const Tensor& grad, const Tensor& x, const Tensor& multiplier,
                                            double slope) {
  const Kind kind = kind_of(x).value();
  const Tensor own = multiplier.to(x.scalar_type());
  Tensor grad_x = at::empty_like(x);
  // Where x and the gradient do not lie alike and dense, they are brought there first, at the price of a pass each.
  const auto alike = [&](const Tensor& a) {
    const std::optional<Walk> walk = plan_walk(a, grad_x);
    return walk && dense(*walk) && aligned(data_of(a)) ? a : at::empty_like(grad_x).copy_(a);
  };
  const Tensor from = alike(grad), at_x = alike(x);
  const c10::cuda::CUDAGuard guard(x.device());
  int blocks = 0;
  check(launch_blocks(&blocks));
  const int64_t needed = (x.numel() + 1023) / 1024;
  blocks = needed < blocks ? static_cast<int>(needed) : blocks;
  const auto wide = kind == Kind::Double ? at::kDouble : at::kFloat;
  Tensor parts = at::empty({blocks}, x.options().dtype(wide));
  if (blocks > 0) {
    check(launch_backward_both(kind, data_of(from), data_of(at_x), grad_x.data_ptr(), parts.data_ptr(), blocks,
                               x.numel(), data_of(own), slope, current_stream()));
  }
  return {grad_x, parts.sum().to(multiplier.scalar_type()).view(multiplier.sizes())};
}

Tensor forward_by_meta(const Tensor& x, const Tensor& multiplier, double) {
  return takes(x, multiplier) ? at::empty_like(x) : at::empty_like(at::mul(x, multiplier));
}

std::tuple<Tensor, Tensor> backward_by_meta(const Tensor&, const Tensor& x, const Tensor& multiplier, double) {
  return {at::empty_like(x), at::empty_like(multiplier)};
}

struct ByTensor : Node {
  SavedVariable x, multiplier;
  double slope;

  std::string name() const override { return "ScaleLeakyReluByTensor"; }
  variable_list apply(variable_list&& grads) override {
    const std::lock_guard lock(mutex_);
    if (!grads[0].defined()) {
      return {Tensor(), Tensor()};
    }
    const auto backward = at::GradMode::is_enabled() ? &pytorch_by_backward : &backward_by_op;
    const auto [grad_x, grad_m] = backward(grads[0], x.unpack(), multiplier.unpack(), slope);
    return {grad_x, grad_m};
  }
  void release_variables() override {
    const std::lock_guard lock(mutex_);
    x.reset_data();
    multiplier.reset_data();
  }
};

Tensor forward_by_autograd(const Tensor& x, const Tensor& multiplier, double slope) {
  if (transformed(x) || transformed(multiplier) || !takes(x, multiplier)) {
    return pytorch_by(x, multiplier, slope);
  }
  Tensor y = [&] {
    at::AutoDispatchBelowADInplaceOrView below;
    return forward_by_op(x, multiplier, slope);
  }();
  // Where the multiplier wants no gradient, x gets its own with the same pass; the sum is then made for nothing.
  if (differentiates(x) || differentiates(multiplier)) {
    const auto node = make_node<ByTensor>();
    node->set_next_edges(torch::autograd::collect_next_edges(x, multiplier));
    node->x = SavedVariable(x, /*is_output=*/false);
    node->multiplier = SavedVariable(multiplier, /*is_output=*/false);
    node->slope = slope;
    torch::autograd::set_history(y, node);
  }
  return y;
}

std::tuple<Tensor, Tensor> backward_by_autograd(const Tensor& grad, const Tensor& x, const Tensor& multiplier,
                                                double slope) {
  if (differentiates(grad) || differentiates(x) || differentiates(multiplier)) {
    return pytorch_by_backward(grad, x, multiplier, slope);
  }
  at::AutoDispatchBelowADInplaceOrView below;
  return backward_by_op(grad, x, multiplier, slope);
}

}  // namespace

LIBRARY(TORCH_EXTENSION_NAME, m) {
  m.def("scale_leaky_relu(Tensor x, float multiplier, float negative_slope) -> Tensor");
  m.def("scale_leaky_relu_with_mask(Tensor x, float multiplier, float negative_slope) -> (Tensor, Tensor)");
  m.def(
      "scale_leaky_relu_backward(Tensor grad, Tensor mask, SymInt[] stride, float multiplier, float negative_slope)"
      " -> Tensor");
  m.def("scale_leaky_relu_by(Tensor x, Tensor multiplier, float negative_slope) -> Tensor");
  m.def(
      "scale_leaky_relu_by_backward(Tensor grad, Tensor x, Tensor multiplier, float negative_slope)"
      " -> (Tensor, Tensor)");
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CUDA, m) {
  m.impl("scale_leaky_relu", &ByNumber::forward);
  m.impl("scale_leaky_relu_with_mask", &ByNumber::with_mask);
  m.impl("scale_leaky_relu_backward", &ByNumber::backward);
  m.impl("scale_leaky_relu_by", &forward_by_cuda);
  m.impl("scale_leaky_relu_by_backward", &backward_by_cuda);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Meta, m) {
  m.impl("scale_leaky_relu", &ByNumber::forward_shape);
  m.impl("scale_leaky_relu_with_mask", &ByNumber::with_mask_shape);
  m.impl("scale_leaky_relu_backward", &ByNumber::backward_shape);
  m.impl("scale_leaky_relu_by", &forward_by_meta);
  m.impl("scale_leaky_relu_by_backward", &backward_by_meta);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Autograd, m) {
  m.impl("scale_leaky_relu", &ByNumber::forward_autograd);
  m.impl("scale_leaky_relu_backward", &ByNumber::backward_autograd);
  m.impl("scale_leaky_relu_by", &forward_by_autograd);
  m.impl("scale_leaky_relu_by_backward", &backward_by_autograd);
}

// PyTorch's own operators where there is no kernel here: other devices, vmap, tracing.
IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CompositeExplicitAutograd, m) {
  m.impl("scale_leaky_relu", &ScaleLeakyRelu::pytorch);
  m.impl("scale_leaky_relu_with_mask", &ScaleLeakyRelu::pytorch_with_mask);
  m.impl("scale_leaky_relu_backward", &ScaleLeakyRelu::pytorch_backward);
  m.impl("scale_leaky_relu_by", &pytorch_by);
  m.impl("scale_leaky_relu_by_backward", &pytorch_by_backward);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, FuncTorchBatched, m) {
  m.impl("scale_leaky_relu", &ScaleLeakyRelu::pytorch);
  m.impl("scale_leaky_relu_by", &pytorch_by);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Tracer, m) {
  m.impl("scale_leaky_relu", &ScaleLeakyRelu::pytorch);
  m.impl("scale_leaky_relu_by", &pytorch_by);
}
"""

# -------------------------------------------------------------------------------------------------------------- module

_SOURCES = (TYPES, PROTOTYPES, KERNELS, LAUNCHERS, HOST)
# Another source, or another PyTorch, gets an extension of its own, beside those that this process may have loaded.
_NAME = "scale_leakyrelu_" + hashlib.sha256("".join((torch.__version__, *_SOURCES)).encode()).hexdigest()[:16]
_built = False
_building = threading.Lock()


@assume_constant_result
def _extension() -> str:
    """The namespace of this program's operators; built by the first call, once a process."""
    global _built
    if not _built:
        with _building:
            if not _built:
                # PyTorch before 2.8 always includes torch/extension.h: the build then takes half a minute, not seconds.
                slim = "no_implicit_headers" in inspect.signature(load_inline).parameters
                load_inline(
                    name=_NAME,
                    cpp_sources=[TYPES, PROTOTYPES, HOST],
                    cuda_sources=[TYPES, KERNELS, PROTOTYPES, LAUNCHERS],
                    # In KiB: g++ then collects no garbage, which takes a tenth of its time.
                    extra_cflags=["-O1", "--param", "ggc-min-heapsize=2097152"],
                    is_python_module=False,
                    **({"no_implicit_headers": True} if slim else {}),
                )
                _built = True
    return _NAME


class ModelNew(nn.Module):
    """leaky_relu(x * multiplier, negative_slope) by the kernels above.

    The multiplier is a number, or a tensor that multiplies x; as an nn.Parameter it is trained.
    """

    def __init__(self, multiplier: float = 1.0, negative_slope: float = 0.01):
        super().__init__()
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not (x.is_cuda and x.is_floating_point()):
            return F.leaky_relu(x * self.multiplier, self.negative_slope)
        operators = getattr(torch.ops, _extension())
        if isinstance(self.multiplier, torch.Tensor):
            return operators.scale_leaky_relu_by(x, self.multiplier, self.negative_slope)
        return operators.scale_leaky_relu(x, self.multiplier, self.negative_slope)
