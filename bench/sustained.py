"""A fork server whose time stage keeps the device busy: for `operators.py`, which starts it.

A block of calls that follow each other takes 0.4 s, long enough for a device to lower its clock to what its power
allows. Cold calls, these, and the training step are compared; everything else is the product's.
"""

from __future__ import annotations

import sys

import kernelgate.judge.stages.time as timing
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.stages.check import Checked
from kernelgate.judge.timing.lineup import Lineup
from kernelgate.judge.timing.programs_under_test import SamplingPlan
from kernelgate.processes import fork_server
from kernelgate.report.measured import Timing

SUSTAINED = SamplingPlan(batch_s=0.4, batches=1, most_calls=10_000)
# Seconds for a comparison, of which the sustained one takes at least four groups of four blocks.
COLD_S, SUSTAINED_S = 4.0, 7.0


def time_sustained(run: RunContext, checked: Checked, lineup: Lineup) -> Timing:
    stage = timing.TimeStage(run, checked, lineup, SUSTAINED)
    run.live.begin("time", 1)
    differentiable = any(gate.name == "gradient" and gate.outcome == "pass" for gate in checked.gates.rows())
    stage.prepare()
    stage.compare("forward", "cold", COLD_S)
    stage.compare("forward", "warm", SUSTAINED_S)
    if differentiable:
        stage.compare("training step", "cold", COLD_S)
    stage.note_conditions()
    return stage.timing


if __name__ == "__main__":
    timing.time_candidate = time_sustained
    sys.exit(fork_server.main())
