"""How numbers are written, the same in text and HTML.

In: plain numbers, times in seconds. Out: short strings with their unit, a space between.
Three significant digits unless the caller asks for four; whole digits are never rounded away.
Not here: ASCII (`bounded.ascii_only` turns µs into us) and sentences (`report.wording`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

_TIME_UNITS = ((0, 1.0, "s"), (-3, 1e3, "ms"), (-6, 1e6, "µs"))
"""Smallest power of ten of a time in seconds, what turns it into the unit, and the unit."""

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
    exponent = _exponent(seconds, digits)
    for smallest, factor, unit in _TIME_UNITS:
        if exponent >= smallest:
            return f"{significant(seconds * factor, digits)} {unit}"
    return f"{significant(seconds * 1e9, digits)} ns"


def thousands(count: int) -> str:
    """196,608"""
    return f"{count:,}"


def count_of(done: int, total: int) -> str:
    """16 of 16"""
    return f"{done:,} of {total:,}"


def counted(count: int, thing: str) -> str:
    """1 line, 42 lines"""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


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


def _exponent(value: float, digits: int) -> int:
    """The power of ten of the first digit, after rounding to so many digits."""
    return int(f"{value:.{digits - 1}e}".split("e")[1])
