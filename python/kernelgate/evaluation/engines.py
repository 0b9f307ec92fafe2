"""Engines: what runs the jobs of an evaluation. Anything with `submit` that gives a Future is one as it is.

In: how many runs at a time; or Ray, or an executor of submitit, which give no Futures. Out: something with `submit`.
Nothing of Ray or submitit is imported; it is there when it is given.
Not here: what is submitted (`evaluation.conduct`).
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Protocol

from kernelgate.machine import gpus
from kernelgate.run import end_idle


class Engine(Protocol):
    """What an evaluation asks of an engine."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]: ...


class LocalProcesses:
    """Runs on this machine, `slots` at a time, each in processes of its own. With several GPUs each run that names none
    gets one that has the fewest."""

    def __init__(self, slots: int, devices: Sequence[str] = ()) -> None:
        self.slots = slots
        self._pool = ThreadPoolExecutor(slots, "kernelgate-evaluate")
        self._stop = threading.Event()
        self._devices: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._several = len(devices) > 1
        for slot in range(slots if self._several else 0):
            self._devices.put(devices[slot % len(devices)])

    def submit(self, function: Callable[..., Any], job: dict[str, Any], /, *arguments: Any) -> Future[Any]:
        return self._pool.submit(self._on_a_device, function, job, *arguments)

    def _on_a_device(self, function: Callable[..., Any], job: dict[str, Any], *arguments: Any) -> Any:
        if not self._several or job["device"] not in ("auto", "cuda"):
            return function(job, *arguments, stop=self._stop)
        device = self._devices.get()
        try:
            return function({**job, "device": device}, *arguments, stop=self._stop)
        finally:
            self._devices.put(device)

    def close(self) -> None:
        """Ends what runs, and waits until it is gone."""
        self._stop.set()
        self._pool.shutdown(cancel_futures=True)
        end_idle()


def local_processes(slots: int | None = None) -> LocalProcesses:
    """For this machine. If `slots` is None, two runs a GPU, so that one can be built while another is measured; a
    run a processor if there is no GPU."""
    found = _visible_gpus()
    devices = [f"cuda:{index}" for index in range(found)]
    return LocalProcesses(slots or 2 * found or os.cpu_count() or 1, devices)


def _visible_gpus() -> int:
    visible = os.environ.get("CUDA_VISIBLE_DEVICES")
    found = len(gpus())
    return found if visible is None else min(found, len([one for one in visible.split(",") if one.strip()]))


def engine_of(executor: Any) -> Engine:
    """The engine that a person gave: anything with `submit`, the module `ray`, or an executor of submitit."""
    if getattr(executor, "__name__", "") == "ray":
        return OnRay(executor)
    if type(executor).__module__.partition(".")[0] == "submitit":
        return OnSubmitit(executor)
    if not callable(getattr(executor, "submit", None)):
        raise TypeError(f"a {type(executor).__name__} has no submit: give an executor, or the module ray")
    found: Engine = executor
    return found


class OnRay:
    """Ray, initialised or not. Tasks may wait long for their GPU, so Ray's own retries are left to the evaluation."""

    def __init__(self, ray: Any, **options: Any) -> None:
        self._remote = ray.remote(max_retries=0, **options) if options else ray.remote(max_retries=0)

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        found: Future[Any] = self._remote(function).remote(*arguments).future()
        return found


class OnSubmitit:
    """An executor of submitit: Slurm, or processes of this machine. A thread a job waits for its result."""

    def __init__(self, executor: Any) -> None:
        self._executor = executor

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        job = self._executor.submit(function, *arguments)
        threading.Thread(target=self._wait, args=(job, future), daemon=True).start()
        return future

    @staticmethod
    def _wait(job: Any, future: Future[Any]) -> None:
        try:
            future.set_result(job.result())
        except BaseException as exc:
            future.set_exception(exc)
