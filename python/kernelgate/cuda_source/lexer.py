"""A small lexer of C++: finds launches and declarations, and is not misled by strings or comments.

In: source text. Out: a blanked copy of the same length, and tokens with positions in it.
Not here: a preprocessor or a grammar.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_RAW_PREFIX = re.compile(r"(?:^|[^\w])(?:u8|u|U|L)?R$")
_BEGINS = re.compile(r"""//|/\*|["']""")
_NO_NEWLINE = re.compile(r"[^\n]")
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d(?:[\w.]|'(?=\w))*|\"\s*\"|'\s*'|<<<|::|->|##|<<|<=|>=|[^\s\w\\]")
_CLOSING = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Token:
    text: str
    start: int

    @property
    def end(self) -> int:
        return self.start + len(self.text)


def blank(source: str) -> str:
    """`source` with comments and insides of literals turned to spaces; newlines stay, positions agree."""
    parts: list[str] = []
    copied_to = at = 0

    def wipe(start: int, end: int) -> None:
        nonlocal copied_to
        parts.append(source[copied_to:start])
        parts.append(_NO_NEWLINE.sub(" ", source[start:end]))
        copied_to = max(start, end)

    while found := _BEGINS.search(source, at):
        i, what = found.start(), found.group()
        if what == "//":
            at = _end_of_line(source, i)
            wipe(i, at)
        elif what == "/*":
            close = source.find("*/", i + 2)
            at = len(source) if close < 0 else close + 2
            wipe(i, at)
        elif what == "'" and _is_digit_separator(source, i):
            at = i + 1
        else:
            at = _end_of_string(source, i) if what == '"' else _end_of_quoted(source, i)
            wipe(i + 1, at - 1)
    return "".join([*parts, source[copied_to:]])


def _end_of_line(source: str, i: int) -> int:
    # A backslash at its end carries a comment on to the next line.
    while True:
        newline = source.find("\n", i)
        if newline < 0:
            return len(source)
        if source[newline - 1] != "\\":
            return newline
        i = newline + 1


def _end_of_string(source: str, i: int) -> int:
    if not _RAW_PREFIX.search(source[max(0, i - 4) : i]):
        return _end_of_quoted(source, i)
    opening = source.find("(", i)
    delimiter = source[i + 1 : opening] if opening > 0 else ""
    close = source.find(f'){delimiter}"', i)
    return len(source) if close < 0 else close + len(delimiter) + 2


def _end_of_quoted(source: str, i: int) -> int:
    quote = source[i]
    i += 1
    while i < len(source) and source[i] not in (quote, "\n"):
        i += 2 if source[i] == "\\" else 1
    return min(i + 1, len(source))


def _is_digit_separator(source: str, i: int) -> bool:
    return 0 < i < len(source) - 1 and source[i - 1].isalnum() and source[i + 1].isalnum()


def tokens(blanked: str) -> list[Token]:
    """Tokens in order. `>` always stands alone, because only its surroundings say what it closes."""
    return [Token(m.group(), m.start()) for m in _TOKEN.finditer(blanked)]


def line_of(source: str, position: int) -> int:
    return source.count("\n", 0, position) + 1


def is_name(token: Token) -> bool:
    return token.text[0].isalpha() or token.text[0] == "_"


def closing(all_tokens: Sequence[Token], opening: int) -> int | None:
    """Index of the bracket that closes the one at index `opening`."""
    expected: list[str] = []
    for i in range(opening, len(all_tokens)):
        text = all_tokens[i].text
        if text in _CLOSING:
            expected.append(_CLOSING[text])
        elif text in (")", "]", "}"):
            if not expected or expected.pop() != text:
                return None
            if not expected:
                return i
    return None


def opening(all_tokens: Sequence[Token], close: int) -> int | None:
    """Index of the bracket that the one at index `close` closes."""
    depth = 0
    for i in range(close, -1, -1):
        text = all_tokens[i].text
        depth += (text in (")", "]", "}")) - (text in _CLOSING)
        if depth == 0:
            return i
    return None


def opening_angle(all_tokens: Sequence[Token], close: int) -> int | None:
    """Index of the `<` of the template argument list that the `>` at index `close` closes."""
    depth = 0
    i = close
    while i >= 0:
        text = all_tokens[i].text
        if text in (")", "]", "}"):
            # A comparison inside template arguments must stand in parentheses: skip them whole.
            partner = opening(all_tokens, i)
            if partner is None:
                return None
            i = partner
        elif text == ">":
            depth += 1
        elif text == "<":
            depth -= 1
            if depth == 0:
                return i
        elif text in (";", "{"):
            return None
        i -= 1
    return None


@dataclass(frozen=True)
class Edit:
    start: int
    end: int
    text: str


def apply(source: str, edits: Sequence[Edit]) -> str:
    """`source` with every edit made; an edit keeps the newlines of what it replaces, so line numbers stay."""
    parts = []
    at = 0
    for edit in sorted(edits, key=lambda e: e.start):
        missing = source.count("\n", edit.start, edit.end) - edit.text.count("\n")
        parts += [source[at : edit.start], edit.text, "\n" * max(0, missing)]
        at = edit.end
    return "".join([*parts, source[at:]])
