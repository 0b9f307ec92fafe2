"""Compiler commands, run side by side in a folder.

In: a folder and argument lists. Out: how each ended, and its output. A builder for others may run them differently,
for instance in a process that can write to that folder only: `Compiling` is the signature of such a function.
Not here: which commands, and what their output means (`build`).
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelgate.emulator.build.toolchain import compiler_environment

Command = Sequence[str]


@dataclass(frozen=True)
class Finished:
    """A command that has ended: its exit status, and what it wrote to either output."""

    status: int
    log: str


Compiling = Callable[[Path, Sequence[Command]], list[Finished]]


def run_commands(folder: Path, commands: Sequence[Command]) -> list[Finished]:
    """All at the same time, in the caller's process group. Raises OSError if one cannot be started."""
    running: list[subprocess.Popen[str]] = []
    try:
        for command in commands:
            running.append(_start(folder, command))
        logs = [process.communicate()[0] for process in running]
    finally:
        for process in running:
            if process.poll() is None:  # the build was interrupted
                process.kill()
                process.wait()
    return [Finished(process.returncode, log) for process, log in zip(running, logs, strict=True)]


def _start(folder: Path, command: Command) -> subprocess.Popen[str]:
    return subprocess.Popen(
        list(command),
        cwd=folder,
        env=compiler_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
