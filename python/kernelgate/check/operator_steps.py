"""PyTorch's operators that lose digits inside, as the operators that they are made of.

In: the arguments of one of `STEPS`, by its name in ATen. Out: its result, made by several operators. The formulas are
those of PyTorch's documentation of GELU, GRUCell and LSTMCell.
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


STEPS: dict[str, Callable[..., Any]] = {
    "gelu": _gelu,
    "_thnn_fused_gru_cell": _gru_cell,
    "_thnn_fused_lstm_cell": _lstm_cell,
}
