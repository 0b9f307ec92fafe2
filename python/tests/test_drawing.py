"""`make test` runs one test of each group that takes long, the same for the same seed, and says what it leaves out."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

TESTS = """
import pytest
from types import SimpleNamespace

@pytest.mark.drawn(by="case.kind")
@pytest.mark.parametrize("case", [SimpleNamespace(kind=n // 10) for n in range(30)])
def test_of_three_kinds(case):
    pass

@pytest.mark.drawn
@pytest.mark.parametrize("n", range(20))
def test_of_the_rest_of_the_folder(n):
    pass

def test_that_is_quick():
    pass
"""


def run(folder: Path, *options: str) -> tuple[list[str], str]:
    """The tests that ran, and the last words."""
    (folder / "test_a.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-v", "-c", "/dev/null", "-p", "drawing", "-p", "no:cacheprovider"]
    path = {"PYTHONPATH": str(Path(__file__).parent)}
    done = subprocess.run(
        [*command, *options, "test_a.py"], cwd=folder, env=path, capture_output=True, text=True, check=True
    )
    # pytest-xdist writes the name behind the word.
    return re.findall(r"test_a\.py::\S+(?= PASSED)|(?<=PASSED )test_a\.py::\S+", done.stdout), done.stdout


def test_one_of_each_group_runs_first_and_what_is_left_out_is_said(tmp_path: Path) -> None:
    ran, words = run(tmp_path, "--share=0", "--seed=7")
    kinds = sorted(int(name.split("case")[1].rstrip("]")) // 10 for name in ran[:3])
    assert kinds == [0, 1, 2]
    assert "test_of_the_rest" in ran[3] and ran[4].endswith("test_that_is_quick") and len(ran) == 5
    assert f"Left out, drawn by seed 7 (again: make test SEED=7; all: make test-all): 46 of {tmp_path.name}" in words
    assert run(tmp_path, "--share=0", "--seed=7")[0] == ran


def test_a_share_of_the_rest_runs_too_and_processes_draw_the_same(tmp_path: Path) -> None:
    ran, words = run(tmp_path, "--share=0.5", "-n", "2")
    seed = words.split("drawn by seed ")[1].split()[0]
    assert 10 < len(ran) < 45
    assert sorted(run(tmp_path, "--share=0.5", f"--seed={seed}")[0]) == sorted(ran)
    assert len(run(tmp_path)[0]) == 51
