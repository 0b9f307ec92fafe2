"""Explains why a candidate does not compile: one sentence, the person's line, one next step.

In: what the worker says of a failed build, which is not trusted, and the candidate.
Out: `Failure`. A fix is given only if it is certain to remove the error named; the judge proves it.
Not here: the rules (`bindings`, `misspelt`, `names`, `toolchain`), exceptions (`exceptions`), the log's formats
(`compiler_log`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

from kernelgate.messages.failures import CompilerFailed, Diagnostic
from kernelgate.program.candidate import Candidate
from kernelgate.repair import bindings, misspelt, names, toolchain
from kernelgate.repair.compiler_log import Units, bounded_log, parse_compiler_log
from kernelgate.repair.rule import Explained, FailedBuild, Rule
from kernelgate.report.bounded import one_line
from kernelgate.report.types import Failure

_MAX_FIX = 4000  # characters, as in `report.types`

RULES: tuple[Rule, ...] = (*bindings.RULES, *toolchain.RULES, names.INCLUDE, *misspelt.RULES, names.UNDEFINED)
"""In order; the first that knows an error explains it."""


class BuildFailed(NamedTuple):
    """The verdict's sentence and the failure. `lacks`: what the machine lacks, as half a sentence; "" if it is the
    program that is wrong."""

    sentence: str
    failure: Failure
    lacks: str


def explain_compiler(candidate: Candidate, failed: CompilerFailed) -> BuildFailed:
    """Of the first error.

    The units compile at the same time and end in any order: main.cpp is looked at first, then cuda.cu, then
    the rest, so that the same program always fails for the same reason.
    """
    diagnostics = failed.diagnostics or parse_compiler_log(failed.log)
    order = {"main.cpp": 0, "cuda.cu": 1}
    errors = sorted(
        (each for each in diagnostics if each.severity == "error"), key=lambda e: order.get(e.unit, 2)
    )
    log, log_lines = bounded_log(failed.log)
    build = FailedBuild(candidate, failed, errors, Units(candidate, failed, diagnostics))
    if errors:
        explained = _explained(build, errors[0])
        what = f"error: {_without_strange_guess(build, errors[0].message)}"
    else:
        what = _last_words(failed.log)
        place = build.units.argument_place("name")
        explained = Explained(
            "the build ended without naming an error", place, "Read the end of the compiler's output"
        )
    fits = explained.fix is not None and len(explained.fix) <= _MAX_FIX
    failure = Failure(
        stage="build",
        what=one_line(what, 600),
        where=explained.place,
        next_step=one_line(explained.next_step, 600),
        fix=explained.fix if fits else None,
        edit=explained.edit if fits else None,
        log=log,
        log_lines=log_lines,
    )
    lacks = one_line(explained.about, 400) if explained.lacks else ""
    return BuildFailed(one_line(f"Does not compile: {explained.about}", 600), failure, lacks)


def _explained(build: FailedBuild, error: Diagnostic) -> Explained:
    found = next(filter(None, (rule.explain(build, error) for rule in RULES)), None)
    step = "Correct this line" if build.units.text(error) else "Read the compiler's output"
    return found or Explained(error.message, build.units.place(error), step)


def _without_strange_guess(build: FailedBuild, message: str) -> str:
    """The message without a compiler's guess at a name that is not the program's own, as PyInit_k is not for k."""
    said, _, guess = message.partition("; did you mean ")
    words = re.findall(r"\w+", guess)
    own = f"{build.failed.cpp_sources}\n{build.failed.cuda_sources}"
    return message if words and re.search(rf"\b{words[-1]}\b", own) else said


def _last_words(log: str) -> str:
    rows = [row for row in log[-4000:].split("\n") if row.strip() and not row.startswith("ninja:")]
    return rows[-1] if rows else "The compiler gave no output"
