"""What a program should leave as it is in the process that it runs in, and what it did to it.

The worker looks before it loads a candidate, after every call, and in full when the judge asks. It sees honest
carelessness, and the usual tricks; native code in the same process could hide from it. Not here: what other modules
compute by then (`worker.behaviour`).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path

import torch

from kernelgate.worker.watched_functions import Functions
from kernelgate.worker.watched_settings import Settings, timers

_ahead: Functions | None = None


def look_ahead() -> None:
    """What the fork server does for all workers: it takes the functions that are there, which is most of the work."""
    global _ahead
    _ahead = Functions()


class Watch:
    """What was there when it was made."""

    def __init__(self) -> None:
        self._settings = Settings()
        self._functions = Functions(_ahead)
        self._seen: dict[str, None] = {}
        self.seeded()

    def seeded(self) -> None:
        """The worker has set the random seed itself."""
        self._seed = torch.initial_seed()

    def seeds(self) -> tuple[int, int] | None:
        """The random seed now and before, if the program has set it."""
        now = torch.initial_seed()
        return (now, self._seed) if now != self._seed else None

    def look(self, left_open: Sequence[str] = ()) -> None:
        """Notes which functions were replaced, before any is called: a replacement may undo itself. `left_open`: modes
        that a call has left changed, in words."""
        self._seen.update(dict.fromkeys([*self._functions.replaced_at_hand(), *left_open]))

    def changed(self) -> list[str]:
        """What differs now, or did after a call, in words."""
        return list(dict.fromkeys([*self._settings.changed(), *self._seen, *self._functions.changed()]))


def running() -> dict[str, str]:
    """The threads, child processes and timers of this process, by an id each, in words."""
    found = {f"thread {t.native_id}": f"the thread {t.name!r}"[:200] for t in threading.enumerate()}
    for task in Path("/proc/self/task").iterdir():
        found.setdefault(f"thread {task.name}", "a native thread")
        children = task / "children"
        try:
            pids = children.read_text().split()
        except OSError:  # the thread has ended meanwhile
            continue
        for pid in pids:
            if not has_ended(int(pid)):
                found[f"process {pid}"] = "a child process"
    for number, words in enumerate(timers()):
        found[f"timer {number}"] = words
    return found


def has_ended(pid: int) -> bool:
    """Whether a process has ended, and only its parent has not collected it yet."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] in ("Z", "X")
    except OSError:
        return True
