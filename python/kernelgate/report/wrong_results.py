"""How a result is wrong: a record for each way, with its kind, its facts, its words, and what to do about it.

In: numbers and names, from whoever has compared. Out: half a sentence to stand after "Wrong result: ", and a next step.
Only these records make words of a wrong result. Whatever decides or fixes goes by the record, never by its words.
Not here: wrong values (`report.wrong_values`), which record fits (`judge.comparison`), faults (`judge.endings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec

from kernelgate.report.bounded import one_line
from kernelgate.report.numbers import shape

WrongKind = Literal[
    # its form, and what a call does beside it
    "outside",  # it writes outside of a tensor
    "form",
    "dtype",
    "shape",
    "unreadable",
    "folded",  # its constructor changes a parameter
    "gate",  # a property beyond values
    # its values
    "values",  # without anything in common that is known
    "unwritten",
    "nan_made",
    "nan_swallowed",
    "inputs",  # on some inputs only
    "factor",
    "shift",
    "changed",  # those of the reference with something changed
    "strides",  # those of a program that looks at no strides
    "formula",  # those of another function of this name
    "random",  # of another distribution
    # how accurate they are
    "loses_digits",
    "precision",  # those of a coarser arithmetic
]
"""In what way a result is wrong: what decides, and which fix is tried, goes by it."""


class Wrong(msgspec.Struct, frozen=True, kw_only=True):
    """`where`: which of several results it is about, "result 1 of 2". `template` and `step` are words with the record
    as {0}; the step is "" if a person has to look for the cause."""

    kind: ClassVar[WrongKind] = "values"
    template: ClassVar[str] = ""
    step: ClassVar[str] = ""
    where: str = ""

    @property
    def words(self) -> str:
        return f"{self.where}: {self.says}" if self.where else self.says

    @property
    def says(self) -> str:
        """The words without the place."""
        return self.template.format(self)

    @property
    def next_step(self) -> str:
        return self.step.format(self)


# The form of a result, and what a call does beside it.


class WritesOutside(Wrong, frozen=True):
    kind = "outside"
    template = "{0.damage}"
    step = "Check the index against the size of what it writes"
    damage: str


class Form(Wrong, frozen=True):
    kind = "form"
    template = "ModelNew returns {0.got:.200} instead of {0.wanted:.200}"
    step = "Return what the reference returns, in the same form"
    got: str
    wanted: str


class NotDense(Form, frozen=True):
    """Or on another device, or no tensor at all."""

    step = "Return what the reference returns, every tensor dense and on the device of the input"


class NotOneTensor(Form, frozen=True):
    step = "Return one tensor, dense and on the device of the input"
    wanted: str = "a tensor on the device"


class OtherDtype(Wrong, frozen=True):
    kind = "dtype"
    template = "the result is {0.got} instead of {0.wanted}"
    step = "Return the result in {0.wanted}"
    got: str
    wanted: str


class OtherShape(Wrong, frozen=True):
    kind = "shape"
    got: Sequence[int]
    wanted: Sequence[int]

    @property
    def says(self) -> str:
        return f"the result has shape {one_line(shape(self.got), 80)} instead of {shape(self.wanted)}"

    @property
    def next_step(self) -> str:
        return f"Return the result in the shape {shape(self.wanted)}"


class Unreadable(Wrong, frozen=True):
    kind = "unreadable"
    template = "the result cannot be read: {0.why}"
    step = "Return an ordinary tensor, dense and with memory of its own"
    why: str


class Folded(Wrong, frozen=True):
    kind = "folded"
    template = "its constructor folds a number into a parameter, and loading the parameters replaces it"
    step = "Add the number in forward, or keep it in an attribute beside the parameters"


class Property(Wrong, frozen=True):
    """One beyond values that does not hold: what the gate of that name says."""

    kind = "gate"
    template = "{0.fails}"
    step = "{0.asks}"
    gate: str
    fails: str
    asks: str


# Random results.


class _Random(Wrong, frozen=True):
    kind = "random"
    step = "Draw the random numbers that the reference draws, as often"


class OtherMoment(_Random, frozen=True):
    """`name`: "the mean"."""

    template = "{0.name} of its random results is {0.got:.4g}, the reference's {0.wanted:.4g}"
    name: str
    got: float
    wanted: float


class Strays(_Random, frozen=True):
    template = "{0.share:.1%} of its random results are values that the reference does not give"
    share: float


class OtherRandom(_Random, frozen=True):
    how: Literal["form", "constant", "means", "squares", "ranks", "together", "counts", "results", "calls", "numbers"]

    @property
    def says(self) -> str:
        return _RANDOM[self.how]


_RANDOM = {
    "form": "it does not return the reference's form in every call",
    "constant": "its result is the same in every call, and the reference's is random",
    "means": "the single elements of its random results have other means than the reference's",
    "squares": "the squares of single elements of its random results have other means than the reference's",
    "ranks": "its random results have a distribution of another shape than the reference's",
    "together": "the elements of its random results depend on each other in another way than the reference's",
    "results": "two of its random results depend on each other in another way than the reference's",
    "calls": "its random results of one call depend on those of the call before",
    "numbers": "its random results are not those of the reference's random numbers",
    "counts": "it draws some numbers more often, and others less often, than the reference",
}
