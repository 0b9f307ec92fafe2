"""The speed over sizes, as a section: where the program wins, and where it loses."""

from __future__ import annotations

from kernelgate.report import numbers, speed_words
from kernelgate.report.blocks import Picture, Section
from kernelgate.report.measured import SweepPoint, Timing
from kernelgate.report.sections.making import row, section, sides, table
from kernelgate.report.types import Report

_NAMED = 4


def sizes(report: Report) -> Section | None:
    """The forward call over sizes."""
    if report.timing is None or not report.timing.sweep:
        return None
    points = report.timing.sweep
    ours = numbers.durations([point.candidate_s for point in points], 3)
    theirs = numbers.durations([point.reference_s for point in points], 3)
    digits = numbers.ratio_digits(*(point.ratio for point in points))
    rows, values = [], []
    for point, our, their in zip(points, ours, theirs, strict=True):
        against = speed_words.ratio_words(point.ratio, point.verdict, digits)
        rows.append(row(point.shape, our, their, against, point.verdict, state=point.verdict))
        values.append(f"{point.shape}: {against}, 95% CI {_interval(point)}, {our} against {their}")
    conclusion = _conclusion(report.timing)
    curve = Picture(
        of="sizes",
        title="Ratio against PyTorch eager, over the number of elements",
        hint="both axes logarithmic; above the line is faster",
        values=values,
    )
    columns = ("Shape", *sides(report.timing), "Against eager|number", "Verdict|result")
    return section("sizes", "Sizes", conclusion, [curve, table("Sizes", columns, [("", rows)])])


def _interval(point: SweepPoint) -> str:
    return speed_words.interval(point, numbers.ratio_digits(point.low, point.ratio, point.high))


def _conclusion(timing: Timing) -> str:
    """slower at 64x64, 128x128; faster at 6 of 11 sizes: the sizes that lose first"""
    verdicts = [point.verdict for point in timing.sweep]
    lost = [point.shape for point in timing.sweep if point.verdict == "SLOWER"]
    named = (
        f"{', '.join(lost[:_NAMED])} and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ", ".join(lost)
    )
    won = f"faster at {numbers.count_of(verdicts.count('FASTER'), len(verdicts))} sizes"
    return "; ".join(filter(None, [named and f"slower at {named}", won]))
