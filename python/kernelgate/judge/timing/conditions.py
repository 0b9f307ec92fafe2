"""What the device was like while programs were timed: clocks, temperature, power, and who else used it.

In: a `Watch` that has been read along the way. Out: the conditions in a `Timing`. They decide nothing.
"""

from __future__ import annotations

import os

from kernelgate.judge.run_context import RunContext
from kernelgate.judge.timing.lineup import Lineup
from kernelgate.timing.nvml import Watch


def note_conditions(run: RunContext, lineup: Lineup, watch: Watch) -> None:
    """Writes into the lineup's timing; reads the watch once more."""
    timing = lineup.timing
    if watch.silent:
        lineup.note(f"clocks and temperature are not known: {watch.silent}")
        return
    if watch.clocks_mhz:
        timing.sm_clock_mhz = [min(watch.clocks_mhz), max(watch.clocks_mhz)]
    timing.temperature_c, timing.power_w = watch.temperature_c, watch.power_w
    ours = {os.getpid(), run.worker.pid or 0, *lineup.pids}
    watch.read(ours)
    strangers = watch.others - ours
    if strangers:
        timing.disturbed = f"{len(strangers)} other process{'es' * (len(strangers) > 1)} used this GPU"
    if watch.power_capped:
        lineup.note("the device lowered its clock to stay within its power limit")
