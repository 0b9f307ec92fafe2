"""Programs with one fault each that a compiler reports: what it prints, what is said of it, and its fix."""

from __future__ import annotations

from dataclasses import dataclass

PROGRAM = '''import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = """
#include <torch/extension.h>
#include <cuda_runtime.h>
__global__ void twice(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 2 * x[i];
}
torch::Tensor f(torch::Tensor x) {
    auto y = torch::empty_like(x);
    int n = x.numel();
    twice<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""
ext = load_inline(
    name="m",
    cpp_sources="torch::Tensor f(torch::Tensor x);",
    cuda_sources=SOURCE,
    functions=["f"],
    extra_cuda_cflags=["-O3", "--use_fast_math"],
)


class ModelNew(nn.Module):
    def forward(self, x):
        return ext.f(x)
'''
LAUNCH = "    twice<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);"

_END = '    return y;\n}\n"""\n'
_MODULE = '    return y;\n}\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", &f); }\n"""\n'
_CALL = """ext = load_inline(
    name="m",
    cpp_sources="torch::Tensor f(torch::Tensor x);",
    cuda_sources=SOURCE,
"""


@dataclass(frozen=True)
class Fault:
    """`right` in `PROGRAM` is `wrong` in the failing one, whose `line` the report names; `fixed`: what the fix makes of
    it, `right` where it is None; "" where no fix is certain. `{line}` in `log`: the compiler's number of that line."""

    right: str
    wrong: str
    log: str
    line: int
    sentence: str
    step: str
    fixed: str | None = None


