"""The cases of the check stage: which inputs a candidate is tried on, and how each is drawn.

In: the problem's own inputs, as a template. Out: plans, and from a plan and a seed the inputs themselves, on the
device of the run. The problem's own shapes, dtype and contiguous inputs with any values belong to the contract
`problem`; other sizes, layouts and dtypes belong to `drop-in`.
Not here: comparing (`check.numerics`); whether the reference accepts a case (the judge asks it).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from kernelgate.report.types import Contract

Distribution = Literal["own", "normal", "negative", "extremes", "integers"]
LayoutName = Literal["contiguous", "transposed", "strided slice", "expanded", "storage offset by one"]

DISTRIBUTION_WORDS: dict[Distribution, str] = {
    "own": "the problem's own",
    "normal": "normal",
    "negative": "negative, normal",
    "extremes": "normal with inf, NaN, 0, -0, subnormal, largest",
    "integers": "integers -8 to 8",
}


@dataclass(frozen=True)
class Plan:
    """One case. `shape` replaces the floating inputs' shape; None keeps the problem's own."""

    name: str
    contract: Contract
    distribution: Distribution = "normal"
    layout: LayoutName = "contiguous"
    shape: tuple[int, ...] | None = None
    dtype: torch.dtype | None = None

    @property
    def words(self) -> str:
        """How a sentence names the case: "wrong on strided input"."""
        return {
            "strided slice": "strided input",
            "transposed": "transposed input",
            "expanded": "expanded input",
            "storage offset by one": "input at an odd storage offset",
            "odd size": "odd sizes",
            "empty": "empty input",
            "zero-dimensional": "zero-dimensional input",
        }.get(self.name, f"{self.name} input")


PROBLEM_PLANS = (
    Plan("as given", "problem", "own"),
    Plan("normal", "problem", "normal"),
    Plan("all negative", "problem", "negative"),
    Plan("extremes", "problem", "extremes"),
    Plan("integers", "problem", "integers"),
)


def drop_in_plans(template: torch.Tensor, *, any_shape: bool) -> tuple[Plan, ...]:
    """The cases beyond the problem's own shape, dtype and layout.

    `any_shape`: the reference works element by element, so small odd shapes will do; otherwise the last dimension
    is kept, and the first varies.
    """
    if any_shape or template.dim() < 2:
        matrix: tuple[int, ...] = (67, 129)
        odd: tuple[int, ...] = (1027,)
        none: tuple[int, ...] = (0,)
    else:
        rest = tuple(template.shape[1:])
        matrix = (min(template.shape[0], 64), *rest)
        odd = (7, *rest)
        none = (0, *rest)
    return (
        Plan("odd size", "drop-in", shape=odd),
        Plan("empty", "drop-in", shape=none),
        Plan("zero-dimensional", "drop-in", shape=()),
        Plan("transposed", "drop-in", layout="transposed", shape=matrix),
        Plan("strided slice", "drop-in", layout="strided slice", shape=matrix),
        Plan("expanded", "drop-in", layout="expanded", shape=matrix),
        Plan("storage offset by one", "drop-in", layout="storage offset by one", shape=odd),
        Plan("half", "drop-in", shape=matrix, dtype=torch.float16),
        Plan("bfloat16", "drop-in", shape=matrix, dtype=torch.bfloat16),
        Plan("double", "drop-in", shape=matrix, dtype=torch.float64),
    )


def case_seed(run_seed: int, name: str) -> int:
    """A seed for one case, from the seed of the run; below 2**48, so that JSON keeps it exactly."""
    digest = hashlib.sha256(f"{run_seed}/{name}".encode()).digest()
    return int.from_bytes(digest[:6], "big")


def draw(plan: Plan, own: Sequence[Any], seed: int, dtype: torch.dtype, *, graded: bool) -> list[Any]:
    """The inputs of a case: every floating tensor of `own` redrawn by the plan, everything else as it is.

    `dtype` is the run's, which the plan's own overrides. Graded problems keep out of overflow: their extremes have no
    largest values, because the order of a sum decides whether it overflows.
    """
    drawn: list[Any] = []
    for position, value in enumerate(own):
        if not isinstance(value, torch.Tensor) or not value.is_floating_point():
            drawn.append(value)
            continue
        generator = torch.Generator(device=value.device).manual_seed(case_seed(seed, f"input {position}"))
        shape = tuple(value.shape) if plan.shape is None else plan.shape
        kind = plan.dtype or dtype
        elements = (
            value.to(kind) if plan.distribution == "own" else _values(plan, shape, kind, generator, graded)
        )
        drawn.append(_laid_out(elements, plan.layout, generator))
    return drawn


def _values(
    plan: Plan, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator, graded: bool
) -> torch.Tensor:
    device = generator.device
    if plan.distribution == "integers":
        return torch.randint(-8, 9, shape, generator=generator, device=device).to(dtype)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    values = torch.randn(shape, generator=generator, device=device, dtype=wide).to(dtype)
    if plan.distribution == "negative":
        values.abs_().neg_()
        # One normal number in ten million is 0, which would make it -0: no negative number.
        return values.masked_fill_(values == 0, -1.0)
    if plan.distribution == "extremes":
        special = special_values(dtype, largest=not graded).to(device)
        flat = values.view(-1)
        # A whole row of a graded problem is lost to one inf, so they are sparse there.
        step = 4097 if graded else 5
        places = flat[::step]
        places.copy_(special.repeat(places.numel() // special.numel() + 1)[: places.numel()])
    return values


def special_values(dtype: torch.dtype, *, largest: bool) -> torch.Tensor:
    """The values at the edges of a floating dtype; CPU, shape (n,)."""
    info = torch.finfo(dtype)
    smallest = float(torch.finfo(dtype).smallest_normal) * float(info.eps)  # the smallest subnormal number
    values = [
        float("inf"),
        float("-inf"),
        float("nan"),
        0.0,
        -0.0,
        smallest,
        -smallest,
        -0.75 * info.smallest_normal,
        -info.smallest_normal,
    ]
    if largest:
        values += [info.max, info.min]
    return torch.tensor(values, dtype=torch.float64).to(dtype)


def _laid_out(values: torch.Tensor, layout: LayoutName, generator: torch.Generator) -> torch.Tensor:
    """The same elements, in memory as the layout says. The memory between them holds other numbers."""
    if layout == "transposed" and values.dim() >= 2:
        return values.transpose(-1, -2).contiguous().transpose(-1, -2)
    if layout == "expanded" and values.dim() >= 1:
        return values[:1].expand(values.shape)
    if layout == "strided slice" and values.dim() >= 1:
        wide = torch.randn(
            (*values.shape[:-1], 2 * values.shape[-1]), generator=generator, device=values.device
        ).to(values.dtype)
        view = wide[..., ::2]
        view.copy_(values)
        return view
    if layout == "storage offset by one":
        longer = torch.randn(values.numel() + 1, generator=generator, device=values.device).to(values.dtype)
        longer[1:].copy_(values.reshape(-1))
        return longer[1:].view(values.shape)
    return values
