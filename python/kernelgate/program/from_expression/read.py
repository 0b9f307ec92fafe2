"""Reads an expression of PyTorch in one input, `x`, as a term.

In: `F.leaky_relu(x * scale, 0.1)`, `torch.nn.GELU()`, `x.clamp(min=0)`, and the names of its parameters. Out: the
expression as a call on x, and its term; ProgramError for what is no elementwise expression of floating numbers.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kernelgate.program.from_expression.refusals import changes_input, unknown
from kernelgate.program.from_expression.terms import Term, X, as_term, function, number, parameter
from kernelgate.program.source import ProgramError

_NONE = "none"
# What PyTorch's functions take behind the tensor, with their defaults.
_TAKES: dict[str, tuple[tuple[str, float | str | None], ...]] = {
    "leaky_relu": (("negative_slope", 0.01),),
    "elu": (("alpha", 1.0),),
    "celu": (("alpha", 1.0),),
    "gelu": (("approximate", _NONE),),
    "softplus": (("beta", 1.0), ("threshold", 20.0)),
    "hardtanh": (("min_val", -1.0), ("max_val", 1.0)),
    "hardshrink": (("lambd", 0.5),),
    "softshrink": (("lambd", 0.5),),
    "threshold": (("threshold", None), ("value", None)),
    "clamp": (("min", float("-inf")), ("max", float("inf"))),
    "clamp_min": (("min", None),),
    "clamp_max": (("max", None),),
    "maximum": (("other", None),),
    "minimum": (("other", None),),
    "rsub": (("other", None),),
    "pow": (("exponent", None),),
    "add": (("other", None),),
    "sub": (("other", None),),
    "mul": (("other", None),),
    "div": (("other", None),),
}
_PLAIN = (
    "abs exp expm1 log log1p sqrt rsqrt reciprocal sin cos tanh erf sigmoid relu relu6 selu silu mish logsigmoid "
    "hardswish hardsigmoid square neg softsign tanhshrink tan asin acos atan sinh cosh asinh acosh atanh exp2 log2 "
    "log10 erfc floor ceil trunc round sign frac deg2rad rad2deg"
)
_TAKES |= {name: () for name in _PLAIN.split()}
CLASSES = {
    "CELU": "celu", "ELU": "elu", "GELU": "gelu", "Hardshrink": "hardshrink", "Hardsigmoid": "hardsigmoid",
    "Hardswish": "hardswish", "Hardtanh": "hardtanh", "LeakyReLU": "leaky_relu", "LogSigmoid": "logsigmoid",
    "Mish": "mish", "ReLU": "relu", "ReLU6": "relu6", "SELU": "selu", "SiLU": "silu", "Sigmoid": "sigmoid",
    "Softplus": "softplus", "Softshrink": "softshrink", "Softsign": "softsign", "Tanh": "tanh",
    "Tanhshrink": "tanhshrink", "Threshold": "threshold",
}  # fmt: skip
_OTHER_NAMES = {
    "multiply": "mul",
    "divide": "div",
    "subtract": "sub",
    "negative": "neg",
    "absolute": "abs",
    "clip": "clamp",
    "true_divide": "div",
    "expit": "sigmoid",
    "sgn": "sign",
    "fix": "trunc",
    "max": "maximum",
    "min": "minimum",
} | {f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")}
_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}
_RELATIONS = {ast.Gt: "gt", ast.GtE: "ge", ast.Lt: "lt", ast.LtE: "le"}
_LOGIC = {ast.BitAnd: "and", ast.BitOr: "or"}
_LOGICAL = {"logical_and": "and", "logical_or": "or", "logical_not": "not"}
_FILLED = {"zeros_like": 0.0, "ones_like": 1.0}
_PACKAGES = ("torch", "torch.nn", "torch.nn.functional", "torch.special", "nn", "F")
_MOST_NODES = 200


@dataclass(frozen=True)
class Reading:
    """`text`: the expression, in x."""

    text: str
    term: Term


def read_expression(expression: str, parameters: Collection[str] = ()) -> Reading:
    """Raises ProgramError."""
    if not expression.strip():
        raise ProgramError("There is no expression", None, _EXAMPLE)
    try:
        node = ast.parse(expression.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as exc:
        words = exc.msg if isinstance(exc, SyntaxError) else str(exc)
        raise ProgramError(f"The expression is no Python: {words}", None, _EXAMPLE) from None
    if sum(1 for _ in ast.walk(node)) > _MOST_NODES:
        raise ProgramError(
            "The expression is too long for one kernel", None, "Split it into several operators"
        )
    if isinstance(node, ast.Lambda) and len(node.args.args) == 1:
        own = node.args.args[0].arg
        named = {each.id for each in ast.walk(node.body) if isinstance(each, ast.Name)}
        node = _Renamed(own).visit(node.body) if own == "x" or "x" not in named else node
    node = _Unrolled().visit(_called_on_x(_Folded().visit(node)))
    reader = _Reader(parameters)
    term = reader.term(node)
    if term.is_condition or not term.holds_input:
        raise ProgramError("The expression computes nothing from x", None, _EXAMPLE)
    unused = [name for name in parameters if name not in reader.used]
    if unused:
        raise ProgramError(
            f"The expression uses no {unused[0]}", None, f"Leave the parameter {unused[0]} out"
        )
    return Reading(ast.unparse(node), term)


_EXAMPLE = "Write it as x * torch.sigmoid(x), or torch.nn.GELU()"


def _called_on_x(node: ast.expr) -> ast.expr:
    """A module or a function alone is called on x."""
    if any(isinstance(each, ast.Name) and each.id == "x" for each in ast.walk(node)):
        return node
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call):
        raise ProgramError("The expression computes nothing from x, its one input", None, _EXAMPLE)
    if isinstance(node, ast.Attribute) and node.attr in CLASSES:
        node = ast.Call(node, [], [])
    return ast.Call(node, [ast.Name("x", ast.Load())], [])


class _Renamed(ast.NodeTransformer):
    """A lambda's body with its parameter as x."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return ast.Name("x", ast.Load()) if node.id == self._name else node


