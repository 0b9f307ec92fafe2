"""The expected result of a case: the reference's own, and how near to it a result with rounding has to be.

In: the reference's modules and inputs, through `Reference`. Out: `Expected`. A grade costs several calls of
the reference in float64, so it is computed when a result first differs from PyTorch's own.
Not here: comparing (`judge.comparison.compare`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import torch

from kernelgate.backend.tensor_methods import resolved
from kernelgate.check.nesting import flatten
from kernelgate.check.tolerance.choices import IndexSource, Span, Vectors
from kernelgate.check.tolerance.grade import Closeness, Grade, Grading
from kernelgate.check.tolerance.nearness import Nearness
from kernelgate.check.tolerance.numerics import same_bits
from kernelgate.judge.reference.explained import Recall

REFERENCE_CALLS = 48
"""With other random numbers, of a reference that draws some."""


@dataclass
class Expected:
    """`values`: every tensor of the reference's own result, in order; `form`: of the result, as `check.nesting` has it.

    `aliases_input`: it shares memory with an input, or with the module's own weights.
    `grading`: says how near it has to be, if it may be off by rounding; `floats`: the same of the floats of Python
    among the result, as one tensor.
    `indices`: by the number of a tensor, what its elements index. `state_after`: buffers that the call has changed.
    `inputs_after`: the tensors among the inputs, where the reference's call has changed some; None in the place of one
    that is a result, and graded. `seed`: of the random numbers of the call, None if the reference draws none.
    `has_own_parameters`: the module has the problem's own, not ones that were drawn for a case.
    """

    values: list[torch.Tensor]
    form: str
    aliases_input: bool
    grading: Grading | None = None
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
    made_up: bool = False
    """The inputs are none that the problem draws: where the reference's own result is no number, any will do."""
    floats: Grading | None = None
    recall: Recall | None = None
    """The reference once more, to find out what a wrong result is."""
    _grades: list[Grade | None] | None = None
    _drawn_again: dict[int, list[torch.Tensor]] = field(default_factory=dict)
    _is_close: bool = False
    _inputs_are_gone: bool = False
    _spans: list[Span | None] | None = None

    @property
    def value(self) -> torch.Tensor:
        """The first tensor."""
        return self.values[0]

    def drawn_again(self, seed: int) -> list[torch.Tensor]:
        """The tensors of the reference's result with other random numbers. Raises what PyTorch raises."""
        if seed not in self._drawn_again:
            assert self.recall is not None
            self._drawn_again[seed] = [resolved(one) for one in flatten(self.recall.again(seed))[1]]
        return self._drawn_again[seed]

    def varies(self, number: int) -> bool:
        """Whether a tensor of the result goes by the random numbers of the call."""
        if self.seed is None or self.recall is None:
            return False
        seeds = range(self.seed, self.seed + REFERENCE_CALLS)
        return not all(same_bits(self.drawn_again(seed)[number], self.values[number]) for seed in seeds)

    @property
    def varying(self) -> list[int]:
        """The numbers of those that do."""
        return [number for number in range(len(self.values)) if self.varies(number)]

    @property
    def is_empty(self) -> bool:
        """Whether a result can differ from it in its form only."""
        changes = self.state_after or self.inputs_after is not None or self.floats is not None
        return bool(self.values) and not changes and all(one.numel() == 0 for one in self.values)

    @property
    def grades(self) -> list[Grade | None]:
        """For each tensor; None if it has to be equal bit for bit."""
        if self._grades is None:
            self._grades = self._graded("usually")
        return self._grades

    def grade_closely(self) -> bool:
        """Grades anew from many more samples of rounding; False if that was done before.

        Few samples show of an element here and there that it hardly moves, although rounding moves it.
        """
        if self._is_close:
            return False
        self._is_close = True
        self._grades = self._graded("closely")
        return True

    def _graded(self, closeness: Closeness) -> list[Grade | None]:
        return [None] * len(self.values) if self.grading is None else self.grading.grades(closeness)

    def nearness(self, got: torch.Tensor, number: int) -> Nearness | None:
        """How near a tensor of a result is, beside PyTorch's own, at less cost than a grade."""
        return None if self.grading is None or self._inputs_are_gone else self.grading.nearness(got, number)

    @property
    def is_graded(self) -> bool:
        """Whether the grades have been computed."""
        return self._grades is not None

    def span(self, number: int) -> Span | None:
        """Of a tensor of whole numbers that rounding decides."""
        if self._spans is None:
            self._spans = [] if self.grading is None else self.grading.spans()
        return self._spans[number] if self._spans else None

    def inputs_change(self) -> None:
        """Its inputs are about to hold other values, of which no grade for this result can be made."""
        self._is_close = self._inputs_are_gone = True
        if self._grades is None:
            self._grades = [None] * len(self.values)
        if self._spans is None:
            self._spans = []

    @property
    def grade(self) -> Grade | None:
        """Of the first tensor."""
        return self.grades[0]
