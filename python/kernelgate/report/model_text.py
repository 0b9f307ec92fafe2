"""A report for a program that writes programs: what is wrong, where, and what to change, in at most 600 tokens.

In: a `Report`. Out: ASCII text. It has nothing that helps to pass without being right: no seed, one wrong element of
one case and no tensor, and of a compiler's log the errors alone. A fix stands there whole, as it is applied, or not at
all.
Not here: the text for people (`report.text`).
"""

from __future__ import annotations

from collections.abc import Iterator

from kernelgate.report import wording
from kernelgate.report.bounded import ascii_only, clean, one_line
from kernelgate.report.types import Case, Failure, Report

MOST_CHARACTERS = 1800
"""600 tokens at three characters each, which is few for a token of English or of code."""
_MOST_ERRORS = 3
_LINE = 160
_ASIDE = 3  # lines of the excerpt, around the marked one


def as_model_text(report: Report) -> str:
    """Each line opens with a word in capitals; the lines of code and of a fix stand below theirs."""
    if report.verdict is None:
        return f"RUNNING: {_plain(wording.doing(report))}"
    must, may = [*_verdict(report)], [*_more(report)]
    failure = report.failure
    fix = [] if failure is None else _fix(failure)
    lines = [*must, *fix]
    if _length(lines) > MOST_CHARACTERS:
        lines = [*must, "FIX: there is a certain one, too long to show here; `kernelgate fix` applies it"]
    for line in may:
        if _length([*lines, line]) <= MOST_CHARACTERS:
            lines.insert(len(lines) - len(fix) if fix and lines[-len(fix) :] == fix else len(lines), line)
    return "\n".join(lines)[:MOST_CHARACTERS]


def _length(lines: list[str]) -> int:
    return sum(len(line) + 1 for line in lines)


def _verdict(report: Report) -> Iterator[str]:
    verdict, failure = report.verdict, report.failure
    assert verdict is not None
    if report.candidate.ours:
        yield f"ABOUT: {_plain(report.title)}"
    yield f"{verdict.outcome.upper()}: {_plain(verdict.sentence, 240)}"
    if failure is None:
        return
    if failure.where is not None:
        yield f"WHERE: {_plain(failure.where.words or wording.place(failure.where), 120)}"
        rows = failure.where.excerpt
        marked = next((at for at, row in enumerate(rows) if row.marked), 0)
        for row in rows[max(0, marked - _ASIDE // 2) : marked + _ASIDE // 2 + 1]:
            yield f"{'>' if row.marked else ' '}{row.line:5} | {_code(row.text)}"
    if one_line(failure.what, 600) not in one_line(verdict.sentence, 600):
        yield f"WHAT: {_plain(failure.what, 400)}"
    if failure.fix is None:
        yield f"NEXT: {_plain(failure.next_step, 300)}"


def _more(report: Report) -> Iterator[str]:
    """What may be left out, the first last."""
    failing = [case for case in report.cases if case.outcome == "fail"]
    asked = [case for case in failing if case.contract == "problem" or report.contract == "drop-in"]
    for case in (asked or failing)[:1]:
        yield f"CASE: {_case(case)}"
    if report.failure is not None:
        errors = [line for line in clean(report.failure.log).split("\n") if "error" in line.lower()]
        yield from (f"LOG: {_plain(line, _LINE)}" for line in dict.fromkeys(errors[:_MOST_ERRORS]))
    if len(failing) > 1:
        names = _plain(", ".join(case.name for case in failing[:6]), 240)
        yield f"ALSO: {len(failing)} of {len(report.cases)} cases fail: {names}"
    gates = [gate for gate in report.gates if gate.outcome == "fail"]
    for gate in gates[:2]:
        yield f"GATE: {_plain(f'{gate.name}: {gate.message}', 200)}"
    if drop_in := wording.drop_in(report):
        yield f"DROP-IN: {_plain(drop_in.replace(': ', ', ', 1), 200)}"
    if note := wording.no_kernel(report):
        yield f"NOTE: {_plain(note, 200)}"
    for fact in report.facts:
        if fact.measured and fact.question != "Correct?":
            yield f"{fact.question[:-1].upper()}: {_plain(f'{fact.answer} {fact.evidence}', 160)}"


def _case(case: Case) -> str:
    what = f"{case.name}: {case.shape} {case.dtype}, {case.layout}, {case.distribution}"
    if case.first is None:
        return _plain(f"{what}; {case.message}", 300)
    return _plain(f"{what}; {case.wrong} of {case.total} elements wrong, {wording.first_wrong(case.first)}", 400)


def _fix(failure: Failure) -> list[str]:
    """How it is applied: `kernelgate.report.edits.edited` does the same."""
    edit = failure.edit
    if failure.fix is None:
        return []
    if edit is None:
        return [f"FIX (certain): {_plain(failure.next_step, 200)}:", *_fenced(failure.fix)]
    if edit.replaces:
        last = edit.line + edit.replaces - 1
        return [f"FIX (certain): lines {edit.line} to {last} become", *_fenced(edit.text)]
    return [
        f"FIX (certain): at line {edit.line}, after {edit.column} characters, insert",
        *_fenced(edit.text),
    ]


def _fenced(code: str) -> list[str]:
    """Between lines of quotes, one line break of which belongs to neither."""
    fence = "```"
    while fence in code:
        fence += "`"
    return [fence, code, fence]


def _code(text: str) -> str:
    return ascii_only(clean(text).replace("\n", " "))[:_LINE]


def _plain(text: str, most: int = 300) -> str:
    return ascii_only(one_line(text, most))
