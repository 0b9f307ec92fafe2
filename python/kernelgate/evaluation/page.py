"""An evaluation as one page that stands alone: a table that can be sorted, and each report below it, folded.

In: rows. Out: one HTML5 document. The page runs one script, the few lines below, which its policy names by their hash:
what a report quotes of a candidate can run nothing. Not here: what the table and the reports say.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence

from kernelgate.evaluation.row import Row
from kernelgate.evaluation.table import Pace, as_html_table, summary
from kernelgate.report.document import page
from kernelgate.report.html import as_html
from kernelgate.report.markup import Html, join, tag

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
    return page(title, Html(f"{body}<script>{_SORT}</script>"), script_hash=f"sha256-{script}")


def _report(row: Row) -> Html:
    assert row.report is not None
    return tag("details", tag("summary", f"{row.name}: {row.outcome}"), Html(as_html(row.report)), id=row.key)
