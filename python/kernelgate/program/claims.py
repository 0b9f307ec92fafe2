"""What a program's comments, or the prose of the answer that it stands in, claim of it.

In: a candidate. Out: `Claim`s with the person's line. Words are read as far as they can be read for certain; code is
not looked at. Not here: whether a claim holds (`judge.claims`).
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from kernelgate.program.candidate import Candidate
from kernelgate.program.source import to_lines

ClaimKind = Literal["speed", "one kernel", "gradient", "bitwise", "elements"]
_MOST = 12
_KINDS: tuple[tuple[ClaimKind, re.Pattern[str]], ...] = (
    (
        "speed",
        re.compile(
            r"(?P<times>\d+(?:\.\d+)?)\s?(?:x|×|times) (?:faster|speed-?up)"
            r"|speed-?up of (?:about )?(?P<of>\d+(?:\.\d+)?)"
            r"|\bfaster than (?:PyTorch|eager|torch|the (?:original|reference))\b",
            re.IGNORECASE,
        ),
    ),
    (
        "one kernel",
        re.compile(r"\b(?:one|single) (?:fused )?(?:CUDA )?kernel\b|\bfully fused\b", re.IGNORECASE),
    ),
    (
        "gradient",
        re.compile(
            r"\b(?:supports?|keeps?|preserves?|provides?|handles?) (?:the )?(?:backward|autograd|gradients?|training)\b"
            r"|\bfully differentiable\b",
            re.IGNORECASE,
        ),
    ),
    (
        "bitwise",
        re.compile(
            r"\bbit-?wise (?:equal|identical|exact)|\bbit-exact\b|\bbit for bit\b"
            r"|\b(?:numerically|exactly) (?:identical|equal|the same)\b",
            re.IGNORECASE,
        ),
    ),
)
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_SCALE = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "b": 1e9, "g": 1e9}
_PRODUCT = re.compile(rf"(?P<one>{_NUMBER})\s?[x×*]\s?(?P<two>{_NUMBER})(?:\s?[x×*]\s?(?P<three>{_NUMBER}))?"
                      rf"\s?(?:=|≈|~|\(|is)+\s?(?:about |roughly |approximately |~|≈)?(?P<value>{_NUMBER})"
                      r"\s?(?P<scale>thousand|million|billion|[KMBG]\b)?", re.IGNORECASE)  # fmt: skip
_COUNT = re.compile(
    rf"(?P<value>{_NUMBER})\s?(?P<scale>thousand|million|billion|[KMBG]\b)\s(?:total )?(?:elements|floats|values)\b",
    re.IGNORECASE,
)
_DIRECTIVE = r"\s*(?:include|define|if|ifdef|ifndef|else|endif|pragma|undef)\b"
_COMMENT = re.compile(rf"(?:(?:^|\s)#(?!{_DIRECTIVE})|//)(?P<words>.*)$")


@dataclass(frozen=True)
class Claim:
    """`words` as they are written. `number`: the factor, or the count, that is claimed; None where there is none.
    `counted`: what the words' own factors multiply to."""

    kind: ClaimKind
    words: str
    line: int | None
    number: float | None = None
    counted: float | None = None


def claims(candidate: Candidate) -> list[Claim]:
    """In the order of the person's lines, each kind once a line."""
    found = [claim for line, words in _prose(candidate) for claim in _in(words, line)]
    return found[:_MOST]


def _in(words: str, line: int | None) -> Iterator[Claim]:
    for kind, pattern in _KINDS:
        hit = pattern.search(words)
        if hit is not None and not re.search(r"\b(?:not?|without|never|isn't|doesn't)\b", words[: hit.start()][-30:]):
            groups = hit.groupdict()
            number = groups.get("times") or groups.get("of")
            yield Claim(kind, hit.group(), line, float(number) if number else None)
    product = _PRODUCT.search(words)
    if product is not None:
        factors = [product.group(name) for name in ("one", "two", "three") if product.group(name)]
        counted = math.prod(_value(each, None) for each in factors)
        yield Claim("elements", product.group(), line, _value(product.group("value"), product.group("scale")), counted)
    elif (count := _COUNT.search(words)) is not None:
        yield Claim("elements", count.group(), line, _value(count.group("value"), count.group("scale")))


def _value(number: str, scale: str | None) -> float:
    return float(number.replace(",", "")) * _SCALE.get((scale or "").lower(), 1.0)


def _prose(candidate: Candidate) -> Iterator[tuple[int | None, str]]:
    """Prose around a program, its comments and docstrings; a line of the person's cell each."""
    rows = candidate.python.split("\n")
    documented = _docstring_lines(candidate)
    for number, text in enumerate(to_lines(candidate.source.text), start=1):
        row = rows[number - 1] if number <= len(rows) and candidate.language == "python" else text
        line = candidate.source.cell_line(number)
        if (text.strip() and not row.strip()) or number in documented:
            yield line, text
        elif (comment := _COMMENT.search(text)) is not None:
            yield line, comment.group("words")


def _docstring_lines(candidate: Candidate) -> set[int]:
    lines: set[int] = set()
    for node in ast.walk(candidate.tree) if candidate.language == "python" else ():
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and ast.get_docstring(node, clean=False):
            first = node.body[0]
            lines |= set(range(first.lineno, (first.end_lineno or first.lineno) + 1))
    return lines
