"""Broken Python is Python, whatever CUDA C++ stands in it."""

import pytest

from kernelgate.program.kind import is_cuda

CUDA = """#include <torch/extension.h>
__global__ void k(const float* x) {}
torch::Tensor f(torch::Tensor x) { k<<<1, 1>>>(x.data_ptr<float>()); return x; }
"""


@pytest.mark.parametrize(
    "body",
    [
        'import torch\nsource = """' + CUDA + '"""\nclass ModelNew(nn.Module)\n    pass',
        'import torch\nsource = """' + CUDA + "class ModelNew(nn.Module):\n    pass",
        "import torch\nsource = " + CUDA + '"""\nclass ModelNew(nn.Module):\n    pass',
        'class ModelNew(nn.Module):\n    source = """'
        + CUDA
        + '"""\n    def forward(self, x:\n        return x',
    ],
    ids=["no colon", "string never closed", "string never opened", "open parenthesis"],
)
def test_broken_python_around_cuda_source_is_python_not_cuda(body):
    assert is_cuda(CUDA) and not is_cuda(body)
