"""What launches and host functions lack is written into a program: each class with its change, and near misses.

That a program passes with them is tried in `tests/cli/test_fix_judged.py`.
"""

from __future__ import annotations

import pytest

from kernelgate.repair.launch_care import with_care

CAREFUL = '''import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>

__global__ void twice(const float* x, float* y, int64_t n) {
    int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
__global__ void twice_by_four(const float4* x, float4* y, int64_t n) {}

torch::Tensor f(torch::Tensor x) {
    const c10::cuda::CUDAGuard device_guard(x.device());
    if (!x.is_non_overlapping_and_dense()) x = torch::empty_like(x).copy_(x);
    auto y = torch::empty_like(x);
    if (y.numel() == 0) return y;
    int64_t n = x.numel();
    twice<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        x.data_ptr<float>(), y.data_ptr<float>(), n);
    C10_CUDA_KERNEL_LAUNCH_CHECK();
    return y;
}
"""
ext = load_inline(name="m", cpp_sources="torch::Tensor f(torch::Tensor x);", cuda_sources=SOURCE, functions=["f"])


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.f(x)
'''
DENSE = "    if (!x.is_non_overlapping_and_dense()) x = torch::empty_like(x).copy_(x);\n"
STREAM = ", 0, at::cuda::getCurrentCUDAStream()>>>"
NONE = "    if (y.numel() == 0) return y;\n"
CHECK = "    C10_CUDA_KERNEL_LAUNCH_CHECK();\n"
GUARD = "    const c10::cuda::CUDAGuard device_guard(x.device());\n"
HEADERS = "#include <torch/extension.h>\n#include <ATen/cuda/CUDAContext.h>\n"
OTHER_HEADERS = "#include <c10/cuda/CUDAException.h>\n#include <c10/cuda/CUDAGuard.h>\n\n"
_LAUNCH = "<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(\n        "
LAUNCH = f"twice{_LAUNCH}x.data_ptr<float>(),"
VECTORS = f"twice_by_four{_LAUNCH}reinterpret_cast<const float4*>(x.data_ptr<float>()),"


def changed(*pairs: tuple[str, str]) -> str:
    text = CAREFUL
    for right, wrong in pairs:
        assert right in text
        text = text.replace(right, wrong, 1)
    return text


@pytest.mark.parametrize(
    ("pairs", "steps"),
    [
        ([(STREAM, ">>>")], ["line 23: launch on PyTorch's current stream"]),
        ([(STREAM, ", 0, 0>>>")], ["line 23: launch on PyTorch's current stream"]),
        ([(STREAM, ", 0>>>")], ["line 23: launch on PyTorch's current stream"]),
        (
            [(STREAM, ">>>"), ("#include <ATen/cuda/CUDAContext.h>\n", "")],
            ["line 22: launch on PyTorch's current stream", "line 9: include <ATen/cuda/CUDAContext.h>"],
        ),
        ([(CHECK, "")], ["line 25: check the launch"]),
        ([(NONE, "")], ["line 21: return a result without elements at once"]),
        ([(GUARD, "")], ["line 18: make the input's device the current one"]),
        ([(DENSE, "")], ["line 18: copy an input that has gaps"]),
        (
            [
                ("int64_t n) {", "int n) {"),
                ("int64_t i = blockIdx.x * int64_t(blockDim.x)", "int i = blockIdx.x * blockDim.x"),
                ("int64_t n =", "int n ="),
            ],
            ["line 11: count elements in 64 bits"],
        ),
    ],
)  # fmt: skip
def test_what_is_missing_is_written_as_a_careful_program_has_it(
    pairs: list[tuple[str, str]], steps: list[str]
) -> None:
    made = with_care(changed(*pairs), "mine.py")
    assert list(made.steps) == steps
    assert sorted(made.text.split("\n")) == sorted(CAREFUL.split("\n"))


def test_a_source_that_includes_nothing_is_one_of_pytorchs_too() -> None:
    made = with_care(changed((STREAM, ">>>"), (CHECK, ""), (HEADERS, ""), (OTHER_HEADERS, "\n")), "mine.py")
    assert f"{STREAM}(" in made.text and CHECK in made.text
    includes = [row for row in made.text.split("\n") if row.startswith("#include")]
    assert sorted(includes) == [
        "#include <ATen/cuda/CUDAContext.h>", "#include <c10/cuda/CUDAException.h>", "#include <c10/cuda/CUDAGuard.h>"
    ]  # fmt: skip
    assert made.text.index('SOURCE = """\n') < made.text.index("#include")


def test_an_input_that_is_read_as_vectors_is_aligned() -> None:
    text = changed((LAUNCH, VECTORS))
    made = with_care(text, "mine.py")
    assert made.steps == ("line 18: copy an input that is not aligned to 16 bytes",)
    assert "if (reinterpret_cast<uintptr_t>(x.data_ptr()) % 16 != 0) x = x.clone();" in made.text


def test_a_function_of_two_tensors_gets_them_contiguous() -> None:
    two = "torch::Tensor f(torch::Tensor x, torch::Tensor w) {"
    text = changed((DENSE, ""), ("torch::Tensor f(torch::Tensor x) {", two), ("y.data_ptr", "w.data_ptr"))
    made = with_care(text, "mine.py")
    assert "    x = x.contiguous();\n    w = w.contiguous();\n" in made.text


@pytest.mark.parametrize(
    "pairs",
    [
        [],
        [("at::cuda::getCurrentCUDAStream()", "stream")],  # one that the program chose
        [("C10_CUDA_KERNEL_LAUNCH_CHECK()", "TORCH_CHECK(cudaGetLastError() == cudaSuccess)")],
        [(DENSE, '    TORCH_CHECK(x.is_contiguous(), "contiguous");\n')],
        [(DENSE, "    x = x.contiguous();\n")],
        [(DENSE, ""), ("torch::Tensor f(torch::Tensor x) {", "torch::Tensor f(const torch::Tensor& x) {")],
        [(GUARD, "    cudaSetDevice(x.get_device());\n")],
        [(NONE, "    if (!y.numel()) return y;\n")],
        [(NONE, "    if (y.numel() > 0)\n    ")],
        [("int64_t n =", "int rows = x.size(0); int64_t n =")],
        [(LAUNCH, VECTORS), (DENSE, f"{DENSE}    TORCH_CHECK(x.storage_offset() % 16 == 0);\n")],
    ],
)  # fmt: skip
def test_nothing_is_written_where_nothing_certain_is_missing(pairs: list[tuple[str, str]]) -> None:
    text = changed(*pairs)
    made = with_care(text, "mine.py")
    assert (made.steps, made.text) == ((), text)
