"""How many calls a block of samples has: enough to be precise, few enough for the programs to take turns often.
And how long it warms up before: until the device has nothing else to do."""

from __future__ import annotations

import math
from dataclasses import dataclass

from kernelgate.report.measured import CacheState

FEWEST_CALLS = 3
_LONG_CALL_S = 0.1
# Times the inputs: what programs and judge may have freed since the last block. The driver clears it in the background.
_FREED = 10
_CLEARED_BYTES_PER_S = 5e11  # on an H200


@dataclass(frozen=True)
class Block:
    """`calls`, `repeats` times."""

    calls: int
    repeats: int


@dataclass(frozen=True)
class SamplingPlan:
    """A block of cold calls takes `cold_s`, and one of calls that follow each other `batches` times `batch_s`: many
    short blocks are more precise than few long ones. Each block warms up for `least_settle_s` or more."""

    cold_s: float = 0.06
    most_cold_calls: int = 80
    batch_s: float = 0.01
    batches: int = 5
    most_calls: int = 400
    least_settle_s: float = 0.01

    def block(self, cache_state: CacheState, call_s: float) -> Block:
        """`call_s`: what one call takes."""
        cold = cache_state == "cold"
        seconds, most = (self.cold_s, self.most_cold_calls) if cold else (self.batch_s, self.most_calls)
        calls = min(most, math.ceil(seconds / max(call_s, 1e-6)))
        once = cold or call_s > _LONG_CALL_S  # long calls are precise as they are
        return Block(calls=max(FEWEST_CALLS, calls), repeats=1 if once else self.batches)

    def settle_s(self, input_bytes: int) -> float:
        """Seconds of warm-up calls. `input_bytes`: of the program's inputs, 0 where no memory was freed."""
        return self.least_settle_s + _FREED * input_bytes / _CLEARED_BYTES_PER_S


USUAL = SamplingPlan()
