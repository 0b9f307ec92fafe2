"""A name is visible through the header that really brings it, and through no other."""

from __future__ import annotations

import pytest
from support import HEAD

from kernelgate.emulator import CompileFailed, build_extension

pytestmark = pytest.mark.drawn

MAIN = "at::Tensor f(at::Tensor x);"


def build(cache, cuda, cpp=MAIN, **options):
    return build_extension("program", [cpp], [cuda], ["f"], cache=cache, **options)


def body(statement: str) -> str:
    return f"at::Tensor f(at::Tensor x) {{ {statement} return x; }}\n"


# The statement, the header that brings its name, headers that do not (each beside torch/types.h).
NEEDS = [
    ("C10_CUDA_KERNEL_LAUNCH_CHECK();", "c10/cuda/CUDAException.h", ["torch/extension.h", "cuda_runtime.h"]),
    ("C10_CUDA_KERNEL_LAUNCH_CHECK();", "ATen/cuda/CUDAContext.h", ["ATen/ATen.h"]),
    ("AT_CUDA_CHECK(cudaGetLastError());", "ATen/cuda/CUDAContext.h", ["c10/cuda/CUDAException.h"]),
    ("auto s = at::cuda::getCurrentCUDAStream();", "ATen/cuda/CUDAContext.h", ["torch/extension.h"]),
    ("auto s = at::cuda::getCurrentCUDAStream();", "c10/cuda/CUDAStream.h", ["c10/cuda/CUDAException.h"]),
    ("auto s = c10::cuda::getCurrentCUDAStream();", "c10/cuda/CUDAGuard.h", ["ATen/Dispatch.h"]),
    ("at::cuda::CUDAGuard g(x.device());", "c10/cuda/CUDAGuard.h", ["ATen/cuda/CUDAContext.h"]),
    ("const at::cuda::OptionalCUDAGuard g(device_of(x));", "c10/cuda/CUDAGuard.h", ["c10/cuda/CUDAStream.h"]),
    ("auto p = at::cuda::getCurrentDeviceProperties();", "ATen/cuda/CUDAContext.h", ["c10/cuda/CUDAGuard.h"]),
    ("at::opmath_type<at::Half> a = 0;", "ATen/OpMathType.h", ["torch/extension.h", "ATen/Dispatch.h"]),
    ("at::acc_type<float, true> a = 0;", "ATen/AccumulateType.h", ["torch/extension.h", "ATen/OpMathType.h"]),
    ('pybind11::arg a("x");', "torch/extension.h", ["torch/types.h"]),
    ("float v = CUDART_INF_F;", "math_constants.h", ["cuda_runtime.h"]),
]


@pytest.mark.parametrize(("statement", "header", "others"), NEEDS)
def test_a_name_is_not_seen_without_its_header(cache, statement, header, others):
    with pytest.raises(CompileFailed) as caught:
        build(cache, "".join(f"#include <{other}>\n" for other in others) + body(statement))
    assert caught.value.diagnostics[0].unit == "cuda.cu"
    assert caught.value.diagnostics[0].line == len(others) + 1


@pytest.mark.parametrize("header", sorted({header for _, header, _ in NEEDS}))
def test_a_header_brings_its_names(cache, header):
    statements = [f"{{ {statement} }}" for statement, brings, _ in NEEDS if brings == header]
    build(cache, f"#include <{header}>\n" + body(" ".join(statements)))


def test_what_load_inline_includes_by_itself_is_there(cache):
    build(cache, body("float4 v = make_float4(1, 2, 3, 4); at::Tensor y = at::empty_like(x);"))


def test_headers_of_main_cpp_are_not_seen_in_cuda_cu(cache):
    with pytest.raises(CompileFailed, match=r"cuda\.cu:1"):
        build(cache, body("C10_CUDA_KERNEL_LAUNCH_CHECK();"), cpp=HEAD + MAIN)


def test_main_cpp_is_no_cuda_source(cache):
    with pytest.raises(CompileFailed) as caught:
        build(cache, body(""), cpp=MAIN + "\n__global__ void k() {}")
    assert (caught.value.diagnostics[0].unit, caught.value.diagnostics[0].line) == ("main.cpp", 2)


HALF_STATEMENTS = ["a = a * a;", "float f = a;", "a = 1.0f;", "if (a > a) return x;"]


@pytest.mark.parametrize("statement", HALF_STATEMENTS)
def test_half_operators_are_off_as_torch_turns_them_off_for_nvcc(cache, statement):
    with pytest.raises(CompileFailed):
        build(cache, "#include <cuda_fp16.h>\n" + body(f"__half a; {statement}"))


def test_a_flag_turns_half_operators_on(cache):
    source = "#include <cuda_fp16.h>\n" + body(f"__half a; {' '.join(HALF_STATEMENTS)}")
    build(cache, source, defines=["-U__CUDA_NO_HALF_OPERATORS__", "-U__CUDA_NO_HALF_CONVERSIONS__"])


def test_a_type_that_nvcc_has_no_atomic_for_has_none_here(cache):
    with pytest.raises(CompileFailed, match="atomicAdd"):
        build(cache, "__global__ void k(int64_t* p) { atomicAdd(p, int64_t(1)); }\n" + body(""))
