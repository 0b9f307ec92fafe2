"""Calls of the host's functions in kernels, and of kernels without a launch, are refused as nvcc refuses them; nothing
that nvcc takes is."""

from __future__ import annotations

import pytest
from support import HEAD, in_worker, load_inline

from kernelgate.emulator import CompileFailed, Emulation
from kernelgate.emulator.translate.host_calls import bad_kernel_calls, host_calls

pytestmark = pytest.mark.drawn

KERNEL = "__global__ void k(float* x) {{ {} }}\nvoid f(float* x) {{ k<<<1, 1>>>(x); }}\n"
REFUSED = {
    "C's library": ("", 'FILE* log = fopen("log", "w");', "fopen"),
    "of namespace std": ("", "x[0] = std::rand();", "rand"),
    "the program's own": ("float twice(float v) { return v + v; }\n", "x[0] = twice(x[1]);", "twice"),
    "a template": (
        "template <class T>\nT twice(T v) { return v + v; }\n",
        "x[0] = 2 * twice(x[1]);",
        "twice",
    ),
    "behind another function": (
        "float twice(float v) { return v + v; }\n__device__ float g(float v) { return twice(v); }\n",
        "x[0] = g(x[1]);",
        "twice",
    ),
}
TAKEN = {
    "printf": ("", 'printf("%f", x[0]);'),
    "malloc and free": ("", "float* p = (float*)malloc(4); free(p);"),
    "new and delete": ("", "float* p = new float[4]; delete[] p;"),
    "a function for both": (
        "__host__ __device__ float twice(float v) { return v + v; }\n",
        "x[0] = twice(x[1]);",
    ),
    "constexpr": ("constexpr int twice(int v) { return v + v; }\n", "x[0] = twice(2);"),
    "declared for the device": (
        "__device__ float twice(float v);\nfloat twice(float v) { return v + v; }\n",
        "x[0] = twice(x[1]);",
    ),
    "for both by a macro": (
        "#define BOTH __host__ __device__\nBOTH float twice(float v) { return v + v; }\n",
        "twice(1);",
    ),
    "for both by a macro of PyTorch": (
        "C10_HOST_DEVICE float twice(float v) { return v + v; }\n",
        "twice(1);",
    ),
    "an overload": (
        "double twice(double v);\n__device__ float twice(float v) { return v; }\n",
        "twice(1.f);",
    ),
    "a method of that name": (
        "int size() { return 1; }\nstruct S { __device__ int size() { return 2; } };\n",
        "S().size();",
    ),
    "a variable of that name": (
        "int scale(int v) { return v; }\n",
        "auto scale = [](int v) { return v; }; scale(1);",
    ),
    "the program's own rand": ("__device__ int rand() { return 4; }\n", "x[0] = rand();"),
    "a macro": ("#define rand() 4\n", "x[0] = rand();"),
    "a name in a comment": ("", "x[0] = 1;  // not fopen()\n"),
    "a branch for the host": ("", '\n#ifndef __CUDA_ARCH__\nfopen("log", "w");\n#endif\n'),
    "a host function that a host function calls": (
        "float twice(float v) { return v; }\nvoid g() { twice(1); }\n",
        "",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_a_call_of_a_host_function_is_found_at_its_line(case):
    before, body, name = REFUSED[case]
    source = before + KERNEL.format(body)
    line = next(n for n, text in enumerate(source.split("\n"), 1) if f"{name}(" in text and "__" in text)
    assert [(call.name, call.line) for call in host_calls(source)] == [(name, line)]


@pytest.mark.parametrize("case", TAKEN)
def test_what_nvcc_takes_is_no_call_of_the_host(case):
    from kernelgate.cuda_source.preprocessor import without_dropped_lines

    before, body = TAKEN[case]
    assert host_calls(without_dropped_lines(before + KERNEL.format(body))) == ()


BAD_KERNEL_CALLS = {
    "a launch of a function without __global__": (
        "void k(float* x) {\n}\nvoid f(float* x) {\n k<<<1, 1>>>(x);\n}\n",
        (4, "a host function call cannot be configured"),
    ),
    "a launch of a template without __global__": (
        "template <int N, class T>\nvoid k(T* x) {\n}\nvoid f(float* x) {\n k<4, std::pair<int, T>><<<1, 1>>>(x);\n}\n",
        (5, "a host function call cannot be configured"),
    ),
    "a launch of a function of the device": (
        "__device__ void k(float* x) {\n}\nvoid f(float* x) {\n k<<<1, 1>>>(x);\n}\n",
        (4, "a __device__ function call cannot be configured"),
    ),
    "a call of a kernel": (
        "__global__ void k(float* x) {\n}\nvoid f(float* x) {\n k(x);\n}\n",
        (4, "a __global__ function call must be configured"),
    ),
    "a kernel that returns a number": (
        "__global__ int k(float* x) {\n return 1;\n}\nvoid f(float* x) {\n k<<<1, 1>>>(x);\n}\n",
        (1, "a __global__ function must have a void return type"),
    ),
}
GOOD_KERNEL_CALLS = {
    "a kernel that a macro declares": (
        "#define KERNEL __global__ void\nKERNEL k(float* x) {}\nvoid f(float* x) { k<<<1, 1>>>(x); }\n"
    ),
    "a kernel and a function of the host with one name": (
        "__global__ void k(float* x) {}\nvoid k(int n) { k<<<1, n>>>(nullptr); }\nvoid f() { k(3); }\n"
    ),
    "a kernel that a variable holds": (
        "__global__ void k(float* x) {}\nvoid f(float* x) { auto one = k; one<<<1, 1>>>(x); }\n"
    ),
    "a kernel with bounds of its launch behind its type": (
        "__global__ void __launch_bounds__(256) k(float* x) {}\nvoid f(float* x) { k<<<1, 1>>>(x); }\n"
    ),
    "a template of a kernel, in a namespace": (
        "namespace n { template <class T> __global__ static void k(T* x) {} }\n"
        "void f(float* x) { n::k<float><<<1, 1>>>(x); }\n"
    ),
    "a kernel whose attributes are read": (
        "__global__ void k(float* x) {}\n"
        "void f(float* x) { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 9); }\n"
    ),
    "a kernel that is declared again within a function": (
        "__global__ void k(float* x) {}\nvoid f(float* x) { void k(float*); }\n"
    ),
    "a method that has a kernel's name": (
        "__global__ void k(float* x) {}\nstruct S { void go(); };\nvoid f(S s) { s.k(1); }\n"
    ),
}


@pytest.mark.parametrize("case", BAD_KERNEL_CALLS)
def test_a_call_that_a_kernel_does_not_take_is_found_at_its_line(case):
    source, expected = BAD_KERNEL_CALLS[case]
    assert [(bad.line, bad.words) for bad in bad_kernel_calls(source)] == [expected]


@pytest.mark.parametrize("case", GOOD_KERNEL_CALLS)
def test_a_call_of_a_kernel_that_nvcc_takes_is_left_alone(case):
    assert bad_kernel_calls(GOOD_KERNEL_CALLS[case]) == ()


def test_a_build_fails_with_the_words_of_nvcc(cache):
    def body(emulation: Emulation) -> None:
        with emulation.active():
            source = HEAD + KERNEL.format('fopen("log", "w");').replace("float*", "int*")
            load_inline("program", "void f(int* x);", source, functions=[])

    outcome = in_worker(cache, body)
    assert outcome.error is not None and outcome.error.startswith(CompileFailed.__name__)
    assert (
        'calling a __host__ function("fopen") from a __global__ function("k") is not allowed' in outcome.error
    )
