"""The sanitize stage, a memory check on the GPU itself: the candidate's forward call under compute-sanitizer.

In: a run on a GPU whose memory check was asked for. Out: `MemoryCheck`, and `RunEnded` where something was found that
decides the verdict. Only what happens in the program's own kernels counts: libraries answer for themselves.
Not here: emulation's memory check (`judge.stages.memory_check`); the tool (`tools.compute_sanitizer`).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait

from kernelgate.emulator import Fault
from kernelgate.judge.candidate.calls_apart import exact_sizes, replay_of
from kernelgate.judge.endings import findings
from kernelgate.judge.endings.run_ended import NotJudged, RunEnded
from kernelgate.judge.run_context import RunContext
from kernelgate.report import Failure, Finding, MemoryCheck, cut, one_line
from kernelgate.report.wrong_results import Wrong
from kernelgate.tools import compute_sanitizer
from kernelgate.tools.compute_sanitizer import TOOLS, Run, Tool

_MOST_FINDINGS = 24
_TELL_S = 0.25


def sanitize(run: RunContext) -> MemoryCheck | None:
    """At the size for emulation, by all tools. None if it is not asked for, or there is no GPU.

    Raises RunEnded if they find a fault although all values were right.
    """
    if not _wanted(run):
        return None
    look = _Look(run)
    look.run(TOOLS, small=True)
    for fault, found in look.found:
        if found.certain:
            raise RunEnded("fault", found.sentence, look.failure(fault), found)
    return look.memory_check


def with_place(run: RunContext, end: RunEnded) -> RunEnded:
    """The end of a run with the fault behind it, if nothing has named its place yet and a tool finds one.

    A call that the device has ended is made again at its own size.
    """
    failure = end.failure
    if not _wanted(run) or isinstance(end, NotJudged) or failure is None:
        return end
    if failure.where is not None and failure.where.line is not None:
        return end
    look = _Look(run)
    if end.kind == "fault":
        look.run(("memcheck", "synccheck"), small=False)
    elif isinstance(end.cause, Wrong):
        look.run(TOOLS, small=True)
    if look.found:
        fault, found = look.found[0]
        behind = look.failure(fault)
        failure.what = one_line(f"{found.sentence}. {failure.what}", 600)
        failure.where, failure.next_step = behind.where, behind.next_step
        failure.log, failure.log_lines = behind.log, behind.log_lines
    return end


def _wanted(run: RunContext) -> bool:
    return run.target.can_sanitize and bool(run.job.examine)


class _Look:
    """One look at the device's own work, and what it found, the certain first."""

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._logs: list[str] = []
        one_stream = not run.candidate.makes_streams
        self.memory_check = MemoryCheck(tool="compute-sanitizer", state="not run", one_stream=one_stream)
        self.found: list[tuple[Fault, Finding]] = []

    def run(self, tools: tuple[Tool, ...], *, small: bool) -> None:
        """`small`: at the size for emulation. What keeps it from looking is the memory check's note."""
        run, memory_check = self._run, self.memory_check
        run.live.show(sanitizer=memory_check)
        if compute_sanitizer.path() is None:
            memory_check.note = one_line(compute_sanitizer.MISSING, 600)
            return
        run.live.doing("Examining the kernels with compute-sanitizer")
        run.worker.close(shows=False)  # its memory is needed, and it has said all that it was asked
        try:
            reference = run.in_emulation() if small else run.reference
        except RunEnded as end:
            memory_check.note = one_line(end.sentence, 600)
            return
        runs = self._runs(tools, exact_sizes(run.job, reference))
        self._take(runs)
        over = [one.tool for one in runs if one.over]
        mute = [one.tool for one in runs if one.errors is None and not one.over]
        if self.found:
            memory_check.state = "found"
            memory_check.findings = [found for _fault, found in self.found][:_MOST_FINDINGS]
        elif mute:
            memory_check.note = one_line(f"{' and '.join(mute)} ended without a result", 600)
        elif over:
            limit = f"{run.job.limits.sanitize_s:g} s"
            memory_check.state, memory_check.note = "cut short", f"{' and '.join(over)} cut short after {limit}"
        else:
            memory_check.state = "clean"
            memory_check.note = one_line(f"{', '.join(tools)} on {reference.shape}", 600)

    def _runs(self, tools: tuple[Tool, ...], sizes: dict[str, int]) -> list[Run]:
        """Side by side: each spends most of its time on starting PyTorch."""
        run = self._run
        limit_s = run.job.limits.sanitize_s
        with (
            replay_of(run.job, sizes, run.target.index, run.seed) as replay,
            ThreadPoolExecutor(len(tools)) as pool,
        ):
            waiting = [
                pool.submit(
                    compute_sanitizer.run, name, replay.command, replay.environment, replay.folder, limit_s
                )
                for name in tools
            ]
            while wait(waiting, _TELL_S).not_done:
                run.live.tick()
            return [each.result() for each in waiting]

    def _take(self, runs: list[Run]) -> None:
        sources, candidate = self._run.worker.sources, self._run.candidate
        seen: set[tuple[str, str | None, int | None]] = set()
        for one in runs:
            own = [sources.in_the_text(fault) for fault in one.faults if sources.holds(fault)]
            if own:
                self._logs.append(one.log)
            for fault in own:
                place = (fault.kind, fault.kernel, fault.line)
                if place not in seen:
                    seen.add(place)
                    decides = fault.kind != "uninitialised"  # what is read may not be used
                    self.found.append(
                        (fault, findings.finding(candidate, fault, sources, "problem", decides=decides))
                    )
        self.found.sort(key=lambda each: not each[1].certain)

    def failure(self, fault: Fault) -> Failure:
        log = cut("\n".join(self._logs), 20_000)
        return findings.failure(self._run.candidate, fault, self._run.worker.sources, "check", log)
