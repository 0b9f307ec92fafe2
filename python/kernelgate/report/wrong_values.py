"""What the wrong values of a result have in common: a record for each, as in `report.wrong_results`.

In: numbers and names. Out: half a sentence and a next step. Not here: which record fits (`check.slips.diagnosis`,
`judge.reference.explained`, `check.slips.other_operators`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

import msgspec

from kernelgate.report.numbers import count_of
from kernelgate.report.wrong_results import Wrong, WrongKind


class End(msgspec.Struct, frozen=True):
    """The last `count` of `total` rows, columns or elements, or of a dimension."""

    count: int
    total: int
    of: str

    def __str__(self) -> str:
        return f", all of them in the last {count_of(self.count, self.total)} {self.of}"


_Formula = Literal[
    "gelu by erf",
    "gelu by tanh",
    "half away",
    "exp - 1",
    "log(1 + exp)",
]


class Differ(Wrong, frozen=True):
    """`end`: if all of them lie."""

    wrong: int
    total: int
    end: End | None = None

    @property
    def says(self) -> str:
        return f"{count_of(self.wrong, self.total)} elements differ{self.end or ''}"


class OneNumber(Wrong, frozen=True):
    """A result of one element. `times`: how many times as large, or as small, as it should be; 0 if that is chance."""

    got: float
    wanted: float
    times: float = 0.0
    smaller: bool = False

    @property
    def says(self) -> str:
        pair = distinguishable(self.got, self.wanted) if isinstance(self.got, float) else (self.got, self.wanted)
        times = f", {self.times:g} times as {'small' if self.smaller else 'large'}" if self.times else ""
        return f"the result is {pair[0]} instead of {pair[1]}{times}"


class Unwritten(Wrong, frozen=True):
    """`last`: whether all of them are the last ones."""

    kind = "unwritten"
    count: int
    total: int
    last: bool

    @property
    def says(self) -> str:
        if not self.last:
            return f"{count_of(self.count, self.total)} elements are never written"
        if self.count == 1:
            return "the last element is never written"
        if self.count == self.total:
            return "nothing is written to the output"
        return f"the last {count_of(self.count, self.total)} elements are never written"


class Zeros(Wrong, frozen=True):
    kind = "unwritten"
    template = "{0.count:,} of {0.total:,} elements are 0{0.end}"
    count: int
    total: int
    end: End


class NanMade(Wrong, frozen=True):
    kind = "nan_made"
    template = "NaN where the reference has numbers ({0.wrong:,} of {0.total:,} elements are wrong)"
    wrong: int
    total: int


class NanSwallowed(Wrong, frozen=True):
    """`count`: of elements; None if each is of one input. `zero`: whether all of these are 0."""

    kind = "nan_swallowed"
    count: int | None = None
    zero: bool = False

    @property
    def says(self) -> str:
        if self.count is not None:
            return f"NaN is not passed on: {self.count:,} elements are numbers where the reference gives NaN"
        return "NaN inputs give 0 instead of NaN" if self.zero else "NaN inputs do not give NaN"


class OnInputs(Wrong, frozen=True):
    """All wrong elements are those of some inputs of their own: "zero", "negative"."""

    kind = "inputs"
    which: Sequence[str]
    how: Literal["wrong", "unchanged", "zero"] = "wrong"

    @property
    def says(self) -> str:
        which = " and ".join(filter(None, [", ".join(self.which[:-1]), self.which[-1]]))
        if self.how == "wrong":
            return f"wrong on {which} inputs"
        return f"{which} inputs {'give 0' if self.how == 'zero' else 'are returned unchanged'}"


class Slope(Wrong, frozen=True):
    """Of negative inputs. `rounded`: it is the right one but for its last digits."""

    kind = "factor"
    got: float
    wanted: float
    rounded: bool = False

    @property
    def says(self) -> str:
        got, wanted = distinguishable(self.got, self.wanted, 6 if self.rounded else 4)
        if self.rounded:
            return f"negative inputs are multiplied by numbers like {got} instead of {wanted}, as by more roundings"
        return f"negative inputs are multiplied by {got} instead of {wanted}"


class Factor(Wrong, frozen=True):
    """Of every element, or on their average. `digits`: so many are shown, or as many more as tell it from 1."""

    kind = "factor"
    factor: float
    digits: int = 4
    on_average: bool = False

    @property
    def says(self) -> str:
        if abs(self.factor + 1) < _SIGN:
            return "every element has the other sign"
        return _of_all(f"{factor_words(self.factor, self.digits)} times the reference's", self.on_average)


class Shift(Wrong, frozen=True):
    """The same, by an amount."""

    kind = "shift"
    amount: float
    digits: int = 4
    on_average: bool = False

    @property
    def says(self) -> str:
        amount = f"{abs(self.amount):.{self.digits}g} {'larger' if self.amount > 0 else 'smaller'}"
        return _of_all(f"{amount} than the reference's", self.on_average)


class Changed(Wrong, frozen=True):
    """The values are the reference's own in other places, or what it gives with something changed."""

    kind: ClassVar[WrongKind] = "changed"
    template = "the values are {0.whose} {0.change}"
    change: str
    whose: Literal["the reference's", "what the reference gives"] = "what the reference gives"


