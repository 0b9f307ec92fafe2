"""Where a fork server waits for the next command of a shell: importing PyTorch takes longer than a short run.

In: what a fork server has taken over from the process that started it. Out: a place, a socket there, and the next
client. One waits for a user at a time, for a few minutes. It serves only that user, and only a command in the same
folder, with the same environment, limits and packages: a run there differs in nothing from one in a new process.
Not here: serving (`processes.fork_server`).
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import select
import socket
import stat
import struct
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

_WAITS_S = 180.0
_LOOKS_EACH_S = 1.0
_MOST_BYTES = 100  # of a socket's path, which the system cuts at 108
_OF_ONE_COMMAND = ("_", "SHLVL", "OLDPWD", "COLUMNS", "LINES")
"""Variables that differ between two commands of one shell, and that no run looks at."""


def place(environment: Mapping[str, str]) -> Path | None:
    """Where a server waits that was started here with this environment; None without a folder of the user's own."""
    folder = _own_folder()
    kept = sorted((name, value) for name, value in environment.items() if name not in _OF_ONE_COMMAND)
    limits = Path("/proc/self/limits").read_text(encoding="utf-8")
    started = (sys.executable, str(Path.cwd()), kept, limits, sorted(os.sched_getaffinity(0)), list(_packages()))
    name = hashlib.sha256(repr(started).encode()).hexdigest()[:32]
    return folder / name if folder is not None and len(os.fsencode(folder / name)) <= _MOST_BYTES else None


def _packages() -> Iterator[tuple[str, int]]:
    """What is imported, with the time of its last change: this package, and the folder of the installed ones."""
    for path in (*sorted(Path(__file__).parents[1].rglob("*.py")), Path(sysconfig.get_path("purelib"))):
        with contextlib.suppress(OSError):
            yield str(path), path.stat().st_mtime_ns


def _own_folder() -> Path | None:
    runtime = os.environ.get("XDG_RUNTIME_DIR")
    folder = Path(runtime, "kernelgate") if runtime else Path(tempfile.gettempdir(), f"kernelgate-{os.getuid()}")
    with contextlib.suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077:
            return folder
    return None


def connected(at: Path) -> socket.socket | None:
    """A socket to the server that waits there, if one does."""
    connection = socket.socket(socket.AF_UNIX)
    with contextlib.suppress(OSError):
        connection.connect(str(at))
        if _is_of_this_user(connection):
            return connection
    connection.close()
    return None


def next_client(at: Path) -> socket.socket | None:
    """The next one that comes; None if none comes, or another server waits instead."""
    listener = socket.socket(socket.AF_UNIX)
    with listener, contextlib.suppress(OSError):
        for other in at.parent.iterdir():
            other.unlink(missing_ok=True)
        listener.bind(str(at))
        listener.listen(1)
        own, until = at.stat().st_ino, time.monotonic() + _WAITS_S
        while time.monotonic() < until and at.stat().st_ino == own:
            if select.select([listener], [], [], _LOOKS_EACH_S)[0]:
                at.unlink()
                connection, _ = listener.accept()
                if _is_of_this_user(connection):
                    return connection
                connection.close()
                return None
        if at.stat().st_ino == own:
            at.unlink()
    return None


def _is_of_this_user(connection: socket.socket) -> bool:
    size = struct.calcsize("3i")
    _pid, user, _group = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return bool(user == os.getuid())
