"""A module bound by hand: names, defaults, documentation, a vector of results."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void affine(const float* x, float* y, float scale, float shift, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * scale + shift;
}

torch::Tensor scale_shift(torch::Tensor x, double scale, double shift) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  affine<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), scale, shift, n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
std::vector<torch::Tensor> powers(torch::Tensor x, int count) {
  std::vector<torch::Tensor> result;
  for (int i = 0; i < count; i++) result.push_back(i == 0 ? x.clone() : result.back() * x);
  return result;
}
"""

cpp_source = r"""
#include <torch/extension.h>
torch::Tensor scale_shift(torch::Tensor x, double scale, double shift);
std::vector<torch::Tensor> powers(torch::Tensor x, int count);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "Two functions.";
  m.def("scale_shift", &scale_shift, "x * scale + shift", py::arg("x"), py::arg("scale") = 1.0, py::arg("shift") = 0.0);
  m.def("powers", &powers, py::arg("x"), py::arg("count"));
}
"""

module = load_inline(
    name="module_of_several_functions",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
)


class Model(nn.Module):
    def forward(self, x):
        return [x * 2 + 1, x, x * x, x * x * x]


class ModelNew(nn.Module):
    def forward(self, x):
        return [module.scale_shift(x, shift=1.0, scale=2.0), *module.powers(x, 3)]


def get_inputs():
    return [torch.randn(50)]


def get_init_inputs():
    return []
