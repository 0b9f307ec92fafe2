"""Writing a file whole or not at all."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Puts `data` at `path`, in place of what was there, readable as the user's other files are. Raises OSError."""
    umask = os.umask(0)
    os.umask(umask)
    _put(path, data, 0o666 & ~umask)


def rewrite_whole(path: Path, data: bytes) -> None:
    """Puts `data` into a file that exists, or that a symlink leads to; its mode stays. Raises OSError."""
    target = path.resolve(strict=True)
    _put(target, data, stat.S_IMODE(target.stat().st_mode))


def _put(path: Path, data: bytes, mode: int) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    try:
        with open(descriptor, "wb") as file:
            file.write(data)
        Path(name).chmod(mode)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
