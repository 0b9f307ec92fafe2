"""The numbers of a reference program that can be set to another size.

In: a syntax tree. Out: `Number`s by name, and trees in which some of them have other values. A number is an integer
that the text spells out: a constant of the module (`N = 2048 * 2`), an element of one (`shape[1]`), a literal in
`get_inputs` or `get_init_inputs` (`get_inputs[0]`), in a shape or given to a function of the text, a constant of a
class (`Model.WIDTH`), or a default of its constructor (`Model.__init__.width`). What is computed from other names
follows them.
What a number is for only says what is made smaller first: a step after which the reference does not run is taken back,
whatever the name says. Not here: which value it should have (`check.sizes.search`).
A program that repeats `N = 4096`, and computes with it, means the problem's N; if that is set to another size for the
run, so is the candidate's, on the same lines.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

_LARGEST = 1 << 48
_DRAWING = ("get_inputs", "get_init_inputs")
_SHAPED = ("rand", "randn", "zeros", "ones", "empty", "full", "normal", "randint", "expand", "view", "reshape")


@dataclass(frozen=True)
class Number:
    """`in_class`: it belongs to a class, which a candidate writes anew."""

    name: str
    value: int
    role: Role
    in_class: bool
    node: ast.expr


def numbers_in(tree: ast.Module) -> dict[str, Number]:
    """By name; the last one of a name that is assigned twice."""
    return {number.name: number for number in _numbers(tree)}


def with_numbers(tree: ast.Module, sizes: Mapping[str, int]) -> ast.Module:
    """The tree itself, each number of a name in `sizes` replaced; names that it does not have are passed over."""
    values = {
        id(number.node): sizes[number.name]
        for number in _numbers(tree)
        if number.name in sizes and sizes[number.name] != number.value
    }
    _Replaced(values).visit(tree)
    return tree


class _Replaced(ast.NodeTransformer):
    def __init__(self, values: Mapping[int, int]) -> None:
        self._values = values

    def visit(self, node: ast.AST) -> ast.AST:
        if id(node) not in self._values:
            return self.generic_visit(node)
        return ast.copy_location(ast.Constant(self._values[id(node)]), node)


def _numbers(tree: ast.Module) -> Iterator[Number]:
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            yield from _assigned(node, "", in_class=False)
        elif isinstance(node, ast.ClassDef):
            yield from _of_class(node)
        elif isinstance(node, ast.FunctionDef) and node.name in _DRAWING:
            yield from _drawn(node, _parameters(tree) if node.name == "get_init_inputs" else [], _functions(tree))


def _assigned(node: ast.Assign | ast.AnnAssign, prefix: str, *, in_class: bool) -> Iterator[Number]:
    target = node.targets[0] if isinstance(node, ast.Assign) else node.target
    value = node.value
    if isinstance(target, ast.Name) and value is not None:
        yield from _value(value, target.id, prefix, in_class=in_class)
    elif isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        for one, its in zip(target.elts, value.elts, strict=False):
            if isinstance(one, ast.Name):
                yield from _value(its, one.id, prefix, in_class=in_class)


def _value(node: ast.expr, name: str, prefix: str, *, in_class: bool) -> Iterator[Number]:
    """The number that an expression is, or those in the tuple or list that it is; `[1024] * 16` holds one."""
    number = _folded(node)
    if number is not None:
        yield Number(prefix + name, number, role_of(name, number), in_class, node)
        return
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        node = node.left
    if isinstance(node, ast.Tuple | ast.List):
        for position, element in enumerate(node.elts):
            number = _folded(element)
            if number is not None:
                role = role_of(name, number, position, len(node.elts))
                yield Number(f"{prefix}{name}[{position}]", number, role, in_class, element)


def _of_class(node: ast.ClassDef) -> Iterator[Number]:
    for part in node.body:
        if isinstance(part, ast.Assign | ast.AnnAssign):
            yield from _assigned(part, f"{node.name}.", in_class=True)
        elif isinstance(part, ast.FunctionDef) and part.name == "__init__":
            named = part.args.args[len(part.args.args) - len(part.args.defaults) :]
            pairs = [
                *zip(named, part.args.defaults, strict=True),
                *zip(part.args.kwonlyargs, part.args.kw_defaults, strict=True),
            ]
            for argument, default in pairs:
                if default is not None:
                    yield from _value(default, argument.arg, f"{node.name}.__init__.", in_class=True)


def _parameters(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "Model":
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.name == "__init__":
                    return [argument.arg for argument in part.args.args[1:]]
    return []


def _functions(tree: ast.Module) -> dict[str, list[str]]:
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    return {node.name: [argument.arg for argument in node.args.args] for node in functions}


def _drawn(
    function: ast.FunctionDef, parameters: list[str], functions: Mapping[str, list[str]]
) -> Iterator[Number]:
    finder = _Literals(parameters, functions)
    for statement in function.body:
        finder.visit(statement)
    prefix = function.name
    for position, (name, number, role, node) in enumerate(finder.found):
        yield Number(f"{prefix}.{name}" if name else f"{prefix}[{position}]", number, role, False, node)


class _Literals(ast.NodeVisitor):
    """`found`: the name that a literal is assigned to or "", its value, its role and its place."""

    def __init__(self, parameters: list[str], functions: Mapping[str, list[str]]) -> None:
        self._parameters = parameters
        self._functions = functions
        self.found: list[tuple[str, int, Role, ast.expr]] = []

    def visit_Assign(self, node: ast.Assign) -> None:
        number = _folded(node.value)
        if number is not None and isinstance(node.targets[0], ast.Name):
            name = node.targets[0].id
            self.found.append((name, number, role_of(name, number), node.value))
        else:
            self.visit(node.value)

    def visit_Return(self, node: ast.Return) -> None:
        if not (self._parameters and isinstance(node.value, ast.List | ast.Tuple)):
            self.generic_visit(node)
            return
        for name, element in zip(self._parameters, node.value.elts, strict=False):
            for number in _value(element, name, "", in_class=False):
                self.found.append(("", number.value, number.role, number.node))

    def visit_Call(self, node: ast.Call) -> None:
        self.visit(node.func)
        called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        sizes = self._sizes(called, node)
        for position, element in enumerate(sizes):
            number = _folded(element)
            if number is not None:
                role = role_in_shape(number, position, len(sizes))
                self.found.append(("", number, role, element))
        named = self._functions.get(node.func.id, []) if isinstance(node.func, ast.Name) else []
        given = [*zip(named, node.args, strict=False), *((word.arg, word.value) for word in node.keywords if named)]
        for name, argument in given:
            for one in _value(argument, name or "", "", in_class=False):
                self.found.append(("", one.value, one.role, one.node))
        for argument in node.args:
            if argument not in sizes:
                self.visit(argument)

    def _sizes(self, called: str, node: ast.Call) -> list[ast.expr]:
        if called not in _SHAPED:
            return []
        given = [a for a in node.args if isinstance(a, ast.Tuple | ast.List)]
        if given:
            return list(given[-1].elts)
        return [] if called in ("randint", "full", "normal") else list(node.args)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        self.visit(node.value)  # an index is no size


def _folded(node: ast.expr) -> int | None:
    if isinstance(node, ast.Constant):
        return node.value if type(node.value) is int else None
    if not isinstance(node, ast.BinOp):
        return None
    left, right = _folded(node.left), _folded(node.right)
    if left is None or right is None:
        return None
    number: int | None = None
    if isinstance(node.op, ast.Add):
        number = left + right
    elif isinstance(node.op, ast.Sub):
        number = left - right
    elif isinstance(node.op, ast.Mult):
        number = left * right
    elif isinstance(node.op, ast.FloorDiv) and right:
        number = left // right
    elif isinstance(node.op, ast.Pow | ast.LShift) and 0 <= right <= 48 and abs(left) <= 1024:
        number = left**right if isinstance(node.op, ast.Pow) else left << right
    return number if number is not None and abs(number) <= _LARGEST else None


Role = Literal["batch", "space", "other", "channels", "structure"]
"""batch; height, width, length; a size of unknown use; channels or features; what the module is built of, such as a
kernel's size, groups, heads, layers or classes."""


