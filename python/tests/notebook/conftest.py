from __future__ import annotations

from collections.abc import Iterator

import pytest

from .kernels import Kernel, kernel


@pytest.fixture(scope="package")
def shared() -> Iterator[Kernel]:
    """One kernel for all modules: it and its fork server take seconds to start."""
    with kernel() as started:
        assert started.run("%load_ext kernelgate").status == "ok"
        yield started


@pytest.fixture(scope="module")
def loaded(shared: Kernel) -> Kernel:
    """A kernel with the extension loaded: of names it has `kernelgate`, and none from another module's tests."""
    cell = "for _name in [name for name in globals() if name[0] != '_' and name not in {kept!r}]: del globals()[_name]"
    kept = ("In", "Out", "get_ipython", "exit", "quit", "open")
    assert shared.run(cell.format(kept=kept)).status == "ok"
    assert shared.run("import kernelgate").status == "ok"
    return shared
