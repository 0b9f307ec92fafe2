"""What launches and host functions lack is written into a program: each class with its change, and near misses.

That a program passes with them is tried in `tests/cli/test_fix_judged.py`.
"""

from __future__ import annotations

import pytest

from kernelgate.program import Source, read
from kernelgate.repair.fewer_threads import fewer_threads
from kernelgate.repair.launch_care import contiguous_inputs, with_care
from kernelgate.repair.shared_memory import with_allowed_memory

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


def test_inputs_are_made_contiguous_where_no_stride_is_looked_at() -> None:
    found = contiguous_inputs(read(Source(changed((DENSE, "")), "mine.py")))
    opening, dense = "torch::Tensor f(torch::Tensor x) {\n", "    x = x.contiguous();\n"
    assert found == (changed((DENSE, ""), (opening, f"{opening}{dense}")), 17)
    assert contiguous_inputs(read(Source(CAREFUL, "mine.py"))) is None


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


@pytest.mark.parametrize(
    ("configuration", "before", "fixed"),
    [
        ("<<<(n + 2047) / 2048, 2048", "", ("<<<(n + 1023) / 1024, 1024", "")),
        ("<<<(n + THREADS - 1) / THREADS, THREADS", "#define THREADS 4096\n", ("", "#define THREADS 1024\n")),
        ("<<<n, threads", "const int threads = 1536;\n", ("", "const int threads = 1024;\n")),
        ("<<<n, block", "dim3 block(64, 32);\n", ("", "dim3 block(32, 32);\n")),
        ("<<<n, block", "#define T 64\ndim3 block(T, T);\n", ("", "#define T 32\ndim3 block(T, T);\n")),
        ("<<<n, dim3(64, 32)", "", ("<<<n, dim3(32, 32)", "")),
        ("<2048><<<n, 2048", "", ("<1024><<<n, 1024", "")),
        ("<<<n, dim3(T, T)", "int T = best(n);\n", None),  # not written out
        ("<<<n, 1024", "", None),
        ("<<<n, block", "dim3 block(32, 32);\n", None),
        ("<<<n, threads", "int threads = best(n);\n", None),  # not written out
        ("<<<n, threads", "int threads = 2048;\nthreads = 512;\n", None),  # one of two
    ],
)
def test_a_block_of_too_many_threads_gets_as_many_as_there_may_be(
    configuration: str, before: str, fixed: tuple[str, str] | None
) -> None:
    def written(launch: str, above: str) -> str:
        return changed(("<<<(n + 255) / 256, 256", launch), ("    int64_t n =", f"{above}    int64_t n ="))

    found = fewer_threads(read(Source(written(configuration, before), "mine.py")))
    assert found == (None if fixed is None else written(fixed[0] or configuration, fixed[1]))


def test_a_launch_with_much_shared_memory_has_it_allowed_first() -> None:
    text = changed(("256, 0, ", "256, n * 4, "))
    request = "    cudaFuncSetAttribute(twice, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 4);\n"
    allowed = with_allowed_memory(read(Source(text, "mine.py")))
    assert allowed == text.replace("    twice<<<", f"{request}    twice<<<")
    assert with_allowed_memory(read(Source(allowed, "mine.py"))) is None


@pytest.mark.parametrize(
    ("launch", "above"),
    [
        ("    twice<<<(n + 255) / 256, 256, 0, ", ""),
        ("    if (n) twice<<<(n + 255) / 256, 256, n * 4, ", ""),
        ("    twice<<<(n + 255) / 256, 256, n * 4, ", "    if (n)\n"),  # it would belong to the branch
    ],
)
def test_a_launch_that_needs_no_memory_or_stands_in_a_branch_is_left_alone(launch: str, above: str) -> None:
    text = changed(("    twice<<<(n + 255) / 256, 256, 0, ", f"{above}{launch}"))
    assert with_allowed_memory(read(Source(text, "mine.py"))) is None
