"""What a sender of another process can do to the one that receives: nothing but end its own conversation."""

from __future__ import annotations

import array
import os
import socket
from pathlib import Path

import pytest

from kernelgate.messages.channel import MAX_DESCRIPTORS, ProtocolError, channel_pair
from kernelgate.messages.worker import Reply


def opened() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_descriptors_beside_what_is_no_message_are_closed() -> None:
    """Each piece of a message may bring some: not more than a message may have, and none stays open."""
    ours, theirs = channel_pair()
    before = opened()
    with theirs:
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0] * 40))]
        theirs.sendmsg([(1 << 20).to_bytes(4, "big")], rights)
        for _ in range(MAX_DESCRIPTORS // 40 + 1):
            theirs.sendmsg([b"x"], rights)
        with pytest.raises(ProtocolError, match="descriptors"):
            ours.receive(Reply, 5.0)
        assert opened() == before
    ours.close()


def test_descriptors_of_a_message_that_is_none_are_closed() -> None:
    ours, theirs = channel_pair()
    before = opened()
    with theirs:
        null = os.open(os.devnull, os.O_RDONLY)
        socket.send_fds(theirs, [(2).to_bytes(4, "big")], [null])
        os.close(null)
        theirs.sendall(b"{}")
        with pytest.raises(ProtocolError):
            ours.receive(Reply, 5.0)
        assert opened() == before
    ours.close()
