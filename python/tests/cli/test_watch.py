"""`kernelgate watch`: a run for each save, until it is interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kernelgate.cli.main import main
from kernelgate.commands.watch import saves

from .commands import PACKAGE


def test_a_save_is_seen_once_and_a_file_that_is_replaced_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("1")
    polls = 0

    def wait(_: float) -> None:
        nonlocal polls
        polls += 1
        if polls == 5:
            path.unlink()  # an editor replaces it
        if polls == 8:
            path.write_text("22")

    seen = saves(str(path), wait=wait)
    next(seen)
    assert polls == 1
    next(seen)
    assert polls == 9


@pytest.fixture(autouse=True)
def interruptible() -> None:
    """What is started in the background of a shell ignores interrupts, and hands that on."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def test_each_save_is_verified_and_an_interrupt_ends_it_with_the_last_status(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("no program")
    words = ["watch", str(path), "--problem", "leakyrelu", "--device", "emulated"]
    environment = {**os.environ, "PYTHONPATH": PACKAGE, "KERNELGATE_CACHE": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-m", "kernelgate.cli", *words],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        ended = threading.Timer(100, process.kill)
        ended.start()
        assert process.stdout is not None
        rows = iter(process.stdout.readline, "")
        assert any("not valid Python" in row for row in rows)
        path.write_text("class Fast: pass\n")
        assert any("no ModelNew" in row for row in rows)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 1
        ended.cancel()


SLOW = "import time\nclass ModelNew:\n    def __init__(self): time.sleep(100)\n"


@pytest.mark.drawn
def test_a_save_ends_the_run_of_the_older_text_and_an_interrupt_ends_both(tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text(SLOW)
    words = ["watch", str(path), "--problem", "leakyrelu", "--device", "emulated"]
    environment = {**os.environ, "PYTHONPATH": PACKAGE, "KERNELGATE_CACHE": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-m", "kernelgate.cli", *words],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        ended = threading.Timer(90, process.kill)
        ended.start()
        assert process.stdout is not None and process.stderr is not None
        assert process.stdout.readline().startswith(f"--- {path}, saved at")
        assert "compiling" in process.stderr.readline()  # ten seconds on
        path.write_text("no program")
        assert process.stdout.readline() == "--- saved again: this run is ended\n"
        rows = iter(process.stdout.readline, "")
        assert next(rows).startswith(f"--- {path}, saved at")
        assert any("not valid Python" in row for row in rows)
        path.write_text(SLOW)
        assert any(row.startswith(f"--- {path}, saved at") for row in rows)
        process.send_signal(signal.SIGINT)
        assert process.wait() == 1
        ended.cancel()


def test_an_option_that_no_save_corrects_ends_it_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.py"
    path.write_text("no program")
    assert main(["watch", str(path), "--problem", "leakyrel"]) == 2
    assert "no problem 'leakyrel'" in capsys.readouterr().err
