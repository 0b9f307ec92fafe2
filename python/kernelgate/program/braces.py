"""C++'s braces in an f-string.

In: a program's text. Out: the rows that have the braces doubled, or None if the text leaves a doubt: braces that are
doubled already. Not here: what is said of it (`program.read`).
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass

_FORMATTED = re.compile(r"(?<!\w)(?P<prefix>[fF][rR]?|[rR][fF])(?P<quote>\"\"\"|''')")
_CUDA = re.compile(r"__global__|#[ \t]*include\b|<<<")
_BRACE = re.compile(r"\{(?P<field>[A-Za-z_]\w*(?:\s*[-+*/]{1,2}\s*\w+)*)(?P<format>:[^{}\n]{0,12})?\}|[{}]")


@dataclass(frozen=True)
class Doubled:
    """Lines `first` to `last` of the text, as `rows`. `opens`: the line in which the literal begins."""

    first: int
    last: int
    rows: tuple[str, ...]
    opens: int


def formatted_cuda(text: str, line: int) -> int | None:
    """The line in which the f-string of CUDA opens that holds a line of the text; None if none does."""
    found = _around(text, line)
    return text.count("\n", 0, found[0]) + 1 if found is not None else None


def doubled_in_fstring(text: str, line: int) -> Doubled | None:
    """For the f-string of CUDA around a line. A field stays one where the program assigns its name."""
    found = _around(text, line)
    if found is None:
        return None
    begin, end = found
    assigned = set(re.findall(r"^[ \t]*([A-Za-z_]\w*)\s*(?::[^=\n]+)?=(?!=)", text[:begin], re.MULTILINE))
    return _doubled(text, begin, end, assigned)


def _doubled(text: str, begin: int, end: int, fields: set[str]) -> Doubled | None:
    """For the text from `begin` to `end`, with the braces around one of `fields` kept."""
    body = text[begin:end]
    if "{{" in body or "}}" in body.replace("\n", " "):
        return None

    def brace(found: re.Match[str]) -> str:
        field = found["field"]
        if field is None:
            return found.group() * 2
        root = re.match(r"\w+", field)
        kept = root is not None and root.group() in fields
        return found.group() if kept else f"{{{found.group()}}}"

    changed = text[:begin] + _BRACE.sub(brace, body) + text[end:]
    try:
        ast.parse(changed)
    except (SyntaxError, ValueError):
        return None
    old, new = text.split("\n"), changed.split("\n")
    differing = [at for at, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    if not differing:
        return None
    first, last = differing[0], differing[-1]
    return Doubled(first + 1, last + 1, tuple(new[first : last + 1]), text.count("\n", 0, begin) + 1)


def _around(text: str, line: int) -> tuple[int, int] | None:
    """Where the insides of the long f-string of CUDA begin and end that holds a line."""
    at = 0
    while (opening := _FORMATTED.search(text, at)) is not None:
        end = text.find(opening["quote"], opening.end())
        if end < 0:
            return None
        first, last = (text.count("\n", 0, place) + 1 for place in (opening.start(), end))
        if first <= line <= last and _CUDA.search(text, opening.end(), end):
            return opening.end(), end
        at = end + 3
    return None
