"""Messages between the processes of a run: frames of JSON with file descriptors beside them, over a Unix socket.

In: `msgspec` records. Out: records of the types that the receiver names, decoded strictly: what a worker sends is
untrusted, so a frame is bounded before it is read and nothing is unpickled.
Not here: what the messages mean (`messages.worker`, `processes.fork_server`).
"""

from __future__ import annotations

import array
import os
import select
import socket
import struct
import time
from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from kernelgate.json_decode import decoded

MAX_FRAME_BYTES = 32 * 1024 * 1024
MAX_DESCRIPTORS = 64
_HEADER = struct.Struct("!I")


class ChannelClosed(Exception):
    """The other side has gone."""


class ChannelTimeout(Exception):
    """No whole message arrived in time."""


class ProtocolError(Exception):
    """The other side sent something that is not a message of the expected kind."""


class Channel:
    """One end of a connection between two processes. Not safe for use by several threads at once."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._encoder = msgspec.json.Encoder()

    def fileno(self) -> int:
        return self._socket.fileno()

    def close(self) -> None:
        self._socket.close()

    def send(self, message: Any, descriptors: Sequence[int] = ()) -> None:
        """Sends one record; the descriptors are duplicated into the receiver. Raises ChannelClosed."""
        body = self._encoder.encode(message)
        if len(body) > MAX_FRAME_BYTES:
            raise ProtocolError(f"a message of {len(body)} bytes is too large to send")
        ancillary = (
            [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))] if descriptors else []
        )
        try:
            # The header alone carries the descriptors; it is far below a socket buffer, so it is sent whole.
            self._socket.sendmsg([_HEADER.pack(len(body))], ancillary)
            self._socket.sendall(body)
        except (BrokenPipeError, ConnectionResetError) as exc:
            raise ChannelClosed from exc

    def receive(
        self,
        kind: Any,
        timeout_s: float | None = None,
        watch: Callable[[], None] | None = None,
    ) -> tuple[Any, list[int]]:
        """The next message and the descriptors that came with it (the caller closes them).

        `watch` is called about five times a second while waiting; it may raise to give up.
        Raises ChannelClosed, ChannelTimeout, ProtocolError.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        descriptors: list[int] = []
        try:
            header = self._read(_HEADER.size, deadline, watch, descriptors)
            (length,) = _HEADER.unpack(header)
            if length > MAX_FRAME_BYTES:
                raise ProtocolError(f"a message of {length} bytes")
            body = self._read(length, deadline, watch, descriptors)
            return decoded(body, kind), descriptors
        except msgspec.MsgspecError as exc:
            _close(descriptors)
            raise ProtocolError(str(exc)) from exc
        except Exception:
            _close(descriptors)
            raise

    def _read(
        self,
        length: int,
        deadline: float | None,
        watch: Callable[[], None] | None,
        descriptors: list[int],
    ) -> bytes:
        parts: list[bytes] = []
        missing = length
        while missing:
            self._wait(deadline, watch)
            try:
                data, new, _flags, _address = socket.recv_fds(
                    self._socket, min(missing, 1 << 20), MAX_DESCRIPTORS
                )
            except ConnectionResetError as exc:
                raise ChannelClosed from exc
            descriptors.extend(new)
            if len(descriptors) > MAX_DESCRIPTORS:  # or a sender could use up those of this process
                raise ProtocolError(f"more than {MAX_DESCRIPTORS} descriptors in one message")
            if not data:
                raise ChannelClosed
            parts.append(data)
            missing -= len(data)
        return b"".join(parts)

    def _wait(self, deadline: float | None, watch: Callable[[], None] | None) -> None:
        while True:
            left = None if deadline is None else deadline - time.monotonic()
            if left is not None and left <= 0:
                raise ChannelTimeout
            step = left if watch is None else 0.2 if left is None else min(0.2, left)
            if select.select([self._socket], [], [], step)[0]:
                return
            if watch is not None:
                watch()


def _close(descriptors: Sequence[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)


def channel_pair() -> tuple[Channel, socket.socket]:
    """A connected pair: our end as a channel, the other end as a socket to hand to another process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    return Channel(ours), theirs
