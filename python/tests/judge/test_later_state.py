"""What matters only later, or only to who keeps a result: right for the problem, and no drop-in."""

from __future__ import annotations

import pytest

from kernelgate.report import Report

from .candidates import verify
from .test_sources import verify as verify_beside

NORM = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm1d(channels)

    def forward(self, x):
        return torch.relu(self.bn(x))

def get_inputs():
    return [torch.rand(8, 6, 5)]

def get_init_inputs():
    return [6]
"""
NORM_NEW = """
import torch
import torch.nn as nn

class Norm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(channels))
        self.bias = nn.Parameter(torch.zeros(channels))
        self.register_buffer("running_mean", torch.zeros(channels))
        self.register_buffer("running_var", torch.ones(channels))
        {count}

    def forward(self, x):
        mean, var, n = x.mean((0, 2)), x.var((0, 2), unbiased=False), x.numel() // x.size(1)
        with torch.no_grad():
            self.running_mean.mul_(0.9).add_(0.1 * mean)
            self.running_var.mul_(0.9).add_(0.1 * var * {divisor})
            {counted}
        y = (x - {mean}[:, None]) / torch.sqrt(var[:, None] + 1e-5)
        return torch.relu(y * self.weight[:, None] + self.bias[:, None])

class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = Norm(channels)

    def forward(self, x):
        return self.bn(x)
"""
COUNT = 'self.register_buffer("num_batches_tracked", torch.tensor(0))'


def judged(count: str = COUNT, divisor: str = "n / (n - 1)", mean: str = "mean") -> Report:
    counted = "self.num_batches_tracked += 1" if count else ""
    text = NORM_NEW.format(count=count, counted=counted, divisor=divisor, mean=mean)
    return verify_beside(text, NORM)


def obstacle(report: Report) -> str:
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert report.verdict.obstacle == "a call leaves other values in its buffers than the reference's"
    return next(gate.message for gate in report.gates if gate.name == "buffers as the reference leaves them")


def test_batches_that_are_not_counted_are_named_and_decide_nothing() -> None:
    assert "it has no bn.num_batches_tracked" in obstacle(judged(count=""))


def test_a_variance_with_the_other_divisor_is_told_as_that() -> None:
    words = obstacle(judged(divisor="1"))
    assert "bn.running_var holds the variance divided by n, and the reference's divided by n - 1" in words


def test_another_wrong_statistic_is_not_told_as_a_divisor() -> None:
    assert "bn.running_var holds other values" in obstacle(judged(divisor="2"))


def test_statistics_that_change_a_later_call_are_a_wrong_result() -> None:
    report = judged(mean="(mean + 0.01 * (self.running_mean - 0.1 * mean))")
    assert report.verdict is not None and report.verdict.outcome == "fail", report.verdict


BUFFER = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.out = None

    def forward(self, x):
        if self.out is None or self.out.shape != x.shape or self.out.dtype != x.dtype:
            self.out = torch.empty_like(x)
        with torch.no_grad():
            return {result}
"""


@pytest.mark.parametrize("contract", ["problem", "drop-in"])
def test_one_buffer_for_all_results_is_right_and_said_and_no_drop_in(contract: str) -> None:
    text = BUFFER.format(result="self.out.copy_(F.leaky_relu(x, self.negative_slope))")
    report = verify(text, contract=contract)
    assert report.verdict is not None
    assert report.verdict.outcome == ("pass" if contract == "problem" else "fail")
    assert "each call overwrites the last result" in report.verdict.sentence


def test_memory_shared_with_the_input_stays_a_failure_and_is_told_from_the_other() -> None:
    report = verify(BUFFER.format(result="x if bool((x > 0).all()) else F.leaky_relu(x, self.negative_slope)"))
    assert report.verdict is not None and report.verdict.outcome == "fail"
    assert "the output shares memory with the input" in report.verdict.sentence
    assert "earlier" not in report.verdict.sentence
