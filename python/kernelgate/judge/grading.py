"""The grade of a case: how near to float64 a result has to be, as the reference's own arithmetic shows.

In: a way to call the reference on the inputs of a case, in float64 and with what rounds changed. Out: a `Grade` for
each tensor of its result. The tolerance comes from the problem: the error of PyTorch's own result, how far rounding
alone moves each element (`check.rounding`), and the magnitudes that were summed.
Not here: the reference's modules (`judge.reference`), comparing (`judge.compare`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import torch

from kernelgate.check.arithmetic import Bounds, Coarser, rounded_to_bf16, rounded_to_tf32, truncated_to_tf32
from kernelgate.check.common_error import CommonToSamples
from kernelgate.check.nesting import flatten, floats_apart
from kernelgate.check.numerics import Graded, as_real, compare_graded, usual_error, with_rough
from kernelgate.check.problem import is_out_of_memory
from kernelgate.check.pytorch_tf32 import may_use_tf32
from kernelgate.check.rounded_factors import Rounded, RoundedFactors
from kernelgate.check.rounding import ROUNDING_SAMPLES, Operators, moved_by_rounding, rounding_spread
from kernelgate.check.whole_spans import Span, whole_spans
from kernelgate.judge.expected import Closeness, Grade

Change = Callable[[torch.Tensor], torch.Tensor]
Take = Callable[[Any], list[torch.Tensor]]
T = TypeVar("T")
_SEED = 0x6B67
_ROUGHLY = 2
"""How many samples of rounding a rough look takes."""
_CLOSELY = 8
"""How many times more samples of rounding a close look takes."""


def tensors_of(result: Any) -> list[torch.Tensor]:
    return flatten(result)[1]


def floats_of(result: Any) -> list[torch.Tensor]:
    """The floats of Python among a result, as one tensor of the default dtype."""
    found = floats_apart(flatten(result)[0])[1]
    return [torch.tensor(found)] if found else []


def _ignored(moved: Sequence[torch.Tensor]) -> None:
    """No sample is looked at."""


def unchanged(tensor: torch.Tensor) -> torch.Tensor:
    """No change."""
    return tensor


def _magnitude(tensor: torch.Tensor) -> torch.Tensor:
    """Without its sign; infinities keep theirs, as those of a mask say what to leave out."""
    if tensor.is_complex():
        return tensor.abs().to(tensor.dtype)
    size = tensor.abs()
    below = tensor == -torch.inf
    return size.masked_fill_(below, -torch.inf) if bool(below.any()) else size


# For one sum the magnitudes are about the spread, and up to ten times the spread for a very long one.
_OF_SPREAD = 16.0
# How often an epilogue may round after sums that cannot.
_EXACT_SUMS_UNITS = 4.0


@dataclass(frozen=True)
class Wide:
    """`call(change)`: the tensors of the reference's result in float64, its inputs and parameters changed;
    `own(change)`: the same in the dtype of the run. Both may raise what PyTorch raises."""

    call: Callable[[Change], Sequence[torch.Tensor]]
    own: Callable[[Change], Sequence[torch.Tensor]]


@dataclass(frozen=True)
class Grading:
    """Of one result of the reference, when it is asked for. `dtype`: of the run; `integers`, `samples`: as `grades` has
    them. `no_memory`: what is raised without memory for it."""

    values: Sequence[torch.Tensor]
    wide: Wide
    dtype: torch.dtype
    integers: bool
    samples: int
    no_memory: Callable[[], Exception]

    def grades(self, closeness: Closeness) -> list[Grade | None]:
        by_closeness: dict[Closeness, int] = {
            "roughly": min(_ROUGHLY, self.samples),
            "usually": self.samples,
            "closely": self.samples * _CLOSELY,
        }
        samples = by_closeness[closeness]
        return self._computed(lambda: grades(self.values, self.wide, integers=self.integers, samples=samples))

    def glance(self) -> list[Graded] | None:
        return self._computed(lambda: glance(self.values, self.wide, integers=self.integers))

    def spans(self) -> list[Span | None]:
        return self._computed(lambda: whole_spans(lambda: self.wide.call(unchanged), self.values, self.dtype))

    def _computed(self, compute: Callable[[], T]) -> T:
        try:
            return compute()
        except Exception as exc:
            if is_out_of_memory(exc):
                raise self.no_memory() from exc
            raise


@dataclass(frozen=True)
class _Basis:
    """What a result is held against. `call` gives `oracle`, the result in float64, where nothing is changed.
    `moves`: the reference's own dtype stands for float64, and its inputs are moved by rounding, as not all of its
    operators are seen."""

    call: Callable[[Change], Sequence[torch.Tensor]]
    oracle: list[torch.Tensor]
    moves: bool = False


def grades(
    values: Sequence[torch.Tensor], wide: Wide, *, integers: bool, samples: int = ROUNDING_SAMPLES
) -> list[Grade | None]:
    """A grade for each of the reference's own tensors; None for one that has to be equal bit for bit.

    `integers`: inputs and parameters are small whole numbers. `samples`: how often rounding is tried.
    """
    is_complex = [value.is_complex() for value in values]
    values = [as_real(value) for value in values]
    floating = [number for number, value in enumerate(values) if value.is_floating_point()]
    if not floating:
        return [None] * len(values)
    dtype = max((values[number].dtype for number in floating), key=lambda kind: torch.finfo(kind).eps)
    basis = _in_float64(values, wide) or _in_own_dtype(values, wide)
    narrow = torch.finfo(dtype).eps > torch.finfo(torch.float32).eps
    common = CommonToSamples(basis.oracle) if narrow else None
    spread, operators = _spread(basis, dtype, samples, common)
    if not basis.moves and not operators.rounds and _differ(values, basis.oracle):
        basis = _in_own_dtype(values, wide)  # something rounds that is no operator of PyTorch
        common = CommonToSamples(basis.oracle) if narrow else None
        spread, operators = _spread(basis, dtype, samples, common)
    oracle = basis.oracle
    magnitudes = _attempt(basis, _magnitude) if operators.sums else oracle
    found: list[Grade | None] = [None] * len(values)
    by_products = operators.products and dtype == torch.float32
    in_tf32 = _attempt(basis, rounded_to_tf32) if by_products else oracle
    coarse = functools.cache(functools.partial(_coarse, basis))
    for number in floating:
        value, exact = values[number], oracle[number]
        scale = _scale(spread[number], exact, magnitudes[number], operators)
        if is_complex[number]:  # rounding of one part is relative to the whole number
            scale = scale.amax(-1, keepdim=True).expand_as(scale)
        right = Graded(value, exact, scale)
        own = usual_error(value, right)
        if integers and operators.only_linear:
            summed = Graded(value, exact, exact.abs())
            if _units(value, summed) <= _EXACT_SUMS_UNITS:
                found[number] = Grade(summed, Bounds(0.0, 0.0), exact_sums=True)
                continue
        bounds = Bounds(own, own, products=operators.products, narrow=narrow)
        if by_products:
            tf32 = in_tf32[number].to(value.dtype)
            bounds = Bounds(
                own,
                usual_error(tf32, right),
                functools.partial(_coarser, coarse, number, right, tf32),
                in_tf32=may_use_tf32(value.device, convolves=operators.convolves),
            )
        right = with_rough(right, bounds.limit(bounds.passing("fp32")))
        with_rounded = functools.partial(_with_rounded, basis, number) if by_products else None
        in_common = common.most[number] if common is not None else None
        found[number] = Grade(right, bounds, common=in_common, with_rounded=with_rounded)
    return found


def glance(values: Sequence[torch.Tensor], wide: Wide, *, integers: bool) -> list[Graded] | None:
    """What `grades` would hold at least against each tensor, from a single sample of rounding: a result that is within
    `LEAST_UNITS` of it is within every grade that more samples give. None where that cannot be said."""
    values = [as_real(value) for value in values]
    basis = _in_float64(values, wide) if all(value.dtype == torch.float32 for value in values) else None
    if basis is None:
        return None
    spread, operators = _spread(basis, torch.float32, 1)
    if not operators.rounds or (integers and operators.only_linear):
        return None
    triples = zip(values, basis.oracle, spread, strict=True)
    return [Graded(value, exact, torch.maximum(moved, exact.abs())) for value, exact, moved in triples]


def _in_float64(values: Sequence[torch.Tensor], wide: Wide) -> _Basis | None:
    """None where the reference does not run in float64, or computes in a narrower dtype all the same."""
    try:
        got = [as_real(one) for one in wide.call(unchanged)]
    except torch.OutOfMemoryError:
        raise
    except Exception:  # whatever a person's module raises in float64 says nothing about the candidate
        return None
    if [one.shape for one in got] != [one.shape for one in values]:
        return None
    pairs = zip(got, values, strict=True)
    if any(one.dtype != torch.float64 for one, value in pairs if value.is_floating_point()):
        return None
    return _Basis(wide.call, [one.double() if one.is_floating_point() else one for one in got])


def _in_own_dtype(values: Sequence[torch.Tensor], wide: Wide) -> _Basis:
    oracle = [value.double() if value.is_floating_point() else value for value in values]
    return _Basis(wide.own, oracle, moves=True)


def _differ(values: Sequence[torch.Tensor], oracle: Sequence[torch.Tensor]) -> bool:
    """Whether some result is not the oracle, rounded."""
    pairs = [(value, right) for value, right in zip(values, oracle, strict=True) if value.is_floating_point()]
    return any(not torch.equal(value.nan_to_num(), right.to(value.dtype).nan_to_num()) for value, right in pairs)


def _attempt(basis: _Basis, change: Change) -> list[torch.Tensor]:
    """What the reference gives with something changed; the oracle, where it raises or gives another form."""
    try:
        got = [as_real(one) for one in basis.call(change)]
    except torch.OutOfMemoryError:
        raise
    except Exception:  # whatever a person's module raises on other numbers says nothing about the candidate
        return basis.oracle
    if [one.shape for one in got] != [one.shape for one in basis.oracle]:
        return basis.oracle
    return [one.double() if one.is_floating_point() else one for one in got]


def _with_rounded(basis: _Basis, number: int, rounded: Rounded) -> torch.Tensor:
    """One tensor of the result, float64, with all products rounded so. Raises what PyTorch raises."""
    with RoundedFactors(rounded):
        return as_real(basis.call(unchanged)[number]).double()


def _spread(
    basis: _Basis, dtype: torch.dtype, samples: int, common: CommonToSamples | None = None
) -> tuple[list[torch.Tensor], Operators]:
    floating = [one if one.is_floating_point() else one.double() for one in basis.oracle]
    change: Change = unchanged
    if basis.moves:
        change = moved_by_rounding(dtype, torch.Generator(device=floating[0].device).manual_seed(_SEED))

    def again() -> list[torch.Tensor]:
        return [as_real(one).double() for one in basis.call(change)]

    try:
        note = common.note if common is not None else _ignored
        spread, operators = rounding_spread(again, floating, dtype, _SEED, samples, note)
        seen = not basis.moves
    except torch.OutOfMemoryError:
        raise
    except Exception:  # an operator that cannot be moved by itself, such as one of a sparse matrix
        spread, operators, seen = _moved_inputs(basis, floating, dtype, samples), Operators(), False
    unseen = Operators(rounds=True, sums=True, products=operators.products, only_linear=False)
    return spread, operators if seen else unseen


def _moved_inputs(
    basis: _Basis, floating: Sequence[torch.Tensor], dtype: torch.dtype, samples: int
) -> list[torch.Tensor]:
    """How far the result moves where inputs and parameters alone are rounded, in units of that."""
    generator = torch.Generator(device=floating[0].device).manual_seed(_SEED)
    spread = [torch.zeros_like(one) for one in floating]
    for _sample in range(samples):
        moved = _attempt(basis, moved_by_rounding(dtype, generator))
        for most, there, right in zip(spread, moved, floating, strict=True):
            torch.maximum(most, (there.double() - right).abs().nan_to_num_(0.0, 0.0, 0.0), out=most)
    return [most.div_(torch.finfo(dtype).eps / 2) for most in spread]


def _scale(
    spread: torch.Tensor, oracle: torch.Tensor, magnitude: torch.Tensor, operators: Operators
) -> torch.Tensor:
    if not operators.rounds:
        return spread
    # Through several layers the magnitudes of one multiply with those of the next, far beyond what rounding does.
    most = _OF_SPREAD * torch.maximum(spread, oracle.abs())
    size = torch.maximum(torch.minimum(magnitude.abs(), most), oracle.abs())
    return torch.maximum(spread, torch.where(size.isfinite(), size, oracle.abs()).nan_to_num_(0.0, 0.0, 0.0))


def _coarse(basis: _Basis) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    """With what is multiplied cut off to TF32, and rounded to BF16."""
    return _attempt(basis, truncated_to_tf32), _attempt(basis, rounded_to_bf16)


def _coarser(
    coarse: Callable[[], tuple[list[torch.Tensor], list[torch.Tensor]]],
    number: int,
    right: Graded,
    tf32: torch.Tensor,
) -> Coarser:
    truncated, bf16 = (result[number] for result in coarse())
    return Coarser(_units(bf16, right), max(_units(tf32, right), _units(truncated, right)))


def _units(result: torch.Tensor, right: Graded) -> float:
    """The largest error among the finite elements."""
    bare = Graded(torch.full_like(right.value, float("nan")), right.oracle, right.scale)
    return compare_graded(result.to(right.value.dtype), bare, float("inf"), poison=0).error_units or 0.0
