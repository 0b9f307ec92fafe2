"""The worker's process: gives up what it does not need, then answers requests until the judge closes the connection.

In: sockets and descriptors from its parent. Out: replies. Not here: what a request does (`worker.worker`).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import signal
import socket
import sys
import traceback
import warnings
from pathlib import Path

from kernelgate.messages.channel import Channel, ChannelClosed
from kernelgate.messages.worker import OwnFailure, Reply, Request
from kernelgate.sandbox.confine import close_descriptors, confine, private_folder
from kernelgate.worker.build_client import Builds
from kernelgate.worker.exceptions import explain
from kernelgate.worker.worker import Worker

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_CLOSED = "The program has closed a file descriptor that another part of its process had opened"


def worker_main(
    connection: socket.socket, output_fd: int, fault_fd: int, builder: socket.socket, folder: str
) -> None:
    """The body of a worker process; returns when the judge closes the connection.

    `output_fd` takes all that the candidate prints, `builder` leads to the build server, `folder` is its private
    working directory.
    """
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    libc.prctl(_PR_SET_CHILD_SUBREAPER, 1)  # orphans of its children stay visible
    private_folder(Path(folder))
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.dup2(output_fd, 1)
    os.dup2(output_fd, 2)
    close_descriptors({0, 1, 2, connection.fileno(), fault_fd, builder.fileno()})
    sys.stdout = os.fdopen(1, "w", buffering=1, errors="replace", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="replace", closefd=False)

    # PyTorch counts devices by NVML where an extension is built. A confined process cannot start that, and PyTorch
    # would say so in the candidate's output.
    warnings.filterwarnings("ignore", "Can't initialize NVML", UserWarning)

    channel = Channel(connection)
    worker = Worker(fault_fd, channel.send, Builds(Channel(builder), channel.send))
    own = os.getpid()
    try:
        _serve(channel, worker, Path(folder))
    except ChannelClosed:
        return
    except Exception as exc:  # what the candidate raises is an answer; this is our mistake
        if os.getpid() == own:
            log = "".join(traceback.format_exception(exc))
            channel.send(Reply(OwnFailure(f"{type(exc).__name__}: {exc}"[:2000], log[-20_000:])))
        raise


def _serve(channel: Channel, worker: Worker, folder: Path) -> None:
    """Answers requests. Raises ChannelClosed when the judge closes the connection."""
    own = os.getpid()
    confined = False
    while True:
        request, descriptors = channel.receive(Request)
        if not confined:  # first of all: a thread that already runs would stay unconfined
            channel.send(confine(folder, unix_sockets=getattr(request, "device", "") == "cuda"))
            confined = True
        reply, to_send = worker.answer(request, descriptors)
        if os.getpid() != own:
            os._exit(0)  # the candidate has forked; only one of the two may answer
        with contextlib.suppress(OSError, ValueError):  # the candidate has closed it
            sys.stdout.flush()
        try:
            channel.send(reply, to_send)
        except OSError as exc:
            if exc.errno != errno.EBADF:
                raise
            channel.send(Reply(explain(RuntimeError(_CLOSED), None)))
        for descriptor in (*descriptors, *to_send):
            with contextlib.suppress(OSError):  # the candidate has closed it
                os.close(descriptor)