class _Folded(ast.NodeTransformer):
    """Numbers of Python's module math, such as math.pi and math.sqrt(2), as they are written out."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.expr:
        package, name = _path(node)
        value = getattr(math, name, None) if package == "math" else None
        return ast.Constant(value) if isinstance(value, float) else node

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        package, name = _path(node.func)
        values = [each.value for each in node.args if isinstance(each, ast.Constant)]
        numbers = [each for each in values if isinstance(each, int | float)]
        if package != "math" or node.keywords or len(numbers) != len(node.args):
            return node
        try:
            return ast.Constant(float(getattr(math, name)(*numbers)))
        except (AttributeError, TypeError, ValueError, OverflowError) as exc:
            raise ProgramError(f"{ast.unparse(node)[:80]} is no number: {exc}", None, _EXAMPLE) from None


class _Unrolled(ast.NodeTransformer):
    """nn.Sequential(a, b)(x) as b(a(x))."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        made = node.func
        if not isinstance(made, ast.Call) or _path(made.func)[1] != "Sequential" or len(node.args) != 1:
            return node
        result = node.args[0]
        for each in made.args:
            result = ast.copy_location(ast.Call(each, [result], []), node)
        return self.visit(result) if made.args else node


class _Reader:
    def __init__(self, parameters: Collection[str]) -> None:
        self._parameters = parameters
        self.used = set[str]()

    def term(self, node: ast.expr) -> Term:
        if isinstance(node, ast.Name):
            return self._name(node.id)
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, int | float)
            and not isinstance(node.value, bool)
        ):
            return number(float(node.value))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            inner = self.term(node.operand)
            return number(-float(inner.value)) if inner.function == "number" else function("neg", inner)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.UAdd):
            return self.term(node.operand)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Invert):
            return self._condition(node, "not", [node.operand])
        if isinstance(node, ast.BinOp) and type(node.op) in _LOGIC:
            return self._condition(node, _LOGIC[type(node.op)], [node.left, node.right])
        if isinstance(node, ast.BinOp):
            return self._binary(node)
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and type(node.ops[0]) in _RELATIONS:
            sides = self.term(node.left), self.term(node.comparators[0])
            self._refuse_comparisons(node, *sides)
            return function(_RELATIONS[type(node.ops[0])], *sides)
        if isinstance(node, ast.Call):
            return self._call(node)
        raise unknown(node)

    def _name(self, name: str) -> Term:
        if name == "x":
            return X
        if name in self._parameters:
            self.used.add(name)
            return parameter(name)
        raise ProgramError(
            f"{name} is neither x, the one input, nor a parameter",
            None,
            f"Give it a number: {name}=1.0; of two inputs no operator is made",
        )

    def _binary(self, node: ast.BinOp) -> Term:
        left, right = self.term(node.left), self.term(node.right)
        name = _BINARY.get(type(node.op))
        if isinstance(node.op, ast.Mult):  # a comparison times a number of x's type: 1 or 0 of it
            left, right = _as_factor(left, right), _as_factor(right, left)
        self._refuse_comparisons(node, left, right)
        if isinstance(node.op, ast.Pow):
            return _power(left, right)
        if name is None:
            raise unknown(node)
        return function(name, left, right)

    def _condition(self, node: ast.expr, name: str, parts: Sequence[ast.expr]) -> Term:
        terms = [self.term(each) for each in parts]
        if not all(each.is_condition for each in terms):
            raise unknown(node)
        return function(name, *terms)

    def _refuse_comparisons(self, node: ast.expr, *terms: Term) -> None:
        if any(each.is_condition for each in terms):
            raise ProgramError(
                f"{ast.unparse(node)[:80]} computes with a comparison as if it were a number",
                None,
                "Choose by it: torch.where(x > 0, x, 0.0)",
            )

    def _call(self, node: ast.Call) -> Term:
        if isinstance(node.func, ast.Call):  # torch.nn.GELU()(x)
            made, name = node.func, _path(node.func.func)[1]
            if name in CLASSES and len(node.args) == 1 and not node.keywords:
                return self._applied(CLASSES[name], node.args[0], made.args, made.keywords, node)
            raise unknown(node)
        package, name = _path(node.func)
        name = _OTHER_NAMES.get(name, name)
        if package in _PACKAGES:
            if name == "where" and len(node.args) == 3:
                return self._where(node)
            if name in _LOGICAL and not node.keywords:
                return self._condition(node, _LOGICAL[name], node.args)
            if name in _FILLED and _is_x(node.args) and not node.keywords:
                return number(_FILLED[name])
            if not node.args:
                raise unknown(node)
            return self._applied(name, node.args[0], node.args[1:], node.keywords, node)
        if isinstance(node.func, ast.Name) and name == "abs" and len(node.args) == 1:
            return self._applied(name, node.args[0], [], [], node)
        if isinstance(node.func, ast.Attribute) and ast.unparse(node).endswith(
            (".to(x.dtype)", ".type_as(x)")
        ):
            term = self.term(node.func.value)
            return function("where", term, 1.0, 0.0) if term.is_condition else term
        if isinstance(node.func, ast.Attribute):
            return self._applied(name, node.func.value, node.args, node.keywords, node)
        raise unknown(node)

    def _where(self, node: ast.Call) -> Term:
        condition, yes, no = map(self.term, node.args)
        self._refuse_comparisons(node, yes, no)
        if not condition.is_condition:
            raise ProgramError(
                f"{ast.unparse(node.args[0])[:80]} is no comparison",
                None,
                "Write torch.where(x > 0, ..., ...)",
            )
        if not (yes.holds_input or no.holds_input):
            raise ProgramError(
                f"{ast.unparse(node)[:80]} is of PyTorch's default type, whatever the type of x",
                None,
                "Multiply within the choice: torch.where(x > 0, x, 0.1 * x)",
            )
        return function("where", condition, yes, no)

    def _applied(
        self,
        name: str,
        on: ast.expr,
        arguments: Sequence[ast.expr],
        keywords: Sequence[ast.keyword],
        node: ast.expr,
    ) -> Term:
        if name not in _TAKES:
            raise unknown(node)
        takes = _TAKES[name]
        given: dict[str, Term | float | str | None] = dict(takes)
        named = [(key, value) for (key, _), value in zip(takes, arguments, strict=False)]
        named += [(each.arg or "", each.value) for each in keywords if each.arg != "inplace"]
        if len(arguments) > len(takes) or any(key not in given for key, _ in named):
            raise unknown(node)
        for key, value in named:
            if isinstance(value, ast.Constant) and value.value in (_NONE, "tanh"):
                given[key] = str(value.value)
            else:
                given[key] = self.term(value)
        if any(value is None for value in given.values()):
            raise unknown(node)
        term = self.term(on)
        self._refuse_comparisons(node, term, *[each for each in given.values() if isinstance(each, Term)])
        in_place = [each for each in keywords if each.arg == "inplace"]
        if term == X and any(ast.unparse(each.value) != "False" for each in in_place):
            raise changes_input(node, "it without inplace")
        if not term.holds_input:
            raise ProgramError(
                f"{ast.unparse(node)[:80]} is of numbers, and PyTorch's functions are of tensors",
                None,
                "Compute the number with Python's operators, or pass it as a parameter",
            )
        return _function(name, term, list(given.values()))


