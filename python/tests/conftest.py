"""GPU tests are skipped, with the reason printed, if there is no GPU; all tests share one build cache."""

from __future__ import annotations

import os
import runpy
from pathlib import Path
from typing import Any

import pytest
import torch

from kernelgate.emulator import supported

pytest_plugins = ["drawing"]

_ROOT = Path(__file__).parents[2]

# Git does not keep the catalogue's programs: those that are missing are made, and it is said if one is stale.
runpy.run_path(str(_ROOT / "scripts/catalogue.py"))["main"](["--check"])

# For all programs, in all processes and all runs of the tests: builds go by content, so that only what changed is
# compiled again. KERNELGATE_TEST_BUILDS names another folder.
_BUILDS = Path(os.environ.get("KERNELGATE_TEST_BUILDS", _ROOT / ".kernelgate/builds"))
os.environ["KERNELGATE_CACHE"] = str(_BUILDS)

# Folders whose files share what takes seconds to start: a kernel, or a fork server of their own.
_RUN_TOGETHER = ("notebook", "faults")
# Files whose tests are runs that share nothing: any process may take the next.
_RUN_APART = ("attacks/test_corpus.py", "problems/test_corpus.py")



@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Gives a process of pytest-xdist a file at a time, or such a folder, or one test."""
    from xdist.scheduler import LoadFileScheduling

    class Scheduling(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            file = nodeid.partition("::")[0]
            if file.endswith(_RUN_APART):
                return nodeid
            folder = file.rpartition("/")[0]
            return folder if folder.rpartition("/")[2] in _RUN_TOGETHER else file

    return Scheduling(config, log) if config.getoption("dist") == "loadfile" else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if torch.cuda.device_count():
        return
    for item in items:
        if item.get_closest_marker("gpu") is not None:  # a keyword is also the name of a folder above
            item.add_marker(pytest.mark.skip(reason="there is no GPU here"))


@pytest.fixture(scope="session")
def cache() -> Path:
    """The build cache, for tests that run programs in emulation themselves. They need an emulation that works."""
    why_not = supported()
    if why_not:
        pytest.skip(why_not)
    _BUILDS.mkdir(parents=True, exist_ok=True)
    return _BUILDS
