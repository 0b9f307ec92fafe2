"""A report as text/plain: lines of 80 columns, ASCII, each opened by a word in capitals.

What is not needed is left out beyond 14 lines. What stands there is whole: it goes on in further lines.

In: a `Report`. Out: text without a final line break. Only our own words ever start a line: what comes from a
candidate follows one, or is indented, so that no candidate can write a verdict.
Not here: the phrases (`report.wording`), everything that a screen cannot hold (`report.html`).
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass

from kernelgate.report import accuracy_words, device_words, speed_words, text_tables, wording
from kernelgate.report.bounded import ascii_only, clean, one_line
from kernelgate.report.text_tables import COLUMNS, plain, rows_of
from kernelgate.report.types import Advice, Fact, Failure, Finding, Mismatch, Report, Verdict

LINES = 14

_MIN_INDENT = 9
_FIX_LINES = 2
_FIX_ROWS = 4

_ANSWERS = re.compile("^(Yes|No|Unclear)[,:] *")

_TOGETHER = re.compile(r"[\[(]\d+(?:, \d+)+[\])]|got \S+, expected \S+")
"""[0, 1] and (1, 0, 0) stay on one line, and so do two values."""
_NO_BREAK = "\0"


@dataclass(frozen=True)
class _Entry:
    """A word in capitals, what it says, and lines of code under it."""

    word: str
    says: str
    code: tuple[str, ...] = ()
    optional: bool = False
    """Left out first where the 14 lines do not suffice."""


def as_text(report: Report) -> str:
    """The report in `LINES` lines of `COLUMNS` columns, or more if what is needed takes more; below them what lines
    of a kernel cost."""
    entries = _entries(report)
    indent = max(_MIN_INDENT, *(len(entry.word) + 2 for entry in entries))
    blocks = [(entry.optional, _drawn(entry, indent)) for entry in entries]
    figures = text_tables.figures(report)
    room = LINES - 1 - len(figures)
    while sum(len(lines) for _, lines in blocks) > room and any(optional for optional, _ in blocks):
        del blocks[max(index for index, (optional, _) in enumerate(blocks) if optional)]
    body = [line for _, lines in blocks for line in lines]
    if report.timing is not None:  # the last of the figures give way; an empty line alone is none
        figures = figures[: max(0, LINES - 1 - len(body))]
    costs = text_tables.line_costs(report.profile.lines) if report.profile is not None and report.profile.lines else []
    costs += text_tables.line_builds(report.device_code.lines) if report.device_code is not None else []
    return "\n".join([*_header(report), *body, *(figures if len(figures) > 1 else []), *costs])


def _header(report: Report) -> list[str]:
    where = report.candidate.label if wording.ran_nowhere(report) else wording.device(report)
    return rows_of("  ".join(["KernelGate", plain(report.title), plain(where)]), " " * len("KernelGate  "))


def _entries(report: Report) -> list[_Entry]:
    if report.verdict is None:
        return _running(report)
    ended_by = wording.ended_by(report)
    entries = [_headline(report, report.verdict), _Entry("DROP-IN", wording.drop_in(report))]
    if report.failure is not None:
        entries += _failure(report, report.failure, report.verdict)
    if report.verdict.kind in ("timeout", "cancelled"):
        entries.append(_Entry("KEPT", wording.finished(report)))
    if report.verdict.outcome != "pass" and report.verdict.outcome != "not run":
        entries.append(_Entry("NOT RUN", wording.not_run(report)))
    entries.append(_Entry("POWER", _power(report)))
    faults = _faults(report)
    if faults or report.verdict.outcome == "pass":
        entries.append(_Entry("FAULTS", wording.lower_first(wording.examined(report))))
    entries.append(_Entry("SCALED", wording.scaled(report), optional=True))
    entries.append(_Entry("BUILD", device_words.device_code(report), optional=True))
    entries.append(_Entry("PLACE", _place(report), optional=True))
    if report.verdict.outcome == "pass":
        entries += _speed(report)
    entries.append(_Entry("NOTE", wording.no_kernel(report)))
    notes = _support(report) if ended_by is None else []
    notes += [_at_line(advice) for advice in report.advice][:2]
    entries += [_Entry("NOTE", text, optional=True) for text in notes]
    entries.append(_Entry("RULES", accuracy_words.rules(report.rules), optional=True))
    entries.append(_Entry("ERRORS", accuracy_words.precision(report.precision), optional=True))
    return [entry for entry in entries if entry.says]


def _at_line(advice: Advice) -> str:
    where = "" if advice.line is None else f"line {advice.line}: "
    return where + wording.lower_first(advice.text)


def _place(report: Report) -> str:
    found = report.error_map
    if found is None:
        return ""
    # The failure may be of another case, of which no values were compared.
    own = report.failure is not None and report.failure.case == found.case
    case = "" if own else f"case “{found.case}”: "
    return f"{case}wrong elements lie in {accuracy_words.place(found)}"


def _faults(report: Report) -> list[Finding]:
    """What the memory check found and the failure does not say."""
    found = report.memory_check.findings if report.memory_check is not None else []
    assert report.verdict is not None
    said = f"{report.verdict.sentence} {report.failure.what if report.failure is not None else ''}".lower()
    return [] if any(one.sentence.lower() in said for one in found) else found


def _running(report: Report) -> list[_Entry]:
    now = [wording.doing(report), wording.lower_first(report.progress)]
    entries = [
        _Entry("RUNNING", ", ".join(filter(None, now))),
        _Entry("DONE", wording.finished(report)),
        _Entry("SCALED", wording.scaled(report)),
    ]
    return [entry for entry in entries if entry.says]


def _headline(report: Report, verdict: Verdict) -> _Entry:
    if verdict.kind == "timeout":
        return _Entry("TIMED OUT", _after(verdict.sentence, "Timed out"))
    if verdict.kind == "cancelled":
        return _Entry("CANCELLED", _after(verdict.sentence, "Cancelled"))
    if verdict.kind == "profiled":
        return _Entry("PROFILED", _after(verdict.sentence, "Profiled"))
    if verdict.kind == "internal":
        return _Entry("NO VERDICT", wording.lower_first(verdict.sentence))
    if verdict.outcome == "pass":
        return _Entry("CORRECT", _correct(report, verdict))
    if verdict.outcome == "not run":
        return _Entry("NOT RUN", _after(verdict.sentence, "Not run"))
    if verdict.outcome == "fail":
        return _Entry("FAILED", wording.lower_first(verdict.sentence))
    return _Entry("UNCLEAR", _after(verdict.sentence, "Unclear"))


def _correct(report: Report, verdict: Verdict) -> str:
    fact = next((fact for fact in report.facts if fact.question == "Correct?"), None)
    if fact is None:
        return _after(verdict.sentence, "Correct")
    answer = wording.yes_to(fact)
    # "Bitwise equal" names no other side where it stands alone.
    answer += " to PyTorch" if answer == "bitwise equal" else ""
    return ": ".join(filter(None, [answer, fact.evidence]))


def _power(report: Report) -> str:
    """Where the check let something pass. A weak check's headline has the counts already."""
    counts = (
        "" if report.verdict is not None and report.verdict.kind == "weak" else wording.power(report.power)
    )
    slipped = wording.slipped(report)
    return "; ".join(filter(None, [counts, slipped])) if slipped else ""