def _is_x(arguments: Sequence[ast.expr]) -> bool:
    return len(arguments) == 1 and isinstance(arguments[0], ast.Name) and arguments[0].id == "x"


def _as_factor(term: Term, other: Term) -> Term:
    known = term.is_condition and other.holds_input and not other.is_condition
    return function("where", term, 1.0, 0.0) if known else term


def _function(name: str, on: Term, given: Sequence[Term | float | str | None]) -> Term:
    if name == "gelu":
        return function("gelu" if given[0] == _NONE else "gelu_tanh", on)
    values = [as_term(each) for each in given if isinstance(each, Term | float)]
    if name == "pow":
        return _power(on, values[0])
    if name == "hardtanh":
        return function("clamp_inside", on, *values)
    if name == "relu6":
        return function("clamp_inside", on, 0.0, 6.0)
    if name == "softsign":
        return function("div", on, function("add", function("abs", on), 1.0))
    if name in ("clamp_min", "clamp_max"):
        below, above = float("-inf"), float("inf")
        return function("clamp", on, *((values[0], above) if name == "clamp_min" else (below, values[0])))
    if name == "rsub":
        return function("sub", values[0], on)
    if name == "frac":
        return function("sub", on, function("trunc", on))
    if name in ("deg2rad", "rad2deg"):
        return function("mul", on, math.pi / 180 if name == "deg2rad" else 180 / math.pi)
    if name == "tanhshrink":
        return function("sub", on, function("tanh", on))
    return function(name, on, *values)


def _power(base: Term, exponent: Term) -> Term:
    known = {2.0: "square", 3.0: "cube", 0.5: "sqrt", -0.5: "rsqrt", -1.0: "reciprocal"}
    if exponent.holds_input:
        raise ProgramError(
            "An exponent that depends on x is not known",
            None,
            "Write torch.exp2(x) for 2 ** x, or torch.exp of a product",
        )
    if exponent.function == "number" and float(exponent.value) in known:
        return function(known[float(exponent.value)], base)
    return function("pow", base, exponent)


def _path(node: ast.expr) -> tuple[str, str]:
    """A dotted name as its package and its last part."""
    package, _, last = ast.unparse(node).rpartition(".")
    return package, last
