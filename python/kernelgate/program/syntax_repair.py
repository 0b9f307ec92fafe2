"""Changes of a few rows that make a text Python again: prose around it, characters that editors and language models
write for those of code, C++'s braces in an f-string.

In: a text, and the line that Python's parser names. Out: the rows, and what to do in words; None if no such change
makes the whole text parse, or the text leaves a doubt: braces that are doubled already. The judge proves every fix.
"""

from __future__ import annotations

import ast
import re
import unicodedata
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

_MEANT = {
    **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
    **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032", "'"),
    **dict.fromkeys("\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
    **dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", ""),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"),
    **dict.fromkeys("\u00d7\u22c5\u2217", "*"),
    **{"\u00f7": "/", "\u2264": "<=", "\u2265": ">=", "\u2260": "!="},
    **{"\uff1b": ";", "\uff0c": ",", "\uff08": "(", "\uff09": ")"},
}


def plain(row: str) -> str:
    """The row with the characters that are meant."""
    return "".join(_MEANT.get(each, each) for each in row)


def first_in(row: str) -> str:
    """The first such character in words, "NO-BREAK SPACE (U+00A0)"; "" if there is none."""
    found = next((each for each in row if each in _MEANT), None)
    return f"{unicodedata.name(found, 'a character')} (U+{ord(found):04X})" if found is not None else ""


_MOST_ROWS = 40
_CODE = re.compile(r"(?:import|from|class|def|async|if|for|while|with|try)\b.*\w")
_BELOW = re.compile(r"\s|@|[bfruBFRU]{0,2}['\"]|[\w.]+(?:\(| *=)")  # the start of what may be code as well


@dataclass(frozen=True)
class Repair:
    """`rows` stand for lines `first` to `last`, counted from 1. `step`: what to do, in words."""

    first: int
    last: int
    rows: list[str]
    step: str


def repaired(text: str, line: int, message: str) -> Repair | None:
    """The first change that makes the text parse; `message` is what Python's parser says of it."""
    rows = text.split("\n")
    return next((each for each in _tried(rows, line, message) if _parses(rows, each)), None)


def _tried(rows: list[str], line: int, message: str) -> Iterator[Repair]:
    yield from _without_prose(rows, line)
    if message.startswith("invalid") and "character" in message:
        yield from _with_plain_characters(rows, line)


def _without_prose(rows: list[str], line: int) -> Iterator[Repair]:
    """Without what an answer says above its first import, or below its last statement."""
    first = next((at for at, row in enumerate(rows, start=1) if _CODE.match(row)), 0)
    if line < first:
        yield Repair(1, first - 1, [], "Remove what stands above the program")
    elif first and not any(_CODE.match(row) or _BELOW.match(row) for row in rows[line - 1 :]):
        yield Repair(line, len(rows), [], "Remove what stands below the program")


def _with_plain_characters(rows: list[str], line: int) -> Iterator[Repair]:
    """To the last row that has such characters, of those that follow."""
    here = rows[line - 1 : line - 1 + _MOST_ROWS]
    strange = [count for count, row in enumerate(here, start=1) if first_in(row)]
    step = f"Write {first_in(here[0])} as Python does"
    for count in strange[:1] + strange[1:][-1:]:
        yield Repair(line, line + count - 1, [plain(row) for row in here[:count]], step)


def _parses(rows: list[str], repair: Repair) -> bool:
    text = "\n".join([*rows[: repair.first - 1], *repair.rows, *rows[repair.last :]])
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


_FORMATTED = re.compile(r"(?<!\w)(?P<prefix>[fF][rR]?|[rR][fF])(?P<quote>\"\"\"|''')")
_CUDA = re.compile(r"__global__|#[ \t]*include\b|<<<")
_BRACE = re.compile(r"\{(?P<field>[A-Za-z_]\w*(?:\s*[-+*/]{1,2}\s*\w+)*)(?P<format>:[^{}\n]{0,12})?\}|[{}]")


def with_doubled_braces(text: str, begin: int, end: int, step: str) -> Repair | None:
    """For the insides of an f-string, from `begin` to `end`. A field stays one where the program assigns its name."""
    fields = set(re.findall(r"^[ \t]*([A-Za-z_]\w*)\s*(?::[^=\n]+)?=(?!=)", text[:begin], re.MULTILINE))
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

    old, new = text.split("\n"), f"{text[:begin]}{_BRACE.sub(brace, body)}{text[end:]}".split("\n")
    differing = [at for at, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    if not differing:
        return None
    first, last = differing[0], differing[-1]
    repair = Repair(first + 1, last + 1, new[first : last + 1], step)
    return repair if _parses(old, repair) else None


def fstring_of_cuda(text: str, line: int) -> tuple[int, int] | None:
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
