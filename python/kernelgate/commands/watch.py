"""`kernelgate watch FILE`: the file's text each time it is saved.

In: a path. Out: texts, the newest only: what is saved twice during a run is read once. The time of change is polled,
which works on every file system, a network's too. Not here: the run (`cli.main`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

POLL_S = 0.2
State = tuple[int, int, int] | None


def saves(path: str, *, wait: Callable[[float], None] = time.sleep) -> Iterator[None]:
    """Once at first, and once after each save. A file that an editor is replacing is waited for."""
    seen: State = None
    while True:
        now = _state(path)
        if now is None or now == seen:
            wait(POLL_S)
            continue
        wait(POLL_S)  # an editor may still be writing
        if _state(path) == now:
            seen = now
            yield


def _state(path: str) -> State:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
