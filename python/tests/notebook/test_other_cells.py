"""Programs and references from cells of a notebook: by number, by name, with what they need of other cells."""

from __future__ import annotations

from typing import Any

import pytest

from kernelgate.commands.references import with_reference

from .kernels import Kernel

pytestmark = pytest.mark.drawn

REFERENCE = """class {name}(nn.Module):
    def forward(self, x):
        return torch.relu(x) * FACTOR
"""
CANDIDATE = """import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * {factor}
"""
INPUTS = "def get_inputs():\n    return [torch.randn(9, 17)]"


@pytest.fixture(scope="module")
def cells(loaded: Kernel) -> tuple[Kernel, int]:
    """Imports, a constant, a reference and its inputs, each in a cell of its own; and the number of the reference's."""
    loaded.run("import torch\nimport torch.nn as nn\nimport kernelgate")
    loaded.run("FACTOR = 2.0\nprint('not for the judge')")
    loaded.run(REFERENCE.format(name="Model"))
    number = int(loaded.run("print(len(In) - 2)").text)
    loaded.run(INPUTS)
    return loaded, number


def test_a_reference_cell_is_read_with_what_it_needs_of_others(cells: tuple[Kernel, int]) -> None:
    kernel, number = cells
    done = kernel.run(f"%%kernelgate verify --reference-cell {number}\n{CANDIDATE.format(factor=2.0)}")
    assert (done.report["verdict"]["outcome"], done.report["problem"]["name"]) == ("pass", f"cell [{number}]")
    wrong = CANDIDATE.format(factor=2.5)
    for reference in (f"cell:{number}", "Model"):
        call = f"kernelgate.verify(source={wrong!r}, reference={reference!r})"
        assert kernel.run(call).report["verdict"]["outcome"] == "fail"


def test_cells_that_were_handed_over_need_not_have_run(loaded: Kernel) -> None:
    loaded.run("import kernelgate")
    cells = {
        "imports": "import torch as pt\nimport torch.nn as unrun",
        "inputs": "WIDE = 17\ndef get_inputs():\n    return [pt.randn(9, WIDE)]",
        "reference": "class Model(unrun.Module):\n    def forward(self, x):\n        return pt.relu(x) * 2",
    }
    for cell, text in cells.items():
        role = "" if cell == "reference" else ", 'needed'"
        loaded.run(f"kernelgate.remember_cell({cell!r}, {text!r}{role})")
    call = f"kernelgate.verify(source={CANDIDATE.format(factor=2.0)!r}, reference='cell:reference')"
    assert loaded.run(call).report["verdict"]["outcome"] == "pass"


BOTH = """import torch
from torch.utils.cpp_extension import load_inline

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * FACTOR

module = load_inline("m", cpp_sources="", cuda_sources="__global__ void f() {}")
class ModelNew(torch.nn.Module):
    pass

def get_inputs():
    return [torch.randn(9, 17)]
"""


class TwoCells:
    def cell(self, number_or_id: str) -> tuple[str, str]:
        return BOTH, "cell [2]"

    def texts(self) -> list[tuple[str, str]]:
        return [(BOTH, "cell [2]"), ("FACTOR = 2.0", "cell [1]")]


@pytest.mark.parametrize("named", ["cell:2", "Model"])
def test_a_reference_beside_its_candidate_is_taken_out_of_their_cell(named: str) -> None:
    _, found = with_reference({"reference": named}, BOTH, TwoCells())
    assert found is not None
    rows = dict(enumerate(found.text.split("\n"), found.first_line))
    at = BOTH.split("\n").index("class Model(torch.nn.Module):") + 1
    assert rows[at] == "class Model(torch.nn.Module):"
    assert "load_inline" not in found.text and "ModelNew" not in found.text
    namespace: dict[str, Any] = {}
    exec(found.text, namespace)
    assert namespace["Model"]()(*namespace["get_inputs"]()).shape == (9, 17)


