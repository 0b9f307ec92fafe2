"""The report that a run starts from. In: a `Job`. Out: a `Report` in which nothing has happened yet."""

from __future__ import annotations

import hashlib
import platform
from datetime import datetime, timezone

from kernelgate.messages.job import Job, Verb
from kernelgate.report import Candidate, Device, Environment, Problem, Report, Stage, StageName, one_line
from kernelgate.version import __version__

_STAGES: dict[Verb, tuple[StageName, ...]] = {
    "verify": ("build", "check"),
    "benchmark": ("build", "check", "time"),
    "profile": ("build", "check", "time", "profile"),
}


def first_report(job: Job) -> Report:
    """The report of a run that has not begun."""
    operator = job.operator
    name = operator.name if operator is not None else job.reference_label
    source = job.text.encode(errors="replace")
    return Report(
        run=job.run,
        state="running",
        created=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        title=title(job, name),
        contract=job.contract,
        problem=Problem(
            id=one_line(job.problem or job.reference_label, 120),
            name=one_line(name, 120),
            replaces=operator.replaces if operator is not None else "",
            shape="",
            dtype=job.dtype,
        ),
        candidate=Candidate(
            label=one_line(job.label, 120),
            cell_id=one_line(job.cell_id, 120) if job.cell_id is not None else None,
            source_sha256=hashlib.sha256(source).hexdigest(),
            lines=job.text.count("\n") + 1,
            language="python",
            ours=job.ours,
        ),
        device=Device(kind="none", name="no device"),
        verb=job.verb,
        stages=[Stage(name=name, state="waiting") for name in _STAGES[job.verb]],
        environment=Environment(
            kernelgate=__version__,
            python=platform.python_version(),
            platform=f"{platform.system()} {platform.machine()}",
        ),
    )


def title(job: Job, problem: str) -> str:
    """What a report is about: the problem, and that the program is ours if it is."""
    return one_line(f"our program: {problem}" if job.ours else problem, 120)