class IgnoresStrides(Changed, frozen=True):
    """The change is that of a program which looks at no strides."""

    kind = "strides"


class OtherFormula(Wrong, frozen=True):
    """Another function than the reference's, of the same name."""

    kind: ClassVar[WrongKind] = "formula"
    formula: _Formula

    @property
    def says(self) -> str:
        return _FORMULAS[self.formula][0]

    @property
    def next_step(self) -> str:
        return _FORMULAS[self.formula][1]


# How accurate they are.


class LosesDigits(OtherFormula, frozen=True):
    """The same function, computed so that small results lose digits."""

    kind = "loses_digits"


class DigitsLost(Wrong, frozen=True):
    """The same by any formula. `worst`: the largest error; `share`: the largest of a result."""

    kind = "loses_digits"
    step = (
        "Use a function that keeps digits there, such as expm1f, log1pf or tanhf, "
        "or a formula without a difference of nearly equal numbers"
    )
    worst: float
    share: float

    @property
    def says(self) -> str:
        return (
            f"digits are lost where the result is near 0: its errors are those of numbers near 1 ({self.worst:.1g}), "
            f"up to {100 * min(self.share, 1.0):.2g} % of the result"
        )


class NarrowFormat(Wrong, frozen=True):
    """Every wrong value is a number of a narrower format."""

    kind = "precision"
    template = "the values are computed in {0.name}"
    name: str


class CoarserProducts(Wrong, frozen=True):
    """Of rounded factors. `units`: the largest error; `own`: that of PyTorch's arithmetic, `theirs`."""

    kind = "precision"
    template = (
        "computed in {0.arithmetic}: errors of {0.units:.0f} units of rounding, "
        "where PyTorch's {0.theirs} makes {0.own:.1f}"
    )
    step = "Compute at the accuracy of fp32, or allow a coarser arithmetic with --allow-arithmetic"
    arithmetic: str
    units: float
    theirs: str
    own: float


class AsCoarse(Wrong, frozen=True):
    """Errors no larger than those of an arithmetic that has not made them."""

    template = "{0.found.words}, by no more than {0.arithmetic} would make them"
    step = "Look for a wrong term or constant; errors of this size can be allowed with --allow-arithmetic"
    found: Wrong
    arithmetic: str


_SIGN = 1e-4  # by so much may a factor differ from -1
_FORMULAS: dict[_Formula, tuple[str, str]] = {
    "gelu by erf": (
        "GELU is computed by erf, and the reference's by its tanh approximation",
        "Compute it as the reference does: 0.5f * x * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)))",
    ),
    "gelu by tanh": (
        "GELU is computed by its tanh approximation",
        "Compute it as the reference does, by erf: 0.5f * x * (1.0f + erff(x * 0.70710678f))",
    ),
    "half away": (
        "halves are rounded away from 0, as roundf does, and the reference rounds them to the even number",
        "Write rintf(x), which rounds halves to the even number, as PyTorch does",
    ),
    "exp - 1": (
        "exp(x) - 1 loses digits where x is near 0; expm1 keeps them",
        "Write expm1f(x) in place of expf(x) - 1.0f",
    ),
    "log(1 + exp)": (
        "log(1 + exp(x)) loses digits where the result is near 0; log1p keeps them",
        "Write log1pf(expf(x)) in place of logf(1.0f + expf(x))",
    ),
}


def _of_all(words: str, on_average: bool) -> str:
    if on_average:
        return f"the elements are {words} on average, more than rounding makes"
    return f"every element is {words}"


def distinguishable(one: float, other: float, least: int = 6) -> tuple[str, str]:
    """Two numbers with as many digits as tell them apart, and no fewer than `least`."""
    for digits in (least, 6, 9, 17):
        words = f"{one:.{digits}g}", f"{other:.{digits}g}"
        if words[0] != words[1]:
            break
    return words


def factor_words(factor: float, least: int = 4) -> str:
    """A factor with as many digits as tell it from 1."""
    return distinguishable(factor, 1.0, least)[0]
