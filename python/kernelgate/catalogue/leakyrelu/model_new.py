"""LeakyReLU as one vectorized CUDA kernel: a drop-in for nn.LeakyReLU. Needs torch and a CUDA toolchain, nothing else.

    layer = ModelNew(negative_slope=0.01)
    y = layer(x)        # same shape, strides, dtype and bits as F.leaky_relu(x, 0.01)

Floating CUDA tensors of any shape and layout run the kernel, which is built on first use. Everything else (CPU
tensors, tensors that need a gradient, tracing) runs PyTorch's own leaky_relu.
"""

import functools

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

CPP_SOURCE = "torch::Tensor leaky_relu_cuda(torch::Tensor x, double negative_slope);"

CUDA_SOURCE = r"""
#include <torch/extension.h>
#include <ATen/OpMathType.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

#include <algorithm>
#include <cstdint>

// y[i] = x[i] > 0 ? x[i] : slope * x[i]. NaN stays NaN, -0 stays -0. The product is rounded once, in float for the
// half types and in T otherwise, as PyTorch does: the results are equal to the bit.
template <typename T>
__device__ __forceinline__ T leaky_relu(T x, at::opmath_type<T> slope) {
  using opmath_t = at::opmath_type<T>;
  const opmath_t a = static_cast<opmath_t>(x);
  return a > opmath_t(0) ? x : static_cast<T>(a * slope);
}

// 16 bytes, moved by one load or store.
template <typename T>
struct alignas(16) Pack {
  static constexpr int size = 16 / sizeof(T);
  T value[size];
};

constexpr int kThreads = 128;

// Dense tensors: x and y are walked in memory order, x and y both 16-byte aligned.
// Thread t owns pack t; the threads behind the last full pack take the n % Pack::size elements of the tail.
template <typename T>
__global__ void __launch_bounds__(kThreads)
leaky_relu_packed(const T* __restrict__ x, T* __restrict__ y, int64_t n, at::opmath_type<T> slope) {
  const int64_t packs = n / Pack<T>::size;
  const int64_t t = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (t < packs) {
    const Pack<T> in = reinterpret_cast<const Pack<T>*>(x)[t];
    Pack<T> out;
#pragma unroll
    for (int k = 0; k < Pack<T>::size; ++k) {
      out.value[k] = leaky_relu(in.value[k], slope);
    }
    reinterpret_cast<Pack<T>*>(y)[t] = out;
    return;
  }
  const int64_t i = packs * Pack<T>::size + (t - packs);
  if (i < n) {
    y[i] = leaky_relu(x[i], slope);
  }
}

constexpr int kMaxDims = 8;

// Sizes and strides, in elements, fastest dimension of y first.
struct Layout {
  int dims;
  int64_t size[kMaxDims];
  int64_t x_stride[kMaxDims];
  int64_t y_stride[kMaxDims];
};

// Any layout, one element a thread: element i has the index (i % size[0], i / size[0] % size[1], ...).
// Also serves dense tensors that are not 16-byte aligned, as a layout of one dimension.
template <typename T>
__global__ void __launch_bounds__(kThreads)
leaky_relu_strided(const T* __restrict__ x, T* __restrict__ y, int64_t n, Layout layout, at::opmath_type<T> slope) {
  int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (i >= n) {
    return;
  }
  int64_t x_offset = 0;
  int64_t y_offset = 0;
  for (int d = 0; d < layout.dims; ++d) {
    const int64_t index = i % layout.size[d];
    i /= layout.size[d];
    x_offset += index * layout.x_stride[d];
    y_offset += index * layout.y_stride[d];
  }
  y[y_offset] = leaky_relu(x[x_offset], slope);
}

// The layout that walks y in memory order; neighbouring dimensions that both tensors step through evenly are merged.
// dims is kMaxDims + 1 where more dimensions are left than Layout holds.
static Layout walk(const torch::Tensor& x, const torch::Tensor& y) {
  int order[64];
  int rank = 0;
  for (int d = 0; d < x.dim(); ++d) {
    if (x.size(d) != 1) {
      order[rank++] = d;
    }
  }
  std::sort(order, order + rank, [&](int a, int b) { return y.stride(a) < y.stride(b); });

  Layout layout{};
  for (int k = 0; k < rank; ++k) {
    const int64_t size = x.size(order[k]);
    const int64_t x_stride = x.stride(order[k]);
    const int64_t y_stride = y.stride(order[k]);
    const int last = layout.dims - 1;
    if (last >= 0 && x_stride == layout.x_stride[last] * layout.size[last] &&
        y_stride == layout.y_stride[last] * layout.size[last]) {
      layout.size[last] *= size;
      continue;
    }
    if (layout.dims == kMaxDims) {
      layout.dims = kMaxDims + 1;
      return layout;
    }
    layout.size[layout.dims] = size;
    layout.x_stride[layout.dims] = x_stride;
    layout.y_stride[layout.dims] = y_stride;
    ++layout.dims;
  }
  return layout;
}

static bool aligned(const void* p) {
  return reinterpret_cast<uintptr_t>(p) % 16 == 0;
}

// x: CUDA, floating, any shape and strides. Returns a new tensor with the strides that PyTorch would choose.
torch::Tensor leaky_relu_cuda(torch::Tensor x, double negative_slope) {
  TORCH_CHECK(x.is_cuda(), "leaky_relu_cuda: x must be a CUDA tensor");
  const c10::cuda::CUDAGuard device_guard(x.device());
  torch::Tensor y = torch::empty_like(x);
  const int64_t n = x.numel();
  if (n == 0) {
    return y;
  }
  const auto stream = at::cuda::getCurrentCUDAStream();

  Layout layout = walk(x, y);
  if (layout.dims > kMaxDims) {  // rare: PyTorch's copy gathers the elements, the kernel then works in place on y
    y.copy_(x);
    x = y;
    layout = walk(x, y);
  }
  const bool dense = layout.dims == 0 || (layout.dims == 1 && layout.x_stride[0] == 1 && layout.y_stride[0] == 1);

  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "leaky_relu_cuda", [&] {
    const auto slope = static_cast<at::opmath_type<scalar_t>>(negative_slope);
    const scalar_t* in = x.const_data_ptr<scalar_t>();
    scalar_t* out = y.mutable_data_ptr<scalar_t>();
    if (dense && aligned(in) && aligned(out)) {
      const int64_t threads = n / Pack<scalar_t>::size + n % Pack<scalar_t>::size;
      const unsigned blocks = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
      leaky_relu_packed<scalar_t><<<blocks, kThreads, 0, stream>>>(in, out, n, slope);
    } else {
      const unsigned blocks = static_cast<unsigned>((n + kThreads - 1) / kThreads);
      leaky_relu_strided<scalar_t><<<blocks, kThreads, 0, stream>>>(in, out, n, layout, slope);
    }
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  });
  return y;
}
"""


@functools.lru_cache(maxsize=1)
def _extension():
    """Builds the kernel, once a process."""
    return load_inline(
        name="kernelgate_leakyrelu",
        cpp_sources=CPP_SOURCE,
        cuda_sources=CUDA_SOURCE,
        functions=["leaky_relu_cuda"],
        extra_cuda_cflags=["-O3"],
    )


class ModelNew(nn.Module):
    """nn.LeakyReLU with the CUDA kernel above; the constructor's parameter and the result are the same."""

    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        needs_pytorch = (
            not x.is_cuda
            or not x.is_floating_point()
            or (torch.is_grad_enabled() and x.requires_grad)
            or torch.jit.is_tracing()
            or torch.compiler.is_compiling()
        )
        if needs_pytorch:
            return F.leaky_relu(x, self.negative_slope)
        return _extension().leaky_relu_cuda(x, self.negative_slope)
