"""The map is true: every path that ARCHITECTURE.md names exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_path_that_the_map_names_exists() -> None:
    named = re.findall(r"`((?:src|python|examples)(?:/[\w./]+)?)`", (ROOT / "ARCHITECTURE.md").read_text())
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists()] == []
