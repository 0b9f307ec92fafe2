"""The trace of some code, by PyTorch's profiler: what the host asked for, and what the device did.

In: the body of a `with`. Out: `TraceEvent`s in the order of their start, in seconds from the first of them.
It reads the profiler's file, not its objects: the file's format is documented, and the same in all versions.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from kernelgate.profiling.events import MAX_EVENTS, Kind, TraceEvent

_KINDS: dict[str, Kind] = {
    "kernel": "kernel",
    "gpu_memcpy": "copy",
    "gpu_memset": "set",
    "cuda_runtime": "launch",
    "cuda_driver": "launch",
    "cpu_op": "operator",
}
_LAUNCHES = ("Launch", "Memcpy", "Memset")  # the driver's functions that give the device work


class Traced:
    """A trace that has ended: `events`, at most MAX_EVENTS, and how many more there were."""

    def __init__(self) -> None:
        self.events: list[TraceEvent] = []
        self.left_out = 0
        self.text = ""


@contextlib.contextmanager
def tracing(*, device: bool) -> Iterator[Traced]:
    """Traces the body; `device`: also on the GPU. `text` is then the whole trace, as Chrome and Perfetto
    read it."""
    from torch.profiler import ProfilerActivity, profile

    activities = [ProfilerActivity.CPU] + ([ProfilerActivity.CUDA] if device else [])
    traced = Traced()
    profiler = profile(activities=activities, acc_events=True)
    with _quiet():
        profiler.start()
    try:
        yield traced
        if device:
            torch.cuda.synchronize()
    finally:
        with _quiet():
            profiler.stop()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        profiler.export_chrome_trace(str(path))
        traced.text = path.read_text(encoding="utf-8", errors="replace")
    found = events_of(json.loads(traced.text))
    traced.left_out = max(0, len(found) - MAX_EVENTS)
    traced.events = found[:MAX_EVENTS]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """Silences what the profiler's library writes to the process's standard error, which the cell would show."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 2)
        yield
    finally:
        os.dup2(kept, 2)
        os.close(nowhere)
        os.close(kept)


def events_of(trace: dict[str, Any]) -> list[TraceEvent]:
    """The events of a trace file that concern the device or PyTorch's operators."""
    found = []
    for entry in trace.get("traceEvents", []):
        kind = _KINDS.get(str(entry.get("cat", "")))
        name = str(entry.get("name", ""))
        if (
            kind is None
            or entry.get("ph") != "X"
            or (kind == "launch" and not any(w in name for w in _LAUNCHES))
        ):
            continue
        found.append(_event(kind, name, entry))
    found.sort(key=lambda event: event.start_s)
    first = found[0].start_s if found else 0.0
    for event in found:
        event.start_s -= first
    return found


def _event(kind: Kind, name: str, entry: dict[str, Any]) -> TraceEvent:
    args = entry.get("args", {})
    return TraceEvent(
        kind=kind,
        name=name[:1000],
        start_s=float(entry.get("ts", 0)) * 1e-6,
        seconds=max(0.0, float(entry.get("dur", 0)) * 1e-6),
        stream=max(0, _whole(args.get("stream")) or 0),
        grid=[_whole(n) or 0 for n in args.get("grid", [])][:3],
        block=[_whole(n) or 0 for n in args.get("block", [])][:3],
        registers=_whole(args.get("registers per thread")),
        shared_bytes=_whole(args.get("shared memory")),
        bytes=_whole(args.get("bytes")),
    )


def _whole(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None
