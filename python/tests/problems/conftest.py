"""Judges the honest and the wrong program of every kind, several at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from kernelgate.report import Report
from kernelgate.run import Job, new_run_id, run

from .corpus import Kind

Key = tuple[Kind, str, str]
Judged = Callable[[Kind, str, str], Report]


def _judge(kind: Kind, which: str, device: str) -> Report:
    return run(
        Job(
            run=new_run_id(),
            text=kind.program if which == "honest" else kind.wrong,
            label=f"{kind.name}.py",
            reference=kind.reference,
            reference_label="problem.py",
            device=device,  # type: ignore[arg-type]
        )
    )


@pytest.fixture(scope="session")
def pending(request: pytest.FixtureRequest) -> Iterator[dict[Key, Future[Report]]]:
    """All that this session's tests ask for, judged as many at a time as there are processors."""
    pool = ThreadPoolExecutor(min(8, os.cpu_count() or 1))
    found: dict[Key, Future[Report]] = {}
    for item in request.session.items:
        given = (
            item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        )
        if isinstance(given.get("kind"), Kind) and not item.get_closest_marker("skip"):
            key = (given["kind"], given["which"], given["device"])
            found[key] = pool.submit(_judge, *key)
    try:
        yield found
    finally:
        pool.shutdown(cancel_futures=True)


@pytest.fixture
def judged(pending: dict[Key, Future[Report]]) -> Judged:
    """The report of a program."""
    return lambda kind, which, device: pending[kind, which, device].result()
