"""What a gate is, and the way out for one that cannot be tried."""

from __future__ import annotations

from dataclasses import dataclass

from kernelgate.report import Contract


@dataclass(frozen=True)
class GateKind:
    """`fails` and `refuses` are half sentences for the verdict: what is wrong, and what is not supported where the
    candidate raised. `costs` is what a user would trip over. `next_step` is what to do, where a gate can end a run."""

    name: str
    contract: Contract
    fails: str
    costs: str
    refuses: str = ""
    next_step: str = ""


class WrongValues(Exception):
    """The candidate is wrong on numbers that no case had; the message says how, as half a sentence. Of the gate it says
    nothing."""


class NotTried(Exception):
    """The gate cannot be tried here. `why`: what the report shows, None where it does not apply to the problem at
    all."""

    def __init__(self, why: str | None) -> None:
        super().__init__(why)
        self.why = why
