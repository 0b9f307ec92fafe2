"""What docs/judging-evidence.md says of the corpus is true of it: each program that it names is there, on its side."""

from __future__ import annotations

import re
from pathlib import Path

from .corpus import ATTACKS, HONEST

_PAGE = Path(__file__).parents[3] / "docs" / "judging-evidence.md"
_ROW = re.compile(r"^\| [^|]+ \| (?P<attacks>c\d\d_[^|]+) \| (?P<honest>c\d\d_[^|]+) \|$", re.MULTILINE)


def test_every_program_that_the_page_names_is_one_of_the_corpus() -> None:
    rows = list(_ROW.finditer(_PAGE.read_text()))
    assert len(rows) >= 15
    for row in rows:
        for side, folder in (("attacks", ATTACKS), ("honest", HONEST)):
            missing = [name for name in row[side].split(", ") if not (folder / f"{name}.py").is_file()]
            assert not missing, f"{missing} of the row {row[0]!r}"
