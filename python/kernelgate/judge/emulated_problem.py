"""The problem of a run on a GPU once more for emulation: on the CPU, at the size that emulation can afford.

In: a run. Out: its `Reference` there. Not here: running the candidate on it (`stages.memory_check`,
`stages.line_costs`).
"""

from __future__ import annotations

import msgspec

from kernelgate.backend.target import EMULATED
from kernelgate.judge.endings.run_ended import NotJudged
from kernelgate.judge.reference.reference import Reference
from kernelgate.judge.run_context import RunContext


def on_the_cpu(run: RunContext) -> Reference:
    """Raises RunEnded where there is no emulation."""
    from kernelgate.emulator import supported

    why = supported()
    if why is not None:
        raise NotJudged("environment", why, None)
    job = msgspec.structs.replace(run.job, shape=None, sizes={})
    reference = Reference(job, EMULATED.torch_device, run.seed, run.candidate)
    reference.assignment = run.reference.assignment
    return reference
