"""Parameters with names of their own: the same values where they are made in the same order, else words that say so."""

from __future__ import annotations

import pytest

from kernelgate.report import Report

from .candidates import verify
from .test_sources import verify as verify_beside

PROGRAM = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
{parameters}
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x):
        y = {product} * self.multiplier
        return F.leaky_relu(y, {slope})
"""
LAYER = "        self.layer = nn.Linear(in_features, out_features)"
PACKED = """
        self.packed = nn.Parameter(torch.randn(1, out_features, in_features + 1))
"""


def judged(parameters: str, product: str, slope: str = "self.negative_slope") -> Report:
    text = PROGRAM.format(parameters=parameters, product=product, slope=slope)
    return verify(text, problem="gemm_scale_leakyrelu")


@pytest.mark.drawn
def test_a_program_with_weights_of_its_own_is_asked_to_name_them_as_the_reference_does() -> None:
    report = judged(PACKED, "F.linear(x, self.packed[0, :, 1:], self.packed[0, :, 0])")
    assert report.verdict is not None and report.verdict.outcome == "fail"
    assert report.failure is not None
    assert report.failure.next_step == (
        "Name the parameters as the reference does, gemm.weight, gemm.bias instead of packed, so that both can "
        "hold the same values: other weights give other results"
    )


@pytest.mark.drawn
def test_a_layer_under_another_name_holds_the_same_values_and_passes() -> None:
    report = judged(LAYER, "self.layer(x)")
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict


def test_a_wrong_kernel_beside_a_layer_under_another_name_is_not_blamed_on_the_name() -> None:
    report = judged(LAYER, "self.layer(x)", slope="0.2")
    assert report.verdict is not None and report.verdict.outcome == "fail"
    assert report.failure is not None and "Name the parameters" not in report.failure.next_step


def test_a_program_that_is_wrong_at_its_first_call_alone_folds_nothing_into_its_parameters() -> None:
    named = LAYER.replace("layer", "gemm")
    text = PROGRAM.format(parameters=named, product="self.gemm(x)", slope="self.negative_slope * next(first, 1.0)")
    report = verify(f"first = iter([3.0])\n{text}", problem="gemm_scale_leakyrelu")
    assert report.verdict is not None and report.verdict.outcome == "fail"
    assert "constructor folds" not in report.verdict.sentence


NORM = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.linear = nn.Linear(features, features)
        self.norm = nn.GroupNorm(4, features)

    def forward(self, x):
        return torch.relu(self.norm(self.linear(x)))

def get_inputs():
    return [torch.rand(8, 16)]

def get_init_inputs():
    return [16]
"""
NORM_NEW = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.{one} = nn.Parameter(torch.ones(features))
        self.{two} = nn.Parameter(torch.zeros(features))
        self.linear = nn.Linear(features, features)

    def forward(self, x):
        return torch.relu(F.group_norm(self.linear(x), 4, {weight}, {bias}))
"""


def judged_norm(one: str, two: str, weight: str, bias: str) -> Report:
    text = NORM_NEW.format(one=one, two=two, weight=weight, bias=bias)
    return verify_beside(text, NORM)


@pytest.mark.parametrize(("one", "two"), [("weight", "bias"), ("a", "b"), ("norm_bias", "norm_weight")])
def test_a_norm_whose_parameters_are_the_modules_own_passes_whatever_they_are_called(one: str, two: str) -> None:
    report = judged_norm(one, two, f"self.{one}", f"self.{two}")
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert any(f"{one} for norm.weight" in stage.note for stage in report.stages)


@pytest.mark.parametrize(
    ("weight", "bias"), [("self.a", "None"), ("None", "self.b"), ("self.b + 1", "self.a - 1"), ("self.a", "self.a - 1")]
)
def test_a_norm_that_is_right_only_as_long_as_it_is_fresh_fails_under_other_names_too(weight: str, bias: str) -> None:
    report = judged_norm("a", "b", weight, bias)
    assert report.verdict is not None and report.verdict.outcome == "fail"
    assert "folds" not in report.verdict.sentence
