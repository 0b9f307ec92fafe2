"""A warm process whose time stage keeps the device busy: for `operators.py`, which starts it.

A block of calls that follow each other takes 0.4 s, long enough for a device to lower its clock to what its power
allows. Everything else is the product's.
"""

from __future__ import annotations

import sys

import kernelgate.judge.measured.stage as timing
from kernelgate.judge import warm
from kernelgate.judge.comparing import Comparer
from kernelgate.judge.judge import Judge
from kernelgate.judge.measured.pace import Pace
from kernelgate.judge.reference import Reference

SUSTAINED = Pace(batch_s=0.4, batches=1, most_calls=10_000)


def time_sustained(judge: Judge, reference: Reference, comparer: Comparer, device_index: int) -> None:
    stage = timing.TimeStage(judge, reference, comparer, device_index, SUSTAINED)
    try:
        stage.run()
    finally:
        stage.close()


if __name__ == "__main__":
    timing.time_candidate = time_sustained
    sys.exit(warm.main())
