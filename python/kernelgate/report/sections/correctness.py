"""The check stage as a section: its cases, its gates, and what was seen in the memory and in the text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kernelgate.report import accuracy_words, numbers, wording
from kernelgate.report.accuracy import NONE_WRONG, ErrorMap, Precision, Values
from kernelgate.report.blocks import Axis, Mark, Picture, Row, Section, Table
from kernelgate.report.bounded import one_line
from kernelgate.report.sections.making import SENTENCES, WORDS, Part, note, row, section, table
from kernelgate.report.types import Case, Contract, Gate, MemoryCheck, Outcome, Report

_CONTRACTS: tuple[Contract, ...] = ("problem", "drop-in")
_ORDER: tuple[Outcome, ...] = ("fail", "unsupported", "pass", "not run")
_CASES = ("Case", "Shape|code", "dtype|code", "Layout|code", "Max error|number", "Result|result")


def correctness(report: Report) -> Section | None:
    verdict, cases, gates = report.verdict, report.cases, report.gates
    checks = [check for check in (report.memory_check, report.sanitizer) if check is not None]
    failing = (
        (verdict is not None and verdict.kind == "weak")
        or any(case.outcome == "fail" for case in cases)
        or any(gate.outcome == "fail" for gate in gates)
        or any(finding.certain for check in checks for finding in check.findings)
    )
    compared = [
        _cases(cases),
        note(_units(cases)),
        _where_wrong(report.error_map, report.values),
        _values(report.values),
        _precision(report.precision),
        note(wording.upper_first(accuracy_words.rules(report.rules))),
    ]
    beside = [
        _gates(gates),
        *_power(report),
        *(block for check in checks for block in _memory(check)),
        _advice(report),
    ]
    return section(
        "correctness",
        "Correctness" if cases or gates else "Program text",
        wording.correctness(report),
        compared if cases else [],
        aside=beside,
        open=failing,
    )


def _cases(cases: Sequence[Case]) -> Table | None:
    """The first failure and its contract first, the others in the order of the run."""
    first = next((case for case in cases if case.outcome == "fail"), None)
    ordered = sorted(cases, key=lambda case: case is not first)
    groups = [
        (wording.contract_heading(contract), _rows([case for case in ordered if case.contract == contract]))
        for contract in dict.fromkeys(case.contract for case in ordered)
    ]
    return table("Cases", _CASES, groups, hint="against the reference, on the same input")


def _rows(cases: Sequence[Case]) -> list[Row]:
    """Those that the run did not come to, and of which nothing is said, are one row."""
    left = [case for case in cases if case.outcome == "not run" and not case.message]
    if len(left) < 2:
        return [_case(case) for case in cases]
    name = f"{len(left)} more: {', '.join(case.name for case in left)}"
    rest = row(name, "", "", "", "–", wording.case_outcome(left[0]), state="not run")
    return [*(_case(case) for case in cases if case not in left), rest]


def _case(case: Case) -> Row:
    drawn = "" if case.distribution == case.name else f" ({case.distribution})"
    given = f"input {case.first.input}" if case.first is not None and case.first.input is not None else ""
    return row(
        f"{case.name}{drawn}",
        case.shape,
        case.dtype,
        case.layout,
        wording.case_error(case) or "–",
        wording.case_outcome(case),
        kind="failed" if case.outcome == "fail" else "",
        state=case.outcome,
        details=["; ".join(filter(None, [wording.case_details(case), given]))],
    )


def _units(cases: Sequence[Case]) -> str:
    ulp = "ulp = units in the last place of the result's dtype; NaN payloads are not compared."
    units = "u = roundings of the result's dtype, against float64."
    return " ".join(
        [
            *([ulp] if any(case.max_ulp is not None for case in cases) else []),
            *([units] if any(case.error_units is not None for case in cases) else []),
        ]
    )


def _where_wrong(found: ErrorMap | None, values: Values | None) -> Picture | None:
    """A map that is hatched all over says nothing: how far the elements are off stands in its place."""
    if found is None:
        return None
    if values is not None and all(NONE_WRONG not in squares for squares in found.bins):
        return Picture(
            of="errors",
            title=one_line(f"How far off “{found.case}” is", WORDS),
            hint="wrong elements by |got - expected|, in powers of ten",
            values=accuracy_words.errors(values),
            note=one_line(wording.upper_first(f"wrong elements lie in {accuracy_words.place(found)}"), SENTENCES),
        )
    return Picture(
        of="error map",
        title=one_line(f"Where “{found.case}” is wrong", WORDS),
        hint="solid: no element is right; hatched: some are",
        values=accuracy_words.row_words(found),
        note=one_line(wording.upper_first(accuracy_words.error_map(found)), SENTENCES),
    )


def _values(found: Values | None) -> Picture | None:
    if found is None or not found.got:
        return None
    return Picture(
        of="values",
        title=one_line(f"Got against expected, “{found.case}”", WORDS),
        hint="filled: wrong; hollow: right; on the line: as expected",
        values=accuracy_words.pairs(found),
    )


def _precision(found: Precision | None) -> Table | None:
    """The largest error among those that other arithmetics make; an error of 0 stands at the left end."""
    if found is None or len(found.bounds) < 2:
        return None
    errors = [
        found.units,
        found.reference_units,
        *(bound.units for bound in found.bounds),
        found.passes_units,
        1.0,
    ]
    low, high = min(one for one in errors if one > 0) / 2, max(errors) * 2
    passes = Mark(kind="limit", at=found.passes_units)
    rows = [
        row("This kernel", numbers.error_units(found.units), kind="candidate"),
        row("PyTorch", numbers.error_units(found.reference_units)),
        *(row(bound.name, accuracy_words.bound_words(bound), kind="limit") for bound in found.bounds),
    ]
    rows[0].marks = [passes, Mark(kind="dot", at=max(low, found.units))]
    rows[1].marks = [passes, Mark(kind="dot", of="reference", at=max(low, found.reference_units))]
    finer = low
    for shown, bound in zip(rows[2:], found.bounds, strict=True):
        shown.marks = [Mark(kind="band", low=finer, high=bound.units), passes]
        finer = bound.units
    return table(
        "Precision",
        ("Program, arithmetic", "Chart|chart", "Error|number"),
        [("", rows)],
        hint=f"the error furthest from fp32, case “{found.case}”; left of the line passes",
        axis=Axis(kind="logarithmic", low=low, high=high),
    )


def _gates(gates: Sequence[Gate]) -> Table | None:
    groups = [
        (
            wording.contract_heading(contract),
            [
                _gate(gate)
                for outcome in _ORDER
                for gate in gates
                if (gate.contract, gate.outcome) == (contract, outcome)
            ],
        )
        for contract in _CONTRACTS
    ]
    return table("Gates", ("Gate", "Result|result"), groups, hint="it must behave as the module it replaces")


def _gate(gate: Gate) -> Row:
    """What a failure costs, and why, takes a line of its own; the rest is short."""
    costs = gate.outcome in ("fail", "unsupported")
    return row(
        gate.name,
        wording.gate_outcome(gate) if costs else wording.gate_result(gate),
        kind="failed" if gate.outcome == "fail" else "",
        state=gate.outcome,
        details=[gate.message] if costs else [],
    )


def _power(report: Report) -> Iterable[Part | None]:
    found = report.power
    if found is None or not found.total:
        return
    rows = [row(name, "not caught", state="unclear") for name in found.slipped]
    yield table("Power of the check", ("Mutant", "Result|result"), [("", rows)], hint=wording.power(found))
    if not rows:
        yield note(f"Power of the check: {wording.power(found)}")


def _memory(check: MemoryCheck) -> Iterable[Part | None]:
    if not check.findings:
        yield note(f"Memory check: {wording.memory_check(check)}")
        return
    rows = []
    for finding in check.findings:
        beyond = "" if finding.contract == "problem" else f" ({wording.contract_heading(finding.contract)})"
        place = wording.place(finding.where) if finding.where is not None else ""
        state = "fail" if finding.certain else "unclear"
        rows.append(row(place, finding.sentence + beyond, state=state))  # type: ignore[arg-type]
    yield table("Memory check", ("Where", "Fault"), [("", rows)], hint=check.tool)


def _advice(report: Report) -> Table | None:
    rows = [
        row("program" if advice.line is None else f"line {advice.line}", advice.text, line=advice.line)
        for advice in report.advice
    ]
    return table(
        "Remarks", ("Where", "Remark"), [("", rows)], hint="seen in the program's text; they decide nothing"
    )
