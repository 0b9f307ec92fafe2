"""LeakyReLU in CUDA, a drop-in for nn.LeakyReLU. Needs torch and a CUDA toolchain, nothing else.

    layer = ModelNew(negative_slope=0.01)
    y = layer(x)        # same shape, strides, dtype and bits as F.leaky_relu(x, 0.01)

Forward moves each element once in and once out. For the gradient it keeps one bit an element, "x was positive", where
PyTorch keeps x: 1/32 of its memory, 1/16 for the half types. The kernels are built on first use, in a few seconds.
CPU tensors run PyTorch's own leaky_relu, and need no build.
"""

import hashlib
import inspect
import threading

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

try:
    from torch.compiler import assume_constant_result, is_compiling
except ImportError:  # PyTorch before 2.3
    from torch._dynamo import assume_constant_result, is_compiling

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

struct Arguments {
  double slope;
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

// forward:  y = x > 0 ? x : slope * x            mask bit: x > 0, so 0, -0 and NaN are on the side of the slope
template <typename T>
struct Forward {
  Wide<T> slope;
  __device__ __forceinline__ Forward loaded() const { return *this; }
  __device__ __forceinline__ T operator()(T x, bool* keep) const {
    *keep = positive(x);
    return *keep ? x : times(x, slope);
  }
};
// backward: grad_x = bit ? grad : slope * grad   the same choice, by the bit that forward wrote
template <typename T>
struct Backward {
  Wide<T> slope;
  __device__ __forceinline__ T operator()(bool keep, T grad) const { return keep ? grad : times(grad, slope); }
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
"""

LAUNCHERS = r"""
template <typename T>
static Forward<T> forward_of(const Arguments& arguments) {
  return {static_cast<Wide<T>>(arguments.slope)};
}
template <typename T>
static Backward<T> backward_of(const Arguments& arguments) {
  return {static_cast<Wide<T>>(arguments.slope)};
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

struct LeakyRelu {
  static constexpr const char* kForward = OPERATOR("leaky_relu");
  static constexpr const char* kWithMask = OPERATOR("leaky_relu_with_mask");
  static constexpr const char* kBackward = OPERATOR("leaky_relu_backward");
  static constexpr const char* kNode = "LeakyReluByMask";

  // PyTorch's own, where there is no kernel here: other devices, vmap, tracing

  static Tensor pytorch(const Tensor& x, double slope) { return at::leaky_relu(x, slope); }

  static std::tuple<Tensor, Tensor> pytorch_with_mask(const Tensor& x, double slope) {
    return {at::leaky_relu(x, slope), x.gt(0)};
  }

  static Tensor pytorch_backward(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef, double slope) {
    return grad.where(mask, grad.mul(slope));
  }
};
using Ours = Masked<LeakyRelu, double>;

}  // namespace

LIBRARY(TORCH_EXTENSION_NAME, m) {
  m.def("leaky_relu(Tensor x, float negative_slope) -> Tensor");
  m.def("leaky_relu_with_mask(Tensor x, float negative_slope) -> (Tensor, Tensor)");
  m.def("leaky_relu_backward(Tensor grad, Tensor mask, SymInt[] stride, float negative_slope) -> Tensor");
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CUDA, m) {
  m.impl("leaky_relu", &Ours::forward);
  m.impl("leaky_relu_with_mask", &Ours::with_mask);
  m.impl("leaky_relu_backward", &Ours::backward);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Meta, m) {
  m.impl("leaky_relu", &Ours::forward_shape);
  m.impl("leaky_relu_with_mask", &Ours::with_mask_shape);
  m.impl("leaky_relu_backward", &Ours::backward_shape);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Autograd, m) {
  m.impl("leaky_relu", &Ours::forward_autograd);
  m.impl("leaky_relu_backward", &Ours::backward_autograd);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CompositeExplicitAutograd, m) {
  m.impl("leaky_relu", &LeakyRelu::pytorch);
  m.impl("leaky_relu_with_mask", &LeakyRelu::pytorch_with_mask);
  m.impl("leaky_relu_backward", &LeakyRelu::pytorch_backward);
}

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, FuncTorchBatched, m) { m.impl("leaky_relu", &LeakyRelu::pytorch); }

IMPLEMENTATIONS(TORCH_EXTENSION_NAME, Tracer, m) { m.impl("leaky_relu", &LeakyRelu::pytorch); }
"""

# -------------------------------------------------------------------------------------------------------------- module

_SOURCES = (TYPES, PROTOTYPES, KERNELS, LAUNCHERS, HOST)
# Another source, or another PyTorch, gets an extension of its own, beside those that this process may have loaded.
_NAME = "leakyrelu_" + hashlib.sha256("".join((torch.__version__, *_SOURCES)).encode()).hexdigest()[:16]
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


_call = None


def _operator():
    """The operator as PyTorch binds it: the two frames of Python around that take as long as a small kernel."""
    global _call
    if _call is None:
        _call = getattr(torch.ops, _extension()).leaky_relu._op
    return _call


class ModelNew(nn.LeakyReLU):
    """nn.LeakyReLU by the kernels above: same constructor, attributes, (empty) state_dict and results.

    `keep_input=True` keeps x instead of the mask for the gradient, as PyTorch does: for a place where somebody else
    keeps x anyway, so that it costs no memory at all. The mask is faster nevertheless.
    """

    def __init__(self, negative_slope: float = 0.01, inplace: bool = False, *, keep_input: bool = False):
        super().__init__(negative_slope, inplace)
        self.keep_input = keep_input

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.inplace or not x.is_cuda or (self.keep_input and x.requires_grad and torch.is_grad_enabled()):
            return F.leaky_relu(x, self.negative_slope, self.inplace)
        if is_compiling():
            return getattr(torch.ops, _extension()).leaky_relu(x, self.negative_slope)
        return (_call or _operator())(x, self.negative_slope)
