"""Terms: an elementwise expression of one input as data.

A term is the input, a number, a named parameter, or a function of terms; what the functions are, `functions.FORMULAS`
says. Terms are simplified as they are made, as far as a derivative needs it to be short.
"""

from __future__ import annotations

from dataclasses import dataclass

_CONDITIONS = frozenset({"gt", "ge", "lt", "le", "and", "or", "not"})


@dataclass(frozen=True)
class Term:
    """`function`: "x", "number", "parameter", or a key of FORMULAS. `value`: a number's, or a parameter's name."""

    function: str
    arguments: tuple[Term, ...] = ()
    value: float | str = 0.0

    @property
    def is_condition(self) -> bool:
        return self.function in _CONDITIONS

    @property
    def holds_input(self) -> bool:
        return self.function == "x" or any(each.holds_input for each in self.arguments)

    def __add__(self, other: Term | float) -> Term:
        return add(self, as_term(other))

    def __sub__(self, other: Term | float) -> Term:
        return add(self, multiply(number(-1), as_term(other)))

    def __rsub__(self, other: float) -> Term:
        return Term("sub", (number(other), self))

    def __mul__(self, other: Term | float) -> Term:
        return multiply(self, as_term(other))

    __radd__ = __add__
    __rmul__ = __mul__

    def __truediv__(self, other: Term | float) -> Term:
        return Term("div", (self, as_term(other)))


X = Term("x")


def number(value: float) -> Term:
    return Term("number", value=float(value))


def parameter(name: str) -> Term:
    return Term("parameter", value=name)


def as_term(value: Term | float) -> Term:
    return value if isinstance(value, Term) else number(value)


def add(a: Term, b: Term) -> Term:
    """a + b, without zeros, and as one number where both are."""
    for one, other in ((a, b), (b, a)):
        if one == number(0):
            return other
    if a.function == b.function == "number":
        return number(float(a.value) + float(b.value))
    return Term("add", (a, b))


def multiply(a: Term, b: Term) -> Term:
    """a * b, without zeros and ones; a choice of two constants times a constant stays such a choice."""
    for one, other in ((a, b), (b, a)):
        if one == number(0):
            return one
        if one == number(1):
            return other
        if one.function == "where" and not other.holds_input and not _varies(one):
            condition, yes, no = one.arguments
            return where(condition, multiply(yes, other), multiply(no, other))
    if a.function == b.function == "number":
        return number(float(a.value) * float(b.value))
    return Term("mul", (a, b))


def where(condition: Term, yes: Term | float, no: Term | float) -> Term:
    first, second = as_term(yes), as_term(no)
    return first if first == second else Term("where", (condition, first, second))


def function(name: str, *arguments: Term | float) -> Term:
    return Term(name, tuple(map(as_term, arguments)))


def _varies(choice: Term) -> bool:
    return any(each.holds_input for each in choice.arguments[1:])


def two_constants(derivative: Term) -> tuple[Term, Term, Term] | None:
    """Condition and constants of a derivative that takes two values at most; None for any other."""
    if derivative.function != "where" or _varies(derivative):
        return None
    condition, yes, no = derivative.arguments
    return condition, yes, no
