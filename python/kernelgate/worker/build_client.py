"""The worker's side of its builder: asks for what the build cache does not hold.

In: extensions as the backends want them. Out: where their libraries are, or the exception that building them raised.
One order at a time, whichever thread asks. Not here: building (`compile.build_server`).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from pathlib import Path

import msgspec

from kernelgate.emulator import Built, Extension, OwnLibrary
from kernelgate.json_decode import decoded, worked_out
from kernelgate.messages.build_requests import (
    BUILDER_ENDED,
    Answer,
    CudaExtension,
    EmulatedExtension,
    EmulatorLibrary,
    NotBuilt,
    Order,
    Published,
    as_exception,
)
from kernelgate.messages.channel import Channel, ChannelClosed, ProtocolError
from kernelgate.messages.worker import Building

for _kind in (CudaExtension, Order, Answer):  # what is decoded while a program is loaded
    worked_out(_kind)


class Builds:
    """`channel` leads to the builder; without one nothing can be built. `notify` is called for what is built without
    being asked for. Whatever else is raised, RuntimeError says that the builder is gone."""

    def __init__(self, channel: Channel | None, notify: Callable[[Building], None]) -> None:
        self._channel = channel
        self._notify = notify
        self._owner = os.getpid()
        self._one_at_a_time = threading.Lock()

    def extension(self, extension: Extension) -> Built:
        """One that emulation runs."""
        started = time.perf_counter()
        published = self._ask(EmulatedExtension(**vars(extension)))
        return Built(
            extension.name,
            Path(published.library),
            published.cached,
            time.perf_counter() - started,
            published.compiler,
            tuple(published.flags),
            published.lane,
        )

    def library(self, name: OwnLibrary) -> Path:
        """One of the emulator's own: built once a machine, and no part of a call's time."""
        self._notify(Building(f"the emulator's {name}"))
        try:
            return Path(self._ask(EmulatorLibrary(name)).library)
        finally:
            self._notify(Building(None))

    def cuda_extension(self, extension: CudaExtension) -> Path:
        return Path(self._ask(extension).library)

    def _ask(self, order: Order) -> Published:
        if os.getpid() != self._owner:
            raise RuntimeError("extensions are built in the program's own process, not in one that it forked")
        with self._one_at_a_time:
            if self._channel is None:
                raise RuntimeError("no build server is here to build extensions")
            _check(order)
            answered = False
            try:
                self._channel.send(order)
                answer, _ = self._channel.receive(Answer)
                answered = True
            except (ChannelClosed, ProtocolError, OSError) as exc:
                raise RuntimeError(BUILDER_ENDED) from exc
            finally:
                if not answered:  # a late answer must not be taken for the next one
                    self._channel.close()
                    self._channel = None
        if isinstance(answer, NotBuilt):
            raise as_exception(answer)
        assert isinstance(answer, Published)
        return answer


def _check(order: Order) -> None:
    """The builder does not answer what is no order. Raises ValueError that says what is wrong with it."""
    try:
        decoded(msgspec.json.encode(order), Order)
    except (TypeError, ValueError) as exc:
        raise ValueError(f"load_inline cannot be given this: {exc}") from exc
