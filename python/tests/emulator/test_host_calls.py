"""A function of the host that a kernel calls is refused as nvcc refuses it; nothing that nvcc takes is."""

from __future__ import annotations

import pytest
from support import HEAD, in_worker, load_inline

from kernelgate.emulator import CompileFailed, Emulation
from kernelgate.emulator.translate.host_calls import host_calls

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
