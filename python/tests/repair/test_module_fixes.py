"""Fixes of a ModelNew that PyTorch cannot construct or call, and of one that returns nothing."""

from __future__ import annotations

import pytest

from kernelgate.messages.failures import Frame, Raised
from kernelgate.program import Source, read
from kernelgate.repair.exception_advice import explain_raised
from kernelgate.repair.module_fixes import returned
from kernelgate.report.edits import edited

PROGRAM = """import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, size, scale):
        super().__init__()
        self.linear = nn.Linear(size, size)
        self.scale = scale

    def forward(self, x):
        return self.linear(x) * self.scale
"""
FAULTS = {
    "no super().__init__()": (
        ("        super().__init__()\n", ""),
        Raised(
            "AttributeError",
            "cannot assign module before Module.__init__() call",
            [Frame(7, True, "__init__")],
        ),
    ),
    "the super() of another class": (
        ("super().__init__()", "super(Model, self).__init__()"),
        Raised("NameError", "name 'Model' is not defined", [Frame(7, True, "__init__")]),
    ),
    "a layer without self": (
        ("self.linear(x)", "linear(x)"),
        Raised("NameError", "name 'linear' is not defined", [Frame(12, True, "forward")]),
    ),
    "a parameter that is not kept": (
        ("        self.scale = scale\n", ""),
        Raised("AttributeError", "'ModelNew' object has no attribute 'scale'", [Frame(11, True, "forward")]),
    ),
    "an attribute by another name": (
        ("self.linear(x)", "self.layer(x)"),
        Raised("AttributeError", "'ModelNew' object has no attribute 'layer'", [Frame(12, True, "forward")]),
    ),
    "no self": (
        ("def forward(self, x)", "def forward(x)"),
        Raised("TypeError", "ModelNew.forward() takes 1 positional argument but 2 were given", []),
    ),
    "a parameter that is not taken": (
        ("(self, size, scale)", "(self, size)"),
        Raised("TypeError", "ModelNew.__init__() takes 2 positional arguments but 3 were given", []),
    ),
}


@pytest.mark.parametrize(("change", "raised"), FAULTS.values(), ids=FAULTS)
def test_a_fault_of_a_module_is_fixed(change: tuple[str, str], raised: Raised) -> None:
    text = PROGRAM.replace(*change)
    doing = "constructing ModelNew" if "__init__" in raised.message else "calling ModelNew"
    failure = explain_raised(read(Source(text, "mine.py")), raised, "build", doing, ("size", "scale"))
    assert failure.edit is not None
    fixed = edited(text, failure.edit)
    assert sorted(fixed.split("\n")) == sorted(PROGRAM.split("\n"))


def test_a_name_that_no_constructor_keeps_is_left_to_the_person() -> None:
    raised = Raised(
        "AttributeError", "'ModelNew' object has no attribute 'bias'", [Frame(12, True, "forward")]
    )
    assert explain_raised(read(Source(PROGRAM, "mine.py")), raised, "build", "calling ModelNew").edit is None


def test_the_last_call_of_a_forward_that_returns_nothing_is_returned() -> None:
    text = PROGRAM.replace("return self.linear(x) * self.scale", "torch.relu(x)")
    found = returned(read(Source(text, "mine.py")))
    assert found is not None and found[1] == 12
    assert edited(text, found[0].edit) == text.replace("torch.relu(x)", "return torch.relu(x)")
    assert returned(read(Source(PROGRAM, "mine.py"))) is None
