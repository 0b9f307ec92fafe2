"""The inputs of a run's cases: the kind of each, the shapes that belong together, and the draws themselves.

In: the problem's own inputs, and ways to draw more of them and to call the reference. Out: plans, and inputs for each.
It asks the reference what the inputs do not show: whether it has values for any numbers, and which shapes it takes.
Not here: what a case is (`check.inputs.cases`), kinds (`check.inputs.kinds`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import torch

from kernelgate.check.inputs.cases import (
    BITS_PLAN,
    FAR_APART_PLANS,
    FAR_BELOW_PLAN,
    LABELS_LEFT_OUT_PLAN,
    LARGE_PLAN,
    NO_PLAIN_PLANS,
    PROBLEM_PLANS,
    SIXTEENTHS_PLAN,
    SMALL_PLANS,
    TINY_PLAN,
    UNSTRUCTURED_PLAN,
    Plan,
    case_seed,
    draw,
    magnitudes_plans,
    not_finite_plan,
)
from kernelgate.check.inputs.elementwise import is_elementwise
from kernelgate.check.inputs.kinds import PLAIN, Kind, Shape, kinds
from kernelgate.check.inputs.loosened import freed_kind, is_whole, may_repeat
from kernelgate.check.inputs.shape_plans import drop_in_plans, related_shapes
from kernelgate.check.nesting import is_floating, tensors_in
from kernelgate.check.operator_mode import CalledOperators
from kernelgate.check.problem import strange_words
from kernelgate.check.tolerance.operator_kinds import JUMPS, OF_A_MATRIX, ONE_STAYS

_DRAWS = 3
_PROBED = 1 << 16  # elements that show whether a reference works element by element
_NORMAL = Plan("normal", "problem", "normal")
_REPEATED = Plan("repeated numbers", "problem", "again", repeats=True)


@dataclass(eq=False)
class CaseInputs:
    """`draw_own(seed)` gives the problem's own inputs; `call(inputs)` the tensors of the reference's result, and raises
    what PyTorch raises. `dtype`: of the run. `plain`: every input is known to be. `thorough`: with the cases that
    seldom find more. `far`: whether the reference may be asked, call by call, how far from 1 it has values."""

    own: Sequence[Any]
    draw_own: Callable[[int], list[Any]]
    call: Callable[[Sequence[Any]], Sequence[torch.Tensor]]
    seed: int
    dtype: torch.dtype
    plain: bool
    graded: bool
    has_state: bool
    thorough: bool = False
    far: bool = True
    _operators: CalledOperators = field(default_factory=CalledOperators)
    _ways: dict[tuple[bool, ...] | int, int] = field(default_factory=dict)
    _sums: list[list[Any]] = field(default_factory=list)  # of whole numbers, in each draw
    _sizes_vary: bool = False  # from draw to draw, as the values have it: such as those of a sparse matrix

    @cached_property
    def _tensors(self) -> list[torch.Tensor]:
        return tensors_in(list(self.own))

    @cached_property
    def kinds(self) -> list[Kind]:
        """Of every tensor among the inputs, in order."""
        if self.plain:
            return [PLAIN] * len(self._tensors)
        found = kinds(self._draws())
        limited, left_out, repeat = self._limited(found), self._labels_left_out(), self._that_may_repeat(found)
        return [
            replace(
                kind,
                plain=kind.plain and number not in limited,
                limited=number in limited,
                order=None if number in repeat else kind.order,
                left_out=left_out.get(number),
                may_repeat=number in repeat,
            )
            for number, kind in enumerate(found)
        ]

    def _that_may_repeat(self, found: Sequence[Kind]) -> list[int]:
        """Whole numbers of which any may come several times. Not where they write, as then one of two stays, nor where
        they add up to something."""
        numbers = [
            number
            for number, (one, kind) in enumerate(zip(self._tensors, found, strict=True))
            if may_repeat(one, kind) and len({sums[number] for sums in self._sums if number < len(sums)}) > 1
        ]
        own = self._own_without_value if numbers and self.far else None
        if own is None or not self._operators.names.isdisjoint(ONE_STAYS):
            return []
        repeat = [replace(kind, order=None, may_repeat=number in numbers) for number, kind in enumerate(found)]
        drawn = draw(_REPEATED, self.own, self.seed, self.dtype, graded=True, kinds=repeat)
        return numbers if self._as_good(drawn, own) else []

    @cached_property
    def _free_kinds(self) -> list[Kind]:
        """The same for a case without structure: any numbers in floating inputs, and places in any order instead of
        0, 1, 2, where the reference takes them."""
        if self.plain:
            return self.kinds
        called = self._operators.names if self._own_without_value is not None else None
        free = [freed_kind(one, kind, called) for one, kind in zip(self._tensors, self.kinds, strict=True)]
        kept = {*self._limited(free), *self._in_order(free)}
        return [self.kinds[number] if number in kept else kind for number, kind in enumerate(free)]

    def _in_order(self, free: Sequence[Kind]) -> list[int]:
        mixed = [number for number, kind in enumerate(free) if not kind.plain and kind != self.kinds[number]]
        own = self._own_without_value if mixed else None

        def alone(number: int) -> list[Kind]:
            return [*self.kinds[:number], free[number], *self.kinds[number + 1 :]]

        return [
            number for number in mixed if own is None or not self._as_good(self._drawn_by(alone(number)), own)
        ]

    @cached_property
    def is_elementwise(self) -> bool:
        """Whether the reference has one input, of any numbers, and works on it element by element."""
        if len(self.own) != 1 or not isinstance(self.own[0], torch.Tensor) or not self.kinds[0].plain:
            return False
        own = self.own[0]
        if not own.is_floating_point() or self.kinds[0].matrix is not None:
            return False
        rows = max(2, _PROBED * own.shape[0] // max(1, own.numel())) if own.dim() else 1
        like = own[:rows] if own.dim() else own
        generator = torch.Generator(device=own.device).manual_seed(case_seed(self.seed, "elementwise"))
        return is_elementwise(self._results, like, generator)

    @cached_property
    def rows_may_move(self) -> bool:
        """Whether a row of an input may take the place of another: not where rows are in order, where another dimension
        adds up to something, and where a matrix is factorized, which two equal rows make singular."""
        kinds = self.kinds
        if any(kind.order is not None or kind.matrix is not None for kind in kinds):
            return False
        adding_up = [one for kind, one in zip(kinds, self.own, strict=True) if kind.rows is not None]
        if any(kind.rows is not None and kind.rows_dim != -1 for kind in kinds) or not all(map(_has_rows, adding_up)):
            return False
        seen = self.is_elementwise or self._own_without_value is not None
        return seen and self._operators.names.isdisjoint(OF_A_MATRIX)

    @cached_property
    def any_shape(self) -> bool:
        """Whether the reference works element by element, and takes any shape."""
        if not self.graded:
            return True
        return (
            self.is_elementwise
            and self._taken([[(37,)]]) is not None
            and self._taken([[(3, 5, 7)]]) is not None
        )

    def _draws(self) -> Iterator[list[torch.Tensor]]:
        yield self._tensors
        for number in range(1, _DRAWS):
            drawn = tensors_in(self.draw_own(case_seed(self.seed, f"kind {number}")))
            self._sums.append([one.sum().item() if is_whole(one) else 0 for one in drawn])
            self._sizes_vary |= [one.shape for one in drawn] != [one.shape for one in self._tensors]
            yield drawn

    def _limited(self, found: list[Kind]) -> list[int]:
        """Plain inputs for which the reference has no values outside of the problem's own range: those of a logarithm,
        or of a loss that takes probabilities."""
        plain = [number for number, kind in enumerate(found) if kind.plain]
        own = self._own_without_value if plain else None
        if own is None or self._as_good(self._drawn_by(found), own):
            return []

        def only(number: int) -> list[Kind]:
            return [replace(kind, plain=kind.plain and other == number) for other, kind in enumerate(found)]

        return [number for number in plain if not self._as_good(self._drawn_by(only(number)), own)] or plain

    def _labels_left_out(self) -> dict[int, int]:
        """For the place of each input of labels: the number of those which the reference's loss leaves out."""
        whole = [number for number, one in enumerate(self._tensors) if one.dtype == torch.int64]
        if not whole or not self.far or self._own_without_value is None:
            return {}
        return {
            number: left_out
            for labels, left_out in self._operators.labels
            for number in whole
            if labels.dtype == torch.int64
            and torch.equal(self._tensors[number].reshape(-1), labels.reshape(-1))
        }

    @cached_property
    def _as_given(self) -> list[Any]:
        return draw(PROBLEM_PLANS[0], self.own, self.seed, self.dtype, graded=True)

    @cached_property
    def _own_without_value(self) -> int | None:
        return self._without_value(self._as_given)

    @property
    def _jumps(self) -> bool:
        """Whether the reference rounds to whole numbers, as quantization does, or compares with a bound."""
        # A part of the input shows what an element-by-element reference calls: the whole may not fit in memory twice.
        if not self.is_elementwise and self._own_without_value is None:
            return False
        return not {name.removesuffix("_") for name in self._operators.names}.isdisjoint(JUMPS)

    def _drawn_by(self, found: Sequence[Kind]) -> list[Any]:
        return draw(_NORMAL, self.own, self.seed, self.dtype, graded=True, kinds=found)

    def _as_good(self, inputs: Sequence[Any], own: int) -> bool:
        without = self._without_value(inputs)
        return without is not None and without <= own

    def _results(self, inputs: Sequence[Any]) -> Sequence[torch.Tensor]:
        with self._operators:
            return self.call(inputs)

    def _without_value(self, inputs: Sequence[Any]) -> int | None:
        """How many elements of the result are NaN or infinite; None if the reference refuses the inputs."""
        try:
            result = self._results(inputs)
        except torch.OutOfMemoryError:
            return 0  # the case itself reports it better
        except Exception:  # a reference may refuse an input by any exception
            return None
        usual = [one for one in result if is_floating(one) and not strange_words(one)]
        return sum(int((~one.isfinite()).sum()) for one in usual)

    @property
    def leading(self) -> int | None:
        """The number of the tensor that a plan's shape is for; None if there is no tensor."""

        def rank(number: int) -> tuple[bool, bool]:
            one = self._tensors[number]
            return (one.dim() > 0 and is_floating(one), one.dim() > 0)

        return max(range(len(self._tensors)), key=rank, default=None)

    def plans(self) -> list[Plan]:
        """The cases of the check, in order."""
        if self.leading is None:
            return list(PROBLEM_PLANS[:1])
        some_plain = any(kind.plain for kind in self.kinds)
        problem = PROBLEM_PLANS if some_plain else NO_PLAIN_PLANS
        if not some_plain and any(kind.may_repeat for kind in self.kinds):
            problem = (problem[0], _REPEATED, *problem[1:])
        floating = any(map(is_floating, self._tensors))
        template = self._tensors[self.leading]
        beyond = drop_in_plans(
            template,
            any_shape=self.any_shape,
            seed=self.seed,
            dtypes=floating or self.has_state,
            elementwise=self.is_elementwise,
        )
        if self._sizes_vary:
            beyond = tuple(plan for plan in beyond if plan.shape is None)
        if self.far and any(kind.of_probabilities for kind in self.kinds):
            problem = (*problem, *self._widest(FAR_APART_PLANS))
        if some_plain:
            if self.far and self._jumps:
                problem = (*problem, SIXTEENTHS_PLAN)
            problem = (*problem, *self._magnitudes)
            beyond = (*self._far_magnitudes, *beyond)
        if self.far and any(kind.left_out is not None for kind in self.kinds):
            beyond = (*self._widest([LABELS_LEFT_OUT_PLAN]), *beyond)
        last = not_finite_plan(self.kinds) if some_plain else None
        if not self.plain and self._free_kinds != self.kinds:
            beyond = (UNSTRUCTURED_PLAN, *beyond)
        if last is None:
            return [*problem, *beyond]
        return [*problem, last, *beyond] if last.contract == "problem" else [*problem, *beyond, last]

    def decides(self, values: torch.Tensor) -> torch.Tensor:
        """Where every number is tried: which belong to the problem, and not to a drop-in alone; bool, of
        the same shape. A sum, or a formula with rounding, need not reach as far as the format."""
        if any(kind.not_finite for kind in self.kinds):
            return torch.ones_like(values, dtype=torch.bool)
        if not self.graded:
            return values.isfinite()
        farthest = max((plan.most_exponent for plan in self._magnitudes), default=0)
        sizes = values.abs()
        return (sizes <= 2.0**farthest) & (sizes >= 2.0**-farthest) & (farthest > 0)

    @cached_property
    def _magnitudes(self) -> list[Plan]:
        if not any(map(is_floating, self._tensors)):
            return []
        if not self.graded:
            return [BITS_PLAN]
        found = [LARGE_PLAN] if self.thorough and self._has_values(LARGE_PLAN) else []
        if self.far and not self.is_elementwise:
            found += [*self._widest(SMALL_PLANS), *self._widest([FAR_BELOW_PLAN])]
        return [*found, *self._widest(magnitudes_plans(far=False))]

    @cached_property
    def _far_magnitudes(self) -> list[Plan]:
        """The same for a drop-in; exact problems have every finite number already."""
        if not self.graded or not self._magnitudes:
            return []
        tiny = [] if self.is_elementwise else self._widest([TINY_PLAN])
        return [*tiny, *self._widest(magnitudes_plans(far=True))]

    def _widest(self, plans: Iterable[Plan]) -> list[Plan]:
        """The first of these for which the reference has a value."""
        if not self.far:
            return list(plans)[-1:]
        widest = next((plan for plan in plans if self._has_values(plan)), None)
        return [] if widest is None else [widest]

    def _has_values(self, plan: Plan) -> bool:
        own = self._own_without_value
        return own is not None and self._as_good(self._draw(plan, self.seed, self.dtype, None), own)

    def draw(self, plan: Plan, seed: int, dtype: torch.dtype) -> list[Any]:
        """The inputs of a plan. Raises CannotKeep."""
        return self._draw(plan, seed, dtype, self._shapes(plan))

    def _draw(self, plan: Plan, seed: int, dtype: torch.dtype, shapes: Sequence[Shape] | None) -> list[Any]:
        own = self.own
        found = self._free_kinds if plan.unstructured else self.kinds
        if plan.distribution != "own" and any(not (kind.plain or kind.repeats) for kind in found):
            again = self.draw_own(seed)
            if len(tensors_in(again)) == len(self._tensors):
                own = again
        if shapes is None:
            shapes = [tuple(one.shape) for one in tensors_in(list(own))]
        return draw(plan, own, seed, dtype, graded=self.graded, kinds=found, shapes=shapes)

    def _shapes(self, plan: Plan) -> list[Shape] | None:
        """The shape of every tensor in a case; None for the problem's own. The reference says what it takes."""
        leading = self.leading
        if plan.shape is None or leading is None:
            return None
        own = [tuple(one.shape) for one in self._tensors]
        alternatives = related_shapes(own, leading, plan.shape)
        first = alternatives[0]
        if all(one == first for one in alternatives):
            return first
        old = own[leading]
        # How the others follow does not depend on the size that a dimension gets.
        how = (
            tuple(a != b for a, b in zip(old, plan.shape, strict=True)) if len(old) == len(plan.shape) else -1
        )
        if how not in self._ways:
            way = self._taken(alternatives)
            if way is None:
                return first
            self._ways[how] = way
        return alternatives[self._ways[how]]

    def _taken(self, alternatives: Sequence[list[Shape]]) -> int | None:
        for number, shapes in enumerate(alternatives):
            with contextlib.suppress(Exception):  # a reference may refuse an input by any exception
                self.call(self._draw(_NORMAL, self.seed, self.dtype, shapes))
                return number
        return None


def _has_rows(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dim() > 1 and value.numel() > value.shape[-1]
