"""A report as text/html, for viewers that do not know the report's own type: nbconvert, VS Code, Colab.

In: a `Report`. Out: HTML of few elements, which every sanitizer passes and which reads well without style:
no colour (the theme is unknown), no script, no picture, `text-align` as the only style.
Plain `str` is always escaped; only `_tag` makes markup.
Not here: the phrases (`report.wording`), a page that stands alone (`report.document`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from kernelgate.report import numbers, wording
from kernelgate.report.bounded import clean
from kernelgate.report.types import Advice, Case, Contract, Failure, Gate, Place, Report, Verdict

_CONTRACTS: tuple[Contract, ...] = ("problem", "drop-in")
_SHOWN_HASH = 12


class _Html(str):
    """Markup that `_tag` made: everything in it is escaped already."""


def as_html(report: Report) -> str:
    """The report as a fragment of HTML: verdict, a table of what matters, the evidence folded."""
    if report.verdict is None:
        return _join(_running(report))
    return _join([_head(report, report.verdict), _table(_rows(report, report.verdict)), *_evidence(report)])


def _head(report: Report, verdict: Verdict) -> _Html:
    lines = [_tag("b", verdict.sentence), _subject(report), *verdict.support]
    return _tag("p", *_between(lines, _tag("br")))


def _subject(report: Report) -> str:
    if not wording.ran_nowhere(report):
        return f"{report.title}, {wording.device(report)}"
    where = report.failure.where if report.failure else None
    return f"{report.title}, {wording.place(where) if where else report.candidate.label}"


def _running(report: Report) -> list[_Html]:
    stage = wording.running_stage(report)
    doing = _tag("b", wording.upper_first(wording.doing(report)))
    progress = f"; {wording.lower_first(report.progress)}" if report.progress else ""
    head = _tag("p", doing, progress, _tag("br"), _subject(report))
    # A bar without a value moves: right where a stage has no count.
    counted = {} if stage is None or stage.total < 2 else {"max": f"{stage.total}", "value": f"{stage.done}"}
    bar = _tag("p", _tag("progress", wording.doing(report), **counted))
    return [head, bar, _table([("Done", wording.finished(report)), ("Scaled", wording.scaled(report))])]


def _rows(report: Report, verdict: Verdict) -> list[tuple[str, str]]:
    # After a failure only what was measured is worth a row; without one, "not measured" is an answer.
    facts = [fact for fact in report.facts if fact.measured or report.failure is None]
    rows: list[tuple[str, str]] = [(fact.question, wording.fact_answer(fact)) for fact in facts]
    rows.append(("Drop-in?", wording.upper_first(wording.drop_in(report))))
    if wording.slipped(report) and verdict.kind != "weak":
        rows.append(("Power of the check", f"{wording.power(report)}; {wording.slipped(report)}"))
    if report.failure is not None:
        rows += _failure_rows(report.failure)
    if verdict.kind in ("timeout", "cancelled"):
        rows.append(("Kept", wording.finished(report)))
    rows.append(("Not run", wording.not_run(report)))
    full = report.problem.full_shape
    if not any(full and full in text for text in verdict.support):
        rows.append(("Scaled", wording.scaled(report)))
    rows.append(("Note", wording.no_kernel(report)))
    return rows


def _failure_rows(failure: Failure) -> list[tuple[str, str]]:
    rows = [("What happened", failure.what)]
    if failure.where is not None:
        rows.append(("Where", _where(failure.where)))
    if failure.fix is None:
        rows.append(("What to do", wording.lower_first(failure.next_step)))
    else:
        fix = (
            _tag("pre", failure.fix)
            if "\n" in failure.fix
            else _join([_tag("br"), _tag("code", failure.fix)])
        )
        rows.append(("What to do", _join([wording.lower_first(failure.next_step) + ":", fix])))
    return rows


def _where(where: Place) -> str:
    marked = next((line for line in where.excerpt if line.marked), None)
    if marked is None:
        return wording.place(where)
    return _join([wording.place(where), ": ", _tag("code", _code(marked.text).strip())])


def _evidence(report: Report) -> Iterable[_Html]:
    """The folded part; each summary states its conclusion."""
    if report.failure is not None:
        yield from _failure_evidence(report.failure)
    for contract in _CONTRACTS:
        yield from _cases([case for case in report.cases if case.contract == contract], contract)
    for contract in _CONTRACTS:
        yield from _gates([gate for gate in report.gates if gate.contract == contract], contract)
    if report.advice:
        remarks = numbers.counted(len(report.advice), "remark")
        body = _table([(_line(advice), advice.text) for advice in report.advice])
        yield _details(f"Seen in the program's text, {remarks}, which decide nothing", body)
    if report.output:
        lines = numbers.counted(len(clean(report.output).splitlines()), "line")
        yield _details(f"Printed by the candidate, {lines}", _tag("pre", report.output))
    yield _details("Details of the run", _table(_run_rows(report)))


def _failure_evidence(failure: Failure) -> Iterable[_Html]:
    if failure.where is not None and len(failure.where.excerpt) > 1:
        lines = failure.where.excerpt
        width = len(str(lines[-1].line))
        shown = [f"{'▸' if line.marked else ' '} {line.line:{width}} | {_code(line.text)}" for line in lines]
        title = f"Source, {failure.where.label}, lines {lines[0].line} to {lines[-1].line}"
        yield _details(title, _tag("pre", "\n".join(shown)))
    if failure.log:
        title = "Compiler output" if failure.stage == "build" else "Error output"
        count = failure.log_lines or len(clean(failure.log).splitlines())
        yield _details(f"{title}, {numbers.counted(count, 'line')}", _tag("pre", failure.log))


def _cases(cases: Sequence[Case], contract: Contract) -> Iterable[_Html]:
    if not cases:
        return
    head = _tag(
        "tr", *[_column(name) for name in ("Case", "Shape", "Dtype", "Layout", "Max error", "Result")]
    )
    # The first failure first, the others in the order they ran.
    first = next((case for case in cases if case.outcome == "fail"), None)
    ordered = sorted(cases, key=lambda case: case is not first)
    rows = [
        _tag(
            "tr",
            _tag("th", case.name, scope="row"),
            _tag("td", case.shape),
            _tag("td", case.dtype),
            _tag("td", case.layout),
            _tag("td", wording.case_error(case), style="text-align:right"),
            _tag("td", wording.case_result(case)),
        )
        for case in ordered
    ]
    title = f"Cases of {wording.contract_name(contract)}: {wording.cases_conclusion(cases)}"
    yield _details(title, _tag("table", head, *rows))


def _gates(gates: Sequence[Gate], contract: Contract) -> Iterable[_Html]:
    if gates:
        title = f"Gates of {wording.contract_name(contract)}: {wording.gates_conclusion(gates)}"
        yield _details(title, _table([(gate.name, wording.gate_result(gate)) for gate in gates]))


def _code(line: str) -> str:
    """One line of code, which cannot pass for two in an excerpt."""
    return clean(line).replace("\n", " ")


def _line(advice: Advice) -> str:
    return "Program" if advice.line is None else f"Line {advice.line}"


def _run_rows(report: Report) -> list[tuple[str, str]]:
    candidate, build, env = report.candidate, report.build, report.environment
    language = "Python" if candidate.language == "python" else "CUDA C++"
    lines = numbers.counted(candidate.lines, "line")
    versions = [
        f"{name} {version}"
        for name, version in (
            ("kernelgate", env.kernelgate),
            ("Python", env.python),
            ("torch", env.torch),
            ("CUDA", env.cuda),
            ("driver", env.driver),
        )
        if version
    ]
    rows = [
        ("Candidate", f"{candidate.label}, {lines} of {language}, {candidate.source_sha256[:_SHOWN_HASH]}"),
        ("CUDA kernels", ", ".join(candidate.cuda_kernels)),
        ("PyTorch operators", ", ".join(candidate.operators)),
        ("Contract", report.contract),
        ("Device", ", ".join(filter(None, [wording.device(report), report.device.detail]))),
    ]
    if build is not None and build.lane != "none":
        took = "from the cache" if build.cached else f"in {numbers.duration(build.seconds)}"
        rows.append(("Build", ", ".join(filter(None, [build.lane, build.compiler, took]))))
    rows.append(("Arithmetic", report.arithmetic))
    rows.append(("Power of the check", wording.power(report)))
    rows.append(("Versions", ", ".join(filter(None, [*versions, env.platform]))))
    rows.append(("Confined", wording.confinement(env)))
    if report.seed:
        rows.append(("Seed", _join([_tag("code", f"--seed {report.seed}"), " repeats the run"])))
    rows.append(("Started", f"{report.created}, took {numbers.duration(report.elapsed_s)}"))
    return rows


def _table(rows: Iterable[tuple[str, str]]) -> _Html:
    """A table of names and what is said of them; a row with nothing to say is left out."""
    shown = [_tag("tr", _tag("th", name, scope="row"), _tag("td", says)) for name, says in rows if says]
    return _tag("table", *shown) if shown else _Html()


def _column(name: str) -> _Html:
    return _tag("th", name, scope="col")


def _details(summary: str, body: _Html) -> _Html:
    return _tag("details", _tag("summary", summary), body)


def _between(parts: Sequence[str], separator: _Html) -> list[str]:
    return [piece for part in parts for piece in (separator, part)][1:]


def _tag(name: str, *children: str, **attributes: str) -> _Html:
    opening = " ".join([name, *(f'{key}="{escape(clean(value))}"' for key, value in attributes.items())])
    return _Html(f"<{opening}>" if name == "br" else f"<{opening}>{_join(children)}</{name}>")


def _join(parts: Iterable[str]) -> _Html:
    return _Html("".join(part if isinstance(part, _Html) else escape(clean(part)) for part in parts))
