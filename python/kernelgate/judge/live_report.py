"""The report of one run as it grows: its stages, and when it was last sent to whoever asked for the run."""

from __future__ import annotations

import time

from kernelgate.messages.channel import Channel
from kernelgate.messages.job import Job, first_report
from kernelgate.report import Report, Stage, StageName
from kernelgate.report.shown_words import fill_shown_words

_UPDATE_S = 0.25


class Record:
    """The report as it grows, and when it was last sent."""

    def __init__(self, job: Job, client: Channel) -> None:
        self.report: Report = first_report(job)
        self._client = client
        self._started = time.monotonic()
        self._stage_started = self._started
        self._sent = 0.0

    def stage(self, name: StageName) -> Stage:
        return next(stage for stage in self.report.stages if stage.name == name)

    def begin(self, name: StageName, total: int) -> None:
        stage = self.stage(name)
        stage.state, stage.total = "running", total
        self._stage_started = time.monotonic()
        self.send()

    def end(self, name: StageName, *, passed: bool) -> None:
        stage = self.stage(name)
        stage.state = "passed" if passed else "failed"
        stage.seconds = time.monotonic() - self._stage_started
        self.report.progress = ""

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
