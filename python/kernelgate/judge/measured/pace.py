"""How many calls a block of samples has: enough to say something, few enough for the programs to take turns often."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kernelgate.report.measured import Circumstance

FEWEST_CALLS = 3
_SHORT_S = 200e-6  # calls shorter than this wait until the host has launched them


@dataclass(frozen=True)
class Block:
    """`calls`, `repeats` times; `delay`: each call waits until the host has launched all of it."""

    calls: int
    repeats: int
    delay: bool


@dataclass(frozen=True)
class Pace:
    """A block of cold calls takes `cold_s`, and one of calls that follow each other `batches` times `batch_s`: many
    short blocks say more than few long ones. After a pause, calls that do not count take `settle_s`."""

    cold_s: float = 0.06
    most_cold_calls: int = 80
    batch_s: float = 0.01
    batches: int = 5
    most_calls: int = 400
    settle_s: float = 0.06

    def block(self, circumstance: Circumstance, call_s: float) -> Block:
        """`call_s`: what one call takes."""
        cold = circumstance == "cold"
        seconds, most = (self.cold_s, self.most_cold_calls) if cold else (self.batch_s, self.most_calls)
        calls = min(most, math.ceil(seconds / max(call_s, 1e-6)))
        return Block(
            calls=max(FEWEST_CALLS, calls), repeats=1 if cold else self.batches, delay=call_s < _SHORT_S
        )


USUAL = Pace()
