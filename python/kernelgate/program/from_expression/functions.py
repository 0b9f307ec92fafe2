"""The functions that an expression may use: PyTorch's names for them, their formula in CUDA, and their derivative.

A formula gives what PyTorch's own kernel gives, before it is rounded to the tensor's type. `W` is the type in which it
computes: float for float32, float16 and bfloat16, double for float64. NaN passes where it passes in PyTorch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from kernelgate.program.from_expression.terms import Term, as_term, function, where

_SIGMOID = "W(1) / (W(1) + exp(-{0}))"
_SELU_SCALE, _SELU_ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
_ROOT_2_OVER_PI = math.sqrt(2 / math.pi)

FORMULAS = {
    "add": "{0} + {1}",
    "sub": "{0} - {1}",
    "mul": "{0} * {1}",
    "div": "{0} / {1}",
    "neg": "-{0}",
    "abs": "fabs({0})",
    "square": "{0} * {0}",
    "cube": "{0} * {0} * {0}",
    "pow": "pow({0}, {1})",
    "exp": "exp({0})",
    "expm1": "expm1({0})",
    "log": "log({0})",
    "log1p": "log1p({0})",
    "sqrt": "sqrt({0})",
    "rsqrt": "W(1) / sqrt({0})",
    "reciprocal": "W(1) / {0}",
    "sin": "sin({0})",
    "cos": "cos({0})",
    "tan": "tan({0})",
    "asin": "asin({0})",
    "acos": "acos({0})",
    "atan": "atan({0})",
    "sinh": "sinh({0})",
    "cosh": "cosh({0})",
    "asinh": "asinh({0})",
    "acosh": "acosh({0})",
    "atanh": "atanh({0})",
    "exp2": "exp2({0})",
    "log2": "log2({0})",
    "log10": "log10({0})",
    "erfc": "erfc({0})",
    "floor": "floor({0})",
    "ceil": "ceil({0})",
    "trunc": "trunc({0})",
    "round": "rint({0})",
    "sign": "{0} > W(0) ? W(1) : {0} < W(0) ? W(-1) : W(0)",
    "maximum": "{0} != {0} || {0} > {1} ? {0} : {1}",
    "minimum": "{0} != {0} || {0} < {1} ? {0} : {1}",
    "tanh": "tanh({0})",
    "erf": "erf({0})",
    "sigmoid": _SIGMOID,
    "relu": "{0} < W(0) ? W(0) : {0}",
    "leaky_relu": "{0} > W(0) ? {0} : {0} * {1}",
    "elu": "{0} > W(0) ? {0} : expm1({0}) * {1}",
    "celu": "{0} > W(0) ? {0} : {1} * expm1({0} / {1})",
    "selu": f"W({_SELU_SCALE!r}) * ({{0}} > W(0) ? {{0}} : W({_SELU_ALPHA!r}) * expm1({{0}}))",
    "gelu": f"{{0}} * W(0.5) * (W(1) + erf({{0}} * W({math.sqrt(0.5)!r})))",
    "gelu_tanh": (
        f"W(0.5) * {{0}} * (W(1) + tanh(W({_ROOT_2_OVER_PI!r}) * ({{0}} + W(0.044715) * {{0}} * {{0}} * {{0}})))"
    ),
    "silu": "{0} / (W(1) + exp(-{0}))",
    "mish": "{0} * tanh({0} > W(20) ? {0} : log1p(exp({0})))",
    "softplus": "{0} * {1} > {2} ? {0} : log1p(exp({0} * {1})) / {1}",
    "logsigmoid": "({0} < W(0) ? {0} : W(0)) - log1p(exp(-fabs({0})))",
    "hardswish": "{0} * clamped({0} + W(3), W(0), W(6)) * W(1.0 / 6)",  # PyTorch's kernels do not divide
    "hardsigmoid": "clamped({0} + W(3), W(0), W(6)) * W(1.0 / 6)",
    "clamp": "clamped({0}, {1}, {2})",
    "clamp_inside": "clamped({0}, {1}, {2})",  # of hardtanh: at its bounds the derivative is 0
    "hardshrink": "{0} >= -{1} && {0} <= {1} ? W(0) : {0}",
    "softshrink": "{0} > {1} ? {0} - {1} : {0} < -{1} ? {0} + {1} : {0} * W(0)",
    "threshold": "{0} <= {1} ? {2} : {0}",
    "where": "{0} ? {1} : {2}",
    "gt": "{0} > {1}",
    "ge": "{0} >= {1}",
    "lt": "{0} < {1}",
    "le": "{0} <= {1}",
    "and": "{0} && {1}",
    "or": "{0} || {1}",
    "not": "!{0}",
}
EXACT = frozenset(
    {"neg", "abs", "relu", "floor", "ceil", "trunc", "round", "sign", "maximum", "minimum", "where"}
    | {"gt", "ge", "lt", "le", "and", "or", "not"}
)
"""These give a number that the tensor's type already holds."""
COMPARED_AS_STORED = frozenset(
    {"gt", "ge", "lt", "le", "hardshrink", "softshrink", "threshold", "clamp", "clamp_inside"}
)
"""PyTorch rounds the constants of these to the tensor's type before it computes."""
WIDENED_BY_AUTOCAST = frozenset(
    {"exp", "expm1", "log", "log1p", "log2", "log10", "pow", "cube", "reciprocal", "rsqrt", "softplus"}
    | {"tan", "asin", "acos", "sinh", "cosh"}
)
"""Under autocast PyTorch computes these in float32, whatever the input's type: the result has another type."""

