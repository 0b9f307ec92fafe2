"""Inputs that a program may read otherwise than the reference."""

from __future__ import annotations

import torch

from kernelgate.judge.reference.explained import other_inputs
from kernelgate.report.wrong_values import IgnoresStrides


def test_inputs_with_strides_are_read_as_they_lie_in_memory_too() -> None:
    turned, plain = torch.arange(6.0).view(2, 3).t(), torch.ones(4)
    change, (first, second) = next(other_inputs([turned, plain], ["input 1", "input 2"]))
    assert isinstance(change, IgnoresStrides)
    assert first.tolist() == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]]
    assert torch.equal(second, plain)


def test_inputs_without_strides_are_not() -> None:
    found = other_inputs([torch.rand(3, 4), torch.rand(5)], ["input 1", "input 2"])
    assert not any(isinstance(change, IgnoresStrides) for change, _tensors in found)
