from __future__ import annotations

from collections.abc import Iterator

import pytest

from .kernels import Kernel, kernel


@pytest.fixture(scope="module")
def loaded() -> Iterator[Kernel]:
    """A kernel with the extension loaded."""
    with kernel() as started:
        assert started.run("%load_ext kernelgate").status == "ok"
        yield started
