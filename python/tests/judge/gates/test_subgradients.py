"""Beside the kink of an activation either side's gradient is right, and that of another formula is. Nothing else is."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from kernelgate.check.autograd import Differentiating
from kernelgate.check.autograd import gradients as autograd
from kernelgate.judge.gates.gate_kind import DoesNotHold
from kernelgate.judge.gates.subgradients import Differentiation, rounding_tolerance, subgradient_tolerance
from kernelgate.judge.gates.training import compare_gradient
from kernelgate.judge.reference.reference import Reference
from kernelgate.run import Job, new_run_id

ROWS, FEATURES, MULTIPLIER, SLOPE = 8, 256, 2.0, 0.1
KINK = (3, 5)


@pytest.fixture(scope="module")
def reference() -> Reference:
    """Linear, multiply, LeakyReLU."""
    job = Job(
        run=new_run_id(),
        text="",
        label="model_new.py",
        problem="gemm_scale_leakyrelu",
        shape=(ROWS, FEATURES, FEATURES),
    )
    return Reference.of(job, torch.device("cpu"), seed=1)


def at_a_kink(reference: Reference) -> torch.Tensor:
    """Inputs of which one output is zero but for rounding."""
    gemm = reference.module(torch.float64).gemm
    weight, bias = gemm.weight.detach(), gemm.bias.detach()
    x = torch.randn(ROWS, FEATURES, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    row, column = KINK
    for _ in range(3):
        above = weight[column] @ x[row] + bias[column]
        x[row] -= above / weight[column].square().sum() * weight[column]
        x = x.float().double()
    return x.float()


def gradients(reference: Reference, x: torch.Tensor, upstream: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Of the input, in float32 and in float64."""
    found = [reference.gradients([x], upstream, dtype)[0] for dtype in (torch.float32, torch.float64)]
    assert found[0] is not None and found[1] is not None
    return found[0], found[1]


def other_side(reference: Reference, upstream: torch.Tensor) -> torch.Tensor:
    """What the gradient of the input gains, if the output at the kink is taken for negative instead of positive."""
    row, column = KINK
    weight = reference.module(torch.float64).gemm.weight.detach()
    gained = torch.zeros(ROWS, FEATURES, dtype=torch.float64)
    gained[row] = (SLOPE - 1) * MULTIPLIER * upstream[row, column] * weight[column]
    return gained


def allowed(reference: Reference, x: torch.Tensor, upstream: torch.Tensor) -> torch.Tensor:
    value = reference.call(reference.module(torch.float32), [x])
    wide = reference.gradients([x], upstream, torch.float64)
    moved = subgradient_tolerance(Differentiation(reference, [x], upstream, wide), value)[0]
    assert moved is not None
    return moved


def test_only_the_row_of_the_kink_moves_and_by_what_the_other_side_differs(reference: Reference) -> None:
    x = at_a_kink(reference)
    upstream = torch.randn(ROWS, FEATURES, generator=torch.Generator().manual_seed(3))
    _right, wide = gradients(reference, x, upstream)
    moved = allowed(reference, x, upstream)
    gained = other_side(reference, upstream).abs()
    assert torch.allclose(moved[KINK[0]], gained[KINK[0]], rtol=1e-6, atol=0.0)
    moved[KINK[0]] = 0
    assert float(moved.max()) <= 1e-9 * float(wide.abs().max())


