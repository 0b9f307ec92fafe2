"""Operators in steps give what PyTorch's own operators give."""

from __future__ import annotations

import pytest
import torch
from catalogue.forked import run_forked

from kernelgate.check.tolerance.operator_kinds import STEPS
from kernelgate.check.tolerance.rounding import rounding_spread

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
