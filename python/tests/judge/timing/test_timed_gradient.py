"""A gradient of other inputs is found among timed ones, and a right one is never taken for it."""

from __future__ import annotations

import pytest
import torch

from judge.timing.test_timed_results import reference
from kernelgate.judge.timing.plausibility import gradient_agrees


def agrees(body: str, *, of_others: bool = False, times: float = 1.0) -> bool | None:
    own = reference(body)
    inputs = [own.own_inputs[0].clone()]
    given = [own.own_inputs[0].flip(0)] if of_others else inputs
    upstream = own.upstream(given)
    assert upstream is not None
    found = own.gradients(given, upstream, torch.float32)
    return gradient_agrees([one * times for one in found if one is not None], inputs, own)


CURVED = ["return F.leaky_relu(x)", "return x.sigmoid().sum()", "return F.max_pool1d(x, 2)", "return x.relu().norm()"]


@pytest.mark.parametrize("body", [*CURVED, "return x * 2", "return x.cumsum(1)"])
def test_the_gradient_of_the_inputs_agrees(body: str) -> None:
    assert agrees(body) is True
    assert agrees(body, times=1.001) is True


@pytest.mark.parametrize("body", CURVED)
def test_the_gradient_of_other_inputs_does_not(body: str) -> None:
    assert agrees(body, of_others=True) is False


@pytest.mark.parametrize("body", ["return F.softmax(x, 1)", "return F.layer_norm(x, (128,))", "return x.sign() * 1.0"])
def test_a_gradient_that_cancels_says_nothing(body: str) -> None:
    assert agrees(body, of_others=True) in (None, True)


def test_where_there_is_no_gradient_nothing_is_compared() -> None:
    own = reference("return x.argmax(1)")
    assert gradient_agrees([], own.own_inputs, own) is None


def test_a_gradient_that_is_missing_is_wrong() -> None:
    own = reference("return x.sigmoid().sum()")
    assert gradient_agrees([None], own.own_inputs, own) is False
    assert gradient_agrees([], own.own_inputs, own) is False


def test_a_gradient_that_depends_on_the_calls_before_is_not_compared() -> None:
    own = reference("self.n = getattr(self, 'n', 0) + 1; return x.sigmoid() * self.n")
    assert gradient_agrees([torch.zeros_like(own.own_inputs[0])], own.own_inputs, own) is None
