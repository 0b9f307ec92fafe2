"""PyTorch's operators that lose digits inside, as the operators that they are made of.

In: the arguments of one of `STEPS`, by its name in ATen. Out: its result, made by several operators. The formulas are
those of PyTorch's documentation of GELU, LogSoftmax, GRUCell, LSTMCell, Hardsigmoid and Hardswish. PyTorch's own
kernels of the last two hold 1/6 as a float32, also for float64, if it is off by 3e-8: backward on any device,
forward on a GPU.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch


def _gelu(x: torch.Tensor, *, approximate: str = "none") -> torch.Tensor:
    if approximate == "tanh":
        inner = torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x * x * x))
    else:
        inner = torch.erf(x * math.sqrt(0.5))
    return x * (inner + 1) * 0.5


def _log_softmax(x: torch.Tensor, dim: int, _half_to_float: bool) -> torch.Tensor:
    """Of a nearly certain class it is a small difference: the logarithm of a sum near 1."""
    if not x.numel():
        return x.clone()
    shifted = x - x.amax(dim, keepdim=True)
    return shifted - shifted.exp().sum(dim, keepdim=True).log()


def _gru_cell(
    from_input: torch.Tensor,
    from_state: torch.Tensor,
    state: torch.Tensor,
    input_bias: torch.Tensor | None = None,
    state_bias: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor]:
    """The next state, and the room that only a backward pass reads."""
    reset_x, update_x, new_x = _biased(from_input, input_bias).chunk(3, -1)
    reset_h, update_h, new_h = _biased(from_state, state_bias).chunk(3, -1)
    update = torch.sigmoid(update_x + update_h)
    new = torch.tanh(new_x + torch.sigmoid(reset_x + reset_h) * new_h)
    return new + update * (state - new), state.new_empty(0)


def _lstm_cell(
    from_input: torch.Tensor,
    from_state: torch.Tensor,
    cell: torch.Tensor,
    input_bias: torch.Tensor | None = None,
    state_bias: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """The next state and cell, and the room that only a backward pass reads."""
    gates = _biased(from_input, input_bias) + _biased(from_state, state_bias)
    enter, forget, new, out = gates.chunk(4, -1)
    cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(new)
    return torch.sigmoid(out) * torch.tanh(cell), cell, cell.new_empty(0)


def _biased(values: torch.Tensor, bias: torch.Tensor | None) -> torch.Tensor:
    return values if bias is None else values + bias


def _hardsigmoid(x: torch.Tensor) -> torch.Tensor:
    return (x + 3).clamp(0, 6) / 6


def _hardsigmoid_backward(gradient: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.where((x > -3) & (x < 3), gradient / 6, 0.0)


def _hardswish(x: torch.Tensor) -> torch.Tensor:
    return x * _hardsigmoid(x)


def _hardswish_backward(gradient: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    inside = torch.where(x < 3, gradient * (x / 3 + 0.5), gradient)
    return torch.where(x > -3, inside, 0.0)


STEPS: dict[str, Callable[..., Any]] = {
    "gelu": _gelu,
    "_log_softmax": _log_softmax,
    "_thnn_fused_gru_cell": _gru_cell,
    "_thnn_fused_lstm_cell": _lstm_cell,
    "hardsigmoid": _hardsigmoid,
    "hardsigmoid_backward": _hardsigmoid_backward,
    "hardswish": _hardswish,
    "hardswish_backward": _hardswish_backward,
}
