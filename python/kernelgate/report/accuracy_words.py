"""Phrases on how far a result is off, which every viewer shows.

In: records of `report.accuracy`. Out: plain phrases; "" if there is nothing to say.
"""

from __future__ import annotations

import math
import re

from kernelgate.report import numbers
from kernelgate.report.accuracy import (
    NONE_WRONG,
    ONLY_WRONG,
    ArithmeticBound,
    ErrorMap,
    Precision,
    Rules,
    Values,
)


def precision(found: Precision | None) -> str:
    """the largest error is 1.8 u, PyTorch's own 0.9 u (“normal”); up to 8 u counts as fp32, up to 120 u as split"""
    if found is None:
        return ""
    first, *others = found.bounds
    counts = [f"{bound_words(first)} counts as {first.name}"]
    counts += [f"{bound_words(bound)} as {bound.name}" for bound in others]
    error, own = numbers.error_units(found.units), numbers.error_units(found.reference_units)
    return f"the largest error is {error}, PyTorch's own {own} (“{found.case}”); {', '.join(counts)}"


def bound_words(bound: ArithmeticBound) -> str:
    """up to 8 u"""
    return f"up to {numbers.error_units(bound.units)}"


def rules(found: Rules | None) -> str:
    """off PyTorch by 4.5e-05 at most on the problem's inputs: assert_close fails, KernelBench's 0.0001 passes"""
    if found is None:
        return ""
    parts = []
    if found.rtol is not None or found.atol is not None:
        within = f"values within {found.atol or 0:g} + {found.rtol or 0:g} x |expected| pass"
        parts.append(f"by {found.whose or 'your'} tolerance, {within}")
    if found.difference is not None:
        assert_close = "passes" if found.assert_close else "fails"
        kernelbench = "passes" if found.kernelbench else "fails"
        parts.append(
            f"off PyTorch by {found.difference:.2g} at most on the problem's inputs: assert_close {assert_close}, "
            f"KernelBench's {found.kernelbench_at:g} {kernelbench}"
        )
    return "; ".join(parts)


def error_map(found: ErrorMap | None) -> str:
    """one square is 192x12288 elements of 6144x393216; wrong ones lie in rows 5461 to 6143, all columns"""
    if found is None:
        return ""
    if found.flat:
        size = f"{numbers.counted(found.bin_columns, 'element')} of {found.shape}, as they lie in memory"
    else:
        size = f"{found.bin_rows}x{found.bin_columns} elements of {found.shape}"
    if found.matrices > 1:
        size += f", of all {numbers.thousands(found.matrices)} matrices over each other"
    return f"one square is {size}; wrong ones lie in {place(found)}"


def place(found: ErrorMap) -> str:
    """rows 5461 to 6143, all columns"""
    if found.flat:
        size = math.prod(int(length) for length in re.findall(r"\d+", found.shape))
        everywhere = (found.first_column, found.last_column) == (0, size - 1)
        return "all parts of it" if everywhere else _span("element", found.first_column, found.last_column, size)
    rows = _span("row", found.first_row, found.last_row, found.rows)
    return f"{rows}, {_span('column', found.first_column, found.last_column, found.columns)}"


def row_words(found: ErrorMap) -> list[str]:
    """rows 192 to 383: 12 of 32 squares hold wrong elements, 4 of them no right one"""
    return [f"{_of_row(found, row)}: {_squares(bins)}" for row, bins in enumerate(found.bins)]


def errors(found: Values) -> list[str]:
    """off by 0.01 to 0.1: 43,210 elements"""
    powers = range(found.lowest, found.lowest + len(found.counts))
    words = [
        f"off by {'up' if at == 0 else f'{10.0**power:g}'} to {10.0 ** (power + 1):g}: "
        f"{numbers.counted(count, 'element')}"
        for at, (power, count) in enumerate(zip(powers, found.counts, strict=True))
    ]
    others = numbers.counted(found.others, "element")
    return [*words, *([f"no numbers, or too large: {others}"] if found.others else [])]


def pairs(found: Values) -> list[str]:
    """got -0.293, expected -0.00293"""
    return [
        f"got {got:.4g}, expected {expected:.4g}" for got, expected in zip(found.got, found.expected, strict=False)
    ]


def _of_row(found: ErrorMap, row: int) -> str:
    if found.flat:
        return f"from element {row * found.columns}"
    first = row * found.bin_rows
    return f"row {first}" if found.bin_rows == 1 else f"from row {first}"


def _squares(bins: str) -> str:
    some, only = len(bins) - bins.count(NONE_WRONG), bins.count(ONLY_WRONG)
    if not some:
        return "no wrong elements"
    words = f"{numbers.count_of(some, len(bins))} squares hold wrong elements"
    return f"{words}, {numbers.thousands(only)} of them no right one" if only else words


def _span(name: str, first: int, last: int, size: int) -> str:
    if first == 0 and last == size - 1:
        return f"all {name}s"
    return f"{name} {first}" if first == last else f"{name}s {first} to {last}"
