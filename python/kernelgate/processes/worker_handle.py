"""The judge's side of a worker: starting it, asking it, and noticing how it ends.

In: requests. Out: answers, or one of the exceptions below. It enforces the limits on time and memory, and drains the
worker's printed output, so that a candidate can neither stall the judge nor fill a disk.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable, Sequence

from kernelgate.machine import available_bytes
from kernelgate.messages.channel import ChannelClosed, ChannelTimeout, ProtocolError, channel_pair
from kernelgate.messages.fork_server import Start
from kernelgate.messages.worker import Alone, Building, Confined, FromWorker, Reply, Request
from kernelgate.processes import process_tree
from kernelgate.processes.orders import Orders

_KEPT_OUTPUT = 8192
_MAX_BUILDS = 200
_MANY_PROCESSES, _MAX_PROCESSES = 64, 512


class WorkerFailed(Exception):
    """A worker gave no answer. It has ended, or is not asked again. The subclasses say what happened."""


class WorkerEnded(WorkerFailed):
    """The worker's process has ended. `status` as in `Ended`; `fault` is the line that it left, if any."""

    def __init__(self, status: int | None, fault: bytes) -> None:
        super().__init__(f"the worker ended with status {status}")
        self.status = status
        self.fault = fault


class WorkerTimeout(WorkerFailed):
    """No answer within the limit."""

    def __init__(self, limit_s: float) -> None:
        super().__init__(f"no answer within {limit_s} s")
        self.limit_s = limit_s


class WorkerMemory(WorkerFailed):
    """More host memory than the limit."""

    def __init__(self, used_bytes: int, limit_bytes: int) -> None:
        super().__init__(f"{used_bytes} bytes of {limit_bytes}")
        self.used_bytes = used_bytes
        self.limit_bytes = limit_bytes


class WorkerProcesses(WorkerFailed):
    """More processes than the limit."""

    def __init__(self, limit: int) -> None:
        super().__init__(f"more than {limit} processes")
        self.limit = limit


class BadAnswer(WorkerFailed):
    """What came is not an answer: the candidate wrote into the connection, or worse."""


