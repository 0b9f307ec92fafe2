"""What a judge orders of its fork server, and what that answers: processes that start, and their ends.

In: a socket to the fork server. Out: the ids of processes, and how each ended. Several may run at once, and they may
end in any order. Not here: what a process is asked to do (`processes.worker_handle`).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Sequence

from kernelgate.messages.channel import Channel, ChannelClosed, ChannelTimeout
from kernelgate.messages.fork_server import Ended, Notice, Start, Started, Stop

_START_S = 30.0


class Orders:
    """The orders of one judge."""

    def __init__(self, control: Channel) -> None:
        self._control = control
        self._ended: dict[int, int] = {}

    def start(self, order: Start, descriptors: Sequence[int]) -> int:
        """The id of a new process. Raises ChannelClosed, ChannelTimeout."""
        self._control.send(order, descriptors)
        while True:
            notice = self._next(_START_S)
            if isinstance(notice, Started):
                self._ended.pop(notice.pid, None)  # of an earlier process of that id
                return notice.pid

    def stop(self, pid: int) -> None:
        """Asks for the end of a process, with all that it started."""
        with contextlib.suppress(ChannelClosed):
            self._control.send(Stop(pid))

    def end_of(self, pid: int, timeout_s: float) -> int | None:
        """The status with which a process ended, once it and all that it started are gone; None if that takes
        longer."""
        deadline = time.monotonic() + timeout_s
        while pid not in self._ended:
            try:
                self._next(max(0.01, deadline - time.monotonic()))
            except (ChannelTimeout, ChannelClosed):
                return None
        return self._ended[pid]

    def _next(self, timeout_s: float) -> Notice:
        notice: Notice
        notice, _ = self._control.receive(Notice, timeout_s=timeout_s)
        if isinstance(notice, Ended):
            self._ended[notice.pid] = notice.status
        return notice
