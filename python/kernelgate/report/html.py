"""A report as text/html, for viewers that do not know the report's own type: nbconvert, VS Code, Colab.

In: a `Report`. Out: HTML of few elements, which every sanitizer passes and which reads well without style:
no colour (the theme is unknown), no script, no picture, `text-align` as the only style.
Not here: the phrases (`report.wording`), the tables of what was measured (`report.html_measured`), how markup is made
(`report.markup`), a page that stands alone (`report.document`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernelgate.report import accuracy_words, device_words, numbers, speed_words, wording
from kernelgate.report.bounded import clean
from kernelgate.report.html_measured import device_code, measured
from kernelgate.report.markup import Html, between, column, details, join, table, tag
from kernelgate.report.types import Advice, Case, Contract, Fact, Failure, Gate, Place, Report, Verdict

_CONTRACTS: tuple[Contract, ...] = ("problem", "drop-in")
_SHOWN_HASH = 12


def as_html(report: Report) -> str:
    """The report as a fragment of HTML: verdict, a table of what matters, the evidence folded."""
    if report.verdict is None:
        return join(_running(report))
    return join([_head(report, report.verdict), table(_rows(report, report.verdict)), *_evidence(report)])


def _head(report: Report, verdict: Verdict) -> Html:
    return tag("p", *between([*_first(report, tag("b", verdict.sentence)), *verdict.support], tag("br")))


def _first(report: Report, state: Html) -> list[str]:
    """How the run stands and what it is about. Of a program of ours, whose it is comes first."""
    ours = report.candidate.ours
    return [wording.upper_first(_subject(report)), state] if ours else [state, _subject(report)]


def _subject(report: Report) -> str:
    if not wording.ran_nowhere(report):
        return f"{report.title}, {wording.device(report)}"
    where = report.failure.where if report.failure else None
    return f"{report.title}, {wording.place(where) if where else report.candidate.label}"


def _running(report: Report) -> list[Html]:
    stage = wording.running_stage(report)
    doing = tag("b", wording.upper_first(wording.doing(report)))
    progress = f"; {wording.lower_first(report.progress)}" if report.progress else ""
    head = tag("p", *between(_first(report, join([doing, progress])), tag("br")))
    # A bar without a value moves: right where a stage has no count.
    counted = {} if stage is None or stage.total < 2 else {"max": f"{stage.total}", "value": f"{stage.done}"}
    bar = tag("p", tag("progress", wording.doing(report), **counted))
    return [head, bar, table([("Done", wording.finished(report)), ("Scaled", wording.scaled(report))])]


def _rows(report: Report, verdict: Verdict) -> list[tuple[str, str]]:
    # After a failure only measured facts are worth a row; in a pass, "not measured" is an answer.
    facts = [fact for fact in report.facts if fact.measured or wording.ended_by(report) is None]
    rows: list[tuple[str, str]] = [(fact.question, _answer(fact, report)) for fact in facts]
    rows.append(("Drop-in?", wording.upper_first(wording.drop_in(report))))
    if wording.slipped(report) and verdict.kind != "weak":
        rows.append(("Power of the check", f"{wording.power(report.power)}; {wording.slipped(report)}"))
    if report.failure is not None:
        rows += _failure_rows(report.failure)
    rows.append(("Faults", wording.examined(report)))
    rows.append(("Build for a GPU", wording.upper_first(device_words.device_code(report))))
    if verdict.kind in ("timeout", "cancelled"):
        rows.append(("Kept", wording.finished(report)))
    rows.append(("Not run", wording.not_run(report)))
    full = report.problem.full_shape
    if not any(full and full in text for text in verdict.support):
        rows.append(("Scaled", wording.scaled(report)))
    rows.append(("Note", wording.no_kernel(report)))
    return rows


def _answer(fact: Fact, report: Report) -> str:
    words = wording.fact_answer(fact)
    found = speed_words.reached(report.timing) if report.timing is not None else None
    if fact.question != "Limit?" or not fact.measured or found is None:
        return words
    value = f"{min(100, found.share.share * 100):.0f}"
    meter = tag("meter", numbers.share(found.share.share), min="0", max="100", value=value)
    return join([meter, f" {words}"])


def _failure_rows(failure: Failure) -> list[tuple[str, str]]:
    rows = [("What happened", failure.what)]
    if failure.where is not None:
        rows.append(("Where", _where(failure.where)))
    if failure.fix is None:
        rows.append(("What to do", wording.lower_first(failure.next_step)))
    else:
        fix = tag("pre", failure.fix) if "\n" in failure.fix else join([tag("br"), tag("code", failure.fix)])
        rows.append(("What to do", join([wording.lower_first(failure.next_step) + ":", fix])))
    return rows


def _where(where: Place) -> str:
    marked = next((line for line in where.excerpt if line.marked), None)
    if marked is None:
        return wording.place(where)
    return join([wording.place(where), ": ", tag("code", _code(marked.text).strip())])


def _evidence(report: Report) -> Iterable[Html]:
    """The folded part; each summary states its conclusion."""
    if report.failure is not None:
        yield from _failure_evidence(report.failure)
    yield from measured(report)
    for contract in _CONTRACTS:
        yield from _cases([case for case in report.cases if case.contract == contract], contract)
    if report.error_map is not None:
        drawn = tag("pre", "\n".join(report.error_map.bins))
        title = f"Where “{report.error_map.case}” is wrong"
        yield details(title, join([tag("p", wording.upper_first(accuracy_words.error_map(report.error_map))), drawn]))
    for contract in _CONTRACTS:
        yield from _gates([gate for gate in report.gates if gate.contract == contract], contract)
    if report.device_code is not None:
        yield from device_code(report.device_code)
    if report.advice:
        remarks = numbers.counted(len(report.advice), "remark")
        body = table([(_line(advice), advice.text) for advice in report.advice])
        yield details(f"Seen in the program's text, {remarks}, which decide nothing", body)
    if report.output:
        lines = numbers.counted(len(clean(report.output).splitlines()), "line")
        yield details(f"Printed by the candidate, {lines}", tag("pre", report.output))
    yield details("Details of the run", table(_run_rows(report)))


def _failure_evidence(failure: Failure) -> Iterable[Html]:
    if failure.where is not None and len(failure.where.excerpt) > 1:
        lines = failure.where.excerpt
        width = len(str(lines[-1].line))
        shown = [f"{'▸' if line.marked else ' '} {line.line:{width}} | {_code(line.text)}" for line in lines]
        title = f"Source, {failure.where.label}, lines {lines[0].line} to {lines[-1].line}"
        yield details(title, tag("pre", "\n".join(shown)))
    if failure.log:
        title = "Compiler output" if failure.stage == "build" else "Error output"
        count = failure.log_lines or len(clean(failure.log).splitlines())
        yield details(f"{title}, {numbers.counted(count, 'line')}", tag("pre", failure.log))


def _cases(cases: Sequence[Case], contract: Contract) -> Iterable[Html]:
    if not cases:
        return
    head = tag("tr", *[column(name) for name in ("Case", "Shape", "Dtype", "Layout", "Max error", "Result")])
    # The first failure first, the others in the order they ran.
    first = next((case for case in cases if case.outcome == "fail"), None)
    ordered = sorted(cases, key=lambda case: case is not first)
    rows = [
        tag(
            "tr",
            tag("th", case.name, scope="row"),
            tag("td", case.shape),
            tag("td", case.dtype),
            tag("td", case.layout),
            tag("td", wording.case_error(case), style="text-align:right"),
            tag("td", wording.case_result(case)),
        )
        for case in ordered
    ]
    title = f"Cases of {wording.contract_name(contract)}: {wording.cases_conclusion(cases)}"
    yield details(title, tag("table", head, *rows))


def _gates(gates: Sequence[Gate], contract: Contract) -> Iterable[Html]:
    if gates:
        title = f"Gates of {wording.contract_name(contract)}: {wording.gates_conclusion(gates)}"
        yield details(title, table([(gate.name, wording.gate_result(gate)) for gate in gates]))


def _code(line: str) -> str:
    """One line of code, which cannot look like two in an excerpt."""
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
        rows.append(("Build", wording.built(build)))
    rows.append(("Arithmetic", report.arithmetic))
    rows.append(("Other rules", wording.upper_first(accuracy_words.rules(report.rules))))
    rows.append(("Precision", wording.upper_first(accuracy_words.precision(report.precision))))
    rows.append(("Power of the check", wording.power(report.power)))
    rows.append(("Versions", ", ".join(filter(None, [*versions, env.platform]))))
    rows.append(("Confined", wording.confinement(env)))
    if report.seed:
        rows.append(("Seed", join([tag("code", f"--seed {report.seed}"), " repeats the run"])))
    rows.append(("Started", f"{report.created}, took {numbers.duration(report.elapsed_s)}"))
    return rows
