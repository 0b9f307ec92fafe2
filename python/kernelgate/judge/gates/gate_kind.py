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
    candidate raised. `costs` is what a user would trip over. `next_step` is what to do, if a gate can end a run.
    `own_size`: always tried at the problem's own size. A program may know the problem by its size, and only large work
    may be left unfinished. `silent`: a program that fails it gives wrong numbers, without an error."""

    name: str
    contract: Contract
    fails: str
    costs: str
    refuses: str = ""
    next_step: str = ""
    own_size: bool = False
    silent: bool = False

    def wrong(self, words: str = "") -> Property:
        """What is wrong with a result if it does not hold. `words`: in place of its own."""
        return Property(self.name, words or self.fails, self.next_step)


# Seen in every case, rather than tried on their own.
INPUT_UNTOUCHED = GateKind(
    "input untouched",
    "problem",
    "it changes its input in place",
    "The caller's tensor is another one after the call",
    next_step="Write the result to a tensor of its own, not into the input",
)
INPUT_WRITTEN = GateKind(
    "input written as by the reference",
    "problem",
    "it changes its inputs differently from the reference",
    "The reference changes its inputs in place, and so does a program for it",
    next_step="Write to each input what the reference writes to it",
)
UNALIASED = GateKind(
    "output not aliased",
    "problem",
    "the output shares memory with the input",
    "A later change of one would change the other",
    next_step="Give every call a new output, with memory of its own",
)
NEW_RESULTS = GateKind(
    "each result is a new tensor",
    "drop-in",
    "each call overwrites the last result",
    "Later calls overwrite results that you kept",
    next_step="Give every call a new output, with memory of its own",
)
STATE = GateKind(
    "buffers as the reference leaves them",
    "drop-in",
    "a call leaves other values in its buffers than the reference's",
    "What reads them later, as evaluation after training does, gives another result",
    next_step="Update in each call what the reference updates",
)
RESULTS_STAY = GateKind(
    "results stay as they were",
    "problem",
    "a later call changes a result that it has returned",
    "Later calls overwrite results that you kept",
    next_step="Give every call a new output, and write to none after it has been returned",
)
RESULTS_OUTLIVE = GateKind(
    "results outlive the module",
    "problem",
    "its results change once the module is gone",
    "`y = ModelNew()(x)` holds other values as soon as Python frees the module",
    next_step="Give every result memory of its own, which is freed when the result is",
)
WANTS_NO_GRADIENT = GateKind(
    "output wants no gradient",
    "drop-in",
    "its output requires a gradient, and the reference's does not",
    "`y.numpy()` raises in a cell",
    next_step="Keep constants as buffers or numbers, not as tensors that require a gradient",
)
LAYOUT = GateKind(
    "layout as the reference",
    "drop-in",
    "the output's strides are not the reference's",
    "Code that views the result, or reads its memory, behaves differently",
)
RANDOM_NUMBERS = GateKind(
    "random numbers left to the caller",
    "drop-in",
    "it draws random numbers, and the reference draws none",
    "A notebook with a fixed seed gets other random numbers behind each call",
)
ACCURACY = GateKind(
    "accuracy",
    "drop-in",
    "it is less accurate than usual arithmetic",
    "In a larger model, or in training, errors add up",
)
SEEN = (
    INPUT_UNTOUCHED, INPUT_WRITTEN, UNALIASED, NEW_RESULTS, STATE, RESULTS_STAY, RESULTS_OUTLIVE, LAYOUT,
    RANDOM_NUMBERS, WANTS_NO_GRADIENT, ACCURACY,
)  # fmt: skip
"""Found beside the values, rather than tried on their own."""


class DoesNotHold(Exception):
    """The gate does not hold; the message says what was seen."""


class WrongValues(Exception):
    """The candidate is wrong on numbers that no case had. Of the gate it says nothing."""

    def __init__(self, how: Wrong) -> None:
        super().__init__(how.words)
        self.how = how


class NotTried(Exception):
    """The gate cannot be tried here. `why`: what the report shows, None if it does not apply to the problem at
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
