"""Runs forked from a fork server that has a time stage of its own, for benches that want more than one verdict."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path

from kernelgate.run import client


@contextlib.contextmanager
def forked_from(program: str) -> Iterator[None]:
    """Inside, runs are forked from this program, a file beside this one."""
    before, client.FORK_SERVER = client.FORK_SERVER, (sys.executable, str(Path(__file__).with_name(program)))
    _stop_idle()
    try:
        yield
    finally:
        client.FORK_SERVER = before
        _stop_idle()


def _stop_idle() -> None:
    while client._idle:
        client._idle.pop().close()
