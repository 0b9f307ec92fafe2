"""The two sides of an extension: what each compiler gets, and what a change of a kernel changes."""

from __future__ import annotations

from pathlib import Path

import pytest
from torch.utils.cpp_extension import CUDA_HOME

from kernelgate.compile.cuda import cached_load_inline
from kernelgate.compile.cuda_library import build
from kernelgate.compile.split_units import Sides, instances, sides
from kernelgate.messages.build_requests import BuiltExtension, CudaExtension
from kernelgate.sandbox.confined_process import run_confined

SOURCE = """
#include <torch/extension.h>
#include <cooperative_groups.h>
#include <cfloat>
#define BLOCK 256

__device__ float squared(float v) { return v * v; }
static __global__ void plain(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = squared(x[i]);
}
namespace inner {
template <typename T, int N>
__global__ void __launch_bounds__(256) many(const T* x, T* y) { y[threadIdx.x] = x[threadIdx.x] * N; }
}
torch::Tensor run(torch::Tensor x) {
  auto y = torch::empty_like(x);
  plain<<<(x.numel() + BLOCK - 1) / BLOCK, BLOCK>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  inner::many<float, 4><<<1, BLOCK, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
"""


def cut(source: str = SOURCE) -> Sides:
    found = sides(source)
    assert found is not None
    return found


def test_the_hosts_side_has_no_kernel_and_the_devices_side_nothing_of_pytorch() -> None:
    both = cut()
    assert "squared" not in both.host and "threadIdx" not in both.host and "cooperative_groups" not in both.host
    assert "torch" not in both.device and "<<<" not in both.device
    assert "y[i] = squared(x[i])" in both.device and both.templates


def test_a_launch_pushes_its_configuration_and_calls_the_kernel() -> None:
    host = " ".join(cut().host.split())
    pushed = "(::__cudaPushCallConfiguration((x.numel() + BLOCK - 1) / BLOCK, BLOCK) ? (void)0 : plain("
    assert pushed in host
    assert "at::cuda::getCurrentCUDAStream()) ? (void)0 : inner::many<float, 4>(" in host


def test_a_kernel_of_one_unit_can_be_named_by_the_other() -> None:
    both = cut()
    assert "static" not in both.host and "static __global__" not in both.device


def test_a_change_of_a_kernel_changes_nothing_for_the_host() -> None:
    changed = SOURCE.replace("squared(x[i]);", "squared(x[i]);\n  // a line more\n")
    assert cut(changed).host == cut().host
    assert cut(changed).device != cut().device


def test_the_kernels_that_the_host_calls_and_does_not_have_are_found() -> None:
    undefined = """
                 U cudaGetLastError
                 U void inner::many<float, 4>(float const*, float*)
                 U void at::many<float>(float const*)
                 U plain(float const*, float*, int)
"""
    assert instances(undefined, cut().device) == [
        "inner::many<float, 4>(float const*, float*)",
        "plain(float const*, float*, int)",
    ]


def test_a_text_without_a_kernel_or_with_a_launch_that_cannot_be_read_is_left_whole() -> None:
    assert sides("torch::Tensor same(torch::Tensor x) { return x; }") is None
    assert sides(SOURCE.replace("<<<1, BLOCK, 0", "<<<1, BLOCK, 0; ")) is None


TWO_SIDES = """
template <typename T>
static __global__ void scaled(const T* x, T* y, T by) { y[threadIdx.x] = by * x[threadIdx.x]; }
torch::Tensor scale(torch::Tensor x) {
  auto y = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", [&] {
    scaled<scalar_t><<<1, x.numel()>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), 2);
  });
  return y;
}
"""


@pytest.mark.skipif(CUDA_HOME is None, reason="nvcc was not found: set CUDA_HOME to a CUDA toolkit")
@pytest.mark.drawn
def test_both_sides_are_built_apart_and_make_one_module(tmp_path: Path) -> None:
    noted: list[BuiltExtension] = []

    def built(order: CudaExtension) -> Path:
        return build(order, tmp_path, lambda folder, work: run_confined(folder, work, None))

    load = cached_load_inline(tmp_path, "sm_80", noted.append, built, quick=True)
    declared = "torch::Tensor scale(torch::Tensor x);"
    for source in (TWO_SIDES, TWO_SIDES.replace("by * x", "by + x")):
        module = load("two_sides", declared, source, functions=["scale"])
        assert callable(module.scale)  # no symbol lacks, or it could not be imported
    assert [one.quick for one in noted] == [True, True]
    assert len({one.library for one in noted}) == 2
