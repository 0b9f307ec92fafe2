"""Launches are found wherever CUDA allows them, and line numbers never change."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from support import in_worker, load_inline, load_one_to_one

from kernelgate.cuda_source.launches import rewrite_launches
from kernelgate.emulator import Emulation, Refused

pytestmark = pytest.mark.drawn


def launched(kernel: str, configuration: str, arguments: str, line: int = 1, gap: str = "") -> str:
    given = f", {arguments}" if arguments else ""
    return (
        f'::kernelgate::launch(::kernelgate::shape({configuration}), {{"{kernel}", "cuda.cu", {line}}}, '
        f"[=](auto... kernelgate_arguments) {{ {kernel}(kernelgate_arguments...); }}{gap}{given})"
    )


CASES = {
    "plain": ("k<<<g, b>>>(x, y);", launched("k", "g, b", "x, y") + ";"),
    "template": ("k<T, 4><<<g, b, s, st>>>(x);", launched("k<T, 4>", "g, b, s, st", "x") + ";"),
    "nested template": ("k<A<B<int>>><<<1, 2>>>(x);", launched("k<A<B<int>>>", "1, 2", "x") + ";"),
    "comparison in a template": ("k<(a > b)><<<1, 2>>>(x);", launched("k<(a > b)>", "1, 2", "x") + ";"),
    "shift in a template": ("k<1 << 2><<<1, 2>>>(x);", launched("k<1 << 2>", "1, 2", "x") + ";"),
    "after a comparison": (
        "if (a < b && c > d) k<<<1, 2>>>(x);",
        f"if (a < b && c > d) {launched('k', '1, 2', 'x')};",
    ),
    "namespaces": ("::a::b<T>::k<2><<<1, 2>>>(x);", launched("::a::b<T>::k<2>", "1, 2", "x") + ";"),
    "no arguments": ("k<<<1, 2>>>();", launched("k", "1, 2", "") + ";"),
    "calls in the configuration": (
        "k<<<dim3((n + 1) / 2, m >> 2), f<A<B<int>>>(3)>>>(g(a, b));",
        launched("k", "dim3((n + 1) / 2, m >> 2), f<A<B<int>>>(3)", "g(a, b)") + ";",
    ),
    "function pointer": ("(*p)<<<1, 2>>>(x);", launched("(*p)", "1, 2", "x") + ";"),
    "array of kernels": ("ks[i]<<<1, 2>>>(x);", launched("ks[i]", "1, 2", "x") + ";"),
    "pasted name": ("k_##T<<<1, 2>>>(x)", launched("k_##T", "1, 2", "x")),
    "after a label": ("case 1: k<<<1, 2>>>(x);", f"case 1: {launched('k', '1, 2', 'x')};"),
    "null pointer": ("k<<<1, 2>>>(NULL, f(NULL));", launched("k", "1, 2", "nullptr, f(NULL)") + ";"),
    "over two lines": ("\nk<<<1,\n 2>>>(x,\n y);", "\n" + launched("k", "1,\n 2", "x,\n y", line=2) + ";"),
    "in a macro": (
        "#define L(K, ...) \\\n  K<<<g, b>>>(__VA_ARGS__); \\\n  check();",
        f"#define L(K, ...) \\\n  {launched('K', 'g, b', '__VA_ARGS__', line=2)}; \\\n  check();",
    ),
    "in a dispatch lambda": (
        'AT_DISPATCH_FLOATING_TYPES(t, "n", [&] { k<scalar_t, 4><<<g, b>>>(x); });',
        f'AT_DISPATCH_FLOATING_TYPES(t, "n", [&] {{ {launched("k<scalar_t, 4>", "g, b", "x")}; }});',
    ),
    "two in one line": (
        "a<<<1, 2>>>(x); b<<<3, 4>>>(y);",
        f"{launched('a', '1, 2', 'x')}; {launched('b', '3, 4', 'y')};",
    ),
}
UNTOUCHED = {
    "line comment": "// k<<<1, 2>>>(x)",
    "continued line comment": "// a \\\n k<<<1, 2>>>(x)",
    "block comment": "/* k<<<1,\n 2>>>(x) */",
    "string": 'auto s = "k<<<1, 2>>>(x)";',
    "raw string": 'auto s = R"x(k<<<1, 2>>>(x)")x";',
    "quote in a character": "char c = '\"'; // k<<<1, 2>>>(x) \"",
    "digit separators": "int i = 1'000'000; // k<<<1'0, 2>>>(x)",
}


@pytest.mark.parametrize("case", CASES)
def test_a_launch_becomes_a_call(case):
    source, expected = CASES[case]
    assert rewrite_launches(source) == expected
    assert rewrite_launches(source).count("\n") == source.count("\n")


@pytest.mark.parametrize("case", UNTOUCHED)
def test_comments_and_literals_are_left_alone(case):
    assert rewrite_launches(UNTOUCHED[case]) == UNTOUCHED[case]


@pytest.mark.parametrize("source", ["k<<<1, 2;", "k<<<1, 2>>> x;", "+<<<1, 2>>>(x);", "k<<<1, (2>>>(x);"])
def test_a_launch_that_cannot_be_read_is_refused_with_its_line(source):
    with pytest.raises(Refused, match="line 2"):
        rewrite_launches("\n" + source)


NAMES = {
    "plain": ("const float* x, float *y, int n", "x,y,n"),
    "restrict and defaults": ("const float* __restrict__ x, float s = f(1, 2), dim3 d = dim3{1, 2}", "x,s,d"),
    "templates": ("Vec<T, 4> v, const T* const rows", "v,rows"),
    "none": ("", ""),
}


@pytest.mark.parametrize("case", NAMES)
def test_a_launch_knows_what_its_kernel_calls_its_arguments(case):
    parameters, names = NAMES[case]
    head = f"template <class T> __global__ void __launch_bounds__(64, 2) k({parameters}) {{}}"
    source = f"{head}\nvoid f() {{ k<int><<<1, 2>>>(a); }}"
    said = f', "{names}"' if names else ""
    assert f'{{"k<int>", "cuda.cu", 2{said}}}' in rewrite_launches(source)


def test_a_kernel_that_launches_a_kernel_is_refused_with_its_line():
    source = "__global__ void a();\n__global__ void b() {\n  a<<<1, 2>>>();\n}\n"
    with pytest.raises(Refused, match="a kernel that launches a kernel, line 3"):
        rewrite_launches(source)
    rewrite_launches("__host__ __device__ void c() {}\nvoid d() { a<<<1, 2>>>(); }")


def test_ten_thousand_launches_are_rewritten():
    source = "void f() {\n" + "k<<<1, 2>>>(y, 3);\n" * 10_000 + "}\n__global__ void k(float* y, int n) {}\n"
    assert rewrite_launches(source).count("::kernelgate::launch(") == 10_000


def test_a_kernel_is_launched_by_a_pointer_to_it(cache):
    kernel = (
        "template <typename T> __global__ void k(const T* x, T* y, int n, T add) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) y[i] = x[i] + add;\n}\n"
    )
    given = (
        "float *from = x.data_ptr<float>(), *to = y.data_ptr<float>(), add = 1; void* all[] = {&from, &to, &n, &add};\n"
        "C10_CUDA_CHECK(cudaLaunchKernel((const void*)k<float>, dim3(4), dim3(256), all, 0, nullptr));\nfrom = to;\n"
        "C10_CUDA_CHECK(cudaLaunchKernel(reinterpret_cast<void*>(&k<float>), dim3(4), dim3(256), all));"
    )

    def body(emulation: Emulation) -> torch.Tensor:
        with emulation.active():
            return load_one_to_one(kernel, launch=given).f(torch.arange(1000.0, device="cuda")).clone()

    assert torch.equal(in_worker(cache, body).result(), torch.arange(1000.0) + 2)


TWO_KERNELS = """#include <torch/extension.h>
__global__ void small(float* y) { extern __shared__ float s[]; s[threadIdx.x] = 1; y[threadIdx.x] = s[threadIdx.x]; }
template <int n> __global__ void large(float* y) {
  __shared__ float fixed[n];
  extern __shared__ float s[];
  fixed[threadIdx.x] = s[threadIdx.x] = 1;
  y[threadIdx.x] = s[threadIdx.x] + fixed[threadIdx.x];
}
constexpr auto most = cudaFuncAttributeMaxDynamicSharedMemorySize;
torch::Tensor f(torch::Tensor x) {
  auto y = torch::empty_like(x);
  float* p = y.data_ptr<float>();
  LAUNCH
  TORCH_CHECK(cudaGetLastError() == cudaSuccess, "a launch failed");
  return y;
}
"""


@pytest.mark.parametrize(
    ("launch", "why"),
    [
        ("cudaFuncSetAttribute(large<64>, most, 60000); small<<<1, 64, 60000>>>(p);", "60000 bytes of dynamic"),
        ("small<<<1, 64, 60000>>>(p);", "60000 bytes of dynamic"),
        ("large<4096><<<1, 64, 40000>>>(p);", "56384 bytes of shared memory, 16384 of them static"),
        ("cudaFuncSetAttribute(small, most, 60000); small<<<1, 64, 60000>>>(p);", None),
        ("cudaFuncSetAttribute((const void*)large<64>, most, 60000); large<64><<<1, 64, 60000>>>(p);", None),
        ("auto k = large<64>; cudaFuncSetAttribute(k, most, 60000); k<<<1, 64, 60000>>>(p);", None),
        ("cudaFuncSetAttribute(large<4096>, most, 40000); large<4096><<<1, 64, 40000>>>(p);", None),
        ("large<4096><<<1, 64, 30000>>>(p);", None),
    ],
)
def test_a_kernel_has_the_shared_memory_that_it_has_asked_for_itself(cache, launch, why):
    def body(emulation: Emulation) -> Any:
        with emulation.active():
            source = TWO_KERNELS.replace("LAUNCH", launch)
            program = load_inline("shared", "torch::Tensor f(torch::Tensor x);", source, functions=["f"])
            try:
                program.f(torch.zeros(64, device="cuda"))
            except RuntimeError as exc:
                return [str(exc), *(line.decode() for line in emulation.finding_lines(raised=True))]
            return []

    found = in_worker(cache, body).result()
    assert (not found) if why is None else any(why in each for each in found), found
