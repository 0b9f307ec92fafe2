"""Where in a result the wrong elements lie, as a map of few squares; and what some of them hold against what is
expected.

In: which elements are wrong, as a mask. Out: an `ErrorMap`, and `Values`. Not here: which are wrong
(`judge.comparison.compare`).
"""

from __future__ import annotations

import math

import torch

from kernelgate.report import one_line
from kernelgate.report.accuracy import LARGEST_VALUE, NONE_WRONG, ONLY_WRONG, ErrorMap, Values

_MOST = 32  # squares along a side


def error_map(wrong: torch.Tensor, case: str) -> ErrorMap | None:
    """The map of a case; None if there is nothing to see. wrong: bool, any shape and device.

    The last two dimensions, those before them laid over each other; a result without two of more than one element is
    cut into rows, as it lies in memory.
    """
    count = int(wrong.count_nonzero())
    if not count or wrong.numel() <= 1:
        return None
    shape = "x".join(map(str, wrong.shape))
    flat = wrong.dim() < 2 or min(wrong.shape[-2:]) == 1
    laid = _folded(wrong) if flat else wrong.reshape(-1, *wrong.shape[-2:])
    matrices, rows, columns = laid.shape
    height, width = math.ceil(rows / _MOST), math.ceil(columns / _MOST)
    squares = _counted(laid, height, width)
    return ErrorMap(
        case=case,
        shape=one_line(shape, 120),
        flat=flat,
        matrices=matrices,
        rows=rows,
        columns=columns,
        bin_rows=height,
        bin_columns=width,
        bins=[
            "".join(
                _level(part, matrices * min(height, rows - y * height) * min(width, columns - x * width))
                for x, part in enumerate(row)
            )
            for y, row in enumerate(squares)
        ],
        **_reach(laid, flat),
    )


def _folded(wrong: torch.Tensor) -> torch.Tensor:
    """In at most as many rows as there are squares along a side; what is missing in the last one is not wrong."""
    flat = wrong.reshape(-1)
    columns = max(min(_MOST, flat.numel()), math.ceil(flat.numel() / _MOST))
    rows = math.ceil(flat.numel() / columns)
    return torch.nn.functional.pad(flat, (0, rows * columns - flat.numel())).view(1, rows, columns)


def _counted(laid: torch.Tensor, height: int, width: int) -> list[list[int]]:
    """How many elements of each square are wrong. A band of rows at a time, so that nothing large is made."""
    bands = [band.sum(dim=(0, 1)) for band in laid.split(height, dim=1)]
    return [[int(part) for part in torch.stack([one.sum() for one in band.split(width)])] for band in bands]


def _level(wrong: int, of: int) -> str:
    """How much of a square is wrong: nothing, all, or so many ninths, rounded up."""
    if not wrong:
        return NONE_WRONG
    return ONLY_WRONG if wrong >= of else str(min(9, math.ceil(9 * wrong / of)))


def _reach(laid: torch.Tensor, flat: bool) -> dict[str, int]:
    columns = laid.reshape(-1).nonzero() if flat else laid.any(dim=1).any(dim=0).nonzero()
    rows = torch.zeros(1) if flat else laid.any(dim=2).any(dim=0).nonzero()
    ends = {"first_row": rows[0], "last_row": rows[-1], "first_column": columns[0], "last_column": columns[-1]}
    return {name: int(place) for name, place in ends.items()}


_WRONG, _RIGHT = 32, 8
_POWERS = 20


def value_pairs(got: torch.Tensor, expected: torch.Tensor, wrong: torch.Tensor, case: str) -> Values | None:
    """Of a case; None if there is nothing to see. All three: one shape, any device."""
    if got.is_complex() or got.dtype == torch.bool:
        return None
    got, expected, wrong = _computable(got).reshape(-1), _computable(expected).reshape(-1), wrong.reshape(-1)
    both = got.isfinite() & expected.isfinite()
    both &= (got.abs() <= LARGEST_VALUE) & (expected.abs() <= LARGEST_VALUE)
    among_wrong, among_right = _some(both & wrong, _WRONG), _some(both & ~wrong, _RIGHT)
    if not among_wrong.numel():
        return None
    shown = torch.cat([among_wrong, among_right])
    lowest, counts = _by_power(got, expected, both & wrong)
    return Values(
        case=case,
        got=_rounded(got[shown]),
        expected=_rounded(expected[shown]),
        wrong=among_wrong.numel(),
        lowest=lowest,
        counts=counts,
        others=int((wrong & ~both).count_nonzero()),
    )


def _computable(values: torch.Tensor) -> torch.Tensor:
    """PyTorch does not compute in float8."""
    return values.float() if values.is_floating_point() and values.itemsize == 1 else values


def _some(of: torch.Tensor, most: int) -> torch.Tensor:
    places = of.nonzero()[:, 0]
    step = max(1, places.numel() // most)
    return places[::step][:most]


def _by_power(got: torch.Tensor, expected: torch.Tensor, of: torch.Tensor) -> tuple[int, list[int]]:
    """How many are off by less than ten times 10 ** lowest, and so on; what is off by less counts with the first."""
    off = (got[of].double() - expected[of].double()).abs()
    power = off.clamp(min=torch.finfo(torch.float64).tiny).log10().floor().long()
    lowest = max(int(power.min()), int(power.max()) - _POWERS + 1)
    return lowest, torch.bincount(power.clamp(min=lowest) - lowest).tolist()


def _rounded(values: torch.Tensor) -> list[float]:
    return [float(f"{value:.6g}") for value in values.double().tolist()]
