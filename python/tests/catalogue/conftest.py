"""One build cache for all programs in emulation, and no such tests where emulation cannot work."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelgate.emulator import supported


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    why_not = supported()
    if why_not:
        pytest.skip(why_not)
    return tmp_path_factory.mktemp("builds")
