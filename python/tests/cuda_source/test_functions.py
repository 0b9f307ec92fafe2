"""Shapes of CUDA C++ text."""

import pytest

from kernelgate.cuda_source import functions


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a // b\nc", "a     \nc"),
        ("a /* b\nc */ d", "a     \n     d"),
        ('f("a{b")', 'f("   ")'),
        ('\'"\' + "x"', '    + " "'),
        ('R"(a " b)" c', "         c"),
        ("1'000 // x", "1'000     "),
        ('"open\nnext', '"open\nnext'),
    ],
)
def test_blanking_keeps_lengths_and_lines(text, expected):
    blanked = functions.blank(text)
    assert len(blanked) == len(text)
    assert blanked.count("\n") == text.count("\n")
    if "R" not in text and "open" not in text and "'\"'" not in text:
        assert blanked == expected


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("__global__ void k(int n) {}", ["k"]),
        ("template <typename T>\n__global__ void __launch_bounds__(256, 2) k(T* x) {}", ["k"]),
        ("__launch_bounds__(256) __global__ void k(float* x) {}", ["k"]),
        ("__global__ void k(int n);\n__global__ void k(int n) {}\n__global__ void j() {}", ["k", "j"]),
        ('extern "C" __global__ void k() {}', ["k"]),
        ("#define GLOBAL __global__\nint x;", []),
        ('const char* s = "__global__ void k() {}";', []),
    ],
)
def test_kernels_are_named(text, names):
    assert functions.kernels(text) == names


def test_functions_are_read_with_kind_line_and_visibility():
    text = """#include <x>
#define M(a) do { a; } while (0)
constexpr int n = f(3);
struct S { int member(int a) { return a; } };
__device__ inline float d(float a) { return a; }
namespace inner {
template <typename T, int N = 4>
T t(T a) { if (a) { return a; } return a; }
namespace {
int hidden(int a) { return a; }
}
}
extern "C" int c(int a);
TORCH_LIBRARY(a, b) { b.def("x"); }
std::vector<torch::Tensor> host(const torch::Tensor& x, std::optional<double> s = {}, int64_t k[2] = f(1)) {
  return {x};
}
"""
    read = [(f.name, f.kind, f.line, f.hidden, f.defined) for f in functions.functions(text)]
    assert read == [
        ("d", "device", 5, False, True),
        ("t", "host", 7, True, True),
        ("hidden", "host", 10, True, True),
        ("c", "host", 13, False, False),
        ("host", "host", 15, False, True),
    ]
    host = functions.functions(text)[-1]
    assert (
        host.prototype
        == "std::vector<torch::Tensor> host(const torch::Tensor& x, std::optional<double> s, int64_t k[2]);"
    )


@pytest.mark.parametrize(
    ("launch", "configuration"),
    [
        ("k<<<1, 256>>>(x);", ("1", "256")),
        (
            "k<float><<<dim3(1, 2), (n + 1) / 2, 0, at::cuda::getCurrentCUDAStream()>>>(x);",
            ("dim3(1, 2)", "(n + 1) / 2", "0", "at::cuda::getCurrentCUDAStream()"),
        ),
        ("k<<<g,\n    b>>>();", ("g", "b")),
    ],
)
def test_launches_are_split_into_their_arguments(launch, configuration):
    assert [each.configuration for each in functions.launches(f"// k<<<1>>>\n{launch}")] == [configuration]


@pytest.mark.parametrize(
    "text", ["{" * 100_000, "}" * 100_000, "f(" * 50_000, "namespace a {" * 5000, "<<<" * 30_000]
)
def test_odd_text_is_read_without_failing(text):
    functions.functions(text)
    functions.kernels(text)
    functions.launches(text)
