"""What a run could leave behind: processes, temporary files, half a build, shared memory."""

from __future__ import annotations

import os
import secrets
import time
from dataclasses import dataclass, field
from pathlib import Path

_SHARED_MEMORY = Path("/dev/shm")


@dataclass
class Process:
    pid: int
    parent: int
    command: str


def marked_processes(mark: str) -> list[Process]:
    """Those that still run and have the mark in their environment."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() not in (path / "environ").read_bytes():
                continue
            state, parent = (path / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (path / "cmdline").read_text().replace("\0", " ")
        except OSError:  # it has ended meanwhile
            continue
        if state != "Z":
            found.append(Process(int(path.name), int(parent), command))
    return found


@dataclass
class Place:
    """Where the runs of these tests happen: a temporary folder and a build cache of their own, and a mark in the
    environment that every process of theirs inherits."""

    temporary: Path
    cache: Path
    mark: str = field(default_factory=lambda: secrets.token_hex(8))

    def processes(self) -> list[Process]:
        """The processes with the mark that still run."""
        return marked_processes(self.mark)

    def judge_and_workers(self) -> list[int]:
        """The processes that a fork server has forked, the oldest first."""
        return sorted(
            p.pid for p in self.processes() if p.parent != os.getpid() and "processes.fork_server" in p.command
        )

    def builders(self) -> list[int]:
        """Processes in the group of another one that was forked like them: each of the others leads its own."""
        return [pid for pid in self.judge_and_workers() if os.getpgid(pid) != pid]

    def warm(self) -> list[int]:
        """The fork servers that this process has started."""
        return [p.pid for p in self.processes() if p.parent == os.getpid() and "processes.fork_server" in p.command]

    def left(self) -> list[str]:
        """What is there beside one idle warm process and its empty folder, in words."""
        words = []
        running = self.processes()
        warm = [p for p in running if p.parent == os.getpid() and "processes.fork_server" in p.command]
        words += [f"process {p.pid}: {p.command}" for p in running if p not in warm]
        folders = list(self.temporary.iterdir())
        if len(warm) > 1 or len(folders) > len(warm):
            words.append(f"{len(warm)} fork servers, {len(folders)} folders")
        for folder in folders:  # os.walk goes on where a folder vanishes meanwhile
            words += [str(Path(at) / name) for at, inner, files in os.walk(folder) for name in (*inner, *files)]
        words += [str(path) for path in self.cache.rglob("*building-*")]
        # PyTorch names its shared memory by the process that made it.
        for path in _SHARED_MEMORY.glob("torch_*"):
            pid = path.name.split("_")[1]
            if not (Path("/proc") / pid).exists():
                words.append(str(path))
        return words

    def wait_until_clean(self, limit_s: float = 15) -> None:
        """Until nothing is left. Raises AssertionError."""
        deadline = time.monotonic() + limit_s
        while left := self.left():
            assert time.monotonic() < deadline, left
            time.sleep(0.05)
