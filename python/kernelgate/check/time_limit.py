"""A limit to the time of PyTorch's own operators, which looks at the clock before each of them.

Not here: a single operator that takes long, which nothing in this process can end.
"""

from __future__ import annotations

import time
from typing import Any

from kernelgate.check.operator_mode import OperatorMode


class TakesTooLong(Exception):
    """The time is over."""


class time_limit(OperatorMode):
    """Within it, an operator that begins after `seconds` raises TakesTooLong; also in a backward pass on the CPU."""

    def __init__(self, seconds: float) -> None:
        super().__init__()
        self._until = time.monotonic() + seconds

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if time.monotonic() > self._until:
            raise TakesTooLong("PyTorch's operators take too long")
        return func(*args, **(kwargs or {}))
