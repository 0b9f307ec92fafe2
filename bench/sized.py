"""A fork server whose time stage goes through many sizes and no other question: for `operators.py`, which starts it.

The inputs of each size are drawn here, strided where $SIZES_LAYOUT is "strided": every second element of memory twice
as large. One JSON object a size goes to the file in $SIZES_FILE. $SIZES_ELEMENTS may hold the sizes. Results are
verified as always.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

import kernelgate.judge.stages.time as timing
from kernelgate.judge.endings.device_memory import ran_out
from kernelgate.judge.endings.run_ended import OutOfMemory
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.stages.check import Checked
from kernelgate.judge.timing.lineup import Lineup
from kernelgate.processes import fork_server
from kernelgate.report.measured import Timing
from kernelgate.timing.sizes import Sized

# Elements: every power of two or so, and odd numbers between them.
SIZES = sorted({1, 3, 129, 1027, 100_003, 33_333_333, *(1 << n for n in range(8, 32))})
QUICK_SIZES = (1, 1027, 1 << 16, 1 << 20, 1 << 24, 1 << 28)
# Seconds for a comparison; a block of the larger ones takes longer.
POINT_S, LARGE_POINT_S, LARGE = 0.4, 2.0, 1 << 25
# Calls that follow each other and take longer than this are not held up by their launches, and not timed twice.
LAUNCH_BOUND = 1 << 24


class Drawn(Sized):
    """So many elements in memory of their own, contiguous or strided."""

    def of(self, inputs: Sequence[Any]) -> list[Any]:
        (like,) = inputs
        strided = os.environ["SIZES_LAYOUT"] == "strided"
        memory = torch.rand(self.elements * (1 + strided), dtype=like.dtype, device=like.device)
        return [memory[:: 1 + strided]]


def many_sizes(run: RunContext, checked: Checked, lineup: Lineup) -> Timing:
    stage = timing.TimeStage(run, checked, lineup)
    run.live.begin("time", 1)
    stage.prepare()
    with Path(os.environ["SIZES_FILE"]).open("a") as file:
        for elements in asked_sizes():
            try:
                stage.resize(Drawn(elements=elements, rows=None))
                row = _times(stage, elements)
            except Exception as exc:
                if not (ran_out(exc) or isinstance(exc, OutOfMemory)):
                    raise
                # The run would begin again at a smaller size of its own, and come to the same one here.
                print(json.dumps({"elements": elements, "not_timed": "out of memory"}), file=file, flush=True)
                break
            print(json.dumps({"elements": elements, **row}), file=file, flush=True)
    return stage.timing


def asked_sizes() -> Sequence[int]:
    """Those of $SIZES_ELEMENTS, or all, or with $SIZES_QUICK a few."""
    some = [int(word) for word in os.environ.get("SIZES_ELEMENTS", "").split()]
    return some or (QUICK_SIZES if os.environ.get("SIZES_QUICK") else SIZES)


def _times(stage: timing.TimeStage, elements: int) -> dict[str, Any]:
    """The ratio to eager PyTorch with its interval, cold and one after another."""
    row: dict[str, Any] = {}
    for cache_state in ("cold", "warm") if elements <= LAUNCH_BOUND else ("cold",):
        stage.compare("forward", cache_state, POINT_S if elements < LARGE else LARGE_POINT_S)
        taken = stage.timing
        found = next((s for s in taken.speeds if s.cache_state == cache_state), None)
        ours = next((r for r in taken.rows if (r.role, r.cache_state) == ("candidate", cache_state)), None)
        if found is not None and ours is not None:
            row[cache_state] = [found.ratio, found.low, found.high, found.band, found.verdict]
            row[f"{cache_state}_s"] = ours.median_s
    return row


if __name__ == "__main__":
    timing.time_candidate = many_sizes
    sys.exit(fork_server.main())
