"""How numbers are written, the same in text and HTML.

In: plain numbers, times in seconds. Out: short strings with their unit, a space between.
Three significant digits unless the caller asks for four; whole digits are never rounded away.
Not here: ASCII (`bounded.ascii_only` turns µs into us) and sentences (`report.wording`).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

_TIME_UNITS = ((0, 1.0, "s"), (-3, 1e3, "ms"), (-6, 1e6, "µs"))
"""Smallest power of ten of a time in seconds, what turns it into the unit, and the unit."""

_PREFIXES = ((12, "T"), (9, "G"), (6, "M"), (3, "k"))

_WRITTEN_OUT = 1_000_000


def significant(value: float, digits: int = 3) -> str:
    """3.02, 42.0, 0.000250; thousands with a comma: 12,346."""
    if value == 0 or not math.isfinite(value):
        return f"{value:.0f}"
    return f"{value:,.{max(0, digits - 1 - _exponent(value, digits))}f}"


def scientific(value: float, digits: int = 2) -> str:
    """2.5e-7, as errors are written."""
    if value == 0 or not math.isfinite(value):
        return f"{value:.0f}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def duration(seconds: float, digits: int = 3) -> str:
    """3.02 ms; the unit is chosen after rounding, so that 999.9 µs reads 1.00 ms."""
    if seconds == 0 or not math.isfinite(seconds):
        return f"{seconds:.0f} s"
    unit, factor = _unit_of(seconds, digits)
    return f"{significant(seconds * factor, digits)} {unit}"


def digits_for(*values: float) -> int:
    """Significant digits that distinguish these: 4 where two of them lie within 1 %, else 3."""
    found = sorted({abs(value) for value in values if value})
    return 4 if any(high < 1.01 * low for low, high in itertools.pairwise(found)) else 3


def ratio_digits(*ratios: float) -> int:
    """Significant digits for ratios that stand together: 4 if one is within 2 % of 1 or two would read the same."""
    found = [max(one, 1 / one) for one in ratios]
    alike = len({significant(one) for one in found}) < len(set(found))
    return 4 if alike or any(one < 1.02 for one in found) else 3


def durations(seconds: Sequence[float], digits: int | None = None) -> list[str]:
    """A column of times: 3.015 ms, 4.910 ms. One unit, that of the longest, and digits that distinguish them."""
    digits = digits or digits_for(*seconds)
    longest = max(seconds, default=0)
    unit, factor = _unit_of(longest, digits) if longest > 0 else ("s", 1.0)
    return [f"{significant(second * factor, digits)} {unit}" for second in seconds]


def ratio(value: float, digits: int = 3) -> str:
    """1.61x, of the larger over the smaller: a ratio never falls below 1, its direction is said in words."""
    return f"{significant(max(value, 1 / value), digits)}x"


def share(part: float) -> str:
    """63%, of a limit. Up to 1 % beyond it reads 100%: the limit is measured too."""
    return "100%" if reads_as_whole(part) else _percent(part)


def reads_as_whole(part: float) -> bool:
    """Whether a share lies beyond a limit by no more than that limit is known."""
    return 1 < part <= 1.01


def fraction(part: float, whole: float) -> str:
    """1/32, or 45% if it is no whole part"""
    times = whole / part
    if times >= 2 and abs(times - round(times)) < 0.03 * times:
        return f"1/{round(times)}"
    return _percent(part / whole)


def rate(a_second: float, unit: str) -> str:
    """4.25 TB/s, 50.6 TFLOP/s: decimal, `unit` is B/s or FLOP/s"""
    return _decimal(a_second, unit)


def operations(count: float) -> str:
    """137 GFLOP: decimal"""
    return _decimal(count, "FLOP")


def size(count: float) -> str:
    """201 MB, 6.44 GB: decimal, as is usual for memory"""
    return f"{count:.0f} B" if count < 1000 else _decimal(count, "B")


def kibibytes(count: int) -> str:
    """227 KiB, as is usual for shared memory; 0 B"""
    if count < 1024:
        return f"{count} B"
    return f"{count // 1024:,} KiB" if count % 1024 == 0 else f"{significant(count / 1024)} KiB"


def thousands(count: int) -> str:
    """196,608"""
    return f"{count:,}"


def count_of(done: int, total: int) -> str:
    """16 of 16"""
    return f"{done:,} of {total:,}"


def counted(count: int, thing: str, things: str = "") -> str:
    """1 line, 42 lines"""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {things or thing + 's'}"


def ulp(distance: float) -> str:
    """0 ulp, 2.5 ulp, 98,301 ulp; from a million on 1.2e6 ulp."""
    if not abs(distance) < _WRITTEN_OUT:
        return f"{scientific(distance)} ulp"
    return f"{distance:,.0f} ulp" if distance == int(distance) else f"{significant(distance, 2)} ulp"


def error_units(units: float) -> str:
    """4.2 u: an error in units of the rounding of the dtype; from a million on 1.2e6 u."""
    written_out = abs(units) < _WRITTEN_OUT
    return f"{significant(units, 2) if written_out else scientific(units)} u"


def shape(sizes: Sequence[int]) -> str:
    """4096x393216; a tensor without dimensions is a scalar."""
    return "x".join(str(size) for size in sizes) or "scalar"


def _percent(part: float) -> str:
    """Half of one is rounded up, as on the screen: an occupancy is often an odd number of eighths."""
    return f"{math.floor(part * 100 + 0.5):,}%" if math.isfinite(part) else f"{part:.0f}%"


def _unit_of(seconds: float, digits: int) -> tuple[str, float]:
    """The unit that suits a time, and what turns seconds into it."""
    exponent = _exponent(seconds, digits)
    return next(((unit, factor) for low, factor, unit in _TIME_UNITS if exponent >= low), ("ns", 1e9))


def _decimal(value: float, unit: str) -> str:
    exponent = _exponent(value, 3) if value else 0
    low, prefix = next((pair for pair in _PREFIXES if exponent >= pair[0]), (0, ""))
    return f"{significant(value / 10.0**low)} {prefix}{unit}"


def _exponent(value: float, digits: int) -> int:
    """The power of ten of the first digit, after rounding to so many digits."""
    return int(f"{value:.{digits - 1}e}".split("e")[1])