Local = Callable[[Term, tuple[Term, ...]], tuple[Term | None, ...]]


@dataclass(frozen=True)
class _Of:
    """The derivative of a function of one varying argument, by the function's own term and its argument."""

    rule: Callable[[Term, Term], Term]

    def __call__(self, whole: Term, arguments: tuple[Term, ...]) -> tuple[Term | None, ...]:
        return (self.rule(whole, arguments[0]), *[None] * (len(arguments) - 1))


def _sigmoid(a: Term) -> Term:
    return function("sigmoid", a)


def _inside(a: Term, low: Term | float, high: Term | float, relation: str = "lt") -> Term:
    other = {"lt": "gt", "le": "ge"}[relation]
    return function("and", function(other, a, low), function(relation, a, high))


def _positive(a: Term) -> Term:
    return function("gt", a, 0.0)


def _gelu(_whole: Term, a: Term) -> Term:
    density = function("exp", -0.5 * a * a) * (1 / math.sqrt(2 * math.pi))
    return 0.5 * (1 + function("erf", a * math.sqrt(0.5))) + a * density


def _gelu_tanh(_whole: Term, a: Term) -> Term:
    t = function("tanh", _ROOT_2_OVER_PI * (a + 0.044715 * (a * a * a)))
    slope = _ROOT_2_OVER_PI * (1 + 3 * 0.044715 * (a * a))
    return 0.5 * (1 + t) + 0.5 * a * (1 - t * t) * slope


def _mish(_whole: Term, a: Term) -> Term:
    t = function("tanh", function("softplus", a, 1.0, 20.0))
    return t + a * _sigmoid(a) * (1 - t * t)


def _softplus(_whole: Term, arguments: tuple[Term, ...]) -> tuple[Term | None, ...]:
    a, beta, threshold = arguments
    return where(function("gt", a * beta, threshold), 1.0, _sigmoid(a * beta)), None, None


def _clamp(_whole: Term, arguments: tuple[Term, ...]) -> tuple[Term | None, ...]:
    a, low, high = arguments
    return where(_inside(a, low, high, "le"), 1.0, 0.0), None, None


def _shrunk(_whole: Term, arguments: tuple[Term, ...]) -> tuple[Term | None, ...]:
    a, width = arguments
    return where(function("or", function("gt", a, width), function("lt", a, -1.0 * width)), 1.0, 0.0), None


def _celu(_whole: Term, arguments: tuple[Term, ...]) -> tuple[Term | None, ...]:
    a, alpha = arguments
    return where(_positive(a), 1.0, function("exp", a / alpha)), None


def _pow(_whole: Term, arguments: tuple[Term, ...]) -> tuple[Term | None, ...]:
    a, exponent = arguments
    return exponent * function("pow", a, exponent - 1.0), None


def _extreme(relation: str) -> Local:
    """Of maximum and minimum: 1 for the side that is taken, a half for each where they are equal."""

    def local(_whole: Term, arguments: tuple[Term, ...]) -> tuple[Term | None, ...]:
        a, b = arguments
        same = function("and", function("ge", a, b), function("le", a, b))
        return tuple(
            where(function(relation, one, other), 0.0, where(same, 0.5, 1.0))
            for one, other in ((a, b), (b, a))
        )

    return local


