"""Where processes of ours look for modules and programs: never in the folder that they are started in.

That folder is a stranger's as soon as it was downloaded: a `kernelgate.py`, `torch.py` or `json.py` in it must not
decide a verdict. What a program and its reference import from there: `program.folder`. Imports nothing that such a file
could stand in for.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

_PROGRAMS = ("PATH", "LD_LIBRARY_PATH")
# An empty entry is the current folder. Without safe_path, `-c` puts it first.
_FIRST = "import sys; sys.path = [entry for entry in sys.path if entry]\n"


def elsewhere(entries: Iterable[str]) -> list[str]:
    """The entries of a search path that do not lead to the current folder, whatever that is when they are used."""
    here = os.path.realpath(os.curdir)
    return [entry for entry in entries if _is_absolute(entry) and os.path.realpath(entry) != here]


def _is_absolute(entry: str) -> bool:
    return entry.startswith(os.sep)


def command(code: str, *arguments: str) -> tuple[str, ...]:
    """A Python process that runs `code`. It needs `environment()` as well."""
    return (sys.executable, "-c", _FIRST + code, *arguments)


def running(module: str) -> str:
    """The code for `command` that runs a module as `python -m` does."""
    return f"import runpy; runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"


def environment() -> dict[str, str]:
    """This process's environment, with nothing in it that leads another one to the current folder."""
    found = dict(os.environ)
    for name in (*_PROGRAMS, "PYTHONPATH"):
        entries = found.pop(name, "").split(os.pathsep)
        kept = elsewhere(entries) if name == "PYTHONPATH" else list(filter(_is_absolute, entries))
        if kept:
            found[name] = os.pathsep.join(kept)
    return found


class Elsewhere:
    """In the body, imports in a person's process find nothing in the current folder."""

    def __enter__(self) -> None:
        self._kept = sys.path
        sys.path = elsewhere(self._kept)

    def __exit__(self, *_raised: object) -> None:
        sys.path = self._kept
