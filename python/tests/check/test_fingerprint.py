"""A fingerprint stands for all bits of a tensor."""

from __future__ import annotations

import pytest
import torch

from kernelgate.check.fingerprint import Fingerprints

VALUES = torch.randn(3001, generator=torch.Generator().manual_seed(1))


def of(tensor: torch.Tensor, key: int = 7) -> int:
    return Fingerprints(key, torch.device("cpu")).of(tensor)


@pytest.mark.parametrize(
    "other",
    [VALUES.neg(), VALUES.flip(0), VALUES.roll(1), VALUES[:-1], VALUES.double(), torch.zeros(3001)],
    ids=["every sign flipped", "turned", "shifted", "shorter", "another dtype", "zeros"],
)
def test_another_tensor_has_another_fingerprint(other):
    assert of(other) != of(VALUES)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.uint8, torch.bool])
@pytest.mark.parametrize("place", [0, 1500, 3000])
def test_one_element_counts_in_every_dtype(dtype, place):
    one = torch.ones(3001, dtype=dtype)
    other = one.clone()
    other[place] = 0
    assert of(one) != of(other) and of(one) == of(one.clone())


def test_elements_that_begin_between_two_words_have_the_same_fingerprint():
    halves = VALUES.half()
    assert of(halves[1:]) == of(halves[1:].clone())


def test_only_elements_count_and_the_key_decides():
    wide = torch.stack([VALUES, VALUES + 1], dim=1)
    assert of(wide[:, 0]) == of(VALUES) != of(VALUES, key=8)
    assert of(torch.empty(0)) == of(torch.empty(0))


def test_a_single_element_may_have_any_stride():
    assert of(VALUES[:33].view(1, 33)[:, 2]) == of(VALUES[2:3])
