"""A row of an evaluation: one candidate, and what became of it."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from kernelgate.report import Report
from kernelgate.report.record import Name, Record, Words

ROW_VERSION = 1
_NOT_JUDGED = ("internal", "cancelled", "environment")


class Row(Record, kw_only=True):
    """`key`: of the question, so that the same one is not asked again. `error`: why there is no report.
    `source`: what it is called where it comes from. `file`: where its text lies, if in one."""

    schema: Annotated[int, Meta(ge=1, le=2**31 - 1)] = ROW_VERSION
    key: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    name: Annotated[str, Meta(max_length=400)]
    problem: Name = ""
    attempts: Annotated[int, Meta(ge=0, le=9)] = 1
    error: Words = ""
    source: dict[str, Any] = msgspec.field(default_factory=dict)
    file: Annotated[str, Meta(max_length=4096)] = ""
    report: Report | None = None

    @property
    def is_judged(self) -> bool:
        """Whether it need not be asked again. A run that the machine did not allow, or that ended without a verdict of
        its own, is."""
        verdict = None if self.report is None else self.report.verdict
        return verdict is not None and verdict.kind not in _NOT_JUDGED

    @property
    def outcome(self) -> str:
        """ "pass", "fail", "unclear", "not run", or "no result"."""
        verdict = None if self.report is None else self.report.verdict
        return "no result" if verdict is None or verdict.kind == "internal" else verdict.outcome

    @property
    def is_lucky(self) -> bool:
        """Whether it passes at the size that was asked for, and is out of bounds at others."""
        verdict = None if self.report is None else self.report.verdict
        return verdict is not None and verdict.strays

    @property
    def words(self) -> str:
        """What became of it, in a few words."""
        verdict = None if self.report is None else self.report.verdict
        return self.error or (verdict.short or verdict.sentence if verdict is not None else "")

    @property
    def seconds(self) -> float:
        return 0.0 if self.report is None else self.report.elapsed_s
