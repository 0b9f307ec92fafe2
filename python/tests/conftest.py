"""GPU tests are skipped, with the reason printed, where there is no GPU; emulation has one build cache a session."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from kernelgate.emulator import supported


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if torch.cuda.device_count():
        return
    for item in items:
        if "gpu" in item.keywords:
            item.add_marker(pytest.mark.skip(reason="there is no GPU here"))


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """For all programs in emulation: the emulator itself and the headers are compiled once. No such tests where
    emulation cannot work."""
    why_not = supported()
    if why_not:
        pytest.skip(why_not)
    return tmp_path_factory.mktemp("builds")
