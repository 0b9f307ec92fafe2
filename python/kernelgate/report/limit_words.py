"""How close a program comes to the device's limit, in words.

In: parts of a `Limit`. Out: short phrases that HTML and the record share.
Not here: the fact "Limit?" and the verdict's sentence, which need the whole timing (`report.speed_words`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from kernelgate.report import numbers
from kernelgate.report.measured import Limit, LowerBound, PeakRate, Phase, Prediction, Share

AT_LIMIT = 0.98
"""From this share on a program is at the limit: 2 %, as two speeds are the same within 2 %."""

BELIEVED = 1.05
"""Beyond this share the work that was counted is not what the program needs: it cannot be faster than the device."""

_BEYOND = "Readings up to about 1% over 100% mean “equal to the limit”, which is measured too."


def peak_name(peak: PeakRate) -> str:
    """device copy; the vendor's FP16"""
    return f"the vendor's {peak.name}" if peak.vendor else peak.name


def peak_label(peak: PeakRate) -> str:
    """device copy, measured here; FP16, vendor"""
    return f"{peak.name}, {'vendor' if peak.vendor else 'measured here'}"


def share_rate(share: Share, limit: Limit) -> str:
    """4.27 TB/s: in the unit of the peak that limits the phase"""
    return numbers.rate(share.rate, _unit_of(share.phase, limit))


def share_words(share: Share, limit: Limit) -> str:
    """63% of the limit, 2.68 TB/s"""
    return f"{numbers.share(share.share)} of the limit, {share_rate(share, limit)}"


def work(bound: LowerBound, limit: Limit) -> str:
    """12.9 GB read and written; 137 GFLOP"""
    if _unit_of(bound.phase, limit) == "B/s":
        return f"{numbers.size(bound.bytes)} read and written"
    return numbers.operations(bound.flops)


def prediction_time(prediction: Prediction) -> str:
    return f"about {numbers.duration(prediction.seconds, 2)}"


def standing(share: float) -> Literal["reached", "below", "not believed"]:
    """Where a share of the limit stands."""
    if share > BELIEVED:
        return "not believed"
    return "reached" if share >= AT_LIMIT else "below"


def note(shares: Sequence[Share]) -> str:
    """How to read shares a little beyond the limit, if there are some."""
    return _BEYOND if any(numbers.reads_as_whole(share.share) for share in shares) else ""


def _unit_of(phase: Phase, limit: Limit) -> str:
    units = {peak.name: peak.unit for peak in limit.peak_rates}
    peak_rates = {bound.phase: bound.peak for bound in limit.lower_bounds}
    return units.get(peak_rates.get(phase, ""), "B/s")
