"""Binds a verified candidate to a name in the notebook, `ModelNew` or that of `--as`, and no other candidate."""

from __future__ import annotations

import linecache
from typing import Any

from kernelgate.program import Candidate
from kernelgate.report import Report
from kernelgate.safe_path import Elsewhere


class NotVerified(Exception):
    """The candidate did not pass. Shown as one line, without a traceback: the report above has the rest."""

    def _render_traceback_(self) -> list[str]:
        return [f"NotVerified: {self}"]


def require_pass(report: Report, name: str) -> None:
    """Raises NotVerified unless the candidate has passed."""
    verdict = report.verdict
    if verdict is None or verdict.outcome != "pass":
        sentence = verdict.sentence if verdict else "No verdict"
        raise NotVerified(f"{sentence}{'' if sentence.endswith(('.', '?')) else '.'} {name} is not bound.")


def bind(shell: Any, name: str, candidate: Candidate, *, emulated: bool, falls_back: bool) -> None:
    """Binds a candidate that has passed, in emulation or on a GPU.

    `falls_back`: the program works without a GPU, too, as those of the catalogue do.
    """
    if emulated and candidate.kernels and not falls_back:
        print(f"{name} is not bound: its kernels need a GPU, and there is none here.")
        return
    shell.push({name: model_new(candidate)})


def model_new(candidate: Candidate) -> Any:
    """The candidate's ModelNew, loaded into this process."""
    with Elsewhere():
        import torch  # noqa: F401 - before the program may take a file beside the notebook for it
    namespace: dict[str, Any] = {"__name__": "kernelgate_candidate"}
    file = f"<{candidate.source.label}>"
    lines = candidate.python.splitlines(keepends=True)
    linecache.cache[file] = (len(candidate.python), None, lines, file)  # for tracebacks and debuggers
    exec(compile(candidate.python, file, "exec"), namespace)
    return namespace["ModelNew"]