def test_a_gradient_of_the_other_side_of_a_kink_passes_and_one_that_is_wrong_there_or_elsewhere_does_not(
    reference: Reference,
) -> None:
    x = at_a_kink(reference)
    upstream = torch.randn(ROWS, FEATURES, generator=torch.Generator().manual_seed(3))
    right, wide = gradients(reference, x, upstream)
    positive = reference.call(reference.module(torch.float64), [x.double()])[KINK] > 0
    other = (wide + other_side(reference, upstream) * (1 if positive else -1)).float()
    if float((right.double() - wide).abs().max()) > 1e-4:
        right = wide.float()  # float32 has taken the other side itself

    def compare(got: torch.Tensor) -> None:
        compare_gradient(got, right, wide, "of the input", lambda: allowed(reference, x, upstream))

    compare(right)
    compare(other)
    off = float((other.double() - wide).abs().max())
    there, elsewhere = right.clone(), right.clone()
    there[KINK[0]] += 4 * off
    elsewhere[KINK[0] + 1] += off
    for wrong in (there, elsewhere, right * float("nan")):
        with pytest.raises(DoesNotHold, match="the gradient of the input is off by"):
            compare(wrong)


def test_nothing_is_asked_of_kinks_where_a_gradient_is_near(reference: Reference) -> None:
    x = torch.randn(ROWS, FEATURES, generator=torch.Generator().manual_seed(4))
    right, wide = gradients(reference, x, torch.ones(ROWS, FEATURES))

    def asked() -> torch.Tensor:
        raise AssertionError("asked")

    compare_gradient(right * (1 + 2**-22), right, wide, "of the input", asked)


def test_where_autograds_own_gradient_is_not_finite_nothing_finite_is_asked() -> None:
    right, wide = torch.tensor([1.0, math.inf, 3.0]), torch.tensor([1.0, 2e40, 3.0], dtype=torch.float64)
    for overflowed in (math.inf, math.nan):
        compare_gradient(torch.tensor([1.0, overflowed, 3.0]), right, wide, "of the input", lambda: None)
    with pytest.raises(DoesNotHold):
        compare_gradient(torch.tensor([1.0, math.inf, math.inf]), right, wide, "of the input", lambda: None)


class _Cumulative(torch.nn.Module):
    """Its gradient is a small difference of long sums, which another formula rounds otherwise."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.softmax(x, -1).cumsum(-1)

    def gradients(
        self, inputs: list[torch.Tensor], upstream: torch.Tensor, dtype: torch.dtype, find: Differentiating
    ) -> list[torch.Tensor | None]:
        """As a `Reference` does."""
        return find(self, [value.to(dtype) for value in inputs], upstream.to(dtype))[1]


class _ByAnotherFormula(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        powers = (x - x.amax(-1, keepdim=True)).exp()
        return (powers / powers.sum(-1, keepdim=True)).cumsum(-1)


def _of_input(module: torch.nn.Module, x: torch.Tensor, upstream: torch.Tensor) -> torch.Tensor:
    found = autograd(module, [x], upstream)[1][0]
    assert found is not None
    return found


def _refused(got: torch.Tensor, x: torch.Tensor, upstream: torch.Tensor, *, rounding: bool = True) -> bool:
    own: Any = _Cumulative()
    right, wide = (_of_input(own, x.to(kind), upstream.to(kind)) for kind in (torch.float32, torch.float64))

    def allowed() -> torch.Tensor | None:
        return rounding_tolerance(Differentiation(own, [x], upstream, [wide]), torch.float32)[0] if rounding else None

    try:
        compare_gradient(got, right, wide, "of the input", lambda: None, rounding=allowed)
    except DoesNotHold:
        return True
    return False


def test_another_formula_whose_gradient_cancels_passes_and_wrong_gradients_do_not() -> None:
    refused_before = 0
    for seed in range(8):
        generator = torch.Generator().manual_seed(seed)
        x, upstream = (torch.randn(16, 1000, generator=generator) for _ in range(2))
        honest = _of_input(_ByAnotherFormula(), x, upstream)
        assert not _refused(honest, x, upstream)
        refused_before += _refused(honest, x, upstream, rounding=False)
        dropped_term = torch.softmax(x, -1) * upstream.flip(-1).cumsum(-1).flip(-1)
        wrong_axis = honest.flip(-1)
        for wrong in (honest * 1.001, dropped_term, wrong_axis, honest * float("nan")):
            assert _refused(wrong, x, upstream)
    assert refused_before, "these inputs no longer show what the allowance is for"
