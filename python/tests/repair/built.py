"""Failed builds for the tests.

Measured: logs/*.txt are what torch 2.13's own load_inline printed with g++ 12.2 and nvcc 13.0.88, for the
real programs of the same name and for `PROGRAMS` below; only folders were shortened. Logs written in a test
are in the format that the tools document, not measured.
"""

import sys
from pathlib import Path

from kernelgate.messages.failures import CompilerFailed
from kernelgate.program import Candidate, Source, read
from kernelgate.repair.compiler_log import parse_compiler_log

sys.path.insert(0, str(Path(__file__).parents[1] / "program"))
from programs import real_program

PROGRAM = '''from torch.utils.cpp_extension import load_inline
m = load_inline(name="m", cpp_sources="{cpp}", cuda_sources="""
{cuda}""", functions=["f"])
class ModelNew: pass
'''
PROGRAMS = {
    "header": (
        "torch::Tensor f(torch::Tensor x);",
        "#include <cutlass/cutlass.h>\ntorch::Tensor f(torch::Tensor x) { return x; }\n",
    ),
    "check": (
        "torch::Tensor f(torch::Tensor x);",
        "__global__ void k(float* x) { x[0] = y[0]; }\n"
        "torch::Tensor f(torch::Tensor x) {\n"
        "  k<<<1, 1>>>(x.data_ptr<float>());\n"
        "  C10_CUDA_KERNEL_LAUNCH_CHECK();\n"
        "  int unused = 3\n"
        "  return x;\n"
        "}\n",
    ),
    "nowhere": ("torch::Tensor g(torch::Tensor x);", "torch::Tensor g(torch::Tensor x) { return x; }\n"),
    "guard": (
        "torch::Tensor f(torch::Tensor x);",
        "torch::Tensor f(torch::Tensor x) {\n"
        "  const c10::cuda::OptionalCUDAGuard guard(x.device());\n"
        "  __half h = __float2half(1.0f);\n"
        '  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f",'
        " [&] { scalar_t a = x.item<scalar_t>(); a.nothing(); });\n"
        "  return missing_helper(x);\n"
        "}\n",
    ),
}


def measured_log(name: str) -> str:
    return (Path(__file__).parent / "logs" / f"{name}.txt").read_text(encoding="utf-8")


def candidate_of(cpp: str, cuda: str) -> Candidate:
    return read(Source(PROGRAM.format(cpp=cpp, cuda=cuda), "cell [4]"))


def failed_build(candidate: Candidate, log: str, functions: tuple[str, ...] = ()) -> CompilerFailed:
    """What the worker says of `candidate`'s one load_inline call."""
    call = candidate.extensions[0]
    cuda = next(
        each.value for each in candidate.literals if "torch::Tensor" in each.value and "{" in each.value
    )
    return CompilerFailed(
        extension=call.name or "",
        log=log,
        diagnostics=parse_compiler_log(log),
        cpp_sources=call.cpp_sources or "",
        cuda_sources=cuda,
        functions=list(functions or call.functions),
        call_line=call.line,
    )


def measured(name: str) -> tuple[Candidate, CompilerFailed]:
    candidate = candidate_of(*PROGRAMS[name]) if name in PROGRAMS else real_program(name)
    return candidate, failed_build(candidate, measured_log(name))
