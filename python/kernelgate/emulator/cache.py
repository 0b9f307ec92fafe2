"""The build cache: one file an entry, named by its content's key, its last bytes a digest of the rest.

A library may carry anything after its end, so the digest travels in the file itself: an entry is whole or it
is not there. Publishing is one rename; two builders at once publish the same; no locks, hence no stale ones.
Not here: what goes into a key (`build`).
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import ToolchainMissing

_MARK = b"kernelgate-emulator-1:"
_SCRATCH = "building-"
_ABANDONED_AFTER_S = 3600.0
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def no_room(cache: Path) -> str:
    return (
        f"no room for a build in {cache} (No space left on device): "
        "free some space there, or choose another folder"
    )


def entry_path(cache: Path, key: str) -> Path:
    return cache / f"{key}.so"


def is_whole(path: Path) -> bool:
    """Whether the entry is there and exactly as it was published."""
    try:
        data = path.read_bytes()
    except OSError:
        return False
    digest_bytes = hashlib.sha256().digest_size
    body, mark, digest = (
        data[: -len(_MARK) - digest_bytes],
        data[-len(_MARK) - digest_bytes : -digest_bytes],
        data[-digest_bytes:],
    )
    return mark == _MARK and hashlib.sha256(body).digest() == digest


def publish(built: Path, path: Path) -> None:
    """Moves a finished library to its place; readers see the old entry or the new one, never a part."""
    body = built.read_bytes()
    with built.open("ab") as out:
        out.write(_MARK + hashlib.sha256(body).digest())
    built.replace(path)


@contextmanager
def scratch(cache: Path) -> Iterator[Path]:
    """A folder to build in, on the cache's file system, removed afterwards."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        # With the builder's process in its name: who ends that process can remove it.
        folder = Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-", dir=cache))
    except OSError as exc:
        raise ToolchainMissing(
            f"cannot write to the build cache {cache} ({exc.strerror}): "
            "make it writable, or choose another folder"
        ) from exc
    try:
        _sweep(cache)
        yield folder
    except OSError as exc:
        if exc.errno not in _NO_ROOM:
            raise
        raise ToolchainMissing(no_room(cache)) from exc
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(cache: Path) -> None:
    # A builder that was killed leaves its folder.
    oldest = time.time() - _ABANDONED_AFTER_S
    with os.scandir(cache) as entries:
        for entry in entries:
            if entry.name.startswith(_SCRATCH) and entry.stat().st_mtime < oldest:
                shutil.rmtree(entry.path, ignore_errors=True)
