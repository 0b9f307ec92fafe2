"""Lines of a text as Python and compilers count them: they end in LF, CRLF or CR. `str.splitlines` breaks at more."""

from __future__ import annotations

import re

_LINE_END = re.compile(r"\r\n|\r|\n")


def to_lines(text: str) -> list[str]:
    """The lines without their ends; the last one is empty if the text ends in a line end."""
    return _LINE_END.split(text)


def line_ends(text: str) -> list[tuple[int, int]]:
    """Where each line's text ends and the next line begins, as offsets; the text's length for the last."""
    return [*(found.span() for found in _LINE_END.finditer(text)), (len(text), len(text))]
