"""Operators in steps give what PyTorch's own operators give."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from catalogue.forked import run_forked
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from kernelgate.check.tolerance.rounding import rounding_spread
from kernelgate.check.tolerance.steps import STEPS

X, H, C = torch.randn(3, 5, 4, generator=torch.Generator().manual_seed(1), dtype=torch.float64).split(1)


@pytest.mark.parametrize("approximate", ["none", "tanh"])
def test_gelu(approximate: str) -> None:
    right = torch.ops.aten.gelu(X, approximate=approximate)
    torch.testing.assert_close(STEPS["gelu"](X, approximate=approximate), right)


@pytest.mark.parametrize("dim", [0, -1])
def test_log_softmax(dim: int) -> None:
    step = STEPS["_log_softmax"]
    torch.testing.assert_close(step(X[0], dim, False), X[0].log_softmax(dim))
    assert step(X[0, :0], dim, False).shape == (0, 4)
    masked = X[0].masked_fill(X[0] > 0.5, -torch.inf)
    torch.testing.assert_close(step(masked, 0, False), masked.log_softmax(0), equal_nan=True)


def test_the_logarithm_of_a_nearly_certain_class_may_be_off_by_a_rounding_of_1() -> None:
    """Programs subtract the logarithm of the sum from what is left of the numbers, as PyTorch does."""
    x = torch.tensor([[10.0, 0.0, 1.0, -1.0]], dtype=torch.float64)
    right = x.log_softmax(-1)
    (spread,), _operators = rounding_spread(lambda: [x.log_softmax(-1)], [right], torch.float32, 1)
    assert -1e-3 < float(right[0, 0]) < 0 and float(spread[0, 0]) > 100 * abs(float(right[0, 0]))


@pytest.mark.parametrize("separate", [True, False])
def test_a_gru_cell(separate: bool) -> None:
    cell = torch.nn.GRUCell(4, 4).double()
    got = STEPS["_thnn_fused_gru_cell"](*_gates(cell, separate, H[0]))
    torch.testing.assert_close(got[0], cell(X[0], H[0]))


@pytest.mark.parametrize("separate", [True, False])
def test_an_lstm_cell(separate: bool) -> None:
    cell = torch.nn.LSTMCell(4, 4).double()
    got = STEPS["_thnn_fused_lstm_cell"](*_gates(cell, separate, C[0]))
    torch.testing.assert_close(got[:2], cell(X[0], (H[0], C[0])))


def _gates(cell: torch.nn.RNNCellBase, separate: bool, state: torch.Tensor) -> list[torch.Tensor]:
    """What the products give, and the biases apart from it or in it."""
    pairs = ((X[0] @ cell.weight_ih.t(), cell.bias_ih), (H[0] @ cell.weight_hh.t(), cell.bias_hh))
    if separate:
        return [pairs[0][0], pairs[1][0], state, pairs[0][1], pairs[1][1]]
    return [pairs[0][0] + pairs[0][1], pairs[1][0] + pairs[1][1], state]


class _InSteps(TorchDispatchMode):
    """Compares each operator that has steps with them, in what it returns and what it writes."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: set[str] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name, kwargs = func._schema.name.removeprefix("aten::"), kwargs or {}
        if name not in STEPS:
            return func(*args, **kwargs)
        self.seen.add(name)
        copies = [one.clone() if isinstance(one, torch.Tensor) else one for one in args]
        ours, theirs = STEPS[name](*copies, **kwargs), func(*args, **kwargs)
        torch.testing.assert_close(ours, theirs)
        torch.testing.assert_close(copies, list(args))
        return theirs


def test_variances_and_norms_are_those_of_pytorch() -> None:
    x = torch.randn(4, 6, 5, 7, generator=torch.Generator().manual_seed(2), dtype=torch.float64) + 0.3
    norms = [nn.LayerNorm([5, 7]), nn.LayerNorm(7, elementwise_affine=False), nn.GroupNorm(3, 6)]
    norms += [nn.GroupNorm(2, 6, affine=False), nn.BatchNorm2d(6), nn.BatchNorm2d(6).eval()]
    norms += [nn.BatchNorm2d(6, track_running_stats=False), nn.InstanceNorm2d(6, affine=True)]
    norms += [nn.InstanceNorm2d(6, track_running_stats=True)]
    with _InSteps() as steps, torch.no_grad():
        for norm in norms:
            norm.double()(x)
        assert [x.var(), x.var((1, 2), keepdim=True), x.std(-1, unbiased=False), x.std()]
        assert [torch.var_mean(x, 0), torch.std_mean(x, (0, 1))]
    names = {"native_layer_norm", "native_group_norm", "native_batch_norm", "var", "std", "var_mean"}
    assert names <= steps.seen


def test_a_variance_may_lose_digits_beside_a_large_mean() -> None:
    x = torch.randn(64, generator=torch.Generator().manual_seed(3), dtype=torch.float64) / 100 + 1
    (spread,), _operators = rounding_spread(lambda: [x.var()[None]], [x.var()[None]], torch.float32, 1)
    assert float(spread) > 100 * float(x.var())


@pytest.mark.parametrize("name", ["hardsigmoid", "hardswish"])
def test_the_hard_functions_and_their_gradients_are_those_of_pytorch(name: str) -> None:
    def agrees() -> None:
        x = torch.linspace(-4, 4, 161, dtype=torch.float64, requires_grad=True)  # -3 and 3 are among them
        right = getattr(torch.nn.functional, name)(x)
        torch.testing.assert_close(STEPS[name](x), right)
        gradient = torch.linspace(1, 2, 161, dtype=torch.float64)
        right.backward(gradient)
        ours = STEPS[f"{name}_backward"](gradient, x.detach())
        # PyTorch's own gradient has a sixth as a float32.
        torch.testing.assert_close(ours, x.grad, rtol=1e-7, atol=1e-7)

    run_forked(agrees)
