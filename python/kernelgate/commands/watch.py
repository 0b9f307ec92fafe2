"""`kernelgate watch FILE`: the file's text each time it is saved.

In: a path. Out: a `Save` for each, the newest only. A run that is at an older one can ask whether it is. The time of
change is polled, which works on every file system, a network's too. Not here: the run (`cli.main`).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

POLL_S = 0.2
State = tuple[int, int, int] | None


class SavedAgain(KeyboardInterrupt):
    """The file was saved once more: it ends the run of the older text, as an interrupt does."""


@dataclass
class Save:
    """`at`: when the file was saved, in seconds. `is_old`: it was saved again since."""

    path: str
    at: float
    state: State
    is_old: bool = False

    def look(self) -> None:
        """Raises SavedAgain."""
        now = _state(self.path)
        if now is not None and now != self.state:
            self.is_old = True
            raise SavedAgain


def saves(path: str, *, wait: Callable[[float], None] = time.sleep) -> Iterator[Save]:
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
            yield Save(path, now[0] / 1e9, now)


def _state(path: str) -> State:
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino
