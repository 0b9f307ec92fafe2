"""Conditions on __CUDA_ARCH__ are decided for the side that the code is for, or the program is refused by name."""

from __future__ import annotations

import pytest
import torch
from support import HEAD, in_worker, load_inline

from kernelgate.cuda_source.lexer import blank
from kernelgate.cuda_source.preprocessor import without_dropped_lines
from kernelgate.emulator import Emulation, Refused
from kernelgate.emulator.translate.host_side import as_host_sees_it, functions

pytestmark = pytest.mark.drawn

ASKS = "\n#ifdef __CUDA_ARCH__\n  on_device();\n#else\n  on_host();\n#endif\n"
# The side whose line is left of `ASKS`; None where both sides would be needed.
CASES = {
    "a kernel": (f"__global__ void k(int n) {{{ASKS}}}", "device"),
    "a device function": (f"template <int N> __device__ int f(int n) {{{ASKS}}}", "device"),
    "a host function": (f"torch::Tensor f(torch::Tensor x) {{{ASKS}}}", "host"),
    "a host function after another": (f"__device__ int g() {{ return 1; }}\nint f(int n) {{{ASKS}}}", "host"),
    "a function that says __host__": (f"__host__ int f(int n) {{{ASKS}}}", "host"),
    "within a namespace": (f"namespace a {{ struct B {{ int f(int n) {{{ASKS}}} }}; }}", "host"),
    "a lambda for the device in a host function": (
        f"void f() {{ auto g = [=] __device__ (int i) {{{ASKS}}}; }}",
        "device",
    ),
    "for both, called by a kernel": (
        f"__host__ __device__ int f(int n) {{{ASKS}}}\n__global__ void k() {{ f(1); }}",
        "device",
    ),
    "for both, called by the host": (
        f"__host__ __device__ int f(int n) {{{ASKS}}}\nint g() {{ return f(1); }}",
        None,
    ),
    "for both, called through another": (
        f"__host__ __device__ int f() {{{ASKS}}}\n__host__ __device__ int h() {{ return f(); }}\nint g() {{ h(); }}",
        None,
    ),
    "constexpr, called by the host": (f"constexpr int f(int n) {{{ASKS}}}\nint g() {{ return f(1); }}", None),
    "a macro": ("#if __CUDA_ARCH__ >= 700\nint on_device();\n#else\nint on_host();\n#endif", "device"),
    "a function that old devices lack": (
        "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 600\nint on_device();\n#else\n"
        "__device__ double on_host(double* p) { return *p; }\n#endif",
        "device",
    ),
    "a function of the host alone": ("#ifndef __CUDA_ARCH__\nint on_host(int n) { return n; }\n#endif", None),
    "a function for each side": (
        "#ifdef __CUDA_ARCH__\n__device__ int f() { return on_device(); }\n#else\n"
        "int f() { return on_host(); }\n#endif",
        "device",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_condition_is_decided_for_its_side(case):
    source, side = CASES[case]
    if side is None:
        with pytest.raises(Refused) as refused:
            as_host_sees_it(source)
        assert refused.value.line is not None and "`" in refused.value.what
        return
    seen = without_dropped_lines(as_host_sees_it(source))
    assert ("on_device" in seen, "on_host" in seen) == (side == "device", side == "host")
    assert seen.count("\n") == source.count("\n")


def test_the_refusal_names_the_line_of_the_condition():
    source, _ = CASES["for both, called by the host"]
    with pytest.raises(Refused, match=r"`f` asks for __CUDA_ARCH__, and host code calls it\), line 2$"):
        as_host_sees_it(source)


def test_a_program_asks_differently_on_both_sides(cache):
    source = (
        HEAD
        + """
__device__ float side() {
#ifdef __CUDA_ARCH__
  return 2.0f;
#else
  return 1.0f;
#endif
}
__global__ void k(float* y, float added) { y[threadIdx.x] = side() + added; }
torch::Tensor f(torch::Tensor x) {
  auto y = torch::empty_like(x);
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  const float added = 100.0f;
#else
  const float added = 10.0f;
#endif
  k<<<1, 3>>>(y.data_ptr<float>(), added);
  return y;
}
"""
    )

    def body(emulation: Emulation) -> list[float]:
        with emulation.active():
            program = load_inline("sides", "torch::Tensor f(torch::Tensor x);", source, functions="f")
            return program.f(torch.zeros(3, device="cuda")).tolist()

    assert in_worker(cache, body).result() == [12.0] * 3


def test_the_rows_of_a_table_of_structures_are_no_functions():
    # Each row was looked at from the table's first one on: minutes for a thousand rows of a sample.
    source = "struct S table[] = {" + "{twice(1), 2}, " * 3 + "};\nvoid f() {}\n"
    assert [function.name for function in functions(blank(source))] == ["f"]
