"""The pytest plugin: a fixture `assert_drop_in`, and where it judges.

pytest --kernelgate-device emulated

PyTorch is not imported before a test asks for the fixture.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("kernelgate")
    group.addoption(
        "--kernelgate-device", default="auto", help="where assert_drop_in judges: auto, cuda, emulated"
    )


@pytest.fixture
def assert_drop_in(request: pytest.FixtureRequest) -> Callable[..., Any]:
    """`kernelgate.testing.assert_drop_in` on the device of --kernelgate-device; without a verdict a test is skipped."""
    from kernelgate import testing

    def judged(candidate: Any, reference: Any, *inputs: Any, **options: Any) -> Any:
        try:
            device = request.config.getoption("--kernelgate-device")
            return testing.assert_drop_in(candidate, reference, *inputs, **{"device": device, **options})
        except testing.NotJudged as exc:
            pytest.skip(f"no verdict: {exc}")

    return judged
