"""The tools: plain functions, whose hints are their schemas and whose docstrings are what a model reads.

In: texts and options. Out: records of plain data. A run that takes longer than its caller waits is answered with
its handle, and `result` reads it. An answer has nothing that helps to pass without being right (`report.model_text`).
A reference is trusted, as everywhere: who gives one says what is right.
Not here: serving them (`agents.server`), in which process they run (`agents.placement`), the runs (`agents.runs`).
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from kernelgate.agents import runs
from kernelgate.agents.placement import in_its_place
from kernelgate.catalogue import operators
from kernelgate.commands.option_table import job_of
from kernelgate.commands.references import with_reference
from kernelgate.formats.traces import times
from kernelgate.messages.job import UsageError, Verb
from kernelgate.report.model_text import as_model_text
from kernelgate.report.text import as_text

_MOST_WAIT_S = 300.0
_NOT_HERE = {"seed", "trace"}  # inputs stay secret, and no tool writes a file


@dataclass(frozen=True)
class Problem:
    id: str
    name: str
    computes: str


@dataclass(frozen=True)
class Fix:
    """`replaces` whole lines from `line` on become `text`; if it is 0, `text` goes after `column` characters."""

    line: int
    column: int
    replaces: int
    text: str


@dataclass(frozen=True)
class Answer:
    """`state`: "running" or "finished". `outcome`: "pass", "fail", "unclear", "not run", or "" before the end.
    `text`: at most 600 tokens. `fix`: one that is certain, or None."""

    handle: str
    state: str
    outcome: str
    text: str
    fix: Fix | None


@dataclass(frozen=True)
class Compared:
    """Times in milliseconds; None where none were taken."""

    handle: str
    outcome: str
    text: str
    time_ms: float | None
    reference_ms: float | None


@in_its_place
def list_problems() -> list[Problem]:
    """The problems of the catalogue. Any other problem is given as `reference`."""
    return [Problem(id=one.id, name=one.name, computes=one.summary) for one in operators().values()]


def _run(verb: Verb, does: str) -> Callable[..., Awaitable[Answer]]:
    """The tool of a verb."""

    async def tool(
        program: str,
        problem: str = "",
        reference: str = "",
        inputs: list[str] | None = None,
        options: dict[str, Any] | None = None,
        wait_s: float = 20.0,
    ) -> Answer:
        for name in _NOT_HERE & set(options or {}):
            raise UsageError(f"{name} cannot be chosen here", "Leave it out")
        asked = {"problem": problem or None, "reference": reference or None, "inputs": inputs or None}
        given = {**(options or {}), **{name: value for name, value in asked.items() if value is not None}}
        written, found = with_reference(given, program)
        job = job_of(written, verb, program, "program", reference=found)
        return _answer(await asyncio.to_thread(functools.partial(runs.begin, job, _bounded(wait_s))))

    tool.__name__ = tool.__qualname__ = verb
    tool.__doc__ = does
    return in_its_place(tool)


verify = _run(
    "verify",
    """Builds a program that defines ModelNew and checks it against PyTorch.

    program: its text. problem: an id of list_problems; or reference: a program with Model, get_inputs and
    get_init_inputs, or an expression such as torch.nn.GELU() with its inputs, such as ["64x768"]. options: of
    `kernelgate verify --help` by name, such as {"device": "emulated", "contract": "drop-in"}. Answers after wait_s
    seconds at the latest; while the state is "running", call result with the handle.
    """,
)
benchmark = _run(
    "benchmark",
    "Verifies a program, and times it against PyTorch if there is a GPU. Arguments as those of verify.",
)
profile = _run(
    "profile", "Verifies, times and profiles a program if there is a GPU. Arguments as those of verify."
)


@in_its_place
async def result(handle: str, wait_s: float = 20.0) -> Answer:
    """What is known of a run; waits for its end for wait_s seconds at most."""
    found = runs.known(handle)
    await asyncio.to_thread(found.wait, _bounded(wait_s))
    return _answer(found)


@in_its_place
def explain(handle: str) -> str:
    """A finished run as people read it: verdict, place, figures."""
    report = runs.known(handle).report
    return as_text(report) if report is not None else "nothing is known yet"


@in_its_place
def compare(handles: list[str]) -> list[Compared]:
    """Finished runs side by side, the fastest right one first."""
    return sorted(
        map(_compared, handles), key=lambda one: (one.outcome != "pass", one.time_ms or float("inf"))
    )


@in_its_place
async def cancel(handle: str) -> Answer:
    """Ends a run, and everything that it started."""
    found = runs.known(handle)
    found.cancel()
    await asyncio.to_thread(found.wait, 30.0)
    return _answer(found)


def _bounded(wait_s: float) -> float:
    return min(max(0.0, wait_s), _MOST_WAIT_S)


def _answer(found: runs.Run) -> Answer:
    report = found.report
    verdict = None if report is None or found.is_running else report.verdict
    failure = report.failure if report is not None and verdict is not None else None
    edit = failure.edit if failure is not None and failure.fix is not None else None
    text = found.error or ("starting" if report is None else as_model_text(report))
    fix = (
        None
        if edit is None
        else Fix(line=edit.line, column=edit.column, replaces=edit.replaces, text=edit.text)
    )
    return Answer(
        handle=found.handle,
        state="running" if found.is_running else "finished",
        outcome="" if verdict is None else verdict.outcome,
        text=text,
        fix=fix,
    )


def _compared(handle: str) -> Compared:
    found = runs.known(handle)
    answer = _answer(found)
    timed = times(found.report) if found.report is not None else None
    own, reference = (None, None) if timed is None else (one.median_s * 1e3 for one in timed)
    text = answer.text.split("\n")[0]
    return Compared(handle=handle, outcome=answer.outcome, text=text, time_ms=own, reference_ms=reference)
