"""The cases of the check stage: which inputs a candidate is tried on, and how each is drawn.

In: the problem's own inputs, as a template, and the kind of each. Out: plans, and from a plan and a seed the inputs
themselves, on the device of the run. The problem's own shapes, dtype and contiguous inputs with any finite values of
their kind belong to the contract `problem`; infinities, NaN, other sizes, layouts and dtypes belong to `drop-in`.
Not here: which other shapes are tried (`check.inputs.shape_plans`), kinds (`check.inputs.kinds`), shapes that belong
together (`check.inputs.shape_plans`), comparing (`check.tolerance.numerics`); whether the reference accepts a case
(the judge asks it).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from kernelgate.check.inputs.bit_patterns import count_of, fill, halves
from kernelgate.check.inputs.kinds import PLAIN, CannotKeep, Kind, Shape, as_matrix, resized, within
from kernelgate.check.inputs.loosened import loosened
from kernelgate.check.nesting import flatten, is_floating, mapped
from kernelgate.report.types import Contract

Distribution = Literal[
    "own",
    "again",
    "normal",
    "negative",
    "extremes",
    "integers",
    "sixteenths",
    "bits",
    "every value",
    "magnitudes",
    "large",
    "small",
    "small, first zero",
    "tiny",
    "far below 0",
    "far apart",
    "labels left out",
    "not finite",
]
LayoutName = Literal["contiguous", "transposed", "strided slice", "expanded", "storage offset by one", "channels last"]

MOST_DIMENSIONS = 5
"""Of a case; a problem's own inputs may have more."""
RANKS = {f"rank {rank}": f"input of rank {rank}" for rank in range(1, MOST_DIMENSIONS + 1)}  # and their words
NOT_FINITE = "infinities and NaN"
"""The name of the case with them."""

DISTRIBUTION_WORDS: dict[Distribution, str] = {
    "own": "the problem's own",
    "again": "the problem's own, drawn again",
    "normal": "normal",
    "negative": "negative, normal",
    "extremes": "normal with 0, -0, subnormal",
    "integers": "integers -8 to 8",
    "sixteenths": "multiples of 1/16, halves of narrower formats",
    "bits": "random bits, finite",
    "every value": "every value",
    "magnitudes": "powers of 2 of either sign",
    "large": "normal times 1000",
    "small": "normal divided by 128",
    "small, first zero": "normal divided by 128, 0 in the first row",
    "tiny": "normal times 2^-30",
    "far below 0": "-100 - 100 |normal|",
    "far apart": "the problem's own probabilities, to a power",
    "labels left out": "normal, a third of the labels left out",
    "not finite": "normal with inf, NaN, largest",
}

def distribution_words(distribution: Distribution, dtype: torch.dtype) -> str:
    """How a report names the numbers of a case of this dtype."""
    count = count_of(dtype) if distribution == "every value" else None
    return f"all {count:,} values" if count is not None else DISTRIBUTION_WORDS[distribution]


@dataclass(frozen=True)
class Plan:
    """One case. `shape` is that of the leading input, which the others follow; None keeps the problem's own.

    `distribution` is that of plain inputs; others keep their kind, unless the case is `unstructured`.
    """

    name: str
    contract: Contract
    distribution: Distribution = "normal"
    layout: LayoutName = "contiguous"
    shape: tuple[int, ...] | None = None
    dtype: torch.dtype | None = None
    unstructured: bool = False
    sample: int | None = None
    """Which of PyTorch's own samples it is; nothing is then drawn."""
    whole: bool = False
    """Every number of the format, in as many calls as it takes; it is not drawn again."""
    most_exponent: int = 0
    """Of the distribution "magnitudes", which goes from 2 to the negative power of it up to 2 to its power."""
    power: int = 1  # of the distribution "far apart"
    repeats: bool = False  # whole numbers that may do so

    @property
    def words(self) -> str:
        """How a sentence names the case: "wrong on strided input"."""
        name = self.name.partition(",")[0]
        return name if name in _AS_NAMED else _WORDS.get(name, f"{name} input")

_AS_NAMED = ("one row", "one column", "probabilities far apart")
_WORDS = {
    "strided slice": "strided input",
    "storage offset by one": "input at an odd storage offset",
    "odd size": "odd sizes",
    "channels last": "channels-last input",
    "far below 0": "input far below 0",
    "labels left out": "labels that the loss leaves out",
    "sixteenths": "multiples of 1/16",
    NOT_FINITE: "infinite and NaN input",
    **RANKS,
}


