"""How a run ends early, as a small tree of exceptions inside the judge. Each carries what the report will say.

    RunEnded              a stage failed
        CandidateRaised   the candidate raised, and its worker can be called again
        OutOfMemory       its worker found no memory on the device
        NotJudged         nothing about the candidate, or no time left: the run ends whatever was tried
            TooLarge      the judge found no memory for its own work: the run may start again at a smaller size

What a worker's process did instead of answering is `processes.worker_handle.WorkerFailed`; `judge.endings.failures`
makes these of it. Not here: a wrong value (`judge.comparison.compare.WrongResult`), which a case or a gate may survive.
"""

from __future__ import annotations

from typing import TypeVar

from kernelgate.report import Failure, Finding, Place, StageName, VerdictKind, one_line
from kernelgate.report.wrong_results import Wrong

E = TypeVar("E", bound="RunEnded")
T = TypeVar("T", bound="NotJudged")


class RunEnded(Exception):
    """A stage failed. `sentence` is the verdict in words. Of this class itself: the candidate's worker is gone, or is
    not asked again. `cause`: the wrong result or the fault that it is, if it is one. `without_guess`: the place and
    the next step that a fix has replaced which may not be the cause."""

    def __init__(
        self, kind: VerdictKind, sentence: str, failure: Failure | None, cause: Wrong | Finding | None = None
    ) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.sentence = sentence
        self.failure = failure
        self.cause = cause
        self.changed_rows: dict[int, str] = {}
        """The lines of the program that were judged with other numbers than it has, as they were judged."""
        self.without_guess: tuple[Place | None, str] | None = None

    @classmethod
    def saying(
        cls: type[E], kind: VerdictKind, sentence: str, what: str, step: str,
        stage: StageName | None = None, where: Place | None = None,
    ) -> E:
        """With a failure that says what happened, and what to do."""
        failure = Failure(stage=stage, what=one_line(what, 600), where=where, next_step=one_line(step, 600))
        return cls(kind, one_line(sentence, 600), failure)


class CandidateRaised(RunEnded):
    """The candidate raised an exception; its worker lives, and can be called again. `by_driver`: the driver refused a
    call, and what it says has no line of the call."""

    by_driver = False


class OutOfMemory(RunEnded):
    """The worker found no memory on the device. The candidate may have taken it, or others on the same device.
    `words`: the message of the worker's exception, which nobody has checked."""

    def __init__(self, kind: VerdictKind, sentence: str, failure: Failure | None, words: str = "") -> None:
        super().__init__(kind, sentence, failure)
        self.words = words


class NotJudged(RunEnded):
    """It says nothing about the candidate: the machine lacks something, we made a mistake, or the time is over. No case
    and no gate survives it."""

    @classmethod
    def here(
        cls: type[T], why: str, what: str, next_step: str, stage: StageName | None = None, where: Place | None = None
    ) -> T:
        """Something other than the candidate keeps the run from judging. `why`: half a sentence."""
        return cls.saying("environment", f"Not run: {why}", what, next_step, stage, where)


class TooLarge(NotJudged):
    """At the size of the run there is too little memory for the judge, or for what the reference itself needs."""
