"""The map is true: every path that ARCHITECTURE.md names exists."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


STAGES = ROOT / "python" / "kernelgate" / "judge" / "stages"


def test_the_map_names_every_stage_in_the_order_in_which_the_pipeline_runs_them() -> None:
    listed = (ROOT / "ARCHITECTURE.md").read_text().partition("in this order:")[2].partition(".\n")[0]
    named = re.findall(r"`(\w+)\.py`", listed)
    assert sorted(named) == sorted(file.stem for file in STAGES.glob("*.py") if file.stem != "__init__")
    pipeline = (STAGES.parent / "pipeline.py").read_text()
    calls = {
        "gates": "try_gates(",
        "time": "time.time_candidate(",
        "profile": "profile.profile(",
    }
    places = [pipeline.index(calls.get(name, f" {name}(")) for name in named]
    assert places == sorted(places)


def test_only_the_pipeline_and_the_live_report_write_the_report() -> None:
    judge = STAGES.parent
    writers = {
        file.relative_to(judge).as_posix()
        for file in judge.rglob("*.py")
        if re.search(r"\breport(\.\w+)+ (\+|)= ", file.read_text())
    }
    assert writers == {"pipeline.py", "live_report.py"}


def test_every_path_that_the_map_names_exists() -> None:
    named = re.findall(r"`((?:src|python|examples)(?:/[\w./]+)?)`", (ROOT / "ARCHITECTURE.md").read_text())
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists()] == []