PROBLEM_PLANS = (
    Plan("as given", "problem", "own"),
    Plan("normal", "problem", "normal", repeats=True),
    Plan("all negative", "problem", "negative"),
    Plan("extremes", "problem", "extremes"),
    Plan("integers", "problem", "integers"),
)
NO_PLAIN_PLANS = (PROBLEM_PLANS[0], Plan("drawn again", "problem", "again"))
"""Where no input may hold any numbers."""


BITS_PLAN = Plan("random bits", "problem", "bits")
"""Where any finite number has exactly one right result."""
LARGE_PLAN = Plan("large", "problem", "large")
SMALL_PLANS = (Plan("small", "problem", "small, first zero"), Plan("small", "problem", "small"))
"""What is added to a variance or norm, lest it be 0, shows in no other case where precision is low. The first is taken
for which the reference has values."""
SIXTEENTHS_PLAN = Plan("sixteenths", "problem", "sixteenths")
"""Where the reference rounds to whole numbers, or compares with a bound: these lie half-way between two whole numbers,
also times 2, 4 or 8, and on a bound such as 0.5."""
TINY_PLAN = Plan("tiny", "drop-in", "tiny")
"""The same, as far down as a drop-in has to go."""
FAR_BELOW_PLAN = Plan("far below 0", "problem", "far below 0")
"""A maximum that begins at 0 and not at -infinity shows here alone where its exponentials are added up."""
FAR_APART_PLANS = tuple(Plan("probabilities far apart", "problem", "far apart", power=n) for n in (16, 4))
"""Where rows are probabilities, or their logarithms: those of random numbers are all of about one size, which hides a
bound or an addend of a logarithm. The first is taken for which the reference has values."""
LABELS_LEFT_OUT_PLAN = Plan("labels left out", "drop-in", "labels left out")
"""Some labels are the number that PyTorch's losses leave out, -100 unless the reference has another."""
EXPONENTS = (12, 6)
"""From these the first is taken at which the reference's result is finite."""
FAR_EXPONENTS = (60, 30)
"""The same where arithmetic of lower precision, such as fp16's, has no such numbers: a matter of drop-in."""


def magnitudes_plans(*, far: bool) -> list[Plan]:
    """Numbers of every magnitude, the widest range first; `far` beyond what a split into fp16 parts holds."""
    if far:
        return [Plan("far magnitudes", "drop-in", "magnitudes", most_exponent=n) for n in FAR_EXPONENTS]
    return [Plan("every magnitude", "problem", "magnitudes", most_exponent=n) for n in EXPONENTS]


OTHER_SIZE_PLAN = Plan("another size", "drop-in", "own")
"""The problem's own inputs at sizes near those of the run, with other remainders."""
UNSTRUCTURED_PLAN = Plan("unstructured", "drop-in", unstructured=True)


def not_finite_plan(kinds: Sequence[Kind]) -> Plan:
    """Infinities and NaN. They belong to the problem only if its own inputs hold some."""
    own = any(kind.plain and kind.not_finite for kind in kinds)
    return Plan(NOT_FINITE, "problem" if own else "drop-in", "not finite")


def case_seed(run_seed: int, name: str) -> int:
    """A seed for one case, from the seed of the run; below 2**48, so that JSON keeps it exactly."""
    digest = hashlib.sha256(f"{run_seed}/{name}".encode()).digest()
    return int.from_bytes(digest[:6], "big")


def draw(
    plan: Plan,
    own: Sequence[Any],
    seed: int,
    dtype: torch.dtype,
    *,
    graded: bool,
    kinds: Sequence[Kind] | None = None,
    shapes: Sequence[Shape] | None = None,
) -> list[Any]:
    """The inputs of a case: every tensor of `own`, nested ones included, by the plan; everything else as it is.

    `own`: a draw of the problem's own inputs; whatever is not plain comes from it. `dtype` is the run's; the plan's own
    overrides it. An input of another floating dtype than the usual one keeps its own. `kinds`, `shapes`: of each
    tensor in order; without them floating tensors are plain, and have the plan's shape. Graded problems keep out of
    overflow: they get no largest values, because the order of a sum decides whether it overflows. Raises CannotKeep.
    """
    tensors = flatten(list(own))[1]
    kinds = kinds or [PLAIN if is_floating(one) else Kind(plain=False) for one in tensors]
    if shapes is None:
        shapes = [
            tuple(one.shape) if plan.shape is None or not is_floating(one) else plan.shape
            for one in tensors
        ]
    floating = [one.dtype for one in tensors if is_floating(one)]
    main = torch.float32 if torch.float32 in floating else next(iter(floating), None)
    before, after = ([size for one in side for size in one] for side in ([t.shape for t in tensors], shapes))
    drawn = []
    for number, (value, kind, shape) in enumerate(zip(tensors, kinds, shapes, strict=True)):
        generator = torch.Generator(device=value.device).manual_seed(case_seed(seed, f"input {number}"))
        wanted = (plan.dtype or dtype) if value.dtype == main else value.dtype
        elements = _elements(plan, value, kind, shape, wanted, generator, graded)
        whole = not value.is_floating_point() and not value.is_complex()
        if whole and len(before) == len(after):
            elements = within(elements, kind, before, after)
        drawn.append(_laid_out(elements, kind, plan.layout, generator))
    left = iter(drawn)
    return [mapped(value, lambda _tensor: next(left)) for value in own]


