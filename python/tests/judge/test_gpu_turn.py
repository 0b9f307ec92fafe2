"""Processes take turns on a GPU: a process that measures is alone, and a killed process holds no turn."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cli.commands import PACKAGE

from kernelgate.judge.run.gpu_turn import GpuTurn

OTHER = """
import sys
from pathlib import Path
from kernelgate.judge.run.gpu_turn import GpuTurn
turn = GpuTurn("GPU-1-2", lambda words: print(words, flush=True), Path(sys.argv[2]))
if sys.argv[1] == "share":
    turn.share()
    print("shared", flush=True)
    sys.stdin.readline()
with turn.alone():
    print("alone", flush=True)
    sys.stdin.readline()
"""


@contextmanager
def other(folder: Path, how: str) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-c", OTHER, how, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(words, stdin=pipe, stdout=pipe, text=True, env={"PYTHONPATH": PACKAGE}) as process:
        try:
            yield process
        finally:
            process.kill()


def line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_who_checks_shares_the_gpu_and_who_measures_waits_for_all_of_them(tmp_path: Path) -> None:
    turn = GpuTurn("GPU-1-2", print, tmp_path)
    turn.share()
    with other(tmp_path, "share") as second:
        assert line(second) == "shared"
        with other(tmp_path, "alone") as third:
            assert line(third).startswith("Waiting for the GPU")
            turn.close()
            second.kill()  # a killed process holds nothing
            assert line(third) == "alone"


def test_two_that_check_and_then_want_to_measure_both_get_their_turn(tmp_path: Path) -> None:
    turn = GpuTurn("GPU-1-2", lambda words: None, tmp_path)
    turn.share()
    with other(tmp_path, "share") as second:
        assert line(second) == "shared"
        assert second.stdin is not None
        print(file=second.stdin, flush=True)
        assert line(second).startswith("Waiting for the GPU")
        print(file=second.stdin, flush=True)  # its measuring ends at once
        with turn.alone():
            assert line(second) == "alone"
            assert second.wait(10) == 0


def test_without_a_gpu_nobody_waits(tmp_path: Path) -> None:
    first, second = GpuTurn("", print, tmp_path), GpuTurn("", print, tmp_path)
    began = time.monotonic()
    with first.alone(), second.alone():
        assert time.monotonic() - began < 5
    assert list(tmp_path.iterdir()) == []
