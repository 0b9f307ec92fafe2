"""Makes an untrusted text safe to store in a report and to show.

In: any `str`, of any length, from a candidate or a tool.
Out: valid Unicode within a bound, without control characters.
Lengths count code points, as `max_length` of the report's schema does. Lines are those that Python and compilers
count: they end in LF, CRLF or CR, while `str.splitlines` breaks at more.
Not here: which bound applies (`report.types`), escaping (`report.html`).
"""

from __future__ import annotations

import re
import unicodedata

from kernelgate.report.numbers import thousands

_LINE_END = re.compile(r"\r\n|\r|\n")


def to_lines(text: str) -> list[str]:
    """The lines without their ends; the last one is empty if the text ends in a line end."""
    return _LINE_END.split(text)


def line_ends(text: str) -> list[tuple[int, int]]:
    """Where each line's text ends and the next line begins, as offsets; the text's length for the last."""
    return [*(found.span() for found in _LINE_END.finditer(text)), (len(text), len(text))]


_TERMINAL_SEQUENCES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
_LINE_BREAKS = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
# Directional controls go too: they make a line of code read as another line.
_UNSHOWN = re.compile("[\x00-\x08\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")

_ASCII = str.maketrans(
    {
        "“": '"',
        "”": '"',
        "„": '"',
        "‘": "'",
        "’": "'",
        "…": "...",
        "×": "x",
        "µ": "u",
        "μ": "u",
        "–": "-",
        "—": "-",
        "−": "-",
        "·": ".",
        "•": "*",
        "→": "->",
        "▸": ">",
        "≤": "<=",
        "≥": ">=",
        "≠": "!=",
        "≈": "~",
        "±": "+-",
        "∞": "inf",
    }
)


def clean(text: str) -> str:
    """`text` without colours and control characters; `\\n` is the only line break, tabs stay."""
    text = _TERMINAL_SEQUENCES.sub("", text)
    text = _LINE_BREAKS.sub("\n", text)
    text = _UNSHOWN.sub("", text)
    return _LONE_SURROGATES.sub("\ufffd", text)


def cut(text: str, limit: int) -> str:
    """`text`, cleaned, in at most `limit` characters; both ends stay, a note counts what lies between."""
    text = clean(text)
    return _cut_middle(text, limit, around="\n" if "\n" in text else " ")


def one_line(text: str, limit: int) -> str:
    """`text`, cleaned, as one line of at most `limit` characters, cut at the end."""
    text = " ".join(clean(text).split())
    return text if len(text) <= limit else text[: max(0, limit - 1)].rstrip() + "…"[:limit]


def ascii_only(text: str) -> str:
    """`text` in ASCII: punctuation and µ by their usual stand-ins, accents dropped, anything else as "?"."""
    text = unicodedata.normalize("NFKD", text.translate(_ASCII))
    unaccented = "".join(char for char in text if not unicodedata.combining(char))
    return unaccented.translate(_ASCII).encode("ascii", "replace").decode("ascii")


def _cut_middle(text: str, limit: int, around: str) -> str:
    if len(text) <= limit:
        return text
    # The note is sized for the largest number it can hold, so the real one fits as well.
    kept = limit - len(_left_out(len(text), around))
    if kept < 2:
        return text[: max(0, limit - 1)] + "…"[: max(0, limit)]
    head = (kept + 1) // 2
    tail = kept - head
    return text[:head] + _left_out(len(text) - kept, around) + text[len(text) - tail :]


def _left_out(count: int, around: str) -> str:
    return f"{around}… {thousands(count)} characters left out …{around}"
