"""One run at a time measures on a GPU, and no other run of KernelGate uses it meanwhile, in any process.

In: the GPU's UUID. Out: a turn, shared by runs that check, alone for one that measures. It is a lock of the system on a
file of this machine, so it ends with the process that holds it. Runs that build need none: a GPU does not wait for a
compiler. Not here: what is measured (`judge.stages.time`).
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path

_FOLDER = Path("/tmp")  # not the temporary folder of a process: all processes of the machine have to agree
_WAITING = "Waiting for the GPU: another run measures on it, or is about to"


class GpuTurn:
    """`uuid`: of the GPU; "" for none, where every turn is had at once. `say`: is given words while it waits."""

    def __init__(self, uuid: str, say: Callable[[str], None], folder: Path = _FOLDER) -> None:
        self._say = say
        # A run that wants the GPU alone keeps later runs out, or it could wait for ever.
        self._gate = _opened(folder, uuid, "gate")
        self._gpu = _opened(folder, uuid, "lock")

    def share(self) -> None:
        """From here on with others that do not measure."""
        self._take(fcntl.LOCK_SH)

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """No other run meanwhile, and nothing shared afterwards."""
        self._release(self._gpu)  # a run that waits at the gate holds no lock that another needs
        self._take(fcntl.LOCK_EX)
        try:
            yield
        finally:
            self._release(self._gpu)

    def close(self) -> None:
        for descriptor in (self._gate, self._gpu):
            if descriptor is not None:
                os.close(descriptor)
        self._gate = self._gpu = None

    def _take(self, kind: int) -> None:
        self._lock(self._gate, fcntl.LOCK_EX)
        try:
            self._lock(self._gpu, kind)
        finally:
            self._release(self._gate)

    def _lock(self, descriptor: int | None, kind: int) -> None:
        if descriptor is None:
            return
        try:
            fcntl.flock(descriptor, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            self._say(_WAITING)
            fcntl.flock(descriptor, kind)

    @staticmethod
    def _release(descriptor: int | None) -> None:
        if descriptor is not None:
            fcntl.flock(descriptor, fcntl.LOCK_UN)


def _opened(folder: Path, uuid: str, what: str) -> int | None:
    """None if there is no GPU, or where the file cannot be had: then a run goes on as if it were alone."""
    name = re.sub(r"[^0-9A-Za-z-]", "", uuid.removeprefix("GPU-"))
    if not name:
        return None
    path = folder / f"kernelgate-gpu-{name}.{what}"
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW
    with contextlib.suppress(OSError):
        # For all users. One that is there is opened without O_CREAT, which /tmp refuses for a file of another user.
        os.close(os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644))
    try:
        return os.open(path, flags)
    except OSError:
        return None
