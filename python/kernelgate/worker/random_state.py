"""The state of random generators, of PyTorch, Python and NumPy: whether a call has drawn from them.

In: nothing. Out: each generator's state by its name, of those that are in use. NumPy's is looked at where it is loaded:
importing it would take longer than a call.
"""

from __future__ import annotations

import ctypes
import random
import sys

import torch

_get_state = torch._C.Generator.get_state
_python_state = random.getstate

RandomState = dict[str, object]


def random_state() -> RandomState:
    """The states at this moment."""
    generators = [torch.default_generator, *torch.cuda.default_generators]
    states: RandomState = {f"torch {number}": _bytes(_get_state(one)) for number, one in enumerate(generators)}
    states["python"] = _python_state()
    numpy = sys.modules.get("numpy.random")
    if numpy is not None:
        states["numpy"] = _comparable(numpy.get_state(legacy=False))
    return states


def has_drawn(before: RandomState) -> bool:
    """Whether a generator that was in use `before` has drawn or been seeded since, and not been put back."""
    now = random_state()
    return any(now.get(name, state) != state for name, state in before.items())


def _comparable(state: object) -> object:
    """A state of NumPy's, whose arrays do not compare to one truth; which ones it has depends on the generator."""
    if isinstance(state, dict):
        return {key: _comparable(value) for key, value in state.items()}
    return state.tobytes() if hasattr(state, "tobytes") else state


def _bytes(state: torch.Tensor) -> bytes:
    return ctypes.string_at(state.data_ptr(), state.numel())
