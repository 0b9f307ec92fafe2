"""What a report says, whole: beside each fixture NAME.json stand NAME.txt and NAME.html, as text and as HTML.

`make goldens` writes them anew; the change of words is then a diff to read.
"""

import os
import re

import pytest
from report_samples import FIXTURES, NAMES, sample

from kernelgate.report.html import as_html
from kernelgate.report.text import as_text

AFTER = re.compile(r"(</(?:p|tr|table|details|summary|pre)>|<(?:table|details)>)")
"""Where a line of NAME.html ends. The HTML itself has no line breaks but those of texts."""


def check(name: str, drawn: str) -> None:
    """Raises AssertionError where the golden file has another text, unless it is to be written anew."""
    golden = FIXTURES / name
    if os.environ.get("UPDATE_GOLDENS"):
        golden.write_text(drawn, encoding="utf-8")
    assert drawn == golden.read_text(encoding="utf-8"), f"if this is meant, run `make goldens` to change {name}"


@pytest.mark.parametrize("name", NAMES)
def test_the_text_of_a_report_is_its_golden_one(name: str) -> None:
    check(f"{name}.txt", as_text(sample(name)) + "\n")


@pytest.mark.parametrize("name", NAMES)
def test_the_html_of_a_report_is_its_golden_one(name: str) -> None:
    check(f"{name}.html", AFTER.sub(r"\1\n", as_html(sample(name))))


def test_every_golden_file_has_its_report() -> None:
    golden = {file.stem for kind in ("*.txt", "*.html") for file in FIXTURES.glob(kind)}
    assert golden == set(NAMES)
