"""The processes of a run, as the kernel lists them: how many there are, and how much memory they hold.

In: the process that adopts a worker's orphans. It uses nothing that a candidate says.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Collection, Sequence
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")
_MOST_TO_ASK = 24
_LOWEST_PRIORITY = 19


def descendants(root: int, spared: Collection[int], most: int = 1 << 30) -> list[int]:
    """The processes that `root` started, and those that they started, without `spared` and theirs; past `most` of
    them it stops looking."""
    found: list[int] = []
    waiting = [root]
    while waiting and len(found) <= most:
        for child in _children(waiting.pop()):
            if child not in spared:
                found.append(child)
                waiting.append(child)
    return found


def _children(pid: int) -> list[int]:
    children: list[int] = []
    try:
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - this is done a thousand times over
            with open(f"/proc/{pid}/task/{task}/children") as listed:
                children += map(int, listed.read().split())
    except OSError:  # it has ended meanwhile, or this Linux kernel does not list them
        pass
    return children


def at_work(pid: int) -> dict[str, str]:
    """The threads of a process, and the processes that it has started and that have not ended, by an id each that no
    other one gets; in words. Empty if it has ended."""
    found: dict[str, str] = {}
    for task in _names(f"/proc/{pid}/task"):
        started = _status(f"/proc/{pid}/task/{task}/stat")
        if started is not None:
            found[f"thread {task} {started[1]}"] = "a thread"
    for child in descendants(pid, ()):
        status = _status(f"/proc/{child}/stat")
        if status is not None and status[0] not in "ZX":
            found[f"process {child} {status[1]}"] = "a process that it started"
    return found


def processor_time(pid: int) -> int:
    """What all threads of a process have taken of the processors, in the system's ticks; 0 if it has ended."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])
    except (OSError, ValueError, IndexError):
        return 0


def _names(folder: str) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names alone
    except OSError:
        return []


def _status(file: str) -> tuple[str, str] | None:
    """State and time of start, as the kernel counts it; None if it has ended."""
    try:
        fields = Path(file).read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return fields[0], fields[19]


def give_way(pids: Sequence[int]) -> None:
    """Gives the processes the lowest priority, so that the judge gets to count and end them in time."""
    for pid in pids:
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, pid, _LOWEST_PRIORITY)


def memory_bytes(pids: Sequence[int], worth_asking: int) -> int:
    """What the processes hold together. What they share is counted once, where the sum with it passes
    `worth_asking`: to find that out takes long. Of many processes, the largest alone is counted."""
    each = [_resident(pid) for pid in pids]
    if len(pids) > _MOST_TO_ASK:
        return max(each)
    if sum(each) <= worth_asking or len(pids) < 2:
        return sum(each)
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
