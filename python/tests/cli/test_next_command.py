"""The fork server that a command leaves for the next one of its shell."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from kernelgate.processes import waiting

from .commands import command

PROGRAM = """
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.slope = negative_slope

    def forward(self, x):
        return torch.nn.functional.leaky_relu(x, self.slope)
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The one in which servers wait. What waits there afterwards ends, as its socket is gone."""
    runtime = Path(tempfile.mkdtemp(prefix="kg"))  # a socket's path is short
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(runtime))
    monkeypatch.setenv("PYTEST_CURRENT_TEST", "")
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    yield runtime / "kernelgate"
    shutil.rmtree(runtime)


def _server_after_a_command(folder: Path) -> int:
    """The process that waits for the next command."""
    before = {file.stat().st_ctime_ns for file in folder.glob("*")}
    done = command("verify", "program.py", "--problem", "leakyrelu", "--shape", "4x8")
    assert done.returncode == 0, done.stderr
    until = time.monotonic() + 60
    while time.monotonic() < until:
        for waits in folder.glob("*"):
            if waits.stat().st_ctime_ns not in before:
                return next(pid for pid in _processes() if str(waits) in _words(pid))
        time.sleep(0.1)
    raise AssertionError("nobody waits")


def _processes() -> list[int]:
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit()]


def _words(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def test_the_next_command_of_a_shell_is_served_by_the_process_of_the_last_one_unless_its_environment_differs(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _server_after_a_command(folder)
    assert _server_after_a_command(folder) == first
    monkeypatch.setenv("ANOTHER_VARIABLE", "1")
    assert _server_after_a_command(folder) != first
    assert len(list(folder.iterdir())) == 1, "one waits at a time"


def test_nobody_waits_in_a_folder_that_others_may_write_to(folder: Path) -> None:
    folder.mkdir(mode=0o700)
    assert waiting.place(os.environ) is not None
    folder.chmod(0o770)
    assert waiting.place(os.environ) is None
