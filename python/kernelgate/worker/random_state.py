"""The state of PyTorch's random generators: whether a call has drawn from them.

In: nothing. Out: the state as bytes, of the CPU's generator and of every GPU's that is in use.
"""

from __future__ import annotations

import ctypes

import torch

_get_state = torch._C.Generator.get_state


def random_state() -> list[bytes]:
    """Equal to an earlier one where nothing has been drawn or seeded since, or all of that was put back."""
    generators = [torch.default_generator, *torch.cuda.default_generators]
    return [_bytes(_get_state(one)) for one in generators]


def _bytes(state: torch.Tensor) -> bytes:
    return ctypes.string_at(state.data_ptr(), state.numel())
