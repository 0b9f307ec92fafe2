"""The example of docs/many-candidates.md runs as it stands, and its rows are those of single runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from judge.candidates import forward, verify
from pages import block


@pytest.mark.drawn
def test_the_example_gives_the_rows_of_single_runs(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    programs = {
        "first_text": forward("return F.leaky_relu(x, s)"),
        "second_text": forward("return F.relu(x)"),
    }
    names = dict(programs)
    exec(block("many-candidates.md", "python", "to_html"), names)
    rows = sorted(capsys.readouterr().out.splitlines())
    assert rows == ["first pass correct in emulation", "second fail wrong result"]
    assert "2 candidates: 1 pass, 1 fail" in (tmp_path / "table.html").read_text()
    (wrong,) = [row.report for row in names["found"].rows if row.outcome == "fail"]
    single = verify(programs["second_text"], shape=(8, 64), cache=str(cache), seed=int(wrong.seed))
    assert (wrong.verdict, wrong.cases) == (single.verdict, single.cases)