def _elements(
    plan: Plan,
    value: torch.Tensor,
    kind: Kind,
    shape: Shape,
    dtype: torch.dtype,
    generator: torch.Generator,
    graded: bool,
) -> torch.Tensor:
    same_shape = tuple(value.shape) == shape
    if plan.distribution == "own" and same_shape:
        return value.to(dtype)
    value = loosened(value, kind, generator, repeats=plan.repeats, tiny=plan.distribution == "tiny")
    if plan.distribution == "far apart" and same_shape and kind.of_probabilities:
        return _far_apart(value, kind, plan.power).to(dtype)
    if plan.distribution == "labels left out" and same_shape and kind.left_out is not None:
        return _with_labels_left_out(value, kind.left_out, generator)
    if kind.plain and plan.distribution not in ("own", "again"):
        return as_matrix(value, _values(plan, shape, dtype, generator, graded), kind.matrix)
    if same_shape and not kind.repeats:
        return value.to(dtype)
    return resized(value, kind, shape, generator).to(dtype)


def _far_apart(value: torch.Tensor, kind: Kind, power: int) -> torch.Tensor:
    """Rows of probabilities, or of their logarithms, to a power, with the sum 1 again."""
    logarithms = value.double() if kind.rows == "log-probabilities" else value.double().log()
    apart = torch.log_softmax(power * logarithms, kind.rows_dim)
    return apart if kind.rows == "log-probabilities" else apart.exp()


