"""Rows as a table: counts, the rate, the time left, and a line for each.

In: rows. Out: text, HTML without style or script, and one page that stands alone, with each report folded below the
table. The page runs one script, the few lines below, which its policy names by their hash: what a report quotes of a
candidate can run nothing.
"""

from __future__ import annotations

import base64
import hashlib
import time
from collections import Counter
from collections.abc import Sequence

from kernelgate.evaluation.row import Row
from kernelgate.report import html
from kernelgate.report.bounded import ascii_only, one_line
from kernelgate.report.html import Html, column, join, tag
from kernelgate.report.numbers import counted, duration, thousands
from kernelgate.report.wording import upper_first

OUTCOMES = ("pass", "fail", "unclear", "not run", "no result")
_NAME = 34
_WORDS = 100


def counts(rows: Sequence[Row]) -> str:
    """3 pass (1 at its size alone), 2 fail, 1 no result"""
    found = Counter(row.outcome for row in rows)
    lucky = sum(row.is_lucky for row in rows)
    more = {"pass": f" ({thousands(lucky)} at its size alone)" if lucky else ""}
    return ", ".join(f"{thousands(found[each])} {each}{more.get(each, '')}" for each in OUTCOMES if found[each])


def line(row: Row) -> str:
    """A row as a line of text, ASCII."""
    name = row.name if len(row.name) <= _NAME else f"...{row.name[3 - _NAME :]}"
    took = duration(row.seconds) if row.seconds else ""
    columns = (f"{row.outcome:9}", f"{name:{_NAME}}", f"{took:>7}", one_line(row.words, _WORDS))
    return ascii_only("  ".join(columns)).rstrip()


class Pace:
    """How far an evaluation is. `total`: candidates; `before`: those that were judged in an earlier session."""

    def __init__(self, total: int, before: int) -> None:
        self.total = total
        self.before = before
        self.done = 0
        self._began = time.monotonic()

    @property
    def per_minute(self) -> float:
        """Candidates judged in a minute of this session; 0 before there is one."""
        return 60 * self.done / max(1e-9, time.monotonic() - self._began)

    def words(self) -> str:
        """12 of 200, 8.1 a minute, 23 min left"""
        at = self.before + self.done
        parts = [f"{thousands(at)} of {thousands(self.total)}"]
        if self.done:
            parts.append(f"{self.per_minute:.1f} a minute")
            left = (self.total - at) / self.per_minute
            parts.append(_left(left) if at < self.total else "all judged")
        return ", ".join(parts)


def _left(minutes: float) -> str:
    if minutes < 1:
        return f"{60 * minutes:.0f} s left"
    return f"{minutes:.0f} min left" if minutes < 120 else f"{minutes / 60:.1f} h left"


def summary(rows: Sequence[Row], pace: Pace) -> str:
    """The last line of an evaluation."""
    rate = f", {pace.per_minute:.1f} a minute" if pace.done else ""
    before = f", {thousands(pace.before)} of them judged before" if pace.before else ""
    return f"{counted(len(rows), 'candidate')}{before}: {counts(rows)}{rate}"


def as_html_table(rows: Sequence[Row], *, linked: bool = False) -> Html:
    """All rows, the first first. `linked`: each name leads to the row's report on the same page."""
    head = tag("thead", tag("tr", *map(column, ("Outcome", "Candidate", "Problem", "Time", "In words"))))
    return tag("table", head, tag("tbody", *(_html_row(row, linked) for row in rows)))


def _html_row(row: Row, linked: bool) -> Html:
    name = tag("a", row.name, href=f"#{row.key}") if linked and row.report is not None else row.name
    took = tag("td", duration(row.seconds) if row.seconds else "", **{"data-sort": f"{row.seconds:.3f}"})
    cells = (upper_first(row.outcome), name, row.problem)
    return tag("tr", *(tag("td", cell) for cell in cells), took, tag("td", row.words))


def headline(rows: Sequence[Row], pace: Pace) -> str:
    """What it comes to, or how far it is."""
    done = pace.before + pace.done >= pace.total
    return summary(rows, pace) if done else f"{pace.words()}: {counts(rows)}"


def as_text(rows: Sequence[Row], pace: Pace) -> str:
    """A line a row, and the headline below."""
    return "\n".join([*map(line, rows), headline(rows, pace)])


def as_html(rows: Sequence[Row], pace: Pace) -> Html:
    """The table below its headline, for a notebook."""
    return join([tag("p", tag("b", headline(rows, pace))), as_html_table(rows)])


# Sorts by text, or by number where a cell's data-sort has one; a second press turns the order round.
_SORT = """
for (const head of document.querySelectorAll('thead th')) {
  const button = document.createElement('button');
  button.textContent = head.textContent;
  head.replaceChildren(button);
  button.onclick = () => {
    const up = head.ariaSort !== 'ascending';
    for (const other of head.parentNode.children) other.ariaSort = null;
    head.ariaSort = up ? 'ascending' : 'descending';
    const body = head.closest('table').tBodies[0];
    const of = row => row.cells[head.cellIndex].dataset.sort ?? row.cells[head.cellIndex].textContent;
    const rows = [...body.rows].sort((a, b) => of(a).localeCompare(of(b), 'en', { numeric: true }));
    body.replaceChildren(...(up ? rows : rows.reverse()));
  };
}
const open = () => {
  const found = location.hash && document.getElementById(location.hash.slice(1));
  if (found) { found.open = true; found.scrollIntoView(); }
};
addEventListener('hashchange', open);
open();
"""


def as_page(rows: Sequence[Row], pace: Pace) -> str:
    """Write it as UTF-8."""
    title = f"KernelGate: {summary(rows, pace)}"
    body = join(
        [
            tag("h1", "Evaluation"),
            tag("p", tag("b", summary(rows, pace))),
            as_html_table(rows, linked=True),
            *(_report(row) for row in rows if row.report is not None),
        ]
    )
    script = base64.b64encode(hashlib.sha256(_SORT.encode()).digest()).decode()
    return html.page(title, Html(f"{body}<script>{_SORT}</script>"), script_hash=f"sha256-{script}")


def _report(row: Row) -> Html:
    assert row.report is not None
    return tag("details", tag("summary", f"{row.name}: {row.outcome}"), Html(html.as_html(row.report)), id=row.key)
