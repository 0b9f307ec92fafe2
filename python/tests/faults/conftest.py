"""Runs with nothing around them that could be taken for theirs, and what must hold after each fault."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest
import torch
from judge.candidates import forward, verify

from kernelgate.report import Report
from kernelgate.run import Limits, client

from .traces import Place

RIGHT = forward("return F.leaky_relu(x, s)")
SMALL = (4, 8)


class Check(Protocol):
    """A run of a candidate, with options of a job."""

    def __call__(self, text: str, **options: object) -> Report: ...


@pytest.fixture(scope="package")
def place(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Iterator[Place]:
    """Its fork servers are started here, so that they carry the mark. Its build cache begins with the emulator's own
    libraries and headers: no limit of these tests allows for compiling them."""
    verify(RIGHT, shape=SMALL, cache=str(cache))
    others, client._idle[:] = client._idle[:], []
    before = dict(os.environ)
    # What is started in the background of a shell ignores interrupts, and Python leaves it so.
    interrupts = signal.signal(signal.SIGINT, signal.default_int_handler)
    here = Place(tmp_path_factory.mktemp("temporary"), tmp_path_factory.mktemp("cache"))
    # Without a folder for it, no fork server waits for a shell's next command, whatever ran in this process before.
    nowhere = str(here.temporary / "none" / "none")
    os.environ.update(KERNELGATE_TEST=here.mark, TMPDIR=str(here.temporary), XDG_RUNTIME_DIR=nowhere)
    tempfile.tempdir = None
    for path in cache.iterdir():
        if path.name.startswith(("runtime-", "facade-", "allocator-", "headers-")):
            shutil.copy(path, here.cache)
    try:
        verify(RIGHT, shape=SMALL, cache=str(here.cache))
        yield here
    finally:
        for warm in client._idle:
            warm.close()
        client._idle[:] = others
        signal.signal(signal.SIGINT, interrupts)
        os.environ.clear()
        os.environ.update(before)
        tempfile.tempdir = None
        shutil.rmtree(here.cache)  # pytest keeps folders of three sessions, and compiled headers are large


@pytest.fixture(scope="package")
def device_memory() -> torch.Tensor | None:
    """What a notebook holds on its GPU."""
    return torch.arange(1 << 20, device="cuda") if torch.cuda.device_count() else None


@pytest.fixture
def check(place: Place) -> Check:
    def run(text: str, **options: object) -> Report:
        return verify(text, **{"shape": SMALL, "cache": str(place.cache), **options})

    return run


class Survived:
    """Called after a fault: nothing of it is left, the next run works, and memory of the GPU that this process holds
    is as it was."""

    def __init__(self, place: Place, check: Check, device_memory: torch.Tensor | None) -> None:
        self._place = place
        self._check = check
        self._device_memory = device_memory

    def __call__(self, device: str = "emulated") -> None:
        self._place.wait_until_clean()
        after = self._check(RIGHT, device=device)
        assert after.verdict is not None and after.verdict.outcome == "pass", after.verdict
        self._place.wait_until_clean()
        if self._device_memory is not None:
            assert torch.equal(self._device_memory.cpu(), torch.arange(1 << 20))


@pytest.fixture
def survived(place: Place, check: Check, device_memory: torch.Tensor | None) -> Survived:
    return Survived(place, check, device_memory)


@pytest.fixture
def fault(check: Check, survived: Survived) -> Check:
    """The report of a run that goes wrong, once it is certain that nothing else did."""

    def run(text: str, **options: object) -> Report:
        report = check(text, **{"limits": Limits(call_s=2), **options})
        assert report.state == "finished" and report.verdict is not None
        survived(str(options.get("device", "emulated")))
        return report

    return run
