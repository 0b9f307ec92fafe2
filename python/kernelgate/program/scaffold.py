"""A program to start from, and its problem, for a module or function of PyTorch.

In: an expression and its inputs. Out: two texts: a problem in the KernelBench form, and a program for it that is right
as it stands. For an elementwise function that is a simple CUDA kernel; for anything else PyTorch itself does the work
until the person's kernel does, which `load_inline` builds already.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from typing import NamedTuple

from kernelgate.program.expression import literal_arguments, problem_text
from kernelgate.program.from_expression.read import CLASSES
from kernelgate.program.source import ProgramError


class Elementwise(NamedTuple):
    """`expression` of `v`, the element, and of the parameters, which are floats and given with their defaults."""

    expression: str
    parameters: tuple[tuple[str, float], ...] = ()


_SOFTPLUS = "v * beta > threshold ? v : log1pf(expf(v * beta)) / beta"
_FORMULAS = {
    "abs": Elementwise("fabsf(v)"),
    "celu": Elementwise("v > 0.0f ? v : alpha * expm1f(v / alpha)", (("alpha", 1.0),)),
    "cos": Elementwise("cosf(v)"),
    "elu": Elementwise("v > 0.0f ? v : alpha * expm1f(v)", (("alpha", 1.0),)),
    "exp": Elementwise("expf(v)"),
    "gelu": Elementwise("0.5f * v * (1.0f + erff(v * 0.70710678118654752f))"),
    "hardshrink": Elementwise("v >= -lambd && v <= lambd ? 0.0f : v", (("lambd", 0.5),)),
    "hardtanh": Elementwise(
        "v < min_val ? min_val : v > max_val ? max_val : v", (("min_val", -1.0), ("max_val", 1.0))
    ),
    "leaky_relu": Elementwise("v > 0.0f ? v : negative_slope * v", (("negative_slope", 0.01),)),
    "logsigmoid": Elementwise("v != v ? v : (v < 0.0f ? v : 0.0f) - log1pf(expf(-fabsf(v)))"),
    "mish": Elementwise("v * tanhf(v > 20.0f ? v : log1pf(expf(v)))"),
    "relu": Elementwise("v < 0.0f ? 0.0f : v"),
    "relu6": Elementwise("v < 0.0f ? 0.0f : v > 6.0f ? 6.0f : v"),
    "selu": Elementwise("1.0507009873554805f * (v > 0.0f ? v : 1.6732632423543772f * expm1f(v))"),
    "sigmoid": Elementwise("1.0f / (1.0f + expf(-v))"),
    "silu": Elementwise("v / (1.0f + expf(-v))"),
    "sin": Elementwise("sinf(v)"),
    "softplus": Elementwise(_SOFTPLUS, (("beta", 1.0), ("threshold", 20.0))),
    "softshrink": Elementwise("v > lambd ? v - lambd : v < -lambd ? v + lambd : v * 0.0f", (("lambd", 0.5),)),
    "softsign": Elementwise("v / (1.0f + fabsf(v))"),
    "tanh": Elementwise("tanhf(v)"),
    "tanhshrink": Elementwise("v - tanhf(v)"),
}


def elementwise(name: str) -> tuple[str, Elementwise] | None:
    """The function's name and formula, by the last part of a module's or function's name; None if it is none."""
    function = CLASSES.get(name, name)
    formula = _FORMULAS.get(function)
    return (function, formula) if formula is not None else None


_DEFAULT_INPUT = "512x3072"


class Scaffold(NamedTuple):
    """`name` is what the two files are named after."""

    name: str
    problem: str
    program: str


def scaffold(expression: str, inputs: Sequence[str]) -> Scaffold:
    """Raises ProgramError."""
    try:
        node = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError):
        problem_text(expression, [_DEFAULT_INPUT])  # this says what is wrong with it
        raise
    called = node.func if isinstance(node, ast.Call) else node
    last = (
        called.attr
        if isinstance(called, ast.Attribute)
        else called.id
        if isinstance(called, ast.Name)
        else ""
    )
    found = elementwise(last)
    if found is not None and not _takes_formula(node, found[1]):
        found = None
    name = found[0] if found is not None else _file_name(last)
    if not inputs and found is None:
        raise ProgramError(
            f"What {expression.strip()[:80]} takes is not known", None, "Give its inputs, as --input 64x768"
        )
    problem = problem_text(expression, inputs or [_DEFAULT_INPUT])
    title = " ".join(expression.split())
    if found is not None:
        is_module = last[:1].isupper()
        program = _kernel_program(title, name, found[1].parameters if is_module else (), found[1])
    else:
        program = _skeleton(title, name, node)
    return Scaffold(name, f'"""The problem {title}."""\n\n{problem}', program)


