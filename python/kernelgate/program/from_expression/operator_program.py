"""A drop-in program for an elementwise expression, and its problem.

In: an expression in x, the values of its parameters, and a size. Out: `GeneratedOperator`. What is kept for the
gradient is whatever moves least: a bit an element where the derivative takes two values, and x otherwise.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kernelgate.program.from_expression import device_template, template
from kernelgate.program.from_expression.device_template import CudaLines
from kernelgate.program.from_expression.functions import WIDENED_BY_AUTOCAST, derivative_of
from kernelgate.program.from_expression.read import Reading, read_expression
from kernelgate.program.from_expression.terms import Term, two_constants
from kernelgate.program.source import ProgramError

_SPELLED = {"*": "times", "/": "over", "+": "plus", "-": "minus", "**": "power", ">": "above", "<": "below"}
_SIZES = re.compile(r"\d+(?:x\d+)*", re.ASCII)
# Names that the program gives to something else, and words of C++.
_TAKEN = """
    x y p n grad grad_x mask stride from like kept forward backward packed self size auto bool case char const
    default delete do double enum explicit export extern float goto inline int long namespace new operator private
    protected public register reference short signed sizeof static struct switch template this throw typename
    union unsigned using virtual void volatile
"""


@dataclass(frozen=True)
class GeneratedOperator:
    """`program`: defines ModelNew, and imports torch alone. `problem`: defines Model, get_inputs and get_init_inputs.
    `kept`: what a call keeps for its gradient. `name`: an identifier, which the program's operators begin with."""

    name: str
    program: str
    problem: str
    kept: Literal["mask", "input"]


def operator(expression: str, *, size: str = "4096x393216", **parameters: float) -> GeneratedOperator:
    """An operator for an expression of PyTorch in one input, `x`.

    `torch.nn.GELU()`, `F.leaky_relu(x * scale, 0.1)`: functions and modules of PyTorch, + - * / **, torch.where, clamp.
    `parameters`: the numbers that the expression names; they become ModelNew's constructor. `size`: of the problem's
    input. Raises ProgramError where the expression is not elementwise, with what to write instead.
    """
    for name, value in parameters.items():
        if name in _TAKEN.split() or name.startswith("_"):
            raise ProgramError(
                f"A parameter cannot be named {name}", None, "Give it another name, as slope=0.1"
            )
        if type(value) not in (int, float):
            raise ProgramError(f"{name}={value!r} is no number", None, f"Give one, as {name}=0.1")
    if not _SIZES.fullmatch(size):
        raise ProgramError(f"{size[:40]!r} is no size", None, "Write it as 4096x393216")
    reading = read_expression(expression, parameters)
    values = {name: float(value) for name, value in parameters.items()}
    slope = derivative_of(reading.term)
    choice = (None, slope, slope) if not slope.holds_input else two_constants(slope)
    text = _Text(reading, values)
    return GeneratedOperator(
        name=text.name,
        program=text.program(slope, choice),
        problem=text.problem([int(each) for each in size.split("x")]),
        kept="input" if choice is None else "mask",
    )