def _words_of(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BATCH = {"batch", "batches", "batchsize", "bs", "b", "nbatch"}
_ALONE = {"b", "h", "w", "d", "t", "l", "c"}  # letters that mean something as a whole name only
_SPACE = _words_of(
    "height width depth length len seq seqlen sequence image img h w d t l time frames frame spatial resolution "
    "rows columns cols row col tokens points samples context pixels dim1 dim2 dim3"
)
_CHANNELS = _words_of(
    "channel channels feature features embed embedding embd emb hidden dim model units unit planes filters inner mlp "
    "ff ffn vocab widths sizes size in out input output inputs outputs proj 1x1 3x3 5x5 c state"
)
_STRUCTURE = _words_of(
    "kernel ksize stride strides pad padding padded dilation dilations group groups head heads nhead layer layers "
    "stage stages class classes ratio rate factor pool patch window block blocks expansion expand reduction axis "
    "top topk order seed seeds iter iters iterations steps step expert experts cluster clusters bins bits power degree "
    "ndim ndims label labels levels repeats reduce growth shift splits parts"
)
_SMALL = 8  # a smaller number may count anything


def role_of(name: str, value: int, position: int = 0, elements: int = 1) -> Role:
    """`position`, `elements`: where the name holds a tuple, which element is meant, and of how many."""
    words = _words(name)
    if any(word in _BATCH for word in words):
        return "batch" if position == 0 else role_in_shape(value, position, elements)
    if value < _SMALL:
        return "structure"
    if any(word in ("sizes", "widths", "dims", "channels", "features") for word in words):
        return "channels"
    if any(word in _STRUCTURE for word in words):
        return "structure"
    if elements > 1 and words and words[-1] in ("shape", "size"):
        return role_in_shape(value, position, elements)
    if any(word in _SPACE for word in words):
        return "space"
    if words == ["depth"] and value < 2 * _SMALL:
        return "structure"
    return "channels" if any(word in _CHANNELS for word in words) else "other"


def _words(name: str) -> list[str]:
    """ "maxSeqLen_2" as max, seq, len; dim1 stays what it is."""
    words = [word.lower() for word in re.split(r"_+|(?<=[a-z])(?=[A-Z])", name)]
    words = [word if word in _SPACE | _CHANNELS else word.rstrip("0123456789") for word in words]
    return [word for word in words if word and (len(words) == 1 or word not in _ALONE)]


def role_in_shape(value: int, position: int, elements: int) -> Role:
    """Of a number in a shape of so many dimensions."""
    if position == 0 and elements > 1 and value > 1:
        return "batch"
    if value < _SMALL:
        return "structure"
    if elements >= 3:
        return "channels" if position == 1 else "space"
    return "other"


def shared_in_class(reference: str, candidate: str) -> set[str]:
    """The reference's names of numbers in classes that the candidate has too, with the same value; of Model's, under
    ModelNew's name."""
    theirs = _of_candidate(candidate)
    return {
        name
        for name, number in numbers_in(ast.parse(reference)).items()
        if number.in_class and any(_same(number, theirs.get(one)) for one in _names(name))
    }


def with_sizes(candidate: str, reference: str, sizes: Mapping[str, int]) -> str:
    """The candidate with the reference's sizes: each number that it has too, and reads, is set to the same."""
    found = repeated(candidate, reference)
    return _replaced(candidate, [(one.node, size) for name, size in sizes.items() for one in found.get(name, ())])


def repeated(candidate: str, reference: str) -> dict[str, list[Number]]:
    """The reference's names of numbers that the candidate has too, and reads; and where it has them."""
    theirs, read = _of_candidate(candidate), _names_read(ast.parse(candidate))
    found: dict[str, list[Number]] = {}
    for name, ours in numbers_in(ast.parse(reference)).items():
        for one in _names(name):
            number = theirs.get(one)
            used = number is not None and (number.in_class or one.partition("[")[0] in read)
            if used and number is not None and _same(ours, number):
                found.setdefault(name, []).append(number)
    return found


def _same(ours: Number, theirs: Number | None) -> bool:
    return theirs is not None and ours.value == theirs.value


def _names(name: str) -> tuple[str, ...]:
    """Of a number in Model, what it is called in a candidate: `ModelNew.WIDTH`, and of any class its own name."""
    owner, dot, rest = name.partition(".")
    return (name, f"ModelNew{dot}{rest}") if owner == "Model" else (name,)


def _of_candidate(candidate: str) -> dict[str, Number]:
    """Those on one line, which can be replaced in the text; none of the functions that draw inputs."""
    return {
        name: number
        for name, number in numbers_in(ast.parse(candidate)).items()
        if number.node.lineno == number.node.end_lineno and not name.startswith(_DRAWING)
    }


def _names_read(tree: ast.Module) -> set[str]:
    parts = [n for n in tree.body if not (isinstance(n, ast.FunctionDef) and n.name in _DRAWING)]
    return {
        node.id
        for part in parts
        for node in ast.walk(part)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }


def _replaced(text: str, places: list[tuple[ast.expr, int]]) -> str:
    rows = text.encode().split(b"\n")
    for node, size in sorted(places, key=lambda place: (place[0].lineno, place[0].col_offset), reverse=True):
        row = rows[node.lineno - 1]
        rows[node.lineno - 1] = row[: node.col_offset] + str(size).encode() + row[node.end_col_offset :]
    return b"\n".join(rows).decode()
