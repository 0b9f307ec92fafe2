"""A figure of the catalogue is one that was measured: every ratio in it stands in the results that it names. And the
results are those that somebody names."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kernelgate.catalogue import operators

ROOT = Path(__file__).parents[3]
RESULTS = ROOT / "bench/results"
# Folders that may name a result, and the kinds of files there.
READERS = {"docs": [".md"], "bench": [".py"], "python": [".py", ".json"], "src": [".ts", ".tsx"]}
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


def test_every_file_of_results_is_named_where_its_figure_stands() -> None:
    texts = [ROOT / name for name in ("README.md", "CHANGELOG.md")]
    for folder, suffixes in READERS.items():
        texts += [file for file in (ROOT / folder).rglob("*") if file.suffix in suffixes]
    named = set(re.findall(r"[\w-]+\.(?:json|txt)", "\n".join(file.read_text(encoding="utf-8") for file in texts)))
    kept = {file.name for file in RESULTS.glob("*/*")}
    assert kept - named == set()
