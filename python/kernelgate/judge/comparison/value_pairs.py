"""What a wrong result holds against what is expected: some elements of each kind, and how many are off by how much.

In: a result, the expected one, and which elements are wrong, as a mask. Out: `Values`. Not here: where they lie
(`judge.comparison.error_map`).
"""

from __future__ import annotations

import torch

from kernelgate.report.accuracy import LARGEST_VALUE, Values

_WRONG, _RIGHT = 32, 8
_POWERS = 20


def value_pairs(got: torch.Tensor, expected: torch.Tensor, wrong: torch.Tensor, case: str) -> Values | None:
    """Of a case; None if there is nothing to see. All three: one shape, any device."""
    if got.is_complex() or got.dtype == torch.bool:
        return None
    got, expected, wrong = got.reshape(-1), expected.reshape(-1), wrong.reshape(-1)
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


def _some(of: torch.Tensor, most: int) -> torch.Tensor:
    """Places at even steps among those."""
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
