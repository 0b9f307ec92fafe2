"""A cell's body below a magic uses ModelNew, defines it, or does neither, and then is the program to judge."""

import pytest
from IPython.core.inputtransformer2 import TransformerManager

from kernelgate.notebook.magic_line import body_kind

CUDA = """#include <torch/extension.h>
__global__ void k(const float* x) {}
torch::Tensor f(torch::Tensor x) { k<<<1, 1>>>(x.data_ptr<float>()); return x; }
"""


CLASS = "class ModelNw(nn.Module):\n    def forward(self, x):\n        return x * 0\n"


def kind_of(body, name="ModelNew"):
    return body_kind(body, name, TransformerManager().transform_cell)


@pytest.mark.parametrize(
    "body",
    [
        "y = ModelNew()(x)\ny.sum()",
        "print(ModelNew == None)",
        "!pip list\n%matplotlib inline\nModelNew()",
        "x = 1\n%timeit ModelNew()(x)",
        "%%time\nModelNew()(x)",
        "t = %timeit -o ModelNew()(x)",
        "ModelNew?",
        "from mine import ModelNew as Other\nModelNew()",
        "class Net(nn.Module):\n    def __init__(self):\n        self.act = ModelNew(0.1)",
        "class ModelNet(nn.Module):\n    def __init__(self):\n        self.act = ModelNew(0.1)",
        "class Model(nn.Module): pass\nprint(Model(), ModelNew())",
    ],
)
def test_a_body_that_uses_model_new_asks_for_our_program(body):
    assert kind_of(body) == "uses"


@pytest.mark.parametrize(
    "body",
    [
        "class ModelNew:\n    pass",
        "class Other:\n    pass\nModelNew = Other",
        "from mine import ModelNew",
        "from mine import Fast as ModelNew",
        "try:\n    import a\nexcept ImportError:\n    class ModelNew: pass",
        CUDA,
        "template <typename T>\n__global__ void k(T* x) {}",
        "Here it is:\n```python\nclass ModelNew: pass\n```",
        "Sorry, no idea.\n```\nnothing of use at all\n```",
        "class ModelNew(nn.Module)\n    pass",
        'import torch\nsource = """' + CUDA + '"""\nclass ModelNew(nn.Module)\n    pass',
    ],
)
def test_a_body_that_defines_model_new_is_the_program(body):
    assert kind_of(body) == "defines"


@pytest.mark.parametrize(
    "body",
    [
        "x = 3",
        "# ModelNew is to come",
        "print('ModelNew')",
        CLASS,
        CLASS.replace("        return", "        super(ModelNew, self).__init__()\n        return"),
        CLASS + "print(ModelNew()(x))",
        CLASS.replace("ModelNw", "NewModel") + "print(ModelNew()(x))",
        "def make():\n    class ModelNew: pass",
        "from mine import ModelNew as Other",
        "class ModelNw(nn.Module)\n    pass",
        "y = ModelNew(\n",
        "%timeit MyModelNew()(x)",
    ],
)
def test_a_body_that_neither_defines_nor_uses_it_never_asks_for_our_program(body):
    assert kind_of(body) == "other"


def test_the_name_that_it_is_bound_to_counts_as_well():
    assert kind_of("Fast(0.1)", "Fast") == "uses"
    assert kind_of("class Fast: pass\nFast()", "Fast") == "defines"
    assert kind_of("Fast(0.1)") == "other"