def _failure(report: Report, failure: Failure, verdict: Verdict) -> list[_Entry]:
    entries = []
    if failure.where is not None:
        marked = [line for line in failure.where.excerpt if line.marked][:1]
        code = tuple(f"{line.line} | {line.text}" for line in marked)
        entries.append(_Entry("WHERE", wording.place(failure.where), code))
    what = failure.what.removeprefix("error: ")
    # The values have a line of their own.
    first = _first_wrong(report)
    what = what.replace(f"; {wording.first_wrong(first)}", "") if first is not None else what
    if one_line(what, len(what)).lower() not in one_line(verdict.sentence, len(verdict.sentence)).lower():
        word = "ERROR" if verdict.outcome == "fail" or verdict.kind == "read" else "REASON"
        entries.append(_Entry(word, wording.lower_first(what)))
    if first is not None:
        given = f"; input {first.input}" if first.input is not None else ""
        entries.append(_Entry("FIRST", wording.first_wrong(first).removeprefix("first ") + given))
    # FIX is certain; NEXT is advice.
    edit, step = failure.edit, wording.lower_first(failure.next_step)
    if edit is not None and (failure.where is None or failure.where.line != edit.line):
        step = f"line {edit.line}, {step}"
    if failure.fix is None:
        entries.append(_Entry("NEXT", step))
    elif not failure.fix.strip():  # lines go, and none come
        entries.append(_Entry("FIX", step))
    else:
        entries.append(_Entry("FIX", f"{step}:", _fix_lines(failure.fix)))
    return entries


