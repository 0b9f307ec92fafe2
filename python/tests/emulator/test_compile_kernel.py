"""A kernel that PyTorch compiles from a text runs as one of load_inline does; an operator of the stable ABI, too."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from support import in_worker, load_inline

TWICE = """
extern "C" __global__ void scale(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = FACTOR * x[i];
}

template <typename T> __global__ void of_blocks(T* y, long long unused) {
    extern __shared__ float shared[];
    shared[threadIdx.x] = blockIdx.x;
    y[blockIdx.x * blockDim.x + threadIdx.x] = shared[threadIdx.x];
}
"""


def compiled(name: str = "scale") -> Any:
    return torch.cuda._compile_kernel(TWICE, name, nvcc_options=["-DFACTOR=2", "--use_fast_math"])


def launched(cache: Any, name: str, *args: Any, **options: Any) -> Any:
    """What the outcome is of a launch on 300 numbers."""

    def body(emulation: Any) -> Any:
        with emulation.active(), emulation.guarded():
            x = torch.arange(300.0, device="cuda")
            y = torch.zeros_like(x)
            given = [{"x": x, "y": y}.get(one, one) for one in args]
            compiled(name)(grid=(2, 1, 1), block=(150, 1, 1), args=given, **options)
            return y.cpu()

    return in_worker(cache, body)


def test_a_kernel_is_launched_with_tensors_and_whole_numbers(cache):
    assert launched(cache, "scale", "x", "y", 300).result().equal(2 * torch.arange(300.0))


def test_a_write_past_the_end_is_found(cache):
    def body(emulation: Any) -> None:
        with emulation.active(), emulation.guarded():
            x = torch.zeros(300, device="cuda")
            compiled()(grid=(3, 1, 1), block=(150, 1, 1), args=[x, x, 100_000])

    fault = in_worker(cache, body).fault
    assert fault is not None
    assert (fault.kind, fault.kernel, fault.line) == ("out_of_bounds", "scale", 4)


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["x", "y", 3.0], "argument 3 is passed in 8 bytes, and the kernel takes 4"),
        (["x", "y"], "the kernel takes 3 arguments, and the launch gives 2"),
        (["x", "y", "3"], "Unsupported argument type"),
    ],
)
def test_what_a_kernel_cannot_be_given_is_said(cache, args, says):
    assert says in (launched(cache, "scale", *args).error or "")


def test_an_instance_of_a_template_has_shared_memory(cache):
    def body(emulation: Any) -> torch.Tensor:
        with emulation.active(), emulation.guarded():
            y = torch.zeros(64, device="cuda")
            source = TWICE.replace(", long long unused", "")
            kernel = torch.cuda._compile_kernel(source, "of_blocks<float>", nvcc_options=["-DFACTOR=2"])
            kernel.set_shared_memory_config(64 << 10)
            kernel(grid=(2, 1, 1), block=(32, 1, 1), args=[y], shared_mem=64 << 10)
            return y.cpu()

    assert in_worker(cache, body).result().equal(torch.tensor([0.0, 1.0]).repeat_interleave(32))


STABLE = """
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/ops.h>
#include <torch/csrc/stable/tensor.h>
__global__ void twice(const float* x, float* y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
torch::stable::Tensor doubled(const torch::stable::Tensor& x) {
  torch::stable::Tensor y = torch::stable::empty_like(x);
  twice<<<1, 64>>>((const float*)x.data_ptr(), (float*)y.data_ptr(), x.numel());
  return y;
}
STABLE_TORCH_LIBRARY(of_stable, m) { m.def("doubled(Tensor x) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(of_stable, CUDA, m) { m.impl("doubled", TORCH_BOX(&doubled)); }
"""


@pytest.mark.drawn
def test_an_operator_of_the_stable_abi_is_one_of_the_emulated_device(cache):
    def body(emulation: Any) -> torch.Tensor:
        with emulation.active():
            load_inline("stable", "", STABLE, is_python_module=False)
            return torch.ops.of_stable.doubled(torch.arange(8.0, device="cuda")).cpu()

    assert in_worker(cache, body).result().equal(2 * torch.arange(8.0))
