"""How a run ends early, as an exception inside the judge. It carries what the report will say."""

from __future__ import annotations

from kernelgate.report import Failure, VerdictKind


class RunEnded(Exception):
    """A stage failed. `sentence` is the verdict in words.

    `worker_lives`: the candidate raised, and can be called again. `ends_run`: it says nothing about the candidate, or
    leaves no time to go on.
    """

    def __init__(
        self,
        kind: VerdictKind,
        sentence: str,
        failure: Failure | None,
        *,
        worker_lives: bool = False,
        ends_run: bool = False,
    ) -> None:
        super().__init__(sentence)
        self.kind = kind
        self.sentence = sentence
        self.failure = failure
        self.worker_lives = worker_lives
        self.ends_run = ends_run or kind in ("environment", "internal", "cancelled")


class OutOfMemory(RunEnded):
    """The worker found no memory on the device: the candidate's doing, or that of others on the same device."""