COMPILED = {
    "a name without its namespace": Fault(
        "torch::Tensor f(torch::Tensor x) {",
        "Tensor f(Tensor x) {",
        "cuda.cu:8:1: error: 'Tensor' does not name a type",
        12,
        "Tensor needs its namespace",
        "Write torch::Tensor",
    ),
    "a namespace alias that nobody made": Fault(
        "    int i = blockIdx.x * blockDim.x + threadIdx.x;",
        "    int i = cg::this_grid().thread_rank();",
        'cuda.cu(5): error: name followed by "::" must be a class or namespace name',
        9,
        "cg needs its namespace",
        "Write cooperative_groups",
        "    int i = cooperative_groups::this_grid().thread_rank();",
    ),
    "a namespace alias without its include": Fault(
        "__global__ void twice",
        "namespace cg = cooperative_groups;\n__global__ void twice",
        "cuda.cu:4:16: error: 'cooperative_groups' is not a namespace-name",
        8,
        "cooperative_groups needs <cooperative_groups.h>",
        "Add this include at the top of cuda_sources",
        "namespace cg = cooperative_groups;\n__global__ void twice",
    ),
    "a function of PyTorch's without its namespace": Fault(
        "    auto y = torch::empty_like(x);",
        "    auto y = zeros(x.sizes(), x.options());",
        "cuda.cu:9:14: error: 'zeros' was not declared in this scope; did you mean 'at::zeros'?",
        13,
        "zeros needs its namespace",
        "Write torch::zeros",
        "    auto y = torch::zeros(x.sizes(), x.options());",
    ),
    "no include of half": Fault(
        "(const float* x, float* y, int n)",
        "(const half* x, float* y, int n)",
        'cuda.cu(4): error: identifier "half" is undefined',
        8,
        "half needs <cuda_fp16.h>",
        "Add this include at the top of cuda_sources",
        "(const half* x, float* y, int n)",
    ),
    "no include of a part of cooperative groups": Fault(
        "    if (i < n) y[i] = 2 * x[i];",
        "    y[i] = cg::reduce(warp, x[i], cg::plus<float>());",
        "cuda.cu:6:16: error: 'reduce' is not a member of 'cg'",
        10,
        "cooperative_groups::reduce needs <cooperative_groups/reduce.h>",
        "Add this include at the top of cuda_sources",
        "    y[i] = cg::reduce(warp, x[i], cg::plus<float>());",
    ),
    "a macro that PyTorch had": Fault(
        "    int n = x.numel();",
        '    int n = x.numel(); TORCH_CHECK(n > 0, "empty");'.replace("TORCH_CHECK", "AT_CHECK"),
        "cuda.cu:10:24: error: 'AT_CHECK' was not declared in this scope",
        14,
        "PyTorch has no AT_CHECK any more",
        "Write TORCH_CHECK",
        '    int n = x.numel(); TORCH_CHECK(n > 0, "empty");',
    ),
    "a header that PyTorch had": Fault(
        "#include <cuda_runtime.h>",
        "#include <THC/THC.h>",
        "cuda.cu:3:10: fatal error: THC/THC.h: No such file or directory",
        7,
        "PyTorch has no THC/THC.h any more",
        "Include <ATen/cuda/CUDAContext.h> instead",
        "#include <ATen/cuda/CUDAContext.h>",
    ),
    "a header of nearly that name": Fault(
        "#include <torch/extension.h>",
        "#include <torch/extensions.h>",
        "cuda.cu:2:10: fatal error: torch/extensions.h: No such file or directory",
        6,
        "PyTorch has no header torch/extensions.h",
        "Include <torch/extension.h>",
    ),
    "a header in another folder": Fault(
        "#include <cuda_runtime.h>",
        "#include <ATen/cuda/CUDAGuard.h>",
        "cuda.cu:3:10: fatal error: ATen/cuda/CUDAGuard.h: No such file or directory",
        7,
        "PyTorch has no header ATen/cuda/CUDAGuard.h",
        "Include <c10/cuda/CUDAGuard.h>",
        "#include <c10/cuda/CUDAGuard.h>",
    ),
    "a header that PyTorch never had": Fault(
        "#include <cuda_runtime.h>",
        "#include <torch/warps.h>",
        "cuda.cu:3:10: fatal error: torch/warps.h: No such file or directory",
        7,
        "there is no header torch/warps.h",
        "Correct the include, or install the library and pass its folder in extra_include_paths",
        "",
    ),
    "data<T>()": Fault(
        LAUNCH,
        LAUNCH.replace("data_ptr<", "data<"),
        "cuda.cu(11): error: class \"at::Tensor\" has no member \"data\"",
        15,
        "data<T>() of a tensor is deprecated, and is not there",
        "Write data_ptr<T>()",
    ),
    "AT_DISPATCH on type()": Fault(
        LAUNCH,
        f'    AT_DISPATCH_FLOATING_TYPES(x.type(), "f", [&] {{ {LAUNCH.strip()} }});',
        "cuda.cu:11:32: error: cannot convert 'at::DeprecatedTypeProperties' to 'c10::ScalarType'",
        15,
        "AT_DISPATCH_FLOATING_TYPES is given x.type(), which is no type",
        "Dispatch on x.scalar_type()",
        f'    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f", [&] {{ {LAUNCH.strip()} }});',
    ),
    "AT_DISPATCH on nothing": Fault(
        LAUNCH,
        f'    AT_DISPATCH_FLOATING_TYPES("f", [&] {{ {LAUNCH.strip()} }});',
        "cuda.cu:11:35: error: cannot convert 'f(at::Tensor)::<lambda()>' to 'const char* const' in initialization",
        15,
        "AT_DISPATCH_FLOATING_TYPES is given no type",
        "Dispatch on x.scalar_type()",
        f'    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f", [&] {{ {LAUNCH.strip()} }});',
    ),
    "data_ptr of another type, g++": Fault(
        LAUNCH,
        LAUNCH.replace("x.data_ptr<float>", "x.data_ptr<double>"),
        "cuda.cu:11:135: error: cannot convert 'double*' to 'const float*'",
        15,
        "data_ptr<double> is passed where a pointer to float is expected",
        "Pass data_ptr<float>()",
    ),
    "data_ptr of another type, nvcc": Fault(
        LAUNCH,
        LAUNCH.replace("y.data_ptr<float>", "y.data_ptr<double>"),
        'cuda.cu(11): error: argument of type "double *" is incompatible with parameter of type "float *"',
        15,
        "data_ptr<double> is passed where a pointer to float is expected",
        "Pass data_ptr<float>()",
    ),
    "AT_DISPATCH with two more types on type()": Fault(
        LAUNCH,
        "    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16,\n        x.type(), \"f\", "
        f"[&] {{ {LAUNCH.strip()} }});",
        "cuda.cu:12:15: error: cannot convert 'const at::DeprecatedTypeProperties' to 'c10::ScalarType'",
        16,
        "AT_DISPATCH_FLOATING_TYPES_AND2 is given x.type(), which is no type",
        "Dispatch on x.scalar_type()",
        "    AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16,\n        x.scalar_type(), \"f\", "
        f"[&] {{ {LAUNCH.strip()} }});",
    ),
    "data_ptr of PyTorch's half for CUDA's": Fault(
        LAUNCH,
        LAUNCH.replace("x.data_ptr<float>()", "x.data_ptr<at::Half>()"),
        "cuda.cu:11:135: error: cannot convert 'c10::Half*' to 'const __half*'",
        15,
        "PyTorch's Half is passed where CUDA's __half is expected",
        "Cast the pointer to __half*",
        LAUNCH.replace("x.data_ptr<float>()", "reinterpret_cast<__half*>(x.data_ptr<at::Half>())"),
    ),
    "float in an operator's schema": Fault(
        "torch::Tensor f(torch::Tensor x) {",
        "torch::Tensor f(torch::Tensor x, float s) {",
        "infer_schema.h:43:1: error: static assertion failed: INVALID TYPE: float is not supported as an argument "
        "type, use double instead",
        20,
        "an operator's schema knows neither float nor int in C++",
        "Take double for float",
        "torch::Tensor f(torch::Tensor x, double s) {",
    ),
    "functions beside a module of its own, which declare nothing": Fault(
        _END + _CALL + '    functions=["f"],\n',
        _MODULE + _CALL + '    functions=["f"],\n',
        "main.cpp:4:62: error: 'f' was not declared in this scope",
        24,
        "functions binds what the source's own PYBIND11_MODULE binds",
        "Leave functions out",
        _MODULE + _CALL,
    ),
    "functions beside a module of its own": Fault(
        _END + _CALL + '    functions=["f"],\n',
        _MODULE + _CALL + '    functions=["f"],\n',
        "/usr/bin/ld: cuda.cuda.o: in function `PyInit_m': multiple definition of `PyInit_m'; main.o: first defined",
        24,
        "functions binds what the source's own PYBIND11_MODULE binds",
        "Leave functions out",
        _MODULE + _CALL,
    ),
    "an architecture that the toolkit does not know": Fault(
        '["-O3", "--use_fast_math"]',
        '["-O3", "-gencode", "arch=compute_35,code=sm_35", "--use_fast_math"]',
        "nvcc fatal   : Unsupported gpu architecture 'compute_35'",
        20,
        "this CUDA toolkit does not know sm_35",
        "Take the flags that name it out",
    ),
    "an architecture that does not exist": Fault(
        '["-O3", "--use_fast_math"]',
        '["-O3", "-gencode", "arch=compute_9Oa,code=sm_9Oa", "--use_fast_math"]',
        "nvcc fatal   : Unsupported gpu architecture 'compute_9Oa'",
        20,
        "no CUDA toolkit knows sm_9O",
        "Take the flags that name it out",
    ),
    "a flag of g++ for nvcc": Fault(
        '["-O3", "--use_fast_math"]',
        '["-O3", "--use_fast_math", "-march=native"]',
        "nvcc fatal   : Unknown option '-march=native'",
        24,
        "nvcc has no option -march=native",
        "Take it out",
    ),
    "fast math as g++ writes it": Fault(
        '["-O3", "--use_fast_math"]',
        '["-O3", "-ffast-math"]',
        "nvcc fatal   : Unknown option '-ffast-math'",
        24,
        "nvcc has no option -ffast-math",
        "Write --use_fast_math",
    ),
    "an older C++ standard": Fault(
        '["-O3", "--use_fast_math"]',
        '["-O3", "-std=c++14"]',
        "all.h:5:2: error: #error C++17 or later compatible compiler is required to use PyTorch.",
        19,
        "PyTorch's headers need C++17",
        "Compile with -std=c++17",
        '["-O3", "-std=c++17"]',
    ),
    "an older C++ standard, written otherwise": Fault(
        '["-O3", "--use_fast_math"]',
        '["-O3", "--std=gnu++11"]',
        "all.h:5:2: error: #error C++17 or later compatible compiler is required to use PyTorch.",
        19,
        "PyTorch's headers need C++17",
        "Compile with -std=c++17",
        '["-O3", "--std=gnu++17"]',
    ),
    "functions names a kernel too": Fault(
        'functions=["f"],',
        'functions=["f", "twice"],',
        "main.cpp:5:16: error: 'twice' was not declared in this scope",
        23,
        "twice is a CUDA kernel, and functions names host functions",
        "Take twice out of functions",
    ),
    "functions names a kernel instead": Fault(
        'functions=["f"],',
        "functions=['twice'],",
        "main.cpp:5:16: error: 'twice' was not declared in this scope",
        23,
        "twice is a CUDA kernel, and functions names host functions",
        "Name f in functions, which launches it",
        "functions=['f'],",
    ),
    "a name of two things": Fault(
        LAUNCH,
        LAUNCH.replace("twice", "relu"),
        "cuda.cu:11:5: error: reference to 'relu' is ambiguous",
        15,
        "relu is the name of two things",
        "Rename yours",
        "",
    ),
    "too much shared memory": Fault(
        "    if (i < n) y[i] = 2 * x[i];",
        "    __shared__ float s[65536]; if (i < n) y[i] = s[0];",
        "ptxas error   : Entry function 'twice' uses too much shared data (0x40000 bytes, 0xc000 max)",
        20,
        "a kernel declares more shared memory than the 48 KB that a block may have so",
        "Make it extern __shared__",
        "",
    ),
    "no compiler": Fault("", "", "/bin/sh: 1: c++: not found", 20, "c++ is not installed", "Install it: sudo apt", ""),
    "no headers of Python": Fault(
        "", "", "pyport.h:3:1: fatal error: Python.h: No such file or directory", 19,
        "Python's headers are not installed", "Install them: sudo apt install python3-dev", "",
    ),
    "a C++ compiler that is too new": Fault(
        "", "", "host_config.h:139:2: error: #error -- unsupported GNU version! gcc versions later than 14 are not "
        "supported!", 19, "nvcc does not take this version of the C++ compiler", "Name an older one", "",
    ),
}  # fmt: skip