class _Text:
    """The texts for one expression."""

    def __init__(self, reading: Reading, values: Mapping[str, float]) -> None:
        self._reading = reading
        self._values = values
        self.name = _name(reading.text, values)

    def program(self, slope: Term, choice: tuple[Term | None, Term, Term] | None) -> str:
        masked = choice is not None
        whole = template.PROGRAM.replace(
            "@DEVICE_SLOPE@", device_template.DEVICE_MASK if masked else device_template.DEVICE_INPUT
        )
        for place, with_mask, with_input in (
            ("@KERNELS@", device_template.KERNELS_MASK, device_template.KERNELS_INPUT),
            ("@HOST_BACKWARD@", template.HOST_MASK, template.HOST_INPUT),
            ("@SHAPES@", template.SHAPES_MASK, template.SHAPES_INPUT),
            ("@AUTOGRAD@", template.AUTOGRAD_MASK, template.AUTOGRAD_INPUT),
        ):
            whole = whole.replace(place, with_mask if masked else with_input)
        if choice is not None:
            condition, yes, no = choice
            whole = whole.replace("@CONDITION_LINES@", _condition_lines(condition))
            whole = whole.replace("@SLOPE_LINES@", _choice_lines(yes, no))
        else:
            whole = whole.replace("@SLOPE_LINES@", _lines(slope, rounded=False))
        return _filled(whole, self._fields(masked))

    def _fields(self, masked: bool) -> dict[str, str]:
        names, expression = list(self._values), self._reading.text
        numbers = "".join(f", float {name}" for name in names)
        kinds = (
            {"forward": "(Tensor x{}) -> Tensor", "with_mask": "(Tensor x{}) -> (Tensor, Tensor)",
             "backward": "(Tensor grad, Tensor mask, SymInt[] stride{}) -> Tensor"}
            if masked
            else {"forward": "(Tensor x{}) -> Tensor", "backward": "(Tensor grad, Tensor x{}) -> Tensor"}
        )  # fmt: skip
        widened = _functions(self._reading.term) & WIDENED_BY_AUTOCAST
        return {
            "TITLE": expression,
            "EXPRESSION": expression,
            "ID": self.name,
            "KEPT": "it keeps\none bit an element: the derivative takes one of two values."
            if masked
            else "it keeps x,\nas its derivative takes x.",
            "KEPT_WORD": "the mask, or null" if masked else "x, of backward alone",
            "KEPT_ALIGNED": "" if masked else " && aligned(kept)",
            "FIELDS": "".join(f"  double {name};\n" for name in names),
            "PARAMETERS": "".join(f", double {name}" for name in names),
            "NAMES": ", ".join(names),
            "PASS_BACKWARD": f"static_cast<const {'unsigned char' if masked else 'T'}*>(kept)",
            "FORWARD_LINES": _lines(self._reading.term, rounded=True),
            "SCHEMAS": "".join(f'  m.def("{name}{kind.format(numbers)}");\n' for name, kind in kinds.items()),
            "IMPLEMENTED": "".join(f'  m.impl("{name}", &{name});\n' for name in kinds),
            "SIGNATURE": "".join(f", {name}" for name in names),
            "SELF": "".join(f", self.{name}" for name in names),
            "ARGUMENTS": ", ".join(f"{name}={value!r}" for name, value in self._values.items()),
            "AUTOCAST": ' or torch.is_autocast_enabled("cuda")' if widened else "",
            "INIT": self._init(),
        }

    def _init(self) -> str:
        if not self._values:
            return ""
        takes = ", ".join(f"{name}: float = {value!r}" for name, value in self._values.items())
        kept = "".join(f"        self.{name} = {name}\n" for name in self._values)
        return f"\n    def __init__(self, {takes}):\n        super().__init__()\n{kept}"

    def problem(self, sizes: list[int]) -> str:
        names = ["n"] if len(sizes) == 1 else ["batch_size", "dim"] if len(sizes) == 2 else []
        names = names or [f"size_{at}" for at in range(1, len(sizes) + 1)]
        constants = "".join(f"{name} = {value!r}\n" for name, value in self._values.items())
        return _filled(
            template.PROBLEM,
            {
                "EXPRESSION": self._reading.text,
                "SIZES": "\n".join(f"{name} = {size}" for name, size in zip(names, sizes, strict=True)),
                "CONSTANTS": constants,
                "MODEL_INIT": f"{self._init().lstrip(chr(10))}\n" if self._values else "",
                "SELF_EXPRESSION": _on_self(self._reading.text, self._values),
                "SIZE_NAMES": ", ".join(names),
                "INIT_INPUTS": ", ".join(self._values),
            },
        )


def _name(text: str, parameters: Mapping[str, float]) -> str:
    """The function's name if the expression is one call; else the expression spelled without its numbers, so that
    x * torch.sigmoid(x) is x_times_sigmoid."""
    found = re.findall(r"\d[\d.]*(?:e[-+]?\d+)?|\*\*|[*/+<>-]|[A-Za-z_]\w*", text.replace("(x)", ""))
    words = [word for word in found if not (word[0].isdigit() or word in ("torch", "nn", "functional", "F"))]
    if _SPELLED.keys().isdisjoint(words):
        words = [word for word in words if word not in ("x", *parameters)]
    return "_".join(_SPELLED.get(word, word.lower()) for word in words[:8]) or "expression"


def _filled(text: str, fields: Mapping[str, str]) -> str:
    return re.sub(r"@([A-Z_]+)@", lambda found: fields[found[1]], text)


def _lines(term: Term, *, rounded: bool) -> str:
    made = CudaLines(rounded=rounded)
    result = made.value(term)
    return "\n".join(f"  {line}" for line in [*made.lines, f"return {result};"])


def _condition_lines(condition: Term | None) -> str:
    return _lines(condition, rounded=True) if condition is not None else "  return true;"


def _choice_lines(yes: Term, no: Term) -> str:
    made = CudaLines(rounded=False)
    both = made.value(yes), made.value(no)
    return "\n".join(f"  {line}" for line in [*made.lines, f"return kept ? {both[0]} : {both[1]};"])


def _functions(term: Term) -> set[str]:
    return {term.function}.union(*map(_functions, term.arguments))


def _on_self(text: str, names: Mapping[str, float]) -> str:
    """The expression with its parameters as attributes of a module."""

    class Attributes(ast.NodeTransformer):
        def visit_Name(self, node: ast.Name) -> ast.expr:
            return (
                ast.Attribute(ast.Name("self", ast.Load()), node.id, ast.Load()) if node.id in names else node
            )

    return ast.unparse(Attributes().visit(ast.parse(text, mode="eval")))
