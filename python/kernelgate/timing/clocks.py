"""The clocks that the worker reads: device events around single calls, and the wall clock around many.

In: something to call, and how often. Out: seconds. All on the current device and stream.
It binds what it calls of torch.cuda, of the driver and of Python when it is imported, before any candidate is.
"""

from __future__ import annotations

import contextlib
import ctypes
import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

_Event = torch.cuda.Event
_synchronize = torch.cuda.synchronize
_sum = torch.sum
_median = statistics.median
_sleep = getattr(torch.cuda, "_sleep", None)
# The device is held back for twice as long as the host takes to launch a call, and this. No longer: if it has
# nothing to do for 200 us, a short kernel takes 1.5 us longer.
_LEAST_DELAY_S, _MOST_DELAY_S = 20e-6, 5e-3
_CYCLES_PER_S = 2e9  # of the device's clock; a slower clock makes the delay longer
_LEAST_OF_DELAY = 2 / 3  # of a clock of 3 GHz
_TRACED_DELAY_CYCLES = 4_000_000  # some 2 ms: a traced launch takes longer
_DELAY_KERNEL = "spin_kernel"  # what PyTorch calls it
_WARM_UPS = 2


@dataclass(frozen=True)
class Reading:
    """`each_s`: device time of every call that the host launched in time, empty if they were timed together.
    `device_s` and `wall_s`: of everything together, with what is done between the calls. `kept`: what `as_seen` made of
    the call that was asked for."""

    each_s: list[float]
    device_s: float
    wall_s: float
    kept: Any = None


