"""GPU tests are skipped, with the reason printed, where there is no GPU; emulation has one build cache a session."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import torch

from kernelgate.emulator import supported

# Folders whose files share what takes seconds to start: a kernel, or a fork server of their own.
_RUN_TOGETHER = ("notebook", "faults")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Gives a process of pytest-xdist a file at a time, or such a folder."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            folder = file.rpartition("/")[0]
            return folder if folder.rpartition("/")[2] in _RUN_TOGETHER else file

    return Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if torch.cuda.device_count():
        return
    for item in items:
        if "gpu" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="there is no GPU here"))


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For all programs in emulation: the emulator itself and the headers are compiled once, also where pytest-xdist has
    several processes. No such tests where emulation cannot work."""
    why_not = supported()
    if why_not:
        pytest.skip(why_not)
    base = tmp_path_factory.getbasetemp()
    builds = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "builds"
    builds.mkdir(exist_ok=True)
    return builds
