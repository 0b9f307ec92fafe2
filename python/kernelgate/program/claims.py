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
from kernelgate.report.lines import to_lines

ClaimKind = Literal["speed", "one kernel", "gradient", "bitwise", "elements"]
_MOST = 12
_NUMBER = r"\d[\d,]*(?:\.\d+)?(?:e\+?\d+)?"
_TIMES = r"\d+(?:\.\d+)?"
_OURS = r"(?:the |a )?(?:naive |stock |native |default |built-?in )*(?:PyTorch|eager|torch|original|reference|baseline)"
_KINDS: tuple[tuple[ClaimKind, re.Pattern[str]], ...] = (
    (
        "speed",
        re.compile(
            rf"(?P<times>{_TIMES})\s?(?:x|×|times) (?:faster|quicker|speed-?up|over {_OURS})"
            rf"|speed-?up(?: of)?:? ?(?:about |roughly |up to |~|≈)?(?P<of>{_TIMES})(?:\s?[x×])?"
            rf"|\boutperforms? {_OURS}\b(?:'s \w+)?(?: by (?:about |up to |~)?(?P<by>{_TIMES})\s?[x×])?"
            rf"|\d+ ?% faster\b|\btwice as fast\b|\border of magnitude faster\b|\bfaster than {_OURS}\b",
            re.IGNORECASE,
        ),
    ),
    (
        "one kernel",
        re.compile(
            r"\b(?:one|single)[ -](?:fused )?(?:CUDA )?(?:kernel|launch)\b|\bfully fused\b"
            r"|\bfus(?:es?|ed|ing)\b[^.;]{0,60}\b(?:kernel|pass|launch)\b",
            re.IGNORECASE,
        ),
    ),
    (
        "gradient",
        re.compile(
            r"\b(?:supports?|keeps?|preserves?|provides?|handles?|implements?|compatible with|works with)"
            r" (?:the |full |PyTorch(?:'s)? )*(?:backward|back-?propagation|autograd|gradients?|training)\b"
            r"|\b(?:backward(?: pass)?|autograd|gradients?|training) (?:is|are) (?:fully |also |correctly )*"
            r"(?:supported|handled|preserved|computed|implemented)\b"
            r"|\bgradients? (?:can )?flows?\b|\b(?:fully |end-to-end )differentiable\b"
            r"|\bdifferentiable end[ -]to[ -]end\b",
            re.IGNORECASE,
        ),
    ),
    (
        "bitwise",
        re.compile(
            r"\bbit-?wise[ -](?:equal|identical|exact|the same)|\bbit[ -](?:exact|identical)\b"
            r"|\bbit[ -](?:for|by)[ -]bit\b"
            r"|\b(?:numerically|exactly) (?:identical|equals?|the same)\b"
            rf"|\bexactly match(?:es)? {_OURS}|\b(?:match(?:es)?|equals?) {_OURS}(?:'s \w+)? exactly\b",
            re.IGNORECASE,
        ),
    ),
)
_REACH = 40  # of a denial, in characters
_CLAUSE = re.compile(r"[.,;:!?]|\bbut\b", re.IGNORECASE)
_DENIAL = re.compile(
    r"\b(?:not(?! (?:only|just|merely)\b)|no|without|never|cannot|neither|nor|hardly|lacks?)\b|n['’]t\b",
    re.IGNORECASE,
)
_OTHER_THAN = re.compile(
    r"\b(?:(?:rather|more|other|less) than|instead of|unlike)(?: (?:a|an|the|any|using|just|only))* ?$", re.IGNORECASE
)
_DENIED_BEHIND = re.compile(
    r"\s*(?:(?:is|are|was|were|would|will|could|can|does|do)"
    r"(?: not(?! (?:only|just|merely)\b)| never|n['’]t)|cannot|won['’]t)\b",
    re.IGNORECASE,
)
_SCALE = {"thousand": 1e3, "k": 1e3, "million": 1e6, "m": 1e6, "billion": 1e9, "b": 1e9, "g": 1e9}
_SCALED = (
    rf"(?P<value>{_NUMBER})(?![.,]?\d)\s?"
    r"(?:(?P<scale>thousand|million|billion|[KMBG]\b)|[x×*·]\s?10(?:(?:\^|\*\*)(?P<power>\d+)|(?P<raised>[⁰¹²³⁴-⁹]+)))?"
)
_THINGS = r"(?:elements|floats|values|entries|numbers)\b"
# Behind another unit, as in 4 x 1024 = 4 KB, the product is not what is counted.
_PRODUCT = re.compile(
    rf"(?<![\w.])(?P<factors>{_NUMBER}(?:\s?[x×*]\s?{_NUMBER})+)\s?(?:=|≈|~|\(|is)+\s?"
    rf"(?:about |roughly |approximately |~|≈)?{_SCALED}"
    rf"(?=\s*(?:$|[.;:!)\]]|,(?!\d)|(?:total |in total|threads\b|{_THINGS})))",
    re.IGNORECASE,
)
_OPERATOR_BEFORE = re.compile(r"[x×*/+^-]\s*$", re.IGNORECASE)
_COUNT = re.compile(
    rf"{_SCALED}\s(?:total )?{_THINGS}(?!\s?(?:/|per\b))"
    rf"|\b(?:total|number of) elements:? {_SCALED.replace('?P<', '?P<total_')}",
    re.IGNORECASE,
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_LEAST_UNSCALED = 10_000.0
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
        if hit is not None and not _denied(words, hit):
            groups = hit.groupdict()
            number = groups.get("times") or groups.get("of") or groups.get("by")
            yield Claim(kind, hit.group(), line, float(number) if number else None)
    product = _PRODUCT.search(words)
    if product is not None:
        if not _OPERATOR_BEFORE.search(words[: product.start()]):
            factors = re.findall(_NUMBER, product.group("factors"), re.IGNORECASE)
            counted = math.prod(float(each.replace(",", "")) for each in factors)
            yield Claim("elements", product.group(), line, _value(product), counted)
    elif (count := _COUNT.search(words)) is not None:
        value = _value(count) if count.group("value") else _value(count, "total_")
        if value >= _LEAST_UNSCALED:
            yield Claim("elements", count.group(), line, value)


def _denied(words: str, hit: re.Match[str]) -> bool:
    """By what stands before it in its clause, or right behind it."""
    before = _CLAUSE.split(words[: hit.start()])[-1][-_REACH:]
    return bool(_DENIAL.search(before) or _OTHER_THAN.search(before) or _DENIED_BEHIND.match(words[hit.end() :]))


def _value(found: re.Match[str], prefix: str = "") -> float:
    """The number that `_SCALED` has matched."""
    number, scale, power, raised = (found.group(f"{prefix}{name}") for name in ("value", "scale", "power", "raised"))
    exponent = int((power or raised or "0").translate(_SUPERSCRIPTS))
    return float(number.replace(",", "")) * _SCALE.get((scale or "").lower(), 1.0) * 10.0 ** min(exponent, 30)


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
