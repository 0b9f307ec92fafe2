"""A figure of the catalogue is one that was measured: every ratio in it stands in the results that it names. And the
results are those that their README tells of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernelgate.catalogue import operators

RESULTS = Path(__file__).parents[3] / "bench/results"
FIGURES = {each.id: each.figure for each in operators().values() if each.figure is not None}


@pytest.mark.parametrize("operator", FIGURES)
def test_a_figure_stands_in_its_results(operator: str) -> None:
    figure = FIGURES[operator]
    text = (RESULTS / figure.source).read_text(encoding="utf-8")
    device = figure.words.rpartition(". ")[2]
    assert device in text
    measured = {f"{float(number):.2f}" for number in re.findall(r"\b\d+\.\d+\b", text)}
    ratios = re.findall(r"(\d+\.\d+)x", figure.words)
    assert ratios and set(ratios) <= measured


def test_every_file_of_results_has_its_row() -> None:
    rows = [line for line in (RESULTS / "README.md").read_text(encoding="utf-8").splitlines() if line[:2] == "| "]
    told = {name for line in rows for name in re.findall(r"`(\w+/[\w.-]+\.(?:json|txt))`", line.split("|")[1])}
    kept = {file.relative_to(RESULTS).as_posix() for file in RESULTS.glob("*/*")}
    assert told == kept
