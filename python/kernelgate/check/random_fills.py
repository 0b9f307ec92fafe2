"""Large random fills of a module that is made again and again: the numbers of an earlier one are copied.

In: a constructor to run. Out: the very numbers, and the very state of the generator, that it would have had.
An `nn.Linear(8192, 8192)` draws 67 million numbers by one thread, which takes 0.4 s, and a run makes it 30 times from
the same seed. Only constructors that have been seen to take long are watched.
"""

from __future__ import annotations

import contextlib
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import torch

from kernelgate.check.operator_mode import OperatorMode

_LONG_S = 0.1  # a compiler's time is not in it
_LEAST_ELEMENTS = 1 << 20
_MOST_BYTES = 1 << 30
_FILLS = (torch.ops.aten.uniform_.default, torch.ops.aten.normal_.default)


class RandomFills:
    """Of one process: the numbers that its constructors drew, the latest ones within `_MOST_BYTES`.

    `long_s`: what a constructor takes, of its own thread, before those that follow are watched.
    """

    def __init__(self, long_s: float = _LONG_S) -> None:
        self._long_s = long_s
        self._takes_long = False
        self._drawn: OrderedDict[Any, tuple[torch.Tensor, torch.Tensor]] = OrderedDict()

    @contextlib.contextmanager
    def remembered(self) -> Iterator[None]:
        """Inside, one constructor runs."""
        began = time.thread_time()
        with _Watching(self._fill) if self._takes_long else contextlib.nullcontext():
            yield
        self._takes_long |= time.thread_time() - began > self._long_s

    def _fill(self, fill: Callable[..., Any], tensor: torch.Tensor, bounds: Sequence[Any]) -> torch.Tensor:
        """What `fill(tensor, *bounds)` does, which takes its numbers from the generator of the CPU."""
        key = (fill, tensor.shape, tensor.dtype, *bounds, torch.get_rng_state().numpy().tobytes())
        if key in self._drawn:
            numbers, state = self._drawn[key]
            self._drawn.move_to_end(key)
            tensor.copy_(numbers)
            torch.set_rng_state(state)
            return tensor
        fill(tensor, *bounds)
        self._drawn[key] = (tensor.detach().clone(), torch.get_rng_state())
        while sum(numbers.nbytes for numbers, _ in self._drawn.values()) > _MOST_BYTES:
            self._drawn.popitem(last=False)
        return tensor


class _Watching(OperatorMode):
    """Hands large random fills of the CPU to `fill`."""

    def __init__(self, fill: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self._fill = fill

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        if func in _FILLS and not kwargs and _is_large(args[0]):
            return self._fill(func, args[0], args[1:])
        return func(*args, **(kwargs or {}))


def _is_large(tensor: torch.Tensor) -> bool:
    """And plain: the order of the numbers follows from its shape alone."""
    plain = type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.is_contiguous()
    return plain and tensor.device.type == "cpu" and tensor.numel() >= _LEAST_ELEMENTS
