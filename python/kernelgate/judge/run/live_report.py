"""The report of one run as it grows: its stages, and when it was last sent to the client.

In: what a stage is doing, and its part so far. Out: the report, at most four times a second. A stage that
ends the run leaves what it has shown; the pipeline writes what a stage returns. Not here: the verdict
(`judge.pipeline`).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from typing import Any

from kernelgate.messages.channel import Channel
from kernelgate.messages.first_report import first_report
from kernelgate.messages.job import Job
from kernelgate.report import Report, Stage, StageName, one_line
from kernelgate.report.shown_words import fill_shown_words

_UPDATE_S = 0.25
_OF_THE_STAGES = (
    "stages", "cases", "gates", "power", "build", "device_code", "memory_check", "sanitizer", "arithmetic", "precision",
    "error_map", "values", "timing", "profile",
)  # fmt: skip
"""The fields of a report that stages fill in."""


class LiveReport:
    """The report while the run goes on."""

    def __init__(self, job: Job, client: Channel) -> None:
        self.report: Report = first_report(job)
        self._job = job
        self._client = client
        self._started = time.monotonic()
        self._stage_started = self._started
        self._sent = 0.0

    def show(self, **parts: Any) -> None:
        """Puts a stage's part into the report, as far as it is known, by the names of the report's fields."""
        for name, part in parts.items():
            assert name in Report.__struct_fields__, name
            setattr(self.report, name, part)

    def start_again(self) -> None:
        """Takes back what the stages have shown: they run once more, at another size."""
        fresh = first_report(self._job)
        for name in _OF_THE_STAGES:
            setattr(self.report, name, getattr(fresh, name))

    def adopt(self, other: LiveReport) -> None:
        """Shows what another run of the same job has found."""
        for name in Report.__struct_fields__:
            setattr(self.report, name, getattr(other.report, name))

    def confined(self, held: list[str], missing: str) -> None:
        """What the candidate's process is kept from, and why not from more."""
        self.report.environment.confinement, self.report.environment.unconfined = held, missing

    def show_candidate(self, **parts: Any) -> None:
        """The same of what is known of the candidate, such as which operators of PyTorch its call was made of."""
        for name, part in parts.items():
            setattr(self.report.candidate, name, part)

    def confirmed(self, words: str) -> None:
        """What confirms a build that was made in a quicker way."""
        build = self.report.build
        if build is not None:
            build.compiler = one_line(f"{build.compiler}, {words}", 120)

    def doing(self, words: str, *, at_once: bool = False) -> None:
        """What the run is at. `at_once`: sent even if the last report is just out."""
        self.report.progress = words
        if at_once:
            self.send()
        else:
            self.tick()

    def step(self, name: StageName, words: str | None = None, *, at_once: bool = False) -> None:
        """One more of the stage's steps; `words`: what the run is at now."""
        self.stage(name).done += 1
        if words is not None:
            self.doing(words, at_once=at_once)

    def note(self, name: StageName, words: str) -> None:
        self.stage(name).note = one_line(words, 600)

    def stage(self, name: StageName) -> Stage:
        return next(stage for stage in self.report.stages if stage.name == name)

    def begin(self, name: StageName, total: int) -> None:
        stage = self.stage(name)
        stage.state, stage.total = "running", total
        self._stage_started = time.monotonic()
        self.send()

    def end(self, name: StageName) -> None:
        """All steps of a stage are done, and passed."""
        stage = self.stage(name)
        stage.state, stage.done = "passed", stage.total
        stage.seconds = time.monotonic() - self._stage_started
        self.report.progress = ""

    @contextlib.contextmanager
    def going_on(self, name: StageName) -> Iterator[None]:
        """A run that has its verdict is at this stage once more, and shows none meanwhile."""
        report, stage = self.report, self.stage(name)
        verdict, facts, state = report.verdict, report.facts, stage.state
        report.verdict, report.facts, stage.state = None, [], "running"
        yield
        report.verdict, report.facts, stage.state, report.progress = verdict, facts, state, ""

    def tick(self) -> None:
        """Sends the report, if the last time is long enough ago."""
        if time.monotonic() - self._sent >= _UPDATE_S:
            self.send()

    def send(self) -> None:
        self._sent = time.monotonic()
        self.report.elapsed_s = self._sent - self._started
        for stage in self.report.stages:
            if stage.state == "running":
                stage.seconds = self._sent - self._stage_started
        self._client.send(fill_shown_words(self.report))


class TrialReport(LiveReport):
    """The report of a trial beside a run. It is never sent: the run's own report says what the trial is doing."""

    def __init__(self, job: Job, shown: LiveReport, doing: str) -> None:
        super().__init__(job, shown._client)
        self._shown = shown
        self._words = doing

    def send(self) -> None:
        at = self.report.progress
        self._shown.doing(f"{self._words}: {at[:1].lower()}{at[1:]}" if at else self._words)