class Flush:
    """Evicts what the caches hold, by reading more than fits. What was written is written back before the call; after a
    flush that writes, it would be while the call is timed."""

    def __init__(self, nbytes: int, device: torch.device) -> None:
        self.device = device
        self._memory = torch.zeros(max(nbytes // 8, 1), dtype=torch.int64, device=device)
        self._sum = torch.zeros((), dtype=torch.int64, device=device)

    def __call__(self) -> None:
        kept = set_aside()
        if not kept:
            self._read()
            return
        _synchronize()
        with given_up(kept):
            self._read()
            _synchronize()

    def _read(self) -> None:
        with torch.no_grad():
            _sum(self._memory, dim=0, out=self._sum)


def settle(call: Callable[[], Any], seconds: float, flush: Flush) -> float:
    """Warm-up calls, at least one, for that long: the first one allocates its memory, and while the driver clears
    memory that was freed, the device is a tenth slower. Returns the seconds that the host took for the fastest one."""
    until = time.perf_counter() + seconds
    launch_s = math.inf
    while True:
        flush()
        launched = time.perf_counter()
        call()
        launch_s = min(launch_s, time.perf_counter() - launched)
        _synchronize()
        if time.perf_counter() >= until:
            return launch_s


def single_calls(
    call: Callable[[], Any],
    calls: int,
    *,
    before: Callable[[], Any] | None,
    flush: Flush,
    keep: int,
    as_seen: Callable[[Any], Any],
    launch_s: float,
) -> Reading:
    """Each call timed by events of its own, with cold caches. `before` runs before each, outside of its time. Of the
    call number `keep`, what `as_seen` makes of its result is kept, on the current stream and right behind the call:
    work that goes on elsewhere then is not in it. `launch_s`: what the host takes to launch a call, as `settle` returns
    it; the median of the calls themselves counts as soon as there are some.

    The device is held back before each call, until the host has launched all of it: a flush asks the driver about
    persisting lines, which waits for the device, and what Python takes to launch a call would count as the call's.
    Work on a stream that does not wait for the current one would be done meanwhile, outside of the call's time: before
    the call whose result is kept, `before` waits as well, so that such work finds what the call before was given.
    """
    starts = [_Event(enable_timing=True) for _ in range(calls)]
    ends = [_Event(enable_timing=True) for _ in range(calls)]
    first, last = _Event(enable_timing=True), _Event(enable_timing=True)
    kept = None
    in_time: list[bool] = []
    launches = [launch_s]
    _synchronize()
    began = time.perf_counter()
    first.record()
    for i in range(calls):
        if before is not None and i != keep:
            before()
        flush()
        delay_s = min(_MOST_DELAY_S, _LEAST_DELAY_S + 2 * _median(launches))
        held_until = time.perf_counter() + delay_s * _LEAST_OF_DELAY
        if _sleep is not None:
            _sleep(int(delay_s * _CYCLES_PER_S))
        if before is not None and i == keep:
            before()
        launched = time.perf_counter()
        starts[i].record()
        result = call()
        ends[i].record()
        ended = time.perf_counter()
        launches.append(ended - launched)
        in_time.append(ended <= held_until)
        if i == keep:
            kept = as_seen(result)
        del result
    last.record()
    _synchronize()
    wall = time.perf_counter() - began
    each = [start.elapsed_time(end) * 1e-3 for start, end in zip(starts, ends, strict=True)]
    return Reading(_launched_in_time(each, in_time), first.elapsed_time(last) * 1e-3, wall, kept)


def _launched_in_time(each_s: list[float], in_time: list[bool]) -> list[float]:
    """The times of calls that the host had launched before the device went on: others wait for a busy host. All of
    them if that is the rule, as for a call whose launch takes longer than the device is held back."""
    found = [seconds for seconds, was in zip(each_s, in_time, strict=True) if was]
    return found if 2 * len(found) > len(each_s) else each_s


def following_calls(call: Callable[[], Any], calls: int) -> Reading:
    """Calls one after another, timed together by events and by the wall clock; warm caches."""
    for _ in range(_WARM_UPS):
        call()
    first, last = _Event(enable_timing=True), _Event(enable_timing=True)
    _synchronize()
    began = time.perf_counter()
    first.record()
    for _ in range(calls):
        call()
    last.record()
    _synchronize()
    wall = time.perf_counter() - began
    return Reading([], first.elapsed_time(last) * 1e-3, wall)


def graph_of(call: Callable[[], Any]) -> Callable[[], Any]:
    """A function that replays a CUDA graph of the call. An exception of the candidate during capture passes through."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(_WARM_UPS):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        result = call()

    def replay() -> Any:
        graph.replay()
        return result

    return replay


def span_of(call: Callable[[], Any], calls: int) -> tuple[float, float] | None:
    """Seconds of each of some calls: from the first start to the last end of what the device did, by its own trace
    (CUPTI), and by device events around them; None if the trace is empty, as where tracing is not possible."""
    from torch.profiler import ProfilerActivity, profile

    first, last = _Event(enable_timing=True), _Event(enable_timing=True)
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as trace:
        _synchronize()
        if _sleep is not None:
            _sleep(_TRACED_DELAY_CYCLES)
        first.record()
        for _ in range(calls):
            call()
        last.record()
        _synchronize()
    found = sorted(
        (one for one in trace.profiler.kineto_results.events() if str(one.device_type()).endswith("CUDA")),
        key=lambda one: one.start_ns(),
    )
    if found and _DELAY_KERNEL in found[0].name():
        del found[0]  # the first alone: a program may call a kernel so, too
    if not found:
        return None
    end = max(e.start_ns() + e.duration_ns() for e in found)
    span = float(end - min(e.start_ns() for e in found)) * 1e-9
    return span / calls, first.elapsed_time(last) * 1e-3 / calls


_LIMIT = 0x06  # CU_LIMIT_PERSISTING_L2_CACHE_SIZE


def _load() -> ctypes.CDLL | None:
    try:
        driver = ctypes.CDLL("libcuda.so.1")
        driver.cuCtxGetLimit.argtypes = [ctypes.POINTER(ctypes.c_size_t), ctypes.c_int]
        driver.cuCtxSetLimit.argtypes = [ctypes.c_int, ctypes.c_size_t]
        driver.cuCtxResetPersistingL2Cache.argtypes = []
    except (OSError, AttributeError):  # no driver, or one older than CUDA 11
        return None
    return driver


_driver = _load()
_pointer = ctypes.byref


def set_aside() -> int:
    """Bytes of L2 that the current context keeps for persisting lines; 0 in a process that never asked for any."""
    nbytes = ctypes.c_size_t()
    if _driver is None or _driver.cuCtxGetLimit(_pointer(nbytes), _LIMIT) != 0:
        return 0
    return nbytes.value


@contextlib.contextmanager
def given_up(nbytes: int) -> Iterator[None]:
    """In the body no line persists, and all of L2 is shared; afterwards `nbytes` are set aside again.

    The device must have finished what makes lines persist."""
    if _driver is None:
        yield
        return
    _driver.cuCtxSetLimit(_LIMIT, 0)
    _driver.cuCtxResetPersistingL2Cache()
    yield
    _driver.cuCtxSetLimit(_LIMIT, nbytes)
