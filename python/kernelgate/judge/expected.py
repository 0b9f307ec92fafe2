"""The expected result of a case: the reference's own, and how near to it a result with rounding has to be.

In: the reference's modules and inputs, through `Reference`. Out: `Expected`. A grade costs several calls of
the reference in float64, so it is computed when a result first differs from PyTorch's own.
Not here: comparing (`judge.compare`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Literal

import torch

from kernelgate.check.arithmetic import Bounds
from kernelgate.check.common_error import Common
from kernelgate.check.indices import IndexSource
from kernelgate.check.numerics import Graded
from kernelgate.check.rounded_factors import Rounded
from kernelgate.check.vector_signs import Vectors
from kernelgate.check.whole_spans import Span
from kernelgate.judge.explained import Recall

Closeness = Literal["roughly", "usually", "closely"]
"""From how many samples of rounding a grade is computed."""
_ROUGHER: dict[Closeness, Closeness] = {"usually": "roughly"}


@dataclass(frozen=True)
class Grade:
    """How one tensor of a result is graded. `exact_sums`: none of its sums can round, so little error is allowed.
    `common`: what rounding to a narrow dtype moves all elements by; None for a wider one. `with_rounded`: the
    reference's result in float64, with its products rounded; None without products."""

    right: Graded
    bounds: Bounds
    exact_sums: bool = False
    common: Common | None = None
    with_rounded: Callable[[Rounded], torch.Tensor] | None = None


@dataclass
class Expected:
    """`values`: every tensor of the reference's own result, in order; `form`: of the result, as `check.nesting` has it.

    `aliases_input`: it shares memory with an input, or with the module's own weights.
    `graded`: computes the grades.
    `indices`: by the number of a tensor, what its elements index. `state_after`: buffers that the call has changed.
    `inputs_after`: the tensors among the inputs, where the reference's call has changed some; None in the place of one
    that is a result, and graded. `seed`: of the random numbers of the call, None where the reference draws none.
    `has_own_parameters`: the module has the problem's own, not ones that were drawn for a case.
    """

    values: list[torch.Tensor]
    form: str
    aliases_input: bool
    graded: Callable[[Closeness], list[Grade | None]] | None = None
    indices: dict[int, IndexSource] = field(default_factory=dict)
    vectors: dict[int, Vectors] = field(default_factory=dict)
    """By the number of a tensor, which of its vectors may have another sign."""
    chooses: bool = False
    """An operator of the call chose among values, such as top-k."""
    state_after: dict[str, torch.Tensor] = field(default_factory=dict)
    inputs_after: list[torch.Tensor | None] | None = None
    seed: int | None = None
    has_own_parameters: bool = True
    results_in: tuple[int, ...] = ()
    """The numbers of the inputs that stand for the result of a call that returns nothing."""
    glance: Callable[[], list[Graded] | None] = lambda: None
    """Computes what a result need not be nearer to, at less cost than grades: `judge.grading`."""
    spans: Callable[[], list[Span | None]] = list
    """Computes which whole numbers are right, where rounding decides: `check.whole_spans`. Empty where it does not."""
    floats: Callable[[Closeness], list[Grade | None]] | None = None
    """Computes the grade of the floats of Python among the result, as one tensor, if there are any."""
    recall: Recall | None = None
    """The reference once more, to find out what a wrong result is."""
    _grades: list[Grade | None] | None = None
    _is_close: bool = False
    _rough: Expected | None = None
    _seen: list[Graded] | None = None
    _is_seen: bool = False
    _spans: list[Span | None] | None = None

    @property
    def value(self) -> torch.Tensor:
        """The first tensor."""
        return self.values[0]

    @property
    def is_empty(self) -> bool:
        """Whether a result can differ from it in its form only."""
        changes = self.state_after or self.inputs_after is not None or self.floats is not None
        return bool(self.values) and not changes and all(one.numel() == 0 for one in self.values)

    @property
    def grades(self) -> list[Grade | None]:
        """For each tensor; None where it has to be equal bit for bit."""
        if self._grades is None:
            self._grades = self._graded("usually")
        return self._grades

    def grade_closely(self) -> bool:
        """Grades anew from many more samples of rounding; False where that was done before.

        Few samples show of an element here and there that it hardly moves, although rounding moves it.
        """
        if self._is_close:
            return False
        self._is_close = True
        self._grades = self._graded("closely")
        return True

    def roughly(self) -> Expected:
        """The same, with grades that cost less and allow somewhat more: for results that are wrong by much."""
        graded = self.graded
        if graded is None or self._grades is not None:
            return self
        if self._rough is None:
            self._rough = replace(self, graded=lambda closeness: graded(_ROUGHER.get(closeness, closeness)))
        return self._rough

    def _graded(self, closeness: Closeness) -> list[Grade | None]:
        return self.graded(closeness) if self.graded is not None else [None] * len(self.values)

    def seen(self, number: int) -> Graded | None:
        """What that tensor need not be nearer to; None where that takes grades, or these are there already."""
        if self._grades is not None:
            return None
        if not self._is_seen:
            self._seen, self._is_seen = self.glance(), True
        return self._seen[number] if self._seen is not None else None

    def span(self, number: int) -> Span | None:
        """Of a tensor of whole numbers that rounding decides."""
        if self._spans is None:
            self._spans = self.spans()
        return self._spans[number] if self._spans else None

    def inputs_change(self) -> None:
        """Its inputs are about to hold other values, of which no grade for this result can be made."""
        self._is_close = True
        if self._grades is None:
            self._grades = [None] * len(self.values)
        if self._spans is None:
            self._spans = []

    @property
    def grade(self) -> Grade | None:
        """Of the first tensor."""
        return self.grades[0]