def test_a_name_means_the_newest_cell_that_defines_it(cells: tuple[Kernel, int]) -> None:
    kernel, _ = cells
    kernel.run(REFERENCE.format(name="Doubled"))
    kernel.run(REFERENCE.format(name="Doubled").replace("FACTOR", "3.0"))
    call = "kernelgate.verify(source={!r}, reference='Doubled', inputs='5x7')"
    report = kernel.run(call.format(CANDIDATE.format(factor=3.0))).report
    assert report["verdict"]["outcome"] == "pass" and report["problem"]["shape"] == "5x7"
    assert report["problem"]["name"].startswith("Doubled in cell [")


def test_a_mistake_in_a_cell_is_placed_at_its_line_there(cells: tuple[Kernel, int]) -> None:
    kernel, _ = cells
    kernel.run("class Broken(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.a = 1 / 0")
    report = kernel.run(
        f"kernelgate.verify(source={CANDIDATE.format(factor=1)!r}, reference='Broken', inputs='4')"
    ).report
    assert report["failure"]["where"]["line"] == 4 and "self.a = 1 / 0" in str(report["failure"]["where"])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("reference='Nowhere'", "No cell that has been executed defines Nowhere"),
        ("reference='cell:999'", "No cell has run as [999]"),
        ("reference='torch.nn.GELU('", "'(' was never closed"),
        ("reference='torch.nn.GELU()'", "has no inputs"),
        ("reference=torch.nn.GELU(), inputs='4'", "The reference is a GELU, not text"),
        ("reference='torch.nn.GELU()', inputs=torch.randn(4)", "not text"),
        ("reference='torch.nn.GELU()', inputs='4', problem='leakyrelu'", "Two problems are named"),
    ],
)
def test_a_reference_that_is_none_is_one_clear_line(
    cells: tuple[Kernel, int], given: str, says: str
) -> None:
    done = cells[0].run(f"kernelgate.verify(source='x', {given})")
    assert done.error is not None and done.error[0] == "UsageError" and says in done.error[1], done


KERNEL = """source = r'''
#include <torch/extension.h>
__global__ void twice(const float* x, float* y, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = {factor} * x[i];
}}
torch::Tensor run(torch::Tensor x) {{
  auto y = torch::empty_like(x);
  twice<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}}
'''"""
PROGRAM = """from __future__ import annotations
class ModelNew(nn.Module):
    def forward(self, x):
        return extension().run(x.contiguous())
"""
LOADED = """from torch.utils.cpp_extension import load_inline
def extension():
    return load_inline("twice", "torch::Tensor run(torch::Tensor x);", source, functions=["run"])
"""


def test_a_program_is_taken_with_what_it_uses_of_other_cells(cells: tuple[Kernel, int]) -> None:
    kernel, _ = cells
    kernel.run(KERNEL.format(factor="3"))
    kernel.run(f"print('a cell of its own')\n{KERNEL.format(factor='factor')}")
    text = int(kernel.run("print(len(In) - 2)").text)
    kernel.run(LOADED)
    verify = "%%kernelgate verify --reference 'torch.nn.Hardtanh(-1e38, 1e38)' --input 3x5\n" + PROGRAM

    broken = kernel.run(verify).report["failure"]
    assert (broken["where"]["label"], broken["where"]["line"]) == (f"cell [{text}]", 6), broken
    assert "factor" in broken["what"] and broken["edit"] is None

    kernel.run(KERNEL.format(factor="1"))
    whole = kernel.run(verify).report
    assert whole["verdict"]["outcome"] == "pass"
    reading = whole["advice"][0]["text"]
    assert reading.startswith("The program is this cell with what it uses of cell [") and str(text) not in reading
    assert whole["candidate"]["cuda_kernels"] == ["twice"]


def test_a_name_that_no_cell_defines_is_named(cells: tuple[Kernel, int]) -> None:
    program = "class ModelNew(nn.Module):\n    def forward(self, x):\n        return nowhere(x)\n"
    report = cells[0].run(f"%%kernelgate verify --reference 'torch.nn.ReLU()' --input 4\n{program}").report
    assert "nowhere" in report["failure"]["what"] and report["failure"]["where"]["line"] == 4
