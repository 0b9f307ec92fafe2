"""GPU tests are skipped, with the reason printed, where there is no GPU; emulation has one build cache."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import torch

from kernelgate.emulator import supported

_ROOT = Path(__file__).parents[2]

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
def cache() -> Path:
    """For all programs in emulation, in all processes and all runs of the tests: builds go by content, so that only
    what changed is compiled again. KERNELGATE_TEST_BUILDS names another folder. No such tests where emulation cannot
    work."""
    why_not = supported()
    if why_not:
        pytest.skip(why_not)
    builds = Path(os.environ.get("KERNELGATE_TEST_BUILDS", _ROOT / ".kernelgate/builds"))
    builds.mkdir(parents=True, exist_ok=True)
    return builds
