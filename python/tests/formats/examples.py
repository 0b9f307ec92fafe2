"""Examples of other formats, written for these tests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

# FlashInfer-Bench's dialect: value-returning, scalars, constants.
SCALED: dict[str, Any] = {
    "name": "scaled_sum_n48",
    "op_type": "sum",
    "axes": {"M": {"type": "var"}, "N": {"type": "const", "value": 48}},
    "inputs": {
        "x": {"shape": ["M", "N"], "dtype": "float32"},
        "scale": {"shape": None, "dtype": "float32"},
        "y": {"shape": ["M", "N"], "dtype": "float32"},
    },
    "outputs": {"out": {"shape": ["M", "N"], "dtype": "float32"}},
    "reference": "import torch\n\ndef run(x, scale, y):\n    return x * scale + y\n",
}
SCALED_WORKLOAD = {
    "uuid": "5d0a-scaled",
    "axes": {"M": 16},
    "inputs": {"x": {"type": "random"}, "scale": {"type": "scalar", "value": 0.5}, "y": {"type": "random"}},
}

# SOL-ExecBench's: an axis of an expression, custom inputs, outputs that are passed in.
HALVES: dict[str, Any] = {
    "name": "first_half_plus_second",
    "axes": {
        "rows": {"type": "var"},
        "width": {"type": "const", "value": 64},
        "half": {"type": "expr", "expression": "width // 2"},
    },
    "inputs": {"x": {"shape": ["rows", "width"], "dtype": "float32"}},
    "outputs": {"out": {"shape": ["rows", "half"], "dtype": "float32"}},
    "custom_inputs_entrypoint": "make",
    "reference": (
        "import torch\n\n"
        "def make(axes_and_scalars, device):\n"
        "    return {'x': torch.randn(axes_and_scalars['rows'], axes_and_scalars['width'], device=device)}\n\n"
        "def run(x):\n    first, second = x.chunk(2, dim=1)\n    return first + second\n"
    ),
}
HALVES_WORKLOAD = {"uuid": "77aa-halves", "axes": {"rows": 24}, "inputs": {"x": {"type": "custom"}}}

CUDA_HALVES = """#include <torch/extension.h>
#include "width.h"

__global__ void halves(const float* x, float* out, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * HALF) out[i] = x[i / HALF * 2 * HALF + i % HALF] + x[i / HALF * 2 * HALF + HALF + i % HALF];
}

void run(torch::Tensor x, torch::Tensor out) {
  auto dense = x.contiguous();
  int count = x.size(0) * HALF;
  halves<<<(count + 255) / 256, 256>>>(dense.data_ptr<float>(), out.data_ptr<float>(), x.size(0));
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("run", &run); }
"""


def solution(name: str, definition: str, files: dict[str, str], entry: str, **spec: Any) -> dict[str, Any]:
    return {
        "name": name,
        "definition": definition,
        "author": "somebody",
        "spec": {"language": "python", "target_hardware": ["cuda"], "entry_point": entry, **spec},
        "sources": [{"path": path, "content": content} for path, content in files.items()],
    }


SCALED_RIGHT = solution(
    "scaled_right",
    SCALED["name"],
    {
        "main.py": "from parts import add\n\ndef run(x, scale, y):\n    return add(x * scale, y)\n",
        "parts.py": "def add(a, b):\n    return a + b\n",
    },
    "main.py::run",
    destination_passing_style=False,
)
SCALED_WRONG = solution(
    "scaled_wrong",
    SCALED["name"],
    {"main.py": "def run(x, scale, y, out):\n    out.copy_(x * scale - y)\n"},
    "main.py::run",
)
HALVES_RIGHT = solution(
    "halves_cuda",
    HALVES["name"],
    {"src/kernel.cu": CUDA_HALVES, "src/width.h": "#pragma once\n#define HALF 32\n"},
    "src/kernel.cu::run",
    language="cuda",
    binding="torch",
)

TASK = "files:\n  - {name: submission.py, source: '@SUBMISSION@'}\ntests:\n  - {size: 33, seed: 4242}\n"
TASK_FILES = {
    "task.yml": TASK,
    "utils.py": "def match(reference):\n    return lambda data, output: None\n",
    "task.py": "import torch\n\ninput_t = tuple[torch.Tensor, torch.Tensor]\noutput_t = torch.Tensor\n",
    "reference.py": (
        "import torch\nfrom task import input_t, output_t\nfrom utils import match\n\n"
        "def ref_kernel(data: input_t) -> output_t:\n    a, b = data\n    return a * b\n\n"
        "def generate_input(size: int, seed: int) -> input_t:\n"
        "    gen = torch.Generator(device='cuda')\n    gen.manual_seed(seed)\n"
        "    make = lambda: torch.randn(size, size, device='cuda', generator=gen)\n"
        "    return (make(), make())\n\ncheck_implementation = match(ref_kernel)\n"
    ),
    "submission.py": (
        "from task import input_t, output_t\n\n"
        "def custom_kernel(data: input_t) -> output_t:\n    a, b = data\n    return b * a\n"
    ),
}


# KernelBench's: a problem, a program for it, and a model's answer.
SCALE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return x * self.factor


def get_inputs():
    return [torch.rand(24, 40)]


def get_init_inputs():
    return [3.0]
"""
SCALE_RIGHT = """import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return self.factor * x
"""
ANSWER = f"""The product with a constant:

```python
{SCALE_RIGHT.replace("self.factor * x", "self.factor + x")}
```
"""


def write_all(root: Path) -> None:
    """As docs/formats.md shows it: programs for a problem of KernelBench, a set of FlashInfer-Bench's, a problem
    of SOL-ExecBench's, and a task of GPU MODE."""
    write(root, {"problems/3_Scale.py": SCALE})
    write(root / "candidates", {"3_Scale.py": SCALE_RIGHT, "3_Scale/answer.md": ANSWER})
    files = {
        "set/definitions/sum/scaled_sum_n48.json": json.dumps(SCALED),
        "set/workloads/sum/scaled_sum_n48.jsonl": json.dumps(
            {"definition": SCALED["name"], "workload": SCALED_WORKLOAD}
        ),
        "set/solutions/right.json": json.dumps(SCALED_RIGHT),
        "set/solutions/wrong.json": json.dumps(SCALED_WRONG),
        "halves/definition.json": json.dumps(HALVES),
        "halves/workload.jsonl": json.dumps(HALVES_WORKLOAD),
        "halves/solution_cuda.json": json.dumps(HALVES_RIGHT),
        **{f"product/{name}": text for name, text in TASK_FILES.items()},
    }
    write(root / "candidates", files)


def write(root: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