class Output:
    """Drains a pipe; keeps the beginning and the end of what came through it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._head = b""
        self._tail = b""
        self._size = 0
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def _drain(self) -> None:
        while True:
            try:
                data = os.read(self._descriptor, 1 << 16)
            except OSError:
                return
            if not data:
                return
            self._size += len(data)
            room = _KEPT_OUTPUT - len(self._head)
            self._head += data[:room]
            self._tail = (self._tail + data[room:])[-_KEPT_OUTPUT:] if room < len(data) else self._tail

    def text(self) -> str:
        """What was printed, the middle left out if it was long."""
        self._thread.join(timeout=0.2)
        left_out = self._size - len(self._head) - len(self._tail)
        note = f"\n[{left_out:,} bytes left out]\n".encode() if left_out > 0 else b""
        return (self._head + note + self._tail).decode(errors="replace")

    def close(self) -> None:
        with contextlib.suppress(OSError):
            os.close(self._descriptor)


class WorkerHandle:
    """One worker. `on_wait` is called a few times a second while it is being waited for; `on_build` with an extension's
    name and sources when its compiler starts, and with no name when that has ended."""

    def __init__(
        self,
        orders: Orders,
        cache: str,
        memory_limit: int,
        on_wait: Callable[[], None],
        on_build: Callable[[Building], None],
        *,
        disguised: bool = False,
    ) -> None:
        self._orders = orders
        self._memory_limit = memory_limit
        self._on_wait = on_wait
        self._on_build = on_build
        self._channel, theirs = channel_pair()
        output_read, output_write = os.pipe()
        self._faults, faults_write = os.pipe()
        try:
            descriptors = [theirs.fileno(), output_write, faults_write]
            self.pid = orders.start(Start("worker", cache, disguised), descriptors)
        finally:
            theirs.close()
            os.close(output_write)
            os.close(faults_write)
        self._output = Output(output_read)
        self.confined: Confined | None = None
        self._ended = False
        self._send_failed: Exception | None = None

    def send(self, request: Request | Alone, descriptors: Sequence[int]) -> None:
        """Sends a request ahead: what comes of it, `receive` says."""
        try:
            self._channel.send(request, descriptors)
        except (ChannelClosed, ChannelTimeout, ProtocolError) as exc:
            self._send_failed = exc

    def ask(
        self,
        request: Request | Alone,
        descriptors: Sequence[int],
        timeout_s: float,
        build_timeout_s: float,
        deadline: float,
    ) -> tuple[Reply, list[int]]:
        """The reply, and the descriptors beside it. Raises WorkerFailed.

        While a compiler runs, `build_timeout_s` is the limit; `timeout_s` starts anew when it has ended. `deadline`, of
        the monotonic clock, holds in any case.
        """
        self.send(request, descriptors)
        return self.receive(timeout_s, build_timeout_s, deadline)

    def receive(
        self, timeout_s: float, build_timeout_s: float, deadline: float
    ) -> tuple[Reply, list[int]]:
        """The reply to what has been sent; limits as those of `ask`, counted from now. Raises WorkerFailed."""
        limit_s, builds = timeout_s, 0
        try:
            if self._send_failed is not None:
                raise self._send_failed
            while True:
                left_s = max(0.1, min(limit_s, deadline - time.monotonic()))
                message, received = self._channel.receive(FromWorker, left_s, watch=self._watch)
                if isinstance(message, Reply):
                    return message, received
                for descriptor in received:
                    os.close(descriptor)
                if isinstance(message, Confined):
                    # The first one is the worker's own: it comes before the candidate is loaded.
                    self.confined = self.confined or message
                    continue
                assert isinstance(message, Building)
                builds += 1
                if builds > _MAX_BUILDS:
                    raise ProtocolError(f"more than {_MAX_BUILDS} builds in one call")
                limit_s = build_timeout_s if message.name is not None else timeout_s
                self._on_build(message)
        except ChannelClosed:
            raise WorkerEnded(self._await_end(5.0), self._fault()) from None
        except ChannelTimeout:
            self.stop()
            raise WorkerTimeout(limit_s) from None
        except ProtocolError as exc:
            self.stop()
            raise BadAnswer(str(exc)) from exc

    def _watch(self) -> None:
        self._on_wait()
        # All that the fork server has started except this judge, with what left its parent and its group.
        pids = process_tree.descendants(os.getppid(), {os.getpid()}, _MAX_PROCESSES)
        if len(pids) > _MANY_PROCESSES:
            process_tree.give_way(pids)
        if len(pids) > _MAX_PROCESSES:
            self.stop()
            raise WorkerProcesses(_MAX_PROCESSES)
        used = process_tree.memory_bytes(pids or [self.pid], self._memory_limit)
        if used > self._memory_limit:
            self.stop()
            raise WorkerMemory(used, self._memory_limit)

    def _fault(self) -> bytes:
        os.set_blocking(self._faults, False)
        try:
            return os.read(self._faults, 1 << 16)
        except OSError:
            return b""

    def _await_end(self, timeout_s: float) -> int | None:
        status = self._orders.end_of(self.pid, timeout_s)
        self._ended = status is not None
        return status

    def stop(self) -> None:
        """Ends the process, with all that it started."""
        if not self._ended:
            self._orders.stop(self.pid)
            self._await_end(5.0)

    def close(self) -> str:
        """Ends it with all that it started; what was printed. In this order: the output ends when they have."""
        self.stop()
        printed = self._output.text()
        self._channel.close()
        self._output.close()
        os.close(self._faults)
        return printed


def memory_limit() -> int:
    """What a worker may take: half of what is free, and never less than 4 GiB."""
    return max(4 << 30, (available_bytes() or 0) // 2)
