"""How a gradient that arrives, or an input, may lie in memory: the same values, in other places.

In: a tensor. Out: another one; NotTried if it has too few dimensions for that. Not here: comparing (`training`).
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from kernelgate.check.nesting import is_floating
from kernelgate.judge.gates.gate_kind import NotTried

Layout = Callable[[torch.Tensor], torch.Tensor]


def _expanded(upstream: torch.Tensor) -> torch.Tensor:
    return torch.ones((), dtype=upstream.dtype, device=upstream.device).expand(upstream.shape)


def _turned(upstream: torch.Tensor) -> torch.Tensor:
    if upstream.dim() < 2:
        raise NotTried(None)
    return upstream.transpose(-1, -2).contiguous().transpose(-1, -2)


def turned_input(value: torch.Tensor) -> torch.Tensor:
    return _turned(value) if is_floating(value) and value.dim() > 1 and value.is_contiguous() else value


def _part(upstream: torch.Tensor) -> torch.Tensor:
    if upstream.dim() < 1:
        raise NotTried(None)
    wide = torch.full((*upstream.shape[:-1], 2 * upstream.shape[-1] + 1), float("nan"))
    part = wide.to(dtype=upstream.dtype, device=upstream.device)[..., 1::2]
    return part.copy_(upstream)


ARRIVING: dict[str, Layout] = {
    "expanded": _expanded,
    "transposed": _turned,
    "as a slice": _part,
}
