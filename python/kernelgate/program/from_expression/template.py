"""The text of a generated program, with places to fill in as @NAME@. Not here: what goes into them."""

HOST_MASK = """\
std::tuple<Tensor, Tensor> with_mask(const Tensor& x@PARAMETERS@) {
  Tensor y = at::empty_like(x);
  Tensor mask = at::empty({(x.numel() + 1023) / 1024 * 128}, x.options().dtype(at::kByte));  // a byte a thread
  run_forward(packed(x), y, mask.mutable_data_ptr(), {@NAMES@});
  return {y, mask};
}

// `stride`: that of y, in whose order the mask lies.
Tensor backward(const Tensor& grad, const Tensor& mask, c10::SymIntArrayRef stride@PARAMETERS@) {
  Tensor grad_x = at::empty_strided_symint(grad.sym_sizes(), stride, grad.options());
  run_backward(in_order_of(grad_x, grad), mask.const_data_ptr(), grad_x, {@NAMES@});
  return grad_x;
}
"""
HOST_INPUT = """\
Tensor backward(const Tensor& grad, const Tensor& x@PARAMETERS@) {
  Tensor grad_x = at::empty_like(x);
  const Tensor from = packed(x);
  run_backward(in_order_of(grad_x, grad), from.const_data_ptr(), grad_x, {@NAMES@});
  return grad_x;
}
"""
PROGRAM = '''\
"""@TITLE@, as one CUDA kernel forward and one backward. Needs torch and a CUDA toolchain, nothing else.

    layer = ModelNew(@ARGUMENTS@)
    y = layer(x)        # shape, strides, dtype and gradients of y = @EXPRESSION@

Each function of PyTorch is rounded to the tensor's type, as PyTorch stores it. For the gradient @KEPT@
Eight elements a thread; a tensor with gaps is copied first. Built on first use. CPU tensors run PyTorch's functions.
torch.vmap loops over this operator, and forward-mode differentiation does not know it.
"""

import hashlib
import inspect
import threading

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.autograd.function import once_differentiable
from torch.utils.cpp_extension import load_inline

# What the C++ and the CUDA source tell each other, in plain types: so nvcc reads no header of PyTorch.
SHARED = r"""
#include <cstdint>

struct Numbers {
@FIELDS@};
// kind: 0 float, 1 double, 2 half, 3 bfloat16. kept: @KEPT_WORD@. Both return a cudaError_t.
int launch_forward(int kind, const void* x, void* y, void* kept, int64_t n, bool aligned, Numbers p, void* stream);
int launch_backward(int kind, const void* grad, const void* kept, void* grad_x, int64_t n, bool aligned, Numbers p,
                    void* stream);
"""

DEVICE = r"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// float16 and bfloat16 are computed in float and rounded to nearest, as PyTorch does.
template <typename T> struct Computed { using Type = float; };
template <> struct Computed<double> { using Type = double; };
template <typename T> using Wide = typename Computed<T>::Type;

__device__ __forceinline__ float widen(float v) { return v; }
__device__ __forceinline__ double widen(double v) { return v; }
__device__ __forceinline__ float widen(__half v) { return __half2float(v); }
__device__ __forceinline__ float widen(__nv_bfloat16 v) { return __bfloat162float(v); }
template <typename T> __device__ __forceinline__ T narrow(Wide<T> v) { return v; }
template <> __device__ __forceinline__ __half narrow<__half>(float v) { return __float2half_rn(v); }
template <> __device__ __forceinline__ __nv_bfloat16 narrow<__nv_bfloat16>(float v) { return __float2bfloat16_rn(v); }
template <typename T> __device__ __forceinline__ Wide<T> rounded(Wide<T> v) { return widen(narrow<T>(v)); }
template <typename W> __device__ __forceinline__ W clamped(W v, W low, W high) {  // NaN stays NaN
  return v < low ? low : v > high ? high : v;
}

// y = @EXPRESSION@, a function of PyTorch a line.
template <typename T>
__device__ __forceinline__ Wide<T> forward(Wide<T> x, const Numbers& p) {
  using W = Wide<T>;
@FORWARD_LINES@
}
@DEVICE_SLOPE@
// A thread takes its elements in words of 16 bytes that lie kThreads words apart: a warp reads 512 bytes in a row.
constexpr int kThreads = 128, kEach = 8, kFew = 1 << 22;
template <typename T> constexpr int kWord = 16 / sizeof(T);
template <typename T> struct alignas(16) Word { T value[kWord<T>]; };
template <typename T, int each>
__device__ __forceinline__ int64_t first_of(int word) {  // element of this thread's word
  return blockIdx.x * int64_t(kThreads * each) + (word * kThreads + threadIdx.x) * kWord<T>;
}

// Whether a block has all of its elements, in whole words. Such a block runs few instructions, which a GPU may have to
// fetch first.
template <int each>
__device__ __forceinline__ bool is_whole(int64_t n, bool aligned) {
  return __builtin_expect(aligned && (blockIdx.x + int64_t(1)) * (kThreads * each) <= n, 1);
}
template <bool whole, typename T, int each>
__device__ __forceinline__ void load(const T* from, T (&to)[each], int64_t n) {
#pragma unroll
  for (int w = 0; w < each / kWord<T>; ++w) {
    const int64_t first = first_of<T, each>(w);
    Word<T> word;
    if (whole) word = *reinterpret_cast<const Word<T>*>(from + first);
    else for (int k = 0; k < kWord<T>; ++k) word.value[k] = first + k < n ? from[first + k] : narrow<T>(0);
    for (int k = 0; k < kWord<T>; ++k) to[w * kWord<T> + k] = word.value[k];
  }
}
template <bool whole, typename T, int each>
__device__ __forceinline__ void store(T* to, const T (&from)[each], int64_t n) {
#pragma unroll
  for (int w = 0; w < each / kWord<T>; ++w) {
    const int64_t first = first_of<T, each>(w);
    Word<T> word;
    for (int k = 0; k < kWord<T>; ++k) word.value[k] = from[w * kWord<T> + k];
    if (whole) *reinterpret_cast<Word<T>*>(to + first) = word;
    else for (int k = 0; k < kWord<T>; ++k) if (first + k < n) to[first + k] = word.value[k];
  }
}

@KERNELS@
template <typename T>
int backward_as(const void* grad, const void* kept, void* grad_x, int64_t n, bool aligned, Numbers p, void* stream) {
  const int64_t blocks = (n + kThreads * kEach - 1) / (kThreads * kEach);
  backward_kernel<T><<<blocks, kThreads, 0, static_cast<cudaStream_t>(stream)>>>(
      static_cast<const T*>(grad), @PASS_BACKWARD@, static_cast<T*>(grad_x), n, aligned, p);
  return cudaGetLastError();
}
int launch_forward(int kind, const void* x, void* y, void* kept, int64_t n, bool aligned, Numbers p, void* stream) {
  if (kind == 0) return forward_as<float>(x, y, kept, n, aligned, p, stream);
  if (kind == 1) return forward_as<double>(x, y, kept, n, aligned, p, stream);
  if (kind == 2) return forward_as<__half>(x, y, kept, n, aligned, p, stream);
  return forward_as<__nv_bfloat16>(x, y, kept, n, aligned, p, stream);
}
int launch_backward(int kind, const void* grad, const void* kept, void* grad_x, int64_t n, bool aligned, Numbers p,
                    void* stream) {
  if (kind == 0) return backward_as<float>(grad, kept, grad_x, n, aligned, p, stream);
  if (kind == 1) return backward_as<double>(grad, kept, grad_x, n, aligned, p, stream);
  if (kind == 2) return backward_as<__half>(grad, kept, grad_x, n, aligned, p, stream);
  return backward_as<__nv_bfloat16>(grad, kept, grad_x, n, aligned, p, stream);
}
"""

HOST = r"""
#define AT_PER_OPERATOR_HEADERS  // the headers named below, and not those of all operators
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
#include <torch/library.h>

#include <tuple>

namespace {

using at::Tensor;

int kind_of(const Tensor& x) {
  const at::ScalarType type = x.scalar_type();
  return type == at::kFloat ? 0 : type == at::kDouble ? 1 : type == at::kHalf ? 2 : 3;
}
bool aligned(const void* pointer) { return reinterpret_cast<uintptr_t>(pointer) % 16 == 0; }

// The same values without gaps between them, in the order in which a result of x lies in memory.
Tensor packed(const Tensor& x) { return x.is_non_overlapping_and_dense() ? x : at::empty_like(x).copy_(x); }
Tensor in_order_of(const Tensor& like, const Tensor& x) {
  return x.strides() == like.strides() ? x : at::empty_like(like).copy_(x);
}

void run_forward(const Tensor& x, const Tensor& y, void* kept, Numbers p) {
  if (x.numel() == 0) return;
  const c10::cuda::CUDAGuard guard(x.device());
  const void* from = x.const_data_ptr();
  void* to = y.mutable_data_ptr();
  C10_CUDA_CHECK(static_cast<cudaError_t>(launch_forward(kind_of(x), from, to, kept, x.numel(),
                                                         aligned(from) && aligned(to), p,
                                                         c10::cuda::getCurrentCUDAStream().stream())));
}
void run_backward(const Tensor& grad, const void* kept, const Tensor& grad_x, Numbers p) {
  if (grad.numel() == 0) return;
  const c10::cuda::CUDAGuard guard(grad.device());
  const void* from = grad.const_data_ptr();
  void* to = grad_x.mutable_data_ptr();
  const bool words = aligned(from) && aligned(to)@KEPT_ALIGNED@;
  C10_CUDA_CHECK(static_cast<cudaError_t>(launch_backward(kind_of(grad), from, kept, to, grad.numel(), words, p,
                                                          c10::cuda::getCurrentCUDAStream().stream())));
}

Tensor forward(const Tensor& x@PARAMETERS@) {
  Tensor y = at::empty_like(x);
  run_forward(packed(x), y, nullptr, {@NAMES@});
  return y;
}
@HOST_BACKWARD@
}  // namespace

// PyTorch's macros paste their argument as it stands; one step more puts the extension's name in.
#define LIBRARY(name, m) TORCH_LIBRARY(name, m)
#define IMPLEMENTATIONS(name, key, m) TORCH_LIBRARY_IMPL(name, key, m)
LIBRARY(TORCH_EXTENSION_NAME, m) {
@SCHEMAS@}
IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CUDA, m) {
@IMPLEMENTED@}
"""

_NAME = "@ID@_" + hashlib.sha256("".join((torch.__version__, SHARED, DEVICE, HOST)).encode()).hexdigest()[:16]
_TYPES = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
_built = False
_building = threading.Lock()


@torch.compiler.assume_constant_result
def _extension() -> str:
    """The namespace of this program's operators; built by the first call, once a process."""
    global _built
    with _building:
        if not _built:
            # PyTorch before 2.8 always includes torch/extension.h: the build then takes half a minute, not seconds.
            slim = "no_implicit_headers" in inspect.signature(load_inline).parameters
            load_inline(
                name=_NAME,
                cpp_sources=[SHARED, HOST],
                cuda_sources=[SHARED, DEVICE],
                extra_cflags=["-O1"],
                extra_cuda_cflags=["-O3", "-fmad=false"],  # PyTorch rounds between a product and a sum
                is_python_module=False,
                **({"no_implicit_headers": True} if slim else {}),
            )
@SHAPES@            _built = True
    return _NAME


_call = None


def _operator():
    """The operator as PyTorch binds it: the frames of Python around that take as long as a small kernel."""
    global _call
    if _call is None:
        _call = getattr(torch.ops, _extension()).forward._op
    return _call


@AUTOGRAD@

def reference(x@SIGNATURE@):
    """What the kernels compute, by PyTorch's own functions."""
    return @EXPRESSION@


class ModelNew(nn.Module):
    """@TITLE@: x of any shape; float32, float64, float16 or bfloat16."""
@INIT@
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if not (x.is_cuda and x.dtype in _TYPES)@AUTOCAST@:
            return reference(x@SELF@)
        if x.requires_grad and torch.is_grad_enabled():
            return _Forward.apply(x@SELF@)
        if torch.compiler.is_compiling():
            return getattr(torch.ops, _extension()).forward(x@SELF@)
        return (_call or _operator())(x@SELF@)
'''
SHAPES_MASK = """\
            torch.library.register_fake(f"{_NAME}::forward", lambda x, *numbers: torch.empty_like(x))
            torch.library.register_fake(f"{_NAME}::with_mask", _with_mask_shape)
            torch.library.register_fake(f"{_NAME}::backward", _backward_shape)
"""
SHAPES_INPUT = """\
            torch.library.register_fake(f"{_NAME}::forward", lambda x, *numbers: torch.empty_like(x))
            torch.library.register_fake(f"{_NAME}::backward", lambda grad, x, *numbers: torch.empty_like(x))
"""
AUTOGRAD_MASK = '''\
def _with_mask_shape(x, *numbers):
    return torch.empty_like(x), x.new_empty((x.numel() + 1023) // 1024 * 128, dtype=torch.uint8)


def _backward_shape(grad, mask, stride, *numbers):
    return torch.empty_strided(grad.shape, stride, dtype=grad.dtype, device=grad.device)


class _Forward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, *numbers):
        y, mask = getattr(torch.ops, _extension()).with_mask(x, *numbers)
        ctx.save_for_backward(mask)
        ctx.stride, ctx.numbers = y.stride(), numbers
        return y

    @staticmethod
    def backward(ctx, grad):
        (mask,) = ctx.saved_tensors
        return _Backward.apply(grad, mask, ctx.stride, *ctx.numbers), *[None] * len(ctx.numbers)


class _Backward(torch.autograd.Function):
    """The gradient is linear in grad, with the same mask: so the gradient of the gradient is this once more."""

    @staticmethod
    def forward(ctx, grad, mask, stride, *numbers):
        ctx.save_for_backward(mask)
        ctx.stride, ctx.numbers = stride, numbers
        return getattr(torch.ops, _extension()).backward(grad, mask, stride, *numbers)

    @staticmethod
    def backward(ctx, upstream):
        (mask,) = ctx.saved_tensors
        return _Backward.apply(upstream, mask, ctx.stride, *ctx.numbers), None, None, *[None] * len(ctx.numbers)
'''
AUTOGRAD_INPUT = '''\
class _Forward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, *numbers):
        ctx.save_for_backward(x)
        ctx.numbers = numbers
        return getattr(torch.ops, _extension()).forward(x, *numbers)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return _Backward.apply(grad, x, *ctx.numbers), *[None] * len(ctx.numbers)


class _Backward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, grad, x, *numbers):
        ctx.save_for_backward(grad, x)
        ctx.numbers = numbers
        return getattr(torch.ops, _extension()).backward(grad, x, *numbers)

    @staticmethod
    @once_differentiable
    def backward(ctx, upstream):
        """The gradient of the gradient, by PyTorch's own functions."""
        grad, x = (each.detach().requires_grad_() for each in ctx.saved_tensors)
        with torch.enable_grad():
            (first,) = torch.autograd.grad(reference(x, *ctx.numbers), x, grad, create_graph=True)
            second = torch.autograd.grad(first, (grad, x), upstream, allow_unused=True)
        return *second, *[None] * len(ctx.numbers)
'''
PROBLEM = '''\
"""The problem @EXPRESSION@."""

import torch
import torch.nn as nn
import torch.nn.functional as F

@SIZES@
@CONSTANTS@

class Model(nn.Module):
@MODEL_INIT@    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return @SELF_EXPRESSION@


def get_inputs():
    return [torch.randn(@SIZE_NAMES@)]


def get_init_inputs():
    return [@INIT_INPUTS@]
'''
