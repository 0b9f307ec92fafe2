"""The build cache: one file an entry, named by its content's key, its last bytes a digest of the rest.

A library may carry anything after its end, so the digest travels in the file itself: an entry is whole or it
is not there. Publishing is one rename; two builders at once would publish the same, so the second one waits, by a lock
that ends with its process.
Compilers write to a folder of their own, and nowhere else if their caller confines them. Their output is copied, so
that no entry is a file that they or their children still hold open.
A key is a hash of everything that decides what a compiler will make.
"""

from __future__ import annotations

import errno
import fcntl
import functools
import hashlib
import math
import os
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from kernelgate.emulator.build.toolchain import Compiler
from kernelgate.emulator.errors import ToolchainMissing
from kernelgate.emulator.translate.refusals import HERE

_MARK = b"kernelgate-emulator-1:"
_SCRATCH = "building-"
_ONCE = "once-"
_ALONE = "alone-"
_ABANDONED_AFTER_S = 3600.0
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LARGEST = 1 << 30  # bytes: no library comes near it


class NoLibrary(Exception):
    """A build left no library where it should be; the message says what is there."""


def no_room(cache: Path) -> str:
    return (
        f"no room for a build in {cache} (No space left on device): "
        "free some space there, or set KERNELGATE_CACHE to another folder"
    )


def entry_path(cache: Path, key: str) -> Path:
    return cache / f"{key}.so"


def once_path(cache: Path) -> Path:
    """A place for a library that no later build may find, because not all of its inputs are known."""
    return cache / f"{_ONCE}{secrets.token_hex(20)}.so"


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


@contextmanager
def building_alone(entry: Path) -> Iterator[None]:
    """Other processes that build the entry wait meanwhile, and have to look for it afterwards. If the cache cannot
    be written, none waits."""
    path = entry.with_name(f"{_ALONE}{entry.stem}")
    with _unlocking(path, _locked(path)):
        yield


@contextmanager
def building_where_free(entry: Path) -> Iterator[bool]:
    """The same without waiting: whether no other process builds the entry."""
    path = entry.with_name(f"{_ALONE}{entry.stem}")
    try:
        descriptor = _locked(path, wait=False)
    except BlockingIOError:
        yield False
        return
    with _unlocking(path, descriptor):
        yield True


@contextmanager
def _unlocking(path: Path, descriptor: int | None) -> Iterator[None]:
    try:
        yield
    finally:
        if descriptor is not None:
            path.unlink(missing_ok=True)
            os.close(descriptor)


def _locked(path: Path, *, wait: bool = True) -> int | None:
    """Raises BlockingIOError if another process has it, and it should not `wait`."""
    while True:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            os.close(descriptor)
            raise
        try:
            if os.path.samestat(os.fstat(descriptor), path.stat()):
                return descriptor
        except OSError:  # who had it removed it
            pass
        os.close(descriptor)


def publish(built: Path, path: Path) -> None:
    """Puts a copy of a finished library, built in a `scratch` folder, in its place; readers see the old entry or the
    new one, never a part. Raises NoLibrary."""
    write_entry(left_file(built), path, built.parent.parent)


def write_entry(body: bytes, path: Path, beside: Path) -> None:
    """The same for what is no library. `beside`: the folder of a `scratch`, which compilers do not write to."""
    whole = beside / "published"
    whole.write_bytes(body + _MARK + hashlib.sha256(body).digest())
    whole.replace(path)


def read_entry(path: Path) -> bytes:
    """What an entry that is whole holds."""
    return path.read_bytes()[: -len(_MARK) - hashlib.sha256().digest_size]


def left_file(path: Path) -> bytes:
    """What a compiler has left in a `scratch` folder. Raises NoLibrary."""
    try:
        # No symbolic link is followed, and no pipe is waited for.
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as exc:
        raise NoLibrary(f"the build left no file {path.name} ({exc.strerror})") from exc
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise NoLibrary(f"the build left something other than a file as {path.name}")
    with os.fdopen(descriptor, "rb") as file:
        body = file.read(_LARGEST + 1)
    if len(body) > _LARGEST:
        raise NoLibrary(f"the build left more than {_LARGEST >> 20} MiB as {path.name}")
    return body


@contextmanager
def scratch(cache: Path) -> Iterator[Path]:
    """A folder for compilers to write to, on the cache's file system, removed afterwards."""
    try:
        cache.mkdir(parents=True, exist_ok=True)
        # The name holds the builder's process: whatever ends that process can remove it.
        folder = Path(tempfile.mkdtemp(prefix=f"{_SCRATCH}{os.getpid()}-", dir=cache))
    except OSError as exc:
        raise ToolchainMissing(
            f"the build cache {cache} cannot be written ({exc.strerror}): "
            "make it writable, or set KERNELGATE_CACHE to another folder"
        ) from exc
    try:
        _sweep(cache)
        work = folder / "work"
        work.mkdir()
        yield work
    except OSError as exc:
        if exc.errno not in _NO_ROOM:
            raise
        raise ToolchainMissing(no_room(cache)) from exc
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _sweep(cache: Path) -> None:
    # A builder that was killed leaves its folder. A library that was built for once has been loaded by now.
    oldest = time.time() - _ABANDONED_AFTER_S
    with os.scandir(cache) as entries:
        for entry in entries:
            if entry.name.startswith((_SCRATCH, _ONCE, _ALONE)) and _last_changed(entry) < oldest:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    Path(entry.path).unlink(missing_ok=True)


def _last_changed(entry: os.DirEntry[str]) -> float:
    """Seconds since 1970; infinite where another builder has removed it since it was listed."""
    try:
        return entry.stat(follow_symlinks=False).st_mtime
    except FileNotFoundError:
        return math.inf


FORMAT = 4  # raise it when the way of building, or the set of writers, changes in a way that no key holds


def entry_key(
    name: str,
    compiler: Compiler,
    texts: Sequence[str],
    flags: Sequence[Sequence[str]],
    headers: Sequence[tuple[str, str]] = (),
) -> str:
    """The key of a library: of everything that decides its content. `headers`: the person's own, path and digest."""
    own = (FORMAT, name, compiler.identity, sys.version, shim_digest())
    what = (*own, tuple(texts), [*map(tuple, flags)], tuple(headers))
    return hashlib.sha256(repr(what).encode()).hexdigest()[:40]


@functools.cache
def shim_digest() -> str:
    """Of the headers and the runtime of the emulator."""
    digest = hashlib.sha256()
    for folder in ("include", "torch_cuda", "torch_facade", "runtime"):
        for path in sorted((HERE / folder).rglob("*")):
            if path.is_file():
                digest.update(str(path.relative_to(HERE)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