DERIVATIVES: dict[str, Local] = {
    "add": lambda _w, _a: (as_term(1), as_term(1)),
    "sub": lambda _w, _a: (as_term(1), as_term(-1)),
    "mul": lambda _w, a: (a[1], a[0]),
    "div": lambda w, a: (function("reciprocal", a[1]), -1.0 * w / a[1]),
    "neg": _Of(lambda _w, _a: as_term(-1)),
    "abs": _Of(lambda _w, a: where(_positive(a), 1.0, where(function("lt", a, 0.0), -1.0, 0.0))),
    "square": _Of(lambda _w, a: 2 * a),
    "cube": _Of(lambda _w, a: 3 * a * a),
    "pow": _pow,
    "exp": _Of(lambda w, _a: w),
    "expm1": _Of(lambda w, _a: w + 1),
    "log": _Of(lambda _w, a: function("reciprocal", a)),
    "log1p": _Of(lambda _w, a: function("reciprocal", 1 + a)),
    "sqrt": _Of(lambda w, _a: 0.5 * function("reciprocal", w)),
    "rsqrt": _Of(lambda w, _a: -0.5 * w * w * w),
    "reciprocal": _Of(lambda w, _a: -1.0 * w * w),
    "sin": _Of(lambda _w, a: function("cos", a)),
    "cos": _Of(lambda _w, a: -1.0 * function("sin", a)),
    "tan": _Of(lambda w, _a: 1 + w * w),
    "asin": _Of(lambda _w, a: function("rsqrt", 1 - a * a)),
    "acos": _Of(lambda _w, a: -1.0 * function("rsqrt", 1 - a * a)),
    "atan": _Of(lambda _w, a: function("reciprocal", a * a + 1)),
    "sinh": _Of(lambda _w, a: function("cosh", a)),
    "cosh": _Of(lambda _w, a: function("sinh", a)),
    "asinh": _Of(lambda _w, a: function("rsqrt", a * a + 1)),
    "acosh": _Of(lambda _w, a: function("rsqrt", a * a - 1)),
    "atanh": _Of(lambda _w, a: function("reciprocal", 1 - a * a)),
    "exp2": _Of(lambda w, _a: w * math.log(2)),
    "log2": _Of(lambda _w, a: function("reciprocal", a * math.log(2))),
    "log10": _Of(lambda _w, a: function("reciprocal", a * math.log(10))),
    "erfc": _Of(lambda _w, a: (-2 / math.sqrt(math.pi)) * function("exp", -1.0 * a * a)),
    **{name: _Of(lambda _w, _a: as_term(0)) for name in ("floor", "ceil", "trunc", "round", "sign")},
    "maximum": _extreme("lt"),
    "minimum": _extreme("gt"),
    "tanh": _Of(lambda w, _a: 1 - w * w),
    "erf": _Of(lambda _w, a: (2 / math.sqrt(math.pi)) * function("exp", -1.0 * a * a)),
    "sigmoid": _Of(lambda w, _a: w * (1 - w)),
    "relu": _Of(lambda _w, a: where(_positive(a), 1.0, 0.0)),
    "leaky_relu": lambda _w, a: (where(_positive(a[0]), 1.0, a[1]), None),
    "elu": lambda _w, a: (where(_positive(a[0]), 1.0, a[1] * function("exp", a[0])), None),
    "celu": _celu,
    "selu": _Of(
        lambda _w, a: where(_positive(a), _SELU_SCALE, _SELU_SCALE * _SELU_ALPHA * function("exp", a))
    ),
    "gelu": _Of(_gelu),
    "gelu_tanh": _Of(_gelu_tanh),
    "silu": _Of(lambda _w, a: _sigmoid(a) * (1 + a * (1 - _sigmoid(a)))),
    "mish": _Of(_mish),
    "softplus": _softplus,
    "logsigmoid": _Of(lambda _w, a: _sigmoid(-1.0 * a)),
    "hardswish": _Of(
        lambda _w, a: where(function("le", a, -3.0), 0.0, where(function("lt", a, 3.0), a / 3.0 + 0.5, 1.0))
    ),
    "hardsigmoid": _Of(lambda _w, a: where(_inside(a, -3.0, 3.0), 1 / 6, 0.0)),
    "clamp": _clamp,
    "clamp_inside": lambda _w, a: (where(_inside(a[0], a[1], a[2]), 1.0, 0.0), None, None),
    "hardshrink": _shrunk,
    "softshrink": _shrunk,
    "threshold": lambda _w, a: (where(function("gt", a[0], a[1]), 1.0, 0.0), None, None),
}
"""By each argument; None where nothing is differentiated by it."""


def derivative_of(term: Term) -> Term:
    """d term / d x."""
    if term.function == "x":
        return as_term(1)
    if not term.holds_input:
        return as_term(0)
    if term.function == "where":  # chosen, not multiplied: the side that is not taken may be infinite
        condition, yes, no = term.arguments
        return where(condition, derivative_of(yes), derivative_of(no))
    total = as_term(0)
    for local, argument in zip(DERIVATIVES[term.function](term, term.arguments), term.arguments, strict=True):
        if local is not None and argument.holds_input:
            total = total + local * derivative_of(argument)
    return total
