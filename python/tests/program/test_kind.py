"""Parsing distinguishes the three kinds of body."""

import pytest
from programs import NAMES, program_text

from kernelgate.program import body_kind

CUDA = """#include <torch/extension.h>
__global__ void k(const float* x) {}
torch::Tensor f(torch::Tensor x) { k<<<1, 1>>>(x.data_ptr<float>()); return x; }
"""


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("", "uses"),
        ("y = ModelNew()(x)\ny.sum()", "uses"),
        ("print(ModelNew == None)", "uses"),
        ("# only a comment", "uses"),
        ("class ModelNew:\n    pass", "defines"),
        ("class Other:\n    pass\nModelNew = Other", "defines"),
        ("from mine import ModelNew", "defines"),
        ("from mine import Fast as ModelNew", "defines"),
        ("from mine import ModelNew as Other", "uses"),
        ("try:\n    import a\nexcept ImportError:\n    class ModelNew: pass", "defines"),
        ("def make():\n    class ModelNew: pass", "uses"),
        ("%%leakyrelu_cuda\nclass ModelNew:\n    pass", "defines"),
        ("!pip list\n%matplotlib inline\nModelNew()", "uses"),
        ("x = 1\n%timeit ModelNew()(x)", "uses"),
        (CUDA, "cuda"),
        ("%%leakyrelu_cuda\n" + CUDA, "cuda"),
        ("// import torch\n/*\nimport torch\n*/\n" + CUDA, "cuda"),
        ("template <typename T>\n__global__ void k(T* x) {}", "cuda"),
        ("Here it is:\n```python\nclass ModelNew: pass\n```", "defines"),
        ("Here it is:\n```cuda\n" + CUDA + "```", "cuda"),
        ("Sorry, no idea.\n```\nnothing of use at all\n```", "uses"),
    ],
)
def test_a_body_is_of_the_kind_it_parses_as(body, kind):
    assert body_kind(body) == kind


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
    assert body_kind(body) != "cuda"


def test_broken_python_that_defines_model_new_is_judged_as_a_definition():
    assert body_kind("class ModelNew(nn.Module)\n    pass") == "defines"
    assert body_kind("y = ModelNew(\n") == "uses"


@pytest.mark.parametrize("name", NAMES)
def test_every_real_program_defines_model_new(name):
    assert body_kind(program_text(name)) == "defines"
