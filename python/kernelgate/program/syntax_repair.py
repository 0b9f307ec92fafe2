"""Changes of a few rows that make a text Python again: a colon, a bracket, an indent, prose around it,
characters that editors and language models write for those of code, C++'s braces in an f-string.

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


_CLOSING = {"(": ")", "[": "]", "{": "}"}
_MOST_ROWS = 40  # in which the end of an open bracket is looked for
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
    here = rows[line - 1]
    if message == "expected ':'":
        code = re.match(r"(.*?)(\s*(?:#.*)?)$", here)
        if code is not None:
            yield Repair(line, line, [f"{code[1]}:{code[2]}"], "Write : at the end of this line")
    opened = re.match(r"'([(\[{])' was never closed", message)
    if opened is not None:
        mark = _CLOSING[opened[1]]
        for at in range(line, min(line + _MOST_ROWS, len(rows)) + 1):
            row = rows[at - 1]
            if row.strip():
                yield Repair(
                    at, at, [f"{row.rstrip()}{mark}"], f"Close this bracket: write {mark} at the end"
                )
    if re.match(r"unmatched '[)\]}]'|closing parenthesis", message):
        for extra in re.finditer(r"[)\]}]", here):
            without = here[: extra.start()] + here[extra.end() :]
            yield Repair(line, line, [without], f"Remove the {extra.group()} that closes nothing")
    yield from _without_prose(rows, line)
    if message.startswith("invalid") and "character" in message:
        yield from _with_plain_characters(rows, line)
    if "indent" in message:
        yield from _indented(rows, line)


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


def _indented(rows: list[str], line: int) -> Iterator[Repair]:
    """The row, or the rows from it on that have its indent, with the indent of a row above."""
    indent = _indent(rows[line - 1])
    last = line
    while last < len(rows) and rows[last].strip() and len(_indent(rows[last])) >= len(indent):
        last += 1
    if line > 1 and len(indent) % 4 == 0 and len(_indent(rows[line - 2])) % 4:
        yield Repair(
            line - 1, line - 1, [indent + rows[line - 2].lstrip()], "Indent this line as the one below"
        )
    above = [_indent(row) for row in reversed(rows[: line - 1]) if row.strip()]
    for end in dict.fromkeys((line, last)):
        for other in dict.fromkeys(above):
            moved = [f"{other}{row[len(indent) :]}" if row.strip() else row for row in rows[line - 1 : end]]
            yield Repair(line, end, moved, "Indent this line as the one above")


def _indent(row: str) -> str:
    return row[: len(row) - len(row.lstrip())]


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
