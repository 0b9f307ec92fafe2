"""The build server: has a worker's extensions compiled, and puts them into the build cache, where the worker cannot
write.

In: orders over a socket from the worker, untrusted plain data (`messages.build_requests`). Out: the paths of
libraries, or an exception as data. A compiler may run what a program's flags name, so each runs confined, in a folder
of its own (`sandbox.confined_process`). The build server itself runs and loads nothing of a candidate. A key of the
cache holds all that an order says, so that no program can decide what another program's order gives.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from kernelgate.compile import cuda_library
from kernelgate.emulator import Finished, build, build_library, run_commands
from kernelgate.emulator.build.toolchain import Command
from kernelgate.messages.build_requests import (
    Answer,
    CudaExtension,
    EmulatorLibrary,
    Order,
    Published,
    as_failure,
)
from kernelgate.messages.channel import Channel, ChannelClosed, ProtocolError
from kernelgate.sandbox.confined_process import run_confined


def builder_main(connection: socket.socket, cache: Path) -> None:
    """The body of a build server; returns when the worker closes the connection, or sends what is not an order."""
    channel = Channel(connection)
    while True:
        try:
            order, descriptors = channel.receive(Order)
            for descriptor in descriptors:
                os.close(descriptor)
            channel.send(_answer(order, cache))
        except (ChannelClosed, ProtocolError):
            return


def _answer(order: Order, cache: Path) -> Answer:
    try:
        if isinstance(order, EmulatorLibrary):
            return Published(str(build_library(order.name, cache, _compiling)))
        if isinstance(order, CudaExtension):
            return Published(str(cuda_library.build(order, cache, _confined)))
        built = build(order.extension(), cache, _compiling)
        return Published(str(built.library), built.cached, built.compiler, list(built.flags), built.lane)
    except Exception as exc:
        return as_failure(exc)


def _confined(folder: Path, work: Callable[[], None]) -> None:
    run_confined(folder, work, None)


def _compiling(folder: Path, commands: Sequence[Command]) -> list[Finished]:
    finished: list[Finished] = run_confined(folder, lambda: run_commands(folder, commands), list[Finished])
    return finished
