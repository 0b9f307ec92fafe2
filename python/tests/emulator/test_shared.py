"""`__shared__` declarations become references into the block's memory; line numbers stay."""

from __future__ import annotations

import pytest
import torch
from support import in_worker, load_one_to_one

from kernelgate.emulator import Refused
from kernelgate.emulator.translate.shared import rewrite_shared

pytestmark = pytest.mark.drawn


def static(kind: str, name: str, number: int = 1) -> str:
    declared = name + (kind[kind.index("[") :] if "[" in kind and "{" not in kind else "")
    return (
        f"using kernelgate_type_{number} = {kind}; "
        f'static const ::kernelgate::SharedSlot kernelgate_slot_{number}{{"{declared}"}}; '
        f"kernelgate_type_{number}& {name} = "
        f"::kernelgate::shared<kernelgate_type_{number}>(kernelgate_slot_{number})"
    )


CASES = {
    "array": ("__shared__ float a[32];", static("float [32]", "a") + ";"),
    "scalar": ("__shared__ unsigned int n;", static("unsigned int ", "n") + ";"),
    "two dimensions": ("__shared__ T t[N][M + 1];", static("T [N][M + 1]", "t") + ";"),
    "product in a size": ("__shared__ T t[2 * N];", static("T [2 * N]", "t") + ";"),
    "two names": ("__shared__ int a[2], b;", f"{static('int [2]', 'a')}; {static('int ', 'b', 2)};"),
    "aligned": ("__shared__ __align__(16) float a[4];", static("float [4]", "a") + ";"),
    "volatile before": ("volatile __shared__ int v;", static("volatile int ", "v") + ";"),
    "pointer": ("__shared__ float* p;", static("float* ", "p") + ";"),
    "dependent type": ("__shared__ typename A<int, 2>::B t;", static("typename A<int, 2>::B ", "t") + ";"),
    "own struct": (
        "__shared__ struct { int i; float f[2]; } u;",
        static("struct { int i; float f[2]; } ", "u") + ";",
    ),
    "dynamic in a function": (
        "void f() { extern __shared__ float s[]; }",
        "void f() { float* s = ::kernelgate::dynamic_shared<float>(); }",
    ),
    "dynamic rows": (
        "void f() { extern __shared__ float s[][N + 1]; }",
        "void f() { using kernelgate_row_s = float [N + 1]; "
        "kernelgate_row_s* s = ::kernelgate::dynamic_shared<kernelgate_row_s>(); }",
    ),
    "dynamic, aligned, two words": (
        "void f() { extern __shared__ __align__(16) unsigned char s[]; }",
        "void f() { unsigned char* s = ::kernelgate::dynamic_shared<unsigned char>(); }",
    ),
    "dynamic in a namespace": (
        "namespace n { extern __shared__ float s[]; }",
        "namespace n { static const ::kernelgate::DynamicShared<float> s{}; }",
    ),
    "after a directive": (
        "#pragma unroll\n__shared__ int i;",
        "#pragma unroll\n" + static("int ", "i") + ";",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_declaration_becomes_a_reference(case):
    source, expected = CASES[case]
    if "{ extern" not in source:
        source, expected = (f"void f() {{\n{text}\n}}" for text in (source, expected))
    assert rewrite_shared(source) == expected


def test_outside_every_function_it_is_the_running_blocks_where_it_is_used(cache):
    kernel = """__shared__ float row[32];
__shared__ float table[2][32];
__shared__ int last;
__device__ float* of_row() { return row; }
__global__ void k(const float* x, float* y, int n) {
  int t = threadIdx.x;
  row[t] = x[t];
  table[1][t] = 2 * row[t];
  if (t == 0) last = 0;
  __syncthreads();
  atomicAdd(&last, 1);
  __syncthreads();
  y[t] = of_row()[31 - t] + table[1][t] + (last == 32);
}"""

    def body(emulation):
        with emulation.active():
            program = load_one_to_one(kernel, launch="k<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);")
            return program.f(torch.arange(32.0).cuda()).cpu().tolist()

    assert in_worker(cache, body).result() == [31 - t + 2 * t + 1 for t in range(32)]


def test_a_declaration_over_lines_keeps_their_number():
    source = "__shared__ float a[1],\n  b[2],\n  c[3];\n// last"
    assert rewrite_shared(source).splitlines()[3] == "// last"


def test_a_comment_that_speaks_of_shared_memory_stays():
    assert rewrite_shared("// __shared__ float a[2];") == "// __shared__ float a[2];"


@pytest.mark.parametrize("source", ["__shared__ int i = 3;", "void f() { extern __shared__ float s[2][2]; }"])
def test_an_unknown_form_is_refused_with_its_line(source):
    with pytest.raises(Refused, match="line 2"):
        rewrite_shared("\n" + source)
