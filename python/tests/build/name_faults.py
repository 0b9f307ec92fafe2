"""As `fault_classes`: names that are meant for others, pointers, and Python in C++. The errors are g++'s own."""

from __future__ import annotations

from fault_classes import LAUNCH, Fault

_COUNT = "    int n = x.numel();"
_LIKE = "    auto y = torch::empty_like(x);"
_WRITE = "    if (i < n) y[i] = 2 * x[i];"

PYTHON = {
    "True": Fault(
        _COUNT,
        f"{_COUNT} bool any = True;",
        "cuda.cu:10:35: error: 'True' was not declared in this scope",
        14,
        "True is Python, not C++",
        "Write true",
        f"{_COUNT} bool any = true;",
    ),
    "a comment with #": Fault(
        _COUNT,
        f"{_COUNT}\n    # the number of elements",
        "cuda.cu:11:7: error: invalid preprocessing directive #the",
        15,
        "a comment begins with #, as in Python",
        "Begin it with //",
        f"{_COUNT}\n    // the number of elements",
    ),
    "x @ x": Fault(
        _LIKE,
        "    auto y = x @ x;",
        "cuda.cu:9:16: error: stray '@' in program\ncuda.cu:9:18: error: expected ',' or ';' before 'x'",
        13,
        "@ is Python's product of matrices",
        "Write torch::matmul(a, b)",
        "    auto y = torch::matmul(x, x);",
    ),
    "shape[0]": Fault(
        _COUNT,
        "    int n = x.shape[0];",
        "cuda.cu:10:15: error: 'class at::Tensor' has no member named 'shape'; did you mean 'reshape'?",
        14,
        "a tensor has no shape in C++",
        "Write size(i)",
        "    int n = x.size(0);",
    ),
    "shape": Fault(
        _LIKE,
        "    auto y = torch::empty(x.shape, x.options());",
        "cuda.cu:9:29: error: 'class at::Tensor' has no member named 'shape'; did you mean 'reshape'?",
        13,
        "a tensor has no shape in C++",
        "Write sizes()",
        "    auto y = torch::empty(x.sizes(), x.options());",
    ),
    "ndim": Fault(
        _COUNT,
        "    int n = x.ndim;",
        "cuda.cu:10:15: error: 'class at::Tensor' has no member named 'ndim'; did you mean 'dim'?",
        14,
        "a tensor has no ndim in C++",
        "Write dim()",
        "    int n = x.dim();",
    ),
    "size[0]": Fault(
        _COUNT,
        "    int n = x.size[0];",
        "cuda.cu:10:19: error: invalid types '<unresolved overloaded function type>[int]' for array subscript",
        14,
        "size of a tensor is a function in C++",
        "Write size(i)",
        "    int n = x.size(0);",
    ),
    "numel without a call": Fault(
        _COUNT,
        "    int n = x.numel;",
        "cuda.cu:10:15: error: cannot convert 'at::TensorBase::numel' from type 'int64_t (at::TensorBase::)() const' "
        "{aka 'long int (at::TensorBase::)() const'} to type 'int'",
        14,
        "a method of a tensor is named and not called",
        "Write () behind it",
    ),
    "**": Fault(
        _COUNT,
        "    int n = x.numel(), m = n ** 2;",
        "cuda.cu:10:31: error: invalid type argument of unary '*' (have 'int')",
        14,
        "** is Python's power",
        "Write a * a, or powf(a, b)",
        "",
    ),
}

POINTERS = {
    "tensors for pointers": Fault(
        LAUNCH,
        LAUNCH.replace("x.data_ptr<float>(), y.data_ptr<float>()", "x, y"),
        "cuda.cu:11:146: error: cannot convert 'at::Tensor' to 'const float*'",
        15,
        "a tensor is passed where a kernel takes a pointer",
        "Pass data_ptr<float>() of the tensor",
    ),
    "a const that is lost": Fault(
        _COUNT,
        f"{_COUNT} const float* p = x.data_ptr<float>();\n    float* q = p;",
        "cuda.cu:11:16: error: invalid conversion from 'const float*' to 'float*' [-fpermissive]",
        15,
        "a pointer to float is made from a pointer to const float",
        "Declare it const float*",
        f"{_COUNT} const float* p = x.data_ptr<float>();\n    const float* q = p;",
    ),
    "a const in the way": Fault(
        "(const float* x, float* y, int n)",
        "(const float* x, const float* y, int n)",
        "cuda.cu:6:21: error: assignment of read-only location '*(y + ((sizetype)(((long unsigned int)i) * 4)))'",
        10,
        "y is written, and points to const",
        "Declare y without const",
    ),
}

