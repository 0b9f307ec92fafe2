"""Engines: any of them gives rows, and one that loses a run costs that run's row alone. Those of others run where they
are installed: Dask and ipyparallel with the requirements of the tests."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kernelgate.evaluation.asked import Asked, asked
from kernelgate.evaluation.conduct import judge_all
from kernelgate.evaluation.engines import engine_of
from kernelgate.evaluation.row import Row
from kernelgate.messages.build_requests import BUILDER_ENDED
from kernelgate.report.wording import KILLED

PAGE = Path(__file__).parents[3] / "docs" / "many-candidates.md"
# What cannot be read is judged without PyTorch: the engine is what is tried here.
UNREADABLE = "class ModelNew(\n"
SMALL = {"problem": "leakyrelu", "device": "emulated", "shape": "8x64"}


def questions(count: int = 2, text: str = UNREADABLE) -> list[Asked]:
    return [asked(f"{number}.py", text, SMALL) for number in range(count)]


def judged_by(engine: Any, all_asked: list[Asked]) -> list[Row]:
    return list(judge_all(all_asked, engine_of(engine), {}))


class Losing:
    """An engine that loses the first runs it is given."""

    def __init__(self, lost: int) -> None:
        self.lost = lost
        self.given = 0

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.given += 1
        if self.given <= self.lost:
            future.set_exception(RuntimeError("the node is gone"))
        else:
            future.set_result(function(*arguments))
        return future


def test_a_run_that_an_engine_loses_is_tried_once_more() -> None:
    (row,) = judged_by(Losing(1), questions(1))
    assert (row.outcome, row.attempts) == ("fail", 2)


def test_a_run_that_is_lost_twice_says_so_and_costs_no_other() -> None:
    lost, other = judged_by(Losing(2), questions(1)), judged_by(Losing(0), questions(1))
    assert [(row.outcome, row.attempts, row.error) for row in lost] == [
        ("no result", 2, "No result, tried 2 times: RuntimeError: the node is gone")
    ]
    assert not lost[0].is_judged and other[0].is_judged


def test_a_program_whose_process_was_killed_is_tried_again_before_it_is_accused() -> None:
    (judged,) = judged_by(Losing(0), questions(1))
    whole = msgspec.to_builtins(judged.report)

    class Killing:
        """An engine in which so many runs lose a process, and say so somewhere in their reports."""

        def __init__(self, killed: int, says: dict[str, Any]) -> None:
            self.killed, self.says = killed, says

        def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
            future: Future[Any] = Future()
            self.killed -= 1
            future.set_result({**whole, **self.says} if self.killed >= 0 else whole)
            return future

    crashed = {"outcome": "fail", "kind": "fault", "sentence": f"Crashed while calling: {KILLED}"}
    not_built = {"outcome": "fail", "kind": "build", "sentence": f"Does not run: {BUILDER_ENDED}"}
    passed = {"outcome": "pass", "kind": "pass", "sentence": "Correct for this problem"}
    at_a_gate = {"stage": "check", "what": f"Case “another size”: {KILLED}", "next_step": ""}
    for says in ({"verdict": crashed}, {"verdict": not_built}, {"verdict": passed, "failure": at_a_gate}):
        for killed, kind in ((2, "read"), (3, says["verdict"]["kind"])):
            (row,) = judged_by(Killing(killed, says), questions(1))
            assert row.report is not None and row.report.verdict is not None
            assert (row.report.verdict.kind, row.attempts) == (kind, 3)


def test_what_an_engine_answers_is_checked() -> None:
    class Lying(Losing):
        def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_result({"verdict": "pass"})
            return future

    (row,) = judged_by(Lying(0), questions(1))
    assert row.outcome == "no result" and "ValidationError" in row.error


def test_what_is_no_engine_is_refused() -> None:
    with pytest.raises(TypeError, match="a int has no submit"):
        engine_of(3)


@contextlib.contextmanager
def processes(_: Path) -> Iterator[Any]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        yield pool


@contextlib.contextmanager
def dask(_: Path) -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    import dask

    slow = dict.fromkeys(("distributed.comm.timeouts.connect", "distributed.comm.timeouts.tcp"), "300s")
    with (
        dask.config.set(slow),  # a busy machine is no failure
        distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client.get_executor()


@contextlib.contextmanager
def ipyparallel(_: Path) -> Iterator[Any]:
    module = pytest.importorskip("ipyparallel")
    with module.Cluster(n=1, engine_timeout=300) as client:
        yield client.load_balanced_view().executor


@contextlib.contextmanager
def executorlib(_: Path) -> Iterator[Any]:
    with pytest.importorskip("executorlib").SingleNodeExecutor(max_workers=1) as executor:
        yield executor


@contextlib.contextmanager
def submitit(folder: Path) -> Iterator[Any]:
    yield pytest.importorskip("submitit").LocalExecutor(folder)


@contextlib.contextmanager
def ray(_: Path) -> Iterator[Any]:
    module = pytest.importorskip("ray")
    module.init(num_cpus=1, include_dashboard=False)
    try:
        yield module
    finally:
        module.shutdown()


ENGINES = [processes, dask, ipyparallel, executorlib, submitit, ray]


@pytest.mark.parametrize("engine", ENGINES)
def test_each_engine_gives_the_rows(engine: Any, tmp_path: Path) -> None:
    with engine(tmp_path) as executor:
        rows = judged_by(executor, questions())
    assert [(row.outcome, row.attempts) for row in rows] == [("fail", 1)] * 2, rows
    assert sorted(row.name for row in rows) == ["0.py", "1.py"]


def test_the_page_names_the_engines_that_are_tried_here() -> None:
    table = PAGE.read_text().split("| Engine |")[1].split("\n\n")[0]
    named = re.findall(r"^\| `?([\w.]+)`? \|", table, re.M)
    assert {name.lower().replace("concurrent.futures", "processes") for name in named} == {
        engine.__name__ for engine in ENGINES
    }
