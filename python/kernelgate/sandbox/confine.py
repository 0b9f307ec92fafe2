"""Confines this process: a worker, before it loads a candidate, or a compiler that works for one.

In: the one folder that it may write to. Out: the restrictions that hold, by name, and why the others
do not. A run goes on under a kernel that lacks some; the report says what was open.
Not here: time, memory and the number of processes, which the judge watches (`processes.worker_handle`).
This protects other work from a candidate's faults; it is no sandbox for hostile native code of the same user.
"""

from __future__ import annotations

import contextlib
import os
import resource
import tempfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from pathlib import Path

from kernelgate.messages.worker import Confined
from kernelgate.sandbox import landlock, seccomp
from kernelgate.sandbox.landlock import SystemCallFailed

SWITCH = "KERNELGATE_CONFINE"
""""off" leaves out Landlock and seccomp, to find out whether one of them breaks a driver."""

_OPEN_FILES = 4096
_CPU_HOURS = 1

COMPILES_ALONE = {"TORCHINDUCTOR_COMPILE_THREADS": "1"}
"""torch.compile would compile in a pool of processes, which outlive a call. Read when its configuration is imported."""

# Caches that would otherwise lie in the home, or in the shared temporary folder.
_PRIVATE = {
    "TMPDIR": "",
    "TORCH_EXTENSIONS_DIR": "torch_extensions",
    "TORCHINDUCTOR_CACHE_DIR": "inductor",
    "TRITON_CACHE_DIR": "triton",
    "CUPY_CACHE_DIR": "cupy",
    "XDG_CACHE_HOME": "cache",
    # What the driver compiles from PTX is lost with it, and compiled again in each run: through a cache that outlives
    # it, a program could affect others. Extensions are built for the device and contain no PTX to compile.
    "CUDA_CACHE_PATH": "driver",
}


def private_folder(folder: Path) -> None:
    """Makes `folder` the working directory, and the place for everything temporary."""
    os.chdir(folder)
    for name, part in _PRIVATE.items():
        os.environ[name] = str(folder / part)
    os.environ.update(COMPILES_ALONE)
    tempfile.tempdir = str(folder)


def close_descriptors(kept: Collection[int]) -> None:
    """Closes all other descriptors: what a process inherits by accident reaches into other runs."""
    open_now = [int(entry.name) for entry in Path("/proc/self/fd").iterdir()]
    for descriptor in open_now:
        if descriptor not in kept:
            with contextlib.suppress(OSError):  # the one that listed them is closed by now
                os.close(descriptor)


def confine(folder: Path, *, filtered: bool = True, unix_sockets: bool = True) -> Confined:
    """Confines this process, which must still have a single thread: other threads would stay unconfined. Without a
    filter of system calls if it is not `filtered`. `unix_sockets`: new ones can be made, as CUDA does."""
    own = Path("/proc") / str(os.getpid())  # a thread's name is written there
    return _confined([folder, Path("/dev/shm")], [*_EMPTY_DEVICES, *_devices_of_the_gpu(), own], filtered, unix_sockets)


def confine_compiler(folder: Path) -> None:
    """The same for a compiler, which needs neither devices nor shared memory. The worker has already reported what
    cannot be closed here."""
    _confined([folder], _EMPTY_DEVICES, filtered=True, unix_sockets=False)


def _confined(
    folders: Sequence[Path], writable: Iterable[Path], filtered: bool, unix_sockets: bool
) -> Confined:
    _limit_resources()
    held, missing = ["limits"], []
    if os.environ.get(SWITCH) == "off":
        return Confined(held=held, missing=f"{SWITCH}=off")
    try:
        held += landlock.restrict(folders, writable)
    except SystemCallFailed as exc:
        missing.append(f"files: {exc}")
    try:
        if not filtered:
            return Confined(held=held, missing="network, tracing: not asked for")
        seccomp.restrict(unix_sockets=unix_sockets)
        # Landlock governs TCP alone.
        held = [name for name in held if name != "tcp"] + ["network", "tracing"]
    except SystemCallFailed as exc:
        missing.append(f"network, tracing: {exc}")
    return Confined(held=held, missing="; ".join(missing))


# They have no memory of their own.
_EMPTY_DEVICES = [Path("/dev") / name for name in ("null", "zero", "full", "random", "urandom")]


def _devices_of_the_gpu() -> Iterator[Path]:
    for pattern in ("nvidia*", "nvhost*", "nvmap", "nvgpu", "dxg"):  # servers, Jetson, WSL
        yield from Path("/dev").glob(pattern)
    yield Path(os.environ.get("CUDA_MPS_PIPE_DIRECTORY") or "/tmp/nvidia-mps")


def _limit_resources() -> None:
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    cpus = os.cpu_count() or 1
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, _OPEN_FILES)
    # A tensor travels as a file in memory, so that no file of an honest program is larger than memory.
    _lower(resource.RLIMIT_FSIZE, memory)
    # The judge limits wall time. This ends what escaped it, and counts all threads of a process.
    _lower(resource.RLIMIT_CPU, _CPU_HOURS * 3600 * cpus)


def _lower(kind: int, limit: int) -> None:
    _soft, hard = resource.getrlimit(kind)
    limit = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(kind, (limit, limit))