NAMES = {
    "THCState": Fault(
        f"{_COUNT}\n",
        f"{_COUNT}\n    THCState* state;\n",
        "cuda.cu:11:5: error: 'THCState' was not declared in this scope",
        15,
        "PyTorch has no THCState any more",
        "Remove it: no function of PyTorch's takes a state",
    ),
    "a tensor of THC": Fault(
        f"{_COUNT}\n",
        f"{_COUNT}\n    THCudaTensor* t = nullptr;\n",
        "cuda.cu:11:5: error: 'THCudaTensor' was not declared in this scope",
        15,
        "PyTorch has no THCudaTensor any more",
        "Take torch::Tensor and its functions instead",
        "",
    ),
    "a macro that PyTorch never had": Fault(
        LAUNCH,
        f'    AT_DISPATCH_FLOAT_TYPES(x.scalar_type(), "f", [&] {{ {LAUNCH.strip()} }});',
        "cuda.cu:11:5: error: 'AT_DISPATCH_FLOAT_TYPES' was not declared in this scope; did you mean "
        "'AT_DISPATCH_FLOATING_TYPES'?",
        15,
        "PyTorch has no AT_DISPATCH_FLOAT_TYPES",
        "Write AT_DISPATCH_FLOATING_TYPES",
        f'    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f", [&] {{ {LAUNCH.strip()} }});',
    ),
    "a name that is misspelt": Fault(
        LAUNCH,
        f"    int blocks = (n + 255) / 256;\n{LAUNCH.replace('(n + 255) / 256', 'block')}",
        "cuda.cu:12:13: error: 'block' was not declared in this scope",
        16,
        "block is not declared; likely cause: blocks is meant",
        "Write blocks, or declare block before this line",
        f"    int blocks = (n + 255) / 256;\n{LAUNCH.replace('(n + 255) / 256', 'blocks')}",
    ),
    "a name that is like no other": Fault(
        _WRITE,
        _WRITE.replace("i < n", "idx < n"),
        "cuda.cu:6:9: error: 'idx' was not declared in this scope",
        10,
        "'idx' was not declared in this scope",
        "Declare idx before this line",
        "",
    ),
    "a stream of torch::cuda": Fault(
        LAUNCH,
        LAUNCH.replace("256>>>", "256, 0, torch::cuda::getCurrentCUDAStream()>>>"),
        "cuda.cu:11:84: error: 'getCurrentCUDAStream' is not a member of 'torch::cuda'",
        15,
        "torch::cuda has no getCurrentCUDAStream: at::cuda has it",
        "Write at::cuda::getCurrentCUDAStream",
        LAUNCH.replace("256>>>", "256, 0, at::cuda::getCurrentCUDAStream()>>>"),
    ),
    "no return type": Fault(
        "torch::Tensor f(torch::Tensor x) {",
        "f(torch::Tensor x) {",
        "cuda.cu:8:1: error: ISO C++ forbids declaration of 'f' with no type [-fpermissive]",
        12,
        "f is defined without the type that it returns",
        "Write torch::Tensor f(...)",
    ),
    "max of a float and a number": Fault(
        _WRITE,
        "    if (i < n) y[i] = max(0, x[i]);",
        "cuda.cu:6:26: error: call of overloaded 'max(int, const float&)' is ambiguous",
        10,
        "max is given two types, int, const float&",
        "Write fmaxf(a, b)",
        "    if (i < n) y[i] = fmaxf(0, x[i]);",
    ),
    "max of whole numbers on the host": Fault(
        _COUNT,
        "    int n = max(1, x.numel());",
        "cuda.cu:10:16: error: call of overloaded 'max(int, int64_t)' is ambiguous",
        14,
        "max is given two types, int, int64_t",
        "Write std::max<int64_t>(a, b)",
        "    int n = std::max<int64_t>(1, x.numel());",
    ),
    "kernels in cpp_sources": Fault(
        '    cpp_sources="torch::Tensor f(torch::Tensor x);",\n    cuda_sources=SOURCE,\n',
        "    cpp_sources=SOURCE,\n",
        "main.cpp:4:1: error: '__global__' does not name a type",
        8,
        "kernels stand in cpp_sources, which is compiled as C++ and not as CUDA",
        "Pass this source as cuda_sources",
        '    cpp_sources="torch::Tensor f(torch::Tensor x);", cuda_sources=SOURCE,\n',
    ),
}
