"""Engines: any of them gives rows, and one that loses a run costs that run's row alone. Those of others run where they
are installed: Dask and ipyparallel with the requirements of the tests."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import msgspec
import pytest
from pages import blocks

import kernelgate
from kernelgate.evaluation.asked import Asked, asked
from kernelgate.evaluation.conduct import judge_all
from kernelgate.evaluation.engines import engine_of
from kernelgate.evaluation.row import Row
from kernelgate.messages.build_requests import BUILDER_ENDED
from kernelgate.report.wording import KILLED

# What cannot be read is judged without PyTorch: the engine is what is tried here.
UNREADABLE = "class ModelNew(\n    pass\n"
SMALL_OPTIONS = {"device": "emulated", "shape": "8x64"}
SMALL = {"problem": "leakyrelu", **SMALL_OPTIONS}


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


# The page's engines, and what each is imported as.
MODULES = {
    "concurrent.futures": "concurrent.futures",
    "Dask": "distributed",
    "ipyparallel": "ipyparallel",
    "executorlib": "executorlib",
    "Ray": "ray",
    "submitit": "submitit",
}
EXAMPLES = {
    text.split()[1].rstrip(":;"): text for text in blocks("many-candidates.md", "python", "# ") if text[0] == "#"
}


def test_the_page_has_an_example_of_each_engine() -> None:
    assert set(EXAMPLES) == set(MODULES)


@pytest.mark.drawn
@pytest.mark.parametrize("engine", EXAMPLES)
def test_the_pages_example_of_each_engine_gives_its_row(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = pytest.importorskip(MODULES[engine])
    monkeypatch.chdir(tmp_path)
    wait_long(module, monkeypatch)
    job = {"candidate": UNREADABLE, "name": "one", "problem": "leakyrelu", "options": SMALL_OPTIONS}
    names: dict[str, Any] = {"kernelgate": kernelgate, "jobs": [job]}
    exec(EXAMPLES[engine], names)
    assert [(row.name, row.outcome, row.attempts) for row in names["found"].rows] == [("one", "fail", 1)]


def wait_long(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine is no failure."""
    if module.__name__ == "distributed":
        for kind in ("connect", "tcp"):
            monkeypatch.setitem(module.config["distributed"]["comm"]["timeouts"], kind, "300s")
    elif module.__name__ == "ipyparallel":
        monkeypatch.setattr(module.Cluster.engine_timeout, "default_value", 300)
    elif module.__name__ == "ray":
        monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        monkeypatch.setenv("RAY_raylet_start_wait_time_s", "300")
