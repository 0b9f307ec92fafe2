"""CUDA statements that compute a term: a function of PyTorch a line.

In: a term. Out: lines that assign `a`, `b`, ..., and what to return. `W` is the type that is computed in, `T` the
tensor's; `x` is the input as W, and a parameter is `p.NAME`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from kernelgate.program.from_expression.functions import COMPARED_AS_STORED, EXACT, FORMULAS
from kernelgate.program.from_expression.terms import Term

_NAMES = "abcdefghijklmnoqrstuvwyz"  # neither x nor p


class CudaLines:
    """`lines` grow with each term that is asked for; what two terms have in common is computed once. `rounded`: each
    result is rounded to the tensor's type, as PyTorch stores it between two of its functions."""

    def __init__(self, *, rounded: bool) -> None:
        self.lines: list[str] = []
        self._rounded = rounded
        self._known: dict[Term, str] = {}
        self._names = _variable_names()

    def value(self, term: Term) -> str:
        """The name or literal that stands for a term."""
        if term.function == "x":
            return "x"
        if term.function == "number":
            return _literal(float(term.value))
        if term.function == "parameter":
            return f"W(p.{term.value})"
        if not term.holds_input and not term.is_condition:
            return f"W({_of_numbers(term)})"
        if term not in self._known:
            self._known[term] = self._assigned(term)
        return self._known[term]

    def _assigned(self, term: Term) -> str:
        values = [self.value(each) for each in term.arguments]
        if term.function in COMPARED_AS_STORED:
            values = [
                value if each.holds_input or each.is_condition else f"rounded<T>({value})"
                for each, value in zip(term.arguments, values, strict=True)
            ]
        text = FORMULAS[term.function].format(*values)
        if self._rounded and term.function not in EXACT:
            text = f"rounded<T>({text})"
        name = next(self._names)
        self.lines.append(f"const {'bool' if term.is_condition else 'W'} {name} = {text};")
        return name


def _of_numbers(term: Term) -> str:
    """A term without x, in double, as Python computes it before PyTorch sees it."""
    if term.function == "number":
        return _literal(float(term.value)).replace("W(", "double(")
    if term.function == "parameter":
        return f"p.{term.value}"
    values = [_of_numbers(each) for each in term.arguments]
    return f"({FORMULAS[term.function].replace('W(', 'double(').format(*values)})"


def _literal(value: float) -> str:
    if math.isinf(value):
        return f"W({'-' if value < 0 else ''}INFINITY)"
    return f"W({int(value)})" if value == int(value) and abs(value) < 1e6 else f"W({value!r})"


def _variable_names() -> Iterator[str]:
    yield from _NAMES
    count = 0
    while True:
        count += 1
        yield from (f"{name}{count}" for name in _NAMES)
