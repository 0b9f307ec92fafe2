"""How much of the time GPUs are used while something runs: by the locks of KernelGate, and as the driver says.

In: nothing; it looks each 50 ms. Out: shares. Not here: what holds a lock (`kernelgate.judge.run.gpu_turn`).
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EVERY_S = 0.05


class GpuWatch:
    """`found` after its end: `judging`, the share of time in which a run held a GPU; `alone`, in which one measured on
    it; `utilization`, the mean of what NVML says, of each GPU; `processors`, the share of the host's processor time
    that was used. None for what cannot be seen here."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._looks = self._judging = self._alone = 0
        self._utilization: list[list[int]] = []
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._busy = self._idle = 0

    def __enter__(self) -> GpuWatch:
        self._busy, self._idle = _processor_time()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join()

    @property
    def found(self) -> dict[str, Any] | None:
        if not self._utilization:
            return None
        looks = max(1, self._looks)
        busy, idle = (now - before for now, before in zip(_processor_time(), (self._busy, self._idle), strict=True))
        return {
            "processors": round(busy / max(1, busy + idle), 3),
            "looks": self._looks,
            "judging": round(self._judging / looks, 3),
            "alone": round(self._alone / looks, 3),
            "utilization": [round(sum(each) / len(each) / 100, 3) for each in zip(*self._utilization, strict=True)],
        }

    def _watch(self) -> None:
        with _utilization() as utilization:
            while utilization is not None and not self._stop.wait(EVERY_S):
                held = _held()
                self._looks += 1
                self._judging += bool(held)
                self._alone += "WRITE" in held
                self._utilization.append(utilization())


def _processor_time() -> tuple[int, int]:
    """Busy and idle, of all processors, in ticks."""
    ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n")[0].split()[1:9]]
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, idle


def _held() -> set[str]:
    """READ where runs check on a GPU, WRITE where one measures. /proc/locks is read, as taking the lock to see whether
    it is free would disturb."""
    inodes = set()
    for path in Path("/tmp").glob("kernelgate-gpu-*.lock"):
        with contextlib.suppress(OSError):
            inodes.add(str(path.stat().st_ino))
    held = set()
    with contextlib.suppress(OSError):
        for line in Path("/proc/locks").read_text().splitlines():
            words = line.split()
            if words[1] == "FLOCK" and words[5].rpartition(":")[2] in inodes:  # one that waits has another form
                held.add(words[3])
    return held


@contextlib.contextmanager
def _utilization() -> Iterator[Any]:
    """A function that gives each GPU's utilization in percent; None if there is none."""
    try:
        import pynvml

        pynvml.nvmlInit()
        handles = [pynvml.nvmlDeviceGetHandleByIndex(number) for number in range(pynvml.nvmlDeviceGetCount())]
    except Exception:  # no package, no driver, no GPU
        yield None
        return
    try:
        yield lambda: [pynvml.nvmlDeviceGetUtilizationRates(handle).gpu for handle in handles]
    finally:
        pynvml.nvmlShutdown()