def _with_labels_left_out(labels: torch.Tensor, left_out: int, generator: torch.Generator) -> torch.Tensor:
    if labels.numel() < 2:
        return labels
    places = torch.randperm(labels.numel(), generator=generator, device=labels.device)[: max(1, labels.numel() // 3)]
    return labels.reshape(-1).index_fill(0, places, left_out).view(labels.shape)


def _values(
    plan: Plan, shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator, graded: bool
) -> torch.Tensor:
    device = generator.device
    if plan.distribution == "bits":
        return _random_bits(shape, dtype, generator)
    if plan.distribution == "every value":
        first = torch.randint(1 << 16, (), generator=generator, device=device)
        return fill(torch.empty(shape, dtype=dtype, device=device), int(first))
    if plan.distribution == "integers":
        return torch.randint(-8, 9, shape, generator=generator, device=device).to(dtype)
    if plan.distribution == "sixteenths":
        return halves(shape, generator).to(dtype)
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    values = torch.randn(shape, generator=generator, device=device, dtype=wide).to(dtype)
    if plan.distribution == "large":
        return values.mul_(1000.0)
    if plan.distribution in ("small", "small, first zero"):
        values.div_(128.0)
        if plan.distribution == "small, first zero" and len(shape) > 1 and shape[0] > 1:
            values[0] = 0.0
        return values
    if plan.distribution == "tiny":
        return values.mul_(2.0**-30)
    if plan.distribution == "far below 0":
        return values.abs_().mul_(-100.0).sub_(100.0)
    if plan.distribution == "magnitudes":
        powers = torch.rand(shape, generator=generator, device=device, dtype=wide)
        powers = powers.sub_(0.5).mul_(2 * plan.most_exponent).exp2_()
        return powers.copysign_(values).to(dtype)
    if plan.distribution == "negative":
        values.abs_().neg_()
        # One normal number in ten million is 0. Its negative, -0, would be no negative number.
        return _extremes_last(values.masked_fill_(values == 0, -1.0), largest=False)
    if plan.distribution == "extremes":
        return _sprinkled(values, small_values(dtype), 5)
    if plan.distribution == "not finite":
        # One inf spoils a whole row of a graded problem, so they are sparse there.
        step = max(5, min(4097, values.numel() // 6)) if graded else 5
        return _sprinkled(values, large_values(dtype, finite=not graded), step)
    return _extremes_last(values, largest=True)


def _extremes_last(values: torch.Tensor, *, largest: bool) -> torch.Tensor:
    """In place: the `largest` number of all comes last, or the smallest does; of every other row that of the row, and
    of those between the opposite. A program that leaves out the last element cannot have the right extreme."""
    if values.numel() < 2:
        return values
    rows = values.view(-1, values.shape[-1])
    _swapped_to_the_end(values.view(1, -1), largest)
    parity = (rows.shape[0] - 1) % 2
    _swapped_to_the_end(rows[parity::2], largest)
    _swapped_to_the_end(rows[1 - parity :: 2], not largest)
    return values


def _swapped_to_the_end(rows: torch.Tensor, largest: bool) -> None:
    """In place: the largest number of each row, or the smallest, and the last one change places."""
    if rows.numel() == 0:
        return
    at = (rows.argmax(1) if largest else rows.argmin(1))[:, None]
    extreme, last = rows.gather(1, at), rows[:, -1:].clone()
    rows.scatter_(1, at, last)
    rows[:, -1:] = extreme


def _random_bits(shape: tuple[int, ...], dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Every finite number is as likely as any other; 1 stands where the bits are no finite number."""
    bits = {2: torch.int16, 4: torch.int32, 8: torch.int64}[dtype.itemsize]
    info = torch.iinfo(bits)
    drawn = torch.empty(shape, dtype=bits, device=generator.device)
    drawn.random_(info.min, None if bits == torch.int64 else info.max + 1, generator=generator)
    values = drawn.view(dtype)
    return values.masked_fill_(~values.isfinite(), 1.0)


def _sprinkled(values: torch.Tensor, special: torch.Tensor, step: int) -> torch.Tensor:
    """In place: every so many elements a special value, in turn."""
    places = values.view(-1)[::step]
    special = special.to(values.device)
    places.copy_(special.repeat(places.numel() // special.numel() + 1)[: places.numel()])
    return values


def small_values(dtype: torch.dtype) -> torch.Tensor:
    """The values around 0 of a floating dtype; CPU, shape (n,)."""
    info = torch.finfo(dtype)
    smallest = float(info.smallest_normal) * float(info.eps)  # the smallest subnormal number
    values = [0.0, -0.0, smallest, -smallest, -0.75 * info.smallest_normal, -info.smallest_normal]
    return torch.tensor(values, dtype=torch.float64).to(dtype)


def large_values(dtype: torch.dtype, *, finite: bool) -> torch.Tensor:
    """Infinities and NaN, and the largest numbers of a floating dtype, if `finite`; CPU, shape (n,)."""
    info = torch.finfo(dtype)
    values = [float("inf"), float("-inf"), float("nan"), *([info.max, info.min] if finite else [])]
    return torch.tensor(values, dtype=torch.float64).to(dtype)


def _laid_out(
    values: torch.Tensor, kind: Kind, layout: LayoutName, generator: torch.Generator
) -> torch.Tensor:
    """The same elements, in memory as the layout says, other numbers between them. Raises CannotKeep."""
    if layout == "transposed" and values.dim() >= 2:
        return values.transpose(-1, -2).contiguous().transpose(-1, -2)
    if layout == "expanded" and values.dim() >= 1:
        along_rows = kind.rows is not None or kind.order is not None
        if kind.matrix is not None or (along_rows and values.dim() == 1):
            raise CannotKeep("one row repeated")
        if kind.constant:  # such as where each sequence begins: these are the only values
            return values
        return values[:1].expand(values.shape)
    if layout == "strided slice" and values.dim() >= 1:
        wide = _others(values, (*values.shape[:-1], 2 * values.shape[-1]), generator)
        view = wide[..., ::2]
        view.copy_(values)
        return view
    if layout == "channels last" and values.dim() in (4, 5):
        last = torch.channels_last if values.dim() == 4 else torch.channels_last_3d
        return values.contiguous(memory_format=last)
    if layout == "storage offset by one":
        longer = _others(values, (values.numel() + 1,), generator)
        longer[1:].copy_(values.reshape(-1))
        return longer[1:].view(values.shape)
    return values


def _others(values: torch.Tensor, shape: tuple[int, ...], generator: torch.Generator) -> torch.Tensor:
    """Memory between and before elements. An index that is read from there must still be one."""
    if not values.is_floating_point() and not values.is_complex():
        return values.new_full(shape, values.max().item() if values.numel() else 0)
    if values.is_complex():
        return torch.randn(shape, generator=generator, device=values.device, dtype=values.dtype)
    return torch.randn(shape, generator=generator, device=values.device).to(values.dtype)
