"""Forms of a result and of a reference that are right, and those beside them that are not."""

from __future__ import annotations

import pytest

from kernelgate.report import Report

from .test_sources import verify as verify_beside

PAIR = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x):
        return torch.max(x, dim=1)[0], x.sum(1)

def get_inputs():
    return [torch.rand(6, 9)]
"""
PAIR_NEW = """
import torch
import torch.nn as nn
from typing import NamedTuple

class Pair(NamedTuple):
    largest: torch.Tensor
    total: torch.Tensor

class Turned(Pair):
    def __getitem__(self, at):
        return tuple.__getitem__(self, 1 - at)

class ModelNew(nn.Module):
    def forward(self, x):
        return {result}
"""
ON_A_GPU = """
import torch
import torch.nn as nn

class Base(nn.Module):
    def __init__(self):
        super(Base, self).__init__()
        self.factor = torch.tensor(2.0, device="cuda")

class Model(Base):
    def __init__(self, shift):
        super(Model, self).__init__()
        self.shift = nn.Parameter(torch.full((4,), shift, device="cuda"))

    def forward(self, x):
        return torch.tanh(x * self.factor + self.shift)

def get_inputs():
    return [torch.rand(6, 4, device="cuda")]

def get_init_inputs():
    return [0.5]
"""
ON_A_GPU_NEW = """
import torch
import torch.nn as nn

class ModelNew(nn.Module):
    def __init__(self, shift):
        super(ModelNew, self).__init__()
        self.shift = nn.Parameter(torch.full((4,), shift))

    def forward(self, x):
        return torch.tanh(x * {factor} + self.shift)
"""


def judged(text: str, reference: str) -> Report:
    report = verify_beside(text, reference)
    assert report.verdict is not None
    return report


@pytest.mark.parametrize(
    ("result", "outcome"),
    [
        ("Pair(x.amax(1), x.sum(1))", "pass"),
        ("Pair(x.sum(1), x.amax(1))", "fail"),
        ("Turned(x.amax(1), x.sum(1))", "fail"),
        ("(Pair(x.amax(1), x.sum(1)),)", "fail"),
    ],
)
def test_a_named_tuple_is_the_tuple_that_it_is(result: str, outcome: str) -> None:
    verdict = judged(PAIR_NEW.format(result=result), PAIR).verdict
    assert verdict is not None and verdict.outcome == outcome, verdict


@pytest.mark.parametrize(("factor", "outcome"), [("2", "pass"), ("2.01", "fail")])
def test_a_reference_that_says_cuda_may_ask_for_its_parent_by_its_own_name(factor: str, outcome: str) -> None:
    verdict = judged(ON_A_GPU_NEW.format(factor=factor), ON_A_GPU).verdict
    assert verdict is not None and verdict.outcome == outcome, verdict


SCALED = """
import torch
import torch.nn as nn

batch_size = 65536
features = 64

class Model(nn.Module):
    def forward(self, x):
        return torch.sigmoid(x).cumsum(1)

def get_inputs():
    return [torch.rand(batch_size, features)]
"""
OWN_NUMBER = """
import torch
import torch.nn as nn

batch_size = 65536  # of a table
table = torch.linspace(0, 1, batch_size)
assert table[1] < 1e-4

class ModelNew(nn.Module):
    def forward(self, x):
        return torch.sigmoid(x{wrong}).cumsum(1)
"""


def test_a_number_of_its_own_under_a_name_of_the_problems_stays_what_it_is() -> None:
    report = judged(OWN_NUMBER.format(wrong=""), SCALED)
    assert report.problem.full_shape is not None and report.verdict is not None
    assert report.verdict.outcome == "pass", report.verdict


def test_what_is_wrong_is_shown_with_the_programs_own_number() -> None:
    report = judged(OWN_NUMBER.format(wrong=" * 1.1"), SCALED)
    assert report.verdict is not None and report.verdict.outcome == "fail" and report.failure is not None
    assert "(65536x8 float32" in report.failure.what and "judged as" not in report.failure.what


def test_what_is_wrong_with_a_changed_number_shows_the_line_that_was_changed() -> None:
    text = OWN_NUMBER.format(wrong=" * 1.1").replace("assert table[1] < 1e-4\n", "")
    report = judged(text, SCALED)
    assert report.verdict is not None and report.verdict.outcome == "fail" and report.failure is not None
    assert "Line 5 was judged as “batch_size = " in report.failure.what
