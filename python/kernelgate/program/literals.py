"""String literals of a Python program, each with the line that each line of its value came from.

In: Python text. Out: `Literal`s; neighbouring literals that Python joins are one.
This is what maps a compiler's line in a CUDA string back to the person's line.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from dataclasses import dataclass

_START = re.compile(r"([A-Za-z]{0,3})(\"\"\"|'''|\"|')")
# Names differ by Python version: one STRING token before 3.12, parts after it.
_FORMATTED_START = getattr(tokenize, "FSTRING_START", -1)
_FORMATTED_END = getattr(tokenize, "FSTRING_END", -1)


@dataclass(frozen=True)
class Literal:
    """`lines[k]` is the line of the program where line k of `value` stands.

    The value of a formatted literal has its {...} unevaluated.
    """

    value: str
    lines: tuple[int, ...]
    formatted: bool = False

    @property
    def first_line(self) -> int:
        return self.lines[0]

    def line_of(self, value_line: int) -> int:
        """The program's line of line `value_line` of the value, counted from 1."""
        return self.lines[min(max(value_line, 1), len(self.lines)) - 1]


def literals(python: str) -> list[Literal]:
    """All string literals, in order; what cannot be tokenized is left out."""
    found: list[Literal] = []
    joins = False
    try:
        for text, line in _string_tokens(python):
            if text is None:
                joins = False
                continue
            literal = _literal(text, line)
            if literal is None:
                continue
            if joins:
                last = found.pop()
                # A value that ends with a newline has its next line in the next literal.
                kept = last.lines[:-1] if last.value.endswith("\n") or not last.value else last.lines
                continued = literal.lines[1:] if kept == last.lines else literal.lines
                literal = Literal(
                    last.value + literal.value, kept + continued, last.formatted or literal.formatted
                )
            found.append(literal)
            joins = True
    except (tokenize.TokenError, SyntaxError, RecursionError, MemoryError):
        pass  # Python has parsed it: only very odd texts get here. They lose line numbers, and no verdict
    return found


def _string_tokens(python: str) -> list[tuple[str | None, int]]:
    """Text and line of each string; (None, line) for a token that ends a row of joined strings."""
    lines = python.split("\n")
    tokens: list[tuple[str | None, int]] = []
    depth, begin = 0, (0, 0)
    for token in tokenize.generate_tokens(io.StringIO(python).readline):
        if token.type == _FORMATTED_START:
            if depth == 0:
                begin = token.start
            depth += 1
        elif token.type == _FORMATTED_END:
            depth -= 1
            if depth == 0:
                tokens.append((_between(lines, begin, token.end), begin[0]))
        elif depth == 0 and token.type == tokenize.STRING:
            tokens.append((token.string, token.start[0]))
        elif depth == 0 and token.type not in (tokenize.NL, tokenize.COMMENT):
            tokens.append((None, token.start[0]))
    return tokens


def _literal(text: str, line: int) -> Literal | None:
    start = _START.match(text)
    if start is None or "b" in start.group(1).lower():
        return None
    prefix, quote = start.group(1).lower(), start.group(2)
    body = text[start.end() : len(text) - len(quote)]
    lines = [line]
    position, raw = 0, "r" in prefix
    for escape in re.finditer(r"\\(?:\n|.)|\n", body):
        what = escape.group()
        if what == "\n":
            position += 1
            lines.append(line + position)
        elif what == "\\\n":
            position += 1
            if raw:
                lines.append(line + position)
        elif what == "\\n" and not raw:
            lines.append(line + position)
    if "f" in prefix or "t" in prefix:
        value = (body if raw else _unescaped(body)).replace("{{", "{").replace("}}", "}")
        return Literal(value, tuple(lines), formatted=True)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = ast.literal_eval(text)
    # A newline written as \x0a has no line of its own: it stays on the last one.
    missing = value.count("\n") + 1 - len(lines)
    return Literal(value, tuple(lines + [lines[-1]] * missing) if missing >= 0 else tuple(lines))


def _unescaped(body: str) -> str:
    simple = {"n": "\n", "t": "\t", "\\": "\\", "'": "'", '"': '"', "\n": ""}
    return re.sub(r"\\(\n|.)", lambda found: simple.get(found.group(1), found.group()), body)


def _between(lines: list[str], begin: tuple[int, int], end: tuple[int, int]) -> str:
    (first, left), (last, right) = begin, end
    if first == last:
        return lines[first - 1][left:right]
    return "\n".join([lines[first - 1][left:], *lines[first : last - 1], lines[last - 1][:right]])
