"""What a gate is, and the way out for one that cannot be tried."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from kernelgate.check.operator_mode import TakesTooLong
from kernelgate.check.problem import is_out_of_memory
from kernelgate.report import Contract
from kernelgate.report.wrong_results import Property, Wrong


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

    def wrong(self, words: str = "") -> Property:
        """What is wrong with a result if it does not hold. `words`: in place of its own."""
        return Property(self.name, words or self.fails, self.next_step)


class DoesNotHold(Exception):
    """The gate does not hold; the message says what was seen."""


ACCURACY = GateKind(
    "accuracy",
    "drop-in",
    "it is less accurate than usual arithmetic",
    "In a larger model, or in training, errors add up",
)
"""Seen beside the values of each case."""


class WrongValues(Exception):
    """The candidate is wrong on numbers that no case had. Of the gate it says nothing."""

    def __init__(self, how: Wrong) -> None:
        super().__init__(how.words)
        self.how = how


class NotTried(Exception):
    """The gate cannot be tried here. `why`: what the report shows, None where it does not apply to the problem at
    all."""

    def __init__(self, why: str | None) -> None:
        super().__init__(why)
        self.why = why


@contextlib.contextmanager
def refusal_of_the_reference() -> Iterator[None]:
    """Where the reference refuses by whatever exception, there is nothing to hold a candidate against. Raises
    NotTried."""
    try:
        yield
    except (NotTried, TakesTooLong):
        raise
    except Exception as exc:
        if is_out_of_memory(exc):
            raise
        raise NotTried(None) from exc