def _first_wrong(report: Report) -> Mismatch | None:
    """The wrong values that the failure is about; None if it is about something else."""
    failure = report.failure
    found = {case.name: case.first for case in report.cases if case.first is not None and case.outcome == "fail"}
    if failure is None or failure.case in found:
        return found[failure.case] if failure is not None and failure.case else None
    return next((first for first in found.values() if wording.first_wrong(first) in failure.what), None)


def _fix_lines(fix: str) -> tuple[str, ...]:
    lines = clean(fix).strip("\n").split("\n")
    if len(lines) <= _FIX_LINES:
        # Whole, to be copied from here: C++ does not mind a line break at a space.
        wrapped = [_wrapped(line) or [""] for line in lines]
        rows = [row for line in wrapped for row in line]
        return tuple(rows if len(rows) <= _FIX_ROWS else lines)
    return (*lines[: _FIX_LINES - 1], f"... and {len(lines) - _FIX_LINES + 1} more lines")


def _wrapped(code: str) -> list[str]:
    return textwrap.wrap(
        code,
        COLUMNS - _MIN_INDENT,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
        replace_whitespace=False,
    )


def _speed(report: Report) -> list[_Entry]:
    """The speed and the limit as measured, or one line that says why nothing was."""
    entries = []
    for fact in report.facts:
        if fact.question in ("Correct?", "On a GPU?"):  # said above, and by BUILD
            continue
        if fact.measured:
            evidence = f" ({fact.evidence})" if fact.evidence else ""
            entries.append(_Entry(_speed_word(fact, report), _figure(fact) + evidence))
        elif fact.question == "Faster?":
            entries.append(_Entry("TIMING", wording.lower_first(wording.fact_answer(fact))))
    return entries


def _speed_word(fact: Fact, report: Report) -> str:
    if fact.question == "Limit?":
        return "LIMIT"
    speed = speed_words.headline(report.timing) if report.timing is not None else None
    return (speed.verdict if speed is not None else None) or "FASTER"


def _figure(fact: Fact) -> str:
    """The answer without the word that opens the line: "1.61x slower than PyTorch eager"."""
    return wording.lower_first(_ANSWERS.sub("", fact.answer))


def _support(report: Report) -> list[str]:
    """The verdict's further sentences, without those that SCALED, TIMING and POWER say already."""
    support = [] if report.verdict is None else report.verdict.support
    said = [report.problem.full_shape, "timing not measured", *_slipped_names(report)]
    return [
        wording.lower_first(text) for text in support if not any(words and words in text for words in said)
    ]


def _slipped_names(report: Report) -> list[str]:
    return [", ".join(report.power.slipped)] if report.power is not None and report.power.slipped else []


def _after(sentence: str, opening: str) -> str:
    """What follows `opening`, which is shown as the word of the line."""
    if sentence.lower().startswith(opening.lower()):
        sentence = sentence[len(opening) :].lstrip(" ,:;")
    return wording.lower_first(sentence)


def _drawn(entry: _Entry, indent: int) -> list[str]:
    whole = _TOGETHER.sub(lambda match: match[0].replace(" ", _NO_BREAK), plain(entry.says))
    says = [line.replace(_NO_BREAK, " ") for line in rows_of(whole, "", COLUMNS - indent)]
    code = [row for line in entry.code for row in rows_of(_code(line), "    ", COLUMNS - indent)]
    words = [entry.word.ljust(indent), *([" " * indent] * (len(says) + len(code)))]
    return [(word + line).rstrip() for word, line in zip(words, [*says, *code], strict=False)]


def _code(line: str) -> str:
    return ascii_only(clean(line).replace("\n", " ").expandtabs(4)).rstrip()
