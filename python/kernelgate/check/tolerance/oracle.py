"""The reference in float64: the oracle that a result is held against, and how far it moves.

In: a way to call the reference, in float64 and in its own dtype, with what rounds changed. Out: a `Basis`, and for each
element how far rounding moves it. A reference that does not run in float64 stands for itself in its own dtype.
Not here: what of it is allowed (`check.tolerance.grade`), the rounding itself (`check.tolerance.rounding`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from kernelgate.check.nesting import flatten, floats_apart
from kernelgate.check.problem import refusal_ends_it
from kernelgate.check.tolerance.nearness import CommonToSamples
from kernelgate.check.tolerance.numerics import as_real
from kernelgate.check.tolerance.rounding import (
    Operators,
    known_to_a_rounding,
    moved_by_rounding,
    rounding_spread,
)

Change = Callable[[torch.Tensor], torch.Tensor]
Take = Callable[[Any], list[torch.Tensor]]
_SEED = 0x6B67


def tensors_of(result: Any) -> list[torch.Tensor]:
    return flatten(result)[1]


def floats_of(result: Any) -> list[torch.Tensor]:
    """The floats of Python among a result, as one tensor of the default dtype."""
    found = floats_apart(flatten(result)[0])[1]
    return [torch.tensor(found)] if found else []


def unchanged(tensor: torch.Tensor) -> torch.Tensor:
    """No change."""
    return tensor


@dataclass(frozen=True)
class Wide:
    """`call(change)`: the tensors of the reference's result in float64, its inputs and parameters changed;
    `own(change)`: the same in the dtype of the run. Both may raise what PyTorch raises."""

    call: Callable[[Change], Sequence[torch.Tensor]]
    own: Callable[[Change], Sequence[torch.Tensor]]


@dataclass(frozen=True)
class Basis:
    """What a result is held against. `call` gives `oracle`, the result in float64, if nothing is changed.
    `moves`: the reference's own dtype stands for float64, and its inputs are moved by rounding, as not all of its
    operators are seen."""

    call: Callable[[Change], Sequence[torch.Tensor]]
    oracle: list[torch.Tensor]
    moves: bool = False


def in_float64(values: Sequence[torch.Tensor], wide: Wide) -> Basis | None:
    """None if the reference does not run in float64, or computes in a narrower dtype all the same."""
    got: list[torch.Tensor] = []
    with refusal_ends_it(of_cpu=False):  # whatever a person's module raises in float64 says nothing about the candidate
        got = [as_real(one) for one in wide.call(unchanged)]
    if [one.shape for one in got] != [one.shape for one in values]:
        return None
    pairs = zip(got, values, strict=True)
    if any(one.dtype != torch.float64 for one, value in pairs if value.is_floating_point()):
        return None
    return Basis(wide.call, [one.double() if one.is_floating_point() else one for one in got])


def in_own_dtype(values: Sequence[torch.Tensor], wide: Wide) -> Basis:
    oracle = [value.double() if value.is_floating_point() else value for value in values]
    return Basis(wide.own, oracle, moves=True)


def differ(values: Sequence[torch.Tensor], oracle: Sequence[torch.Tensor]) -> bool:
    """Whether some result is not the oracle, rounded."""
    pairs = [(value, right) for value, right in zip(values, oracle, strict=True) if value.is_floating_point()]
    return any(not torch.equal(value.nan_to_num(), right.to(value.dtype).nan_to_num()) for value, right in pairs)


def attempt(basis: Basis, change: Change) -> list[torch.Tensor]:
    """What the reference gives with something changed; the oracle, where it raises or gives another form."""
    got: list[torch.Tensor] = []
    with refusal_ends_it(of_cpu=False):  # what a module raises on other numbers says nothing of the candidate
        got = [as_real(one) for one in basis.call(change)]
    if [one.shape for one in got] != [one.shape for one in basis.oracle]:
        return basis.oracle
    return [one.double() if one.is_floating_point() else one for one in got]


def spread_of(
    basis: Basis, dtype: torch.dtype, samples: int, common: CommonToSamples | None = None
) -> tuple[list[torch.Tensor], Operators]:
    floating = [one if one.is_floating_point() else one.double() for one in basis.oracle]
    generator = torch.Generator(device=floating[0].device).manual_seed(_SEED)
    change = moved_by_rounding(dtype, generator) if basis.moves else known_to_a_rounding(dtype, generator)

    def again() -> list[torch.Tensor]:
        return [as_real(one).double() for one in basis.call(change)]

    spread, operators = list[torch.Tensor](), Operators()
    with refusal_ends_it(of_cpu=False):  # such as of an operator that cannot be moved, as of a sparse matrix
        spread, operators = rounding_spread(again, floating, dtype, _SEED, samples, common.note if common else None)
        if not basis.moves:
            return spread, operators
    spread = spread or _moved_inputs(basis, floating, dtype, samples)
    return spread, Operators(rounds=True, sums=True, products=operators.products, only_linear=False)


def _moved_inputs(
    basis: Basis, floating: Sequence[torch.Tensor], dtype: torch.dtype, samples: int
) -> list[torch.Tensor]:
    """How far the result moves where inputs and parameters alone are rounded, in units of that."""
    generator = torch.Generator(device=floating[0].device).manual_seed(_SEED)
    spread = [torch.zeros_like(one) for one in floating]
    for _sample in range(samples):
        moved = attempt(basis, moved_by_rounding(dtype, generator))
        for most, there, right in zip(spread, moved, floating, strict=True):
            torch.maximum(most, (there.double() - right).abs().nan_to_num_(0.0, 0.0, 0.0), out=most)
    return [most.div_(torch.finfo(dtype).eps / 2) for most in spread]
