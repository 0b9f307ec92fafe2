"""A function with its own backward; the result is the gradient."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

template <typename scalar_t>
__global__ void leaky(const scalar_t* x, scalar_t* y, scalar_t slope, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];
}
template <typename scalar_t>
__global__ void leaky_gradient(const scalar_t* grad, const scalar_t* x, scalar_t* out, scalar_t slope, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = x[i] > 0 ? grad[i] : slope * grad[i];
}

torch::Tensor forward(torch::Tensor x, double slope) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "leaky_relu", [&] {
    leaky<scalar_t><<<(n + 63) / 64, 64>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(),
        static_cast<scalar_t>(slope), n);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
torch::Tensor backward(torch::Tensor grad, torch::Tensor x, double slope) {
  auto out = torch::empty_like(x);
  const int n = x.numel();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "leaky_relu_backward", [&] {
    leaky_gradient<scalar_t><<<(n + 63) / 64, 64>>>(grad.data_ptr<scalar_t>(), x.data_ptr<scalar_t>(),
        out.data_ptr<scalar_t>(),
                                                    static_cast<scalar_t>(slope), n);
  });
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return out;
}
"""

cpp_source = r"""
torch::Tensor forward(torch::Tensor x, double slope);
torch::Tensor backward(torch::Tensor grad, torch::Tensor x, double slope);
"""

module = load_inline(
    name="autograd_leaky_relu",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    functions=["forward", "backward"],
)


class LeakyReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        ctx.slope = slope
        return module.forward(x, slope)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return module.backward(grad.contiguous(), x, ctx.slope), None


class Model(nn.Module):
    def forward(self, x):
        x = x.detach().requires_grad_()
        y = torch.nn.functional.leaky_relu(x, 0.1)
        (y * y).sum().backward()
        return [y, x.grad]


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.detach().requires_grad_()
        y = LeakyReLU.apply(x, 0.1)
        (y * y).sum().backward()
        return [y, x.grad]


def get_inputs():
    return [torch.randn(9, 15)]


def get_init_inputs():
    return []
