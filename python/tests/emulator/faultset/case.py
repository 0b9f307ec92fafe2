"""One fault: a kernel that has it, what the report must say, and the same kernel without it."""

from __future__ import annotations

import re
from dataclasses import dataclass

LAUNCH = "k<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);"
INDEX = """__global__ void k(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x;
"""
_MARK = re.compile(r"[ \t]*//!(\w*)$")


@dataclass(frozen=True)
class Case:
    """`kernel` follows INDEX unless it defines `k` itself, and ends with its closing brace; `k` becomes `name`. The
    line of the fault ends with `//!`, a second one with `//!other`. `twin` replaces text of both, to fix it.

    `element`: what the report calls the memory. `uncertain`: the fault may be harmless, and alone decides nothing.
    """

    name: str
    kind: str
    kernel: str
    twin: tuple[tuple[str, str], ...]
    element: str | None = None
    launch: str = LAUNCH
    n: int = 1001
    uncertain: bool = False
    check: bool = True
    """Whether running it in three orders notices it too: by a fault, or by a result that is not the twin's."""

    helpers: str = ""
    """What the cases of its family share, once before all."""

    def __post_init__(self) -> None:
        marks = [mark[1] for line in self.source().split("\n") if (mark := _MARK.search(line))]
        assert len(marks) in (1, 2), f"{self.name}: mark the line of the fault with //!"
        for old, _ in self.twin:
            assert old in self.kernel + self.launch, f"{self.name}: {old!r} is not there"

    def source(self, *, fixed: bool = False) -> str:
        """The kernel and `torch::Tensor name(torch::Tensor x)`, in a namespace of its own."""
        kernel, launch = self.kernel, self.launch
        if fixed:
            for old, new in self.twin:
                kernel, launch = kernel.replace(old, new), launch.replace(old, new)
        head = "" if re.search(r"__global__.*\bk\(", kernel) else INDEX
        function = (
            "torch::Tensor run(torch::Tensor x) { auto y = torch::empty_like(x); int n = x.numel();\n"
            f"{launch}\nreturn y; }}"
        )
        text = f"namespace {self.name}_ {{\n{head}{kernel}\n{function}\n}}\n"
        text = re.sub(r"\bk(?=\(|<<<)", self.name, text)
        return text + f"torch::Tensor {self.name}(torch::Tensor x) {{ return {self.name}_::run(x); }}\n"

    def marked(self, program: str) -> list[int]:
        """The lines of the marks in a program that holds this case's source, in order."""
        first = program.count("\n", 0, program.index(self.source())) + 1
        rows = self.source().split("\n")
        return [first + k for k, row in enumerate(rows) if _MARK.search(row)]


HEADERS = """#include <torch/extension.h>
#include <cuda_fp16.h>
#include <c10/cuda/CUDAException.h>
#include <vector>
"""


def program(cases: list[Case], *, fixed: bool = False) -> tuple[str, str]:
    """C++ and CUDA sources of an extension with a function for each case."""
    cpp = "\n".join(f"torch::Tensor {case.name}(torch::Tensor x);" for case in cases)
    helpers = dict.fromkeys(case.helpers for case in cases)
    return cpp, HEADERS + "".join([*helpers, *(case.source(fixed=fixed) for case in cases)])
