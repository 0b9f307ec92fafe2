"""PyTorch's operators that lose digits inside, as the operators that they are made of, by their names in ATen.

The formulas are those of the documentation of GELU, LogSoftmax, GRUCell, LSTMCell, Hardsigmoid and Hardswish; PyTorch's
own kernels of the last two hold 1/6 as a float32, also for float64, if it is off by 3e-8: backward on any device,
forward on a GPU. A variance is taken in one pass, as most kernels for norms take it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
    gates = _biased(from_input, input_bias) + _biased(from_state, state_bias)
    enter, forget, new, out = gates.chunk(4, -1)
    cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(new)
    return torch.sigmoid(out) * torch.tanh(cell), cell, cell.new_empty(0)


def _in_one_pass(
    x: torch.Tensor, dims: Sequence[int], correction: float = 0.0
) -> tuple[torch.Tensor, torch.Tensor]:
    """Variance and mean, whose `dims` stay as 1: the mean square less the squared mean."""
    count = math.prod(x.shape[one] for one in dims)
    mean = x.mean(dims, keepdim=True)
    variance = ((x * x).mean(dims, keepdim=True) - mean * mean).clamp_min(0.0)
    return variance * (count / (count - correction) if count > correction else math.nan), mean


def _var_mean(
    x: torch.Tensor, dim: Sequence[int] | None = None, *, correction: float | None = None, keepdim: bool = False
) -> tuple[torch.Tensor, torch.Tensor]:
    dims = list(dim or range(x.dim()))
    both = _in_one_pass(x, dims, 1 if correction is None else correction)
    return both if keepdim else (both[0].squeeze(dims), both[1].squeeze(dims))


def _std_mean(*args: Any, **kwargs: Any) -> tuple[torch.Tensor, torch.Tensor]:
    variance, mean = _var_mean(*args, **kwargs)
    return variance.sqrt(), mean


def _layer_norm(
    x: torch.Tensor, shape: Sequence[int], weight: torch.Tensor | None, bias: torch.Tensor | None, eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    variance, mean = _in_one_pass(x, list(range(x.dim() - len(shape), x.dim())))
    rstd = (variance + eps).rsqrt()
    return _biased(_scaled((x - mean) * rstd, weight), bias), mean, rstd


def _group_norm(
    x: torch.Tensor, weight: Any, bias: Any, n: int, channels: int, size: int, groups: int, eps: float
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    grouped = x.reshape(n, groups, channels // groups * size)
    variance, mean = _in_one_pass(grouped, [2])
    rstd = (variance + eps).rsqrt()
    normal = ((grouped - mean) * rstd).reshape(x.shape)
    return _of_channels(normal, weight, bias), mean.squeeze(2), rstd.squeeze(2)


def _batch_norm(
    x: torch.Tensor,
    weight: torch.Tensor | None,
    bias: torch.Tensor | None,
    running_mean: torch.Tensor,
    running_var: torch.Tensor,
    training: bool,
    momentum: float,
    eps: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    if not training:
        scaled = _of_channels(_of_channels(x, None, -running_mean), (running_var + eps).rsqrt(), None)
        return _of_channels(scaled, weight, bias), x.new_empty(0), x.new_empty(0)
    dims = [one for one in range(x.dim()) if one != 1]
    variance, mean = _in_one_pass(x, dims)
    rstd = (variance + eps).rsqrt()
    if running_mean is not None:
        running_mean.lerp_(mean.flatten(), momentum)
        running_var.lerp_(_var_mean(x, dims)[0], momentum)
    return _of_channels((x - mean) * rstd, weight, bias), mean.flatten(), rstd.flatten()


def _of_channels(values: torch.Tensor, weight: torch.Tensor | None, bias: torch.Tensor | None) -> torch.Tensor:
    """Scaled and shifted, a number for each channel, which is dimension 1."""
    weight, bias = (one if one is None else one.reshape(-1, *[1] * (values.dim() - 2)) for one in (weight, bias))
    return _biased(_scaled(values, weight), bias)


def _scaled(values: torch.Tensor, weight: torch.Tensor | None) -> torch.Tensor:
    return values if weight is None else values * weight


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
    "var": lambda *args, **kwargs: _var_mean(*args, **kwargs)[0],
    "var_mean": _var_mean,
    "std": lambda *args, **kwargs: _std_mean(*args, **kwargs)[0],
    "std_mean": _std_mean,
    "native_layer_norm": _layer_norm,
    "native_group_norm": _group_norm,
    "native_batch_norm": _batch_norm,
}
