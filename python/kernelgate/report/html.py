"""A report as text/html, for viewers that do not know the report's own type: nbconvert, VS Code, Colab; and as a page
that stands alone, for `--html FILE`.

In: a `Report`. Out: HTML of few elements, which every sanitizer passes and which reads well without style:
no colour (the theme is unknown), no script, no picture, `text-align` as the only style. A page is one HTML5 document
without links, scripts or pictures, which follows a light or dark theme.
No text can become markup: plain `str` is always escaped, and only `tag` makes `Html`.
Not here: the phrases (`report.wording`), what its sections hold (`report.sections`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from kernelgate.report import numbers, speed_words, wording
from kernelgate.report.blocks import Block, Column, Table
from kernelgate.report.bounded import clean, one_line
from kernelgate.report.types import Fact, Failure, Place, Report, Verdict

_NAMED = re.compile("`([^`]+)`")


class Html(str):
    """Markup that `tag` made: everything in it is escaped already."""


def table(rows: Iterable[tuple[str, str]]) -> Html:
    """A table of names and their values; a row without a value is left out."""
    shown = [tag("tr", tag("th", name, scope="row"), tag("td", says)) for name, says in rows if says]
    return tag("table", *shown) if shown else Html()


def column(name: str) -> Html:
    return tag("th", name, scope="col")


def details(summary: str, body: Html) -> Html:
    return tag("details", tag("summary", summary), body)


def prose(text: str) -> Html:
    """Words in which a name stands between backticks: it is code, without them."""
    parts = _NAMED.split(text)
    return join(tag("code", part) if n % 2 else part for n, part in enumerate(parts))


def between(parts: Sequence[str], separator: Html) -> list[str]:
    return [piece for part in parts for piece in (separator, part)][1:]


def tag(name: str, *children: str, **attributes: str) -> Html:
    opening = " ".join([name, *(f'{key}="{escape(clean(value))}"' for key, value in attributes.items())])
    return Html(f"<{opening}>" if name == "br" else f"<{opening}>{join(children)}</{name}>")


def join(parts: Iterable[str]) -> Html:
    return Html("".join(part if isinstance(part, Html) else escape(clean(part)) for part in parts))


def as_html(report: Report) -> str:
    """The report as a fragment of HTML: verdict, a table of what matters, the evidence folded."""
    if report.verdict is None:
        return join(_running(report))
    return join([_head(report, report.verdict), table(_rows(report, report.verdict)), *_evidence(report)])


def _head(report: Report, verdict: Verdict) -> Html:
    return tag("p", *between([*_first(report, tag("b", prose(verdict.sentence))), *verdict.support], tag("br")))


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
    for section in report.sections:
        body = join(map(_block, [*section.blocks, *section.aside]))
        if body:
            yield details(": ".join(filter(None, [section.name, section.conclusion])), body)


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


def _code(line: str) -> str:
    """One line of code, which cannot look like two in an excerpt."""
    return clean(line).replace("\n", " ")


def _block(block: Block) -> Html:
    if block.table is not None:
        return _table(block.table)
    if block.items is not None:
        return table((one.name, prose(one.value)) for one in block.items.rows)
    if block.note is not None:
        return tag("p", prose(block.note.text))
    text, picture = block.text, block.picture
    if text is not None:
        said = tag("pre", text.text)
        return details(f"{text.title}, {numbers.counted(text.lines, 'line')}", said) if text.folded else said
    if picture is None or not picture.values:
        return Html()
    # A picture's values stand for it.
    said = tag("p", *between([*picture.values, *([picture.note] if picture.note else [])], tag("br")))
    return join([tag("p", picture.title), said])


def _table(block: Table) -> Html:
    """Without its charts, whose values are in the other columns; what stands below a row is a row of its own."""
    columns = [one for one in block.columns if one.kind != "chart"]
    rows = [tag("tr", *(column(one.name) for one in columns))]
    for group in block.groups:
        rows += [tag("tr", tag("th", group.name, scope="row"))] if group.name else []
        for row in group.rows:
            cells = [_cell(cell, one) for cell, one in zip(row.cells, columns[1:], strict=False)]
            rows.append(tag("tr", tag("th", prose(row.name), scope="row"), *cells))
            rows += [tag("tr", tag("td", prose(text), colspan=f"{len(columns)}")) for text in row.details]
    hint = "" if block.axis is not None else block.hint  # on how to read the chart
    title = tag("p", ": ".join(filter(None, [block.title, hint])))
    return join([title, tag("table", *rows)])


def _cell(text: str, of: Column) -> Html:
    return tag("td", prose(text), **({"style": "text-align:right"} if of.kind == "number" else {}))


# The policy forbids everything but this style, and our script if there is one, by its hash: a page that quotes a
# candidate loads and runs nothing of it.
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'{script}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root {{ color-scheme: light dark; --line: 1px solid color-mix(in srgb, currentcolor 20%, transparent); }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }}
p b {{ font-size: 1.4em; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: start; vertical-align: top; padding: 0.2rem 1.2rem 0.2rem 0; }}
th {{ font-weight: 600; white-space: nowrap; }}
details th, details td {{ border-bottom: var(--line); }}
details {{ margin-block: 0.6rem; overflow-x: auto; }}
summary {{ cursor: pointer; }}
code, pre {{ font-family: ui-monospace, monospace; font-size: 0.92em; }}
pre {{ overflow-x: auto; padding: 0.6rem; border: var(--line); }}
progress {{ width: 20rem; }}
</style>
</head>
<body>
<main>
{body}
</main>
</body>
</html>
"""


def as_document(report: Report) -> str:
    """A complete page; write it as UTF-8."""
    state = "running" if report.verdict is None else report.verdict.sentence
    return page(f"KernelGate: {report.title}: {state}", as_html(report))


def page(title: str, body: str, *, script_hash: str = "") -> str:
    """A page around markup. `script_hash`: of the one script in it that may run, as a policy names it."""
    script = f"; script-src '{script_hash}'" if script_hash else ""
    return _PAGE.format(title=escape(one_line(title, 200)), body=body, script=script)
