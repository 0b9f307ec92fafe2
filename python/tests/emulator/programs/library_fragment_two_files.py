"""Operators defined in main.cpp, implemented in cuda.cu, added to by a fragment."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

#include <torch/library.h>
__global__ void add_one(const int64_t* x, int64_t* y, int64_t step, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = x[i] + step;
}

torch::Tensor shifted(torch::Tensor x, int64_t step) {
  auto y = torch::empty_like(x);
  add_one<<<1, 64>>>(x.data_ptr<int64_t>(), y.data_ptr<int64_t>(), step, x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
std::tuple<torch::Tensor, torch::Tensor> both(torch::Tensor x) { return {shifted(x, 1), shifted(x, -1)}; }

TORCH_LIBRARY_FRAGMENT(program_of_shifts, m) {
  m.def("both(Tensor x) -> (Tensor, Tensor)", &both);
}
TORCH_LIBRARY_IMPL(program_of_shifts, CUDA, m) {
  m.impl("shifted", shifted);
}
"""

cpp_source = r"""
#include <torch/library.h>
TORCH_LIBRARY(program_of_shifts, m) {
  m.def("shifted(Tensor x, int step) -> Tensor");
}
"""

module = load_inline(
    name="library_fragment_two_files",
    cpp_sources=cpp_source,
    cuda_sources=cuda_source,
    is_python_module=False,
)


class Model(nn.Module):
    def forward(self, x):
        return [x + 5, x + 1, x - 1]


class ModelNew(nn.Module):
    def forward(self, x):
        return [torch.ops.program_of_shifts.shifted(x, 5), *torch.ops.program_of_shifts.both(x)]


def get_inputs():
    return [torch.arange(40)]


def get_init_inputs():
    return []
