"""HTML of few elements, built so that no text can become markup.

In: text, and what `tag` made. Out: `Html`. Plain `str` is always escaped; only `tag` makes markup.
Not here: what a report says in it (`report.html`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from html import escape

from kernelgate.report.bounded import clean

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
