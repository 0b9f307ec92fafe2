"""A report as a page that stands alone, for `--html FILE`.

In: a `Report`. Out: one HTML5 document without links, scripts or pictures; it follows a light or dark theme.
Not here: what the page says (`report.html`).
"""

from __future__ import annotations

from html import escape

from kernelgate.report.bounded import one_line
from kernelgate.report.html import as_html
from kernelgate.report.types import Report

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
