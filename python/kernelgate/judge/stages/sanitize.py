"""An examination of the candidate on the GPU itself: its forward call replayed under compute-sanitizer.

In: a run on a GPU whose examination was asked for. Out: `report.sanitizer`, and `RunEnded` where something was found
that decides the verdict. Only what happens in the program's own kernels counts: libraries answer for themselves.
Not here: emulation's memory check (`judge.stages.memory_check`); the tool (`tools.compute_sanitizer`).
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor, wait
from typing import TYPE_CHECKING

import msgspec
import torch

from kernelgate.judge import findings
from kernelgate.judge.reference import Reference
from kernelgate.judge.replay_call import exact_sizes, replay_of
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.run_ended import RunEnded
from kernelgate.report import Examination, Failure, Finding, cut, one_line
from kernelgate.tools import compute_sanitizer
from kernelgate.tools.compute_sanitizer import TOOLS, Run, Tool

if TYPE_CHECKING:
    from kernelgate.emulator import Fault

_MOST_FINDINGS = 24
_TELL_S = 0.25


class Sanitizing:
    """The same run as the examiner's."""

    def __init__(self, judge: RunContext, reference: Reference, device: tuple[str, int]) -> None:
        self._judge = judge
        self._reference = reference
        self._wanted = device[0] == "cuda" and bool(judge.job.examine)
        self._index = device[1]
        self._found: list[tuple[Fault, Finding]] = []
        self._logs: list[str] = []

    def after_a_pass(self) -> None:
        """At the size for emulation, by all tools. Raises RunEnded where they find a fault although all values were
        right."""
        if not self._wanted:
            return
        self._run(TOOLS, small=True)
        for fault, found in self._found:
            if found.certain:
                raise RunEnded("fault", found.sentence, self._failure(fault))

    def explained(self, end: RunEnded) -> RunEnded:
        """The end of a run with the fault behind it, where nothing has named its place yet and a tool finds one. A call
        that the device has ended is made again at its own size."""
        failure = end.failure
        if not self._wanted or end.ends_run or failure is None:
            return end
        if failure.where is not None and failure.where.line is not None:
            return end
        if end.kind == "fault":
            self._run(("memcheck", "synccheck"), small=False)
        elif end.kind == "wrong" and end.sentence.startswith("Wrong result"):
            self._run(TOOLS, small=True)
        if self._found:
            fault, found = self._found[0]
            told = self._failure(fault)
            failure.what = one_line(f"{found.sentence}. {failure.what}", 600)
            failure.where, failure.next_step = told.where, told.next_step
            failure.log, failure.log_lines = told.log, told.log_lines
        return end

    def _run(self, tools: tuple[Tool, ...], *, small: bool) -> None:
        report = self._judge.report
        report.sanitizer = examination = Examination(tool="compute-sanitizer", state="not run")
        if compute_sanitizer.path() is None:
            examination.note = one_line(compute_sanitizer.MISSING, 600)
            return
        report.progress = "Examining the kernels with compute-sanitizer"
        self._judge.record.tick()
        self._judge.end_worker()  # its memory is needed, and it has said all that it was asked
        try:
            reference = self._small() if small else self._reference
        except RunEnded as end:
            examination.note = one_line(end.sentence, 600)
            return
        runs = self._runs(tools, exact_sizes(self._judge.job, reference))
        self._take(runs)
        over = [run.tool for run in runs if run.over]
        mute = [run.tool for run in runs if run.errors is None and not run.over]
        if self._found:
            examination.state = "found"
            examination.findings = [found for _fault, found in self._found][:_MOST_FINDINGS]
        elif mute:
            examination.note = one_line(f"{' and '.join(mute)} ended without a result", 600)
        elif over:
            limit = f"{self._judge.job.limits.sanitize_s:g} s"
            examination.state, examination.note = "cut short", f"{' and '.join(over)} cut short after {limit}"
        else:
            examination.state = "clean"
            examination.note = one_line(f"{', '.join(tools)} on {reference.shape}", 600)

    def _small(self) -> Reference:
        """The same problem, at the size for emulation. Raises RunEnded where the reference cannot be had there."""
        job = msgspec.structs.replace(self._judge.job, shape=None, sizes={})
        return Reference(job, torch.device("cpu"), self._judge.seed)

    def _runs(self, tools: tuple[Tool, ...], sizes: dict[str, int]) -> list[Run]:
        """Side by side: each spends most of its time on starting PyTorch."""
        job, limit_s = self._judge.job, self._judge.job.limits.sanitize_s
        with (
            replay_of(job, sizes, self._index, self._judge.seed) as replay,
            ThreadPoolExecutor(len(tools)) as pool,
        ):
            waiting = [
                pool.submit(compute_sanitizer.run, name, replay.command, replay.environment, replay.folder, limit_s)
                for name in tools
            ]
            while wait(waiting, _TELL_S).not_done:
                self._judge.record.tick()
            return [each.result() for each in waiting]

    def _take(self, runs: list[Run]) -> None:
        sources, candidate = self._judge.sources, self._judge.candidate
        seen: set[tuple[str, str | None, int | None]] = set()
        for run in runs:
            own = [sources.in_the_text(fault) for fault in run.faults if sources.holds(fault)]
            if own:
                self._logs.append(run.log)
            for fault in own:
                place = (fault.kind, fault.kernel, fault.line)
                if place not in seen:
                    seen.add(place)
                    decides = fault.kind != "uninitialised"  # what is read may not be used
                    self._found.append(
                        (fault, findings.finding(candidate, fault, sources, "problem", decides=decides))
                    )
        self._found.sort(key=lambda each: not each[1].certain)

    def _failure(self, fault: Fault) -> Failure:
        log = cut("\n".join(self._logs), 20_000)
        return findings.failure(self._judge.candidate, fault, self._judge.sources, "check", log)
