"""The processes of a run as the kernel tells of them: how many there are, and how much memory they hold.

In: the process that adopts what a worker leaves behind. Nothing that a candidate says is used.
"""

from __future__ import annotations

import os
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


def descendants(root: int, spared: int, most: int) -> list[int]:
    """The processes that `root` started, and those that they started, without `spared` and its own; past `most` of
    them it stops counting."""
    found: list[int] = []
    waiting = [root]
    while waiting and len(found) <= most:
        for child in _children(waiting.pop()):
            if child != spared:
                found.append(child)
                waiting.append(child)
    return found


def _children(pid: int) -> list[int]:
    children: list[int] = []
    try:
        for task in os.scandir(f"/proc/{pid}/task"):
            children += map(int, Path(task.path, "children").read_text().split())
    except OSError:  # it has ended meanwhile, or this kernel does not tell
        pass
    return children


def memory_bytes(pids: list[int], worth_asking: int) -> int:
    """What the processes hold together. What they share is counted once, where the sum with it passes
    `worth_asking`: to find that out takes long."""
    together = sum(map(_resident, pids))
    if together <= worth_asking or len(pids) < 2:
        return together
    return sum(map(_proportional, pids))


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return 0


def _proportional(pid: int) -> int:
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return _resident(pid)
