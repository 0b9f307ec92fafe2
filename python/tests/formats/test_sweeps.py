"""A problem of kernelbench.com: a row for each shape, and a program that takes its base from the reference."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelgate.evaluation.found import asked_in
from kernelgate.formats import FormatError, sweeps
from kernelgate.program import Source, read

REFERENCE = """import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, rows, n):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(n))

    def forward(self, x):
        return x * self.weight

ROWS = 4
n = 8

def get_inputs():
    return [torch.rand(ROWS, n)]

def get_init_inputs():
    return [ROWS, n]
"""
SHAPES = 'SHAPES = [{"rows": 2, "N": 16, "extreme": False}, {"rows": 3, "N": 5}]\n'
SOLUTION = """import torch
from reference import Model as Base

class Model(Base):
    def forward(self, x):
        return self.weight * x
"""


def test_each_shape_is_a_row_whose_reference_has_its_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "01_scale"
    folder.mkdir()
    for name, text in (("reference", REFERENCE), ("shapes", SHAPES), ("solution", SOLUTION)):
        (folder / f"{name}.py").write_text(text)
    first, second = asked_in([str(tmp_path)], {"device": "emulated"})
    assert (first.name, second.name) == ("01_scale@1", "01_scale@2")
    assert first.job is not None and second.job is not None
    assert "ROWS = 2\nn = 16" in first.job.reference_text and "ROWS = 3\nn = 5" in second.job.reference_text
    assert first.job.text == SOLUTION


def test_what_only_their_check_draws_is_said() -> None:
    with pytest.raises(FormatError, match=r"has no number EXTREME"):
        sweeps.reference_text(REFERENCE, {"rows": 2, "extreme": True})
    with pytest.raises(FormatError, match="no SHAPES"):
        sweeps.shapes("SHAPES = make_shapes()")


def test_a_program_that_imports_from_reference_gets_it_and_keeps_its_lines() -> None:
    candidate = read(Source(SOLUTION, "solution.py"), None, REFERENCE)
    names: dict[str, type] = {}
    exec(compile(candidate.python, "program", "exec"), names)
    assert names["ModelNew"].__mro__[1].__name__ == "Model" and names["ModelNew"] is names["Model"]
    row = candidate.python.split("\n").index("        return self.weight * x") + 1
    assert candidate.line(row) == 6


def test_the_reference_itself_is_no_program() -> None:
    with pytest.raises(Exception, match="ModelNew"):
        read(Source(REFERENCE, "solution.py"), None, REFERENCE)