def _takes_formula(node: ast.expr, formula: Elementwise) -> bool:
    """Whether an expression only gives parameters that the formula has, so that the two mean the same."""
    if not isinstance(node, ast.Call):
        return True
    arguments = literal_arguments(node)
    names = [name for name, _ in formula.parameters]
    keywords = [keyword.arg for keyword in node.keywords]
    return arguments is not None and len(node.args) <= len(names) and all(k in names for k in keywords)


def _file_name(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower() or "function"


def _kernel_program(
    title: str, name: str, constructor: Sequence[tuple[str, float]], formula: Elementwise
) -> str:
    cuda = "".join(f", double {each}" for each, _ in formula.parameters)
    kernel = "".join(f", float {each}" for each, _ in formula.parameters)
    given = "".join(f", static_cast<float>({each})" for each, _ in formula.parameters)
    values = {each: f"self.{each}" for each, _ in constructor}
    passed = "".join(f", {values.get(each, repr(default))}" for each, default in formula.parameters)
    init = ""
    if constructor:
        takes = ", ".join(f"{each}={default!r}" for each, default in constructor)
        kept = "".join(f"        self.{each} = {each}\n" for each, _ in constructor)
        init = f"    def __init__(self, {takes}):\n        super().__init__()\n{kept}\n"
    says = "A CUDA kernel, one element a thread: right, and a place to start from."
    about = f"y[i] = {name}(x[i]) for n elements. Thread t of block b computes element 256 * b + t."
    body = f"{{\n    const float v = x[i];\n    y[i] = {formula.expression};\n  }}"
    return f"""{_up_to_the_build(title, name, says, about, body, cuda, kernel, given)}
class ModelNew(torch.nn.Module):
{init}    def forward(self, x):
        return extension.{name}_cuda(x{passed})
"""


def _skeleton(title: str, name: str, node: ast.expr) -> str:
    arguments = literal_arguments(node)
    if arguments is not None or (not isinstance(node, ast.Call | ast.Lambda) and name and _is_class(node)):
        base = ast.unparse(node.func if isinstance(node, ast.Call) else node)
        model = f"class ModelNew({base}):\n    def forward(self, *inputs):\n"
        theirs = "super().forward(*inputs)"
    else:
        text = ast.unparse(node)
        model = "class ModelNew(torch.nn.Module):\n"
        if isinstance(node, ast.Call):
            model += (
                f"    def __init__(self):\n        super().__init__()\n        self.reference = {text}\n\n"
            )
            theirs = "self.reference(*inputs)"
        else:
            theirs = f"({text})(*inputs)"
        model += "    def forward(self, *inputs):\n"
    says = "PyTorch does the work until the kernel below does; load_inline builds it already."
    about = "To do: this copies x. Thread t of block b copies element 256 * b + t."
    return f"""{_up_to_the_build(title, name, says, about, "y[i] = x[i];")}
{model}        # To do: return extension.{name}_cuda(...)
        return {theirs}
"""


def _is_class(node: ast.expr) -> bool:
    return isinstance(node, ast.Attribute) and node.attr[:1].isupper()


def _up_to_the_build(
    title: str, name: str, says: str, about: str, body: str, cuda: str = "", kernel: str = "", given: str = ""
) -> str:
    """The program above its ModelNew. `about`: of the kernel, which does `body` at element i; `cuda`, `kernel` and
    `given`: further parameters of the host function and the kernel, and what the one passes to the other."""
    return f'''"""{title}. {says}

Check it: kernelgate verify {name}_model_new.py --reference {name}_problem.py
"""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.cpp_extension import load_inline

CPP_SOURCE = "torch::Tensor {name}_cuda(torch::Tensor x{cuda});"

CUDA_SOURCE = r"""
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

// {about}
__global__ void {name}_kernel(const float* x, float* y, int64_t n{kernel}) {{
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  if (i < n) {body}
}}

torch::Tensor {name}_cuda(torch::Tensor x{cuda}) {{
  TORCH_CHECK(x.is_cuda() && x.scalar_type() == torch::kFloat, "{name}_cuda takes float32 on a GPU");
  const c10::cuda::CUDAGuard guard(x.device());
  const torch::Tensor dense = x.contiguous();
  torch::Tensor y = torch::empty_like(dense);
  const int64_t n = dense.numel();
  if (n > 0) {{
    {name}_kernel<<<(n + 255) / 256, 256, 0, at::cuda::getCurrentCUDAStream()>>>(
        dense.data_ptr<float>(), y.data_ptr<float>(), n{given});
    C10_CUDA_KERNEL_LAUNCH_CHECK();
  }}
  return y;
}}
"""

extension = load_inline(
    name="{name}_start",
    cpp_sources=CPP_SOURCE,
    cuda_sources=CUDA_SOURCE,
    functions=["{name}_cuda"],
)

'''
