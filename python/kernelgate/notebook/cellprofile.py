"""`%%kernelgate profile` on a cell of Python: what the cell did on the device. The cell runs as it always does.

In: the cell's text and the shell. Out: a report with a profile and no judgement. The cell runs here, in the notebook's
kernel; what it prints and what it raises stay as they are.
"""

from __future__ import annotations

import hashlib
import platform
import time
from collections.abc import Callable, Sequence
from datetime import datetime, timezone
from typing import Any

from kernelgate.profiling.events import TraceEvent
from kernelgate.report import (
    Candidate,
    Device,
    Environment,
    Problem,
    Profile,
    Report,
    Stage,
    Verdict,
    numbers,
    one_line,
)
from kernelgate.report.shown_words import fill_shown_words
from kernelgate.run import UsageError, new_run_id
from kernelgate.version import __version__

PROGRAM = "this cell"


def profile_cell(text: str, label: str, cell_id: str | None, run: Callable[[], Any]) -> tuple[Report, Any]:
    """Traces `run`, which executes the cell; the report, and what `run` gave. Raises UsageError without PyTorch."""
    try:
        import torch

        from kernelgate.profiling.trace import tracing
    except (ImportError, OSError) as exc:
        raise UsageError(
            f"PyTorch cannot be imported in this kernel: {exc}", "Install it with pip install torch"
        ) from None
    on_gpu = torch.cuda.is_available()
    if on_gpu:
        torch.cuda.reset_peak_memory_stats()
    began = time.perf_counter()
    with tracing(device=on_gpu) as traced:
        given = run()
        took_s = time.perf_counter() - began
    profile = _profile(traced.events, traced.left_out, on_gpu)
    if on_gpu:
        profile.peak_bytes = int(torch.cuda.max_memory_allocated())
    report = Report(
        run=new_run_id(),
        state="finished",
        created=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        elapsed_s=took_s,
        title=one_line(label, 120),
        verb="profile",
        problem=Problem(id="cell", name=one_line(label, 120), shape="", dtype=""),
        candidate=Candidate(
            label=one_line(label, 120),
            cell_id=cell_id,
            source_sha256=hashlib.sha256(text.encode(errors="replace")).hexdigest(),
            lines=text.count("\n") + 1,
            language="python",
        ),
        device=_device(on_gpu),
        verdict=Verdict(outcome="not run", kind="profiled", sentence=_sentence(profile, took_s, on_gpu)),
        stages=[Stage(name="profile", state="passed", done=1, total=1, seconds=took_s)],
        profile=profile,
        environment=Environment(
            kernelgate=__version__,
            python=platform.python_version(),
            torch=one_line(torch.__version__, 120),
            cuda=one_line(torch.version.cuda or "", 120),
        ),
    )
    return fill_shown_words(report), given


def _profile(events: Sequence[TraceEvent], left_out: int, on_gpu: bool) -> Profile:
    from kernelgate.judge.timing.kernel_facts import add_bars, kernel_facts, operator_facts

    profile = Profile(left_out=left_out)
    if not on_gpu:
        outer = _outermost([event for event in events if event.kind == "operator"])
        add_bars(profile, PROGRAM, "forward", outer)
        profile.kernels = operator_facts(PROGRAM, outer)
        profile.note = "no GPU here: PyTorch's operators on the CPU"
        return profile
    import torch

    properties = torch.cuda.get_device_properties(torch.cuda.current_device())
    add_bars(profile, PROGRAM, "forward", [event for event in events if event.kind != "operator"])
    profile.kernels = kernel_facts(
        PROGRAM,
        "forward",
        events,
        [],
        f"sm_{properties.major}{properties.minor}",
        properties.multi_processor_count,
    )[:64]
    return profile


def _outermost(events: Sequence[TraceEvent]) -> list[TraceEvent]:
    """The operators that no other operator called."""
    found: list[TraceEvent] = []
    for event in events:  # in the order of their start
        if not found or event.start_s >= found[-1].start_s + found[-1].seconds:
            found.append(event)
    return found


def _sentence(profile: Profile, took_s: float, on_gpu: bool) -> str:
    count = sum(facts.calls for facts in profile.kernels)
    busy = sum(facts.seconds for facts in profile.kernels)
    things = ("kernel launch", "kernel launches") if on_gpu else ("operator", "operators")
    words = f"Profiled: {numbers.counted(count, *things)}"
    words += f", {numbers.duration(busy)} of {numbers.duration(took_s)}"
    if profile.peak_bytes:
        words += f", at most {numbers.size(profile.peak_bytes)} of device memory"
    return words


def _device(on_gpu: bool) -> Device:
    import torch

    if not on_gpu:
        return Device(kind="none", name="the CPU")
    return Device(kind="cuda", name=one_line(torch.cuda.get_device_name(), 120))
