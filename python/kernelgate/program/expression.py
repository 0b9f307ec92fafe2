"""A problem of one line: an expression of PyTorch and its inputs, as a program in the KernelBench form.

In: texts such as `torch.nn.LayerNorm(768)` and `64x768`. Out: the program's text, or `ProgramError`. Nothing is
executed and PyTorch is not imported: what a name is, is read from its form (`GELU` is a class, `gelu` a function).
Not here: where the texts come from (`commands.references`).
"""

from __future__ import annotations

import ast
import builtins
import importlib.util
import re
from collections.abc import Iterator, Sequence

from kernelgate.program.source import ProgramError

MAX_EXPRESSION = 10_000
_SIZES = re.compile(r"\d+(?:x\d+)*", re.ASCII)
_IMPORTS = {"nn": "import torch.nn as nn", "F": "import torch.nn.functional as F", "np": "import numpy as np"}
_SMALLEST_SIZE = 16  # a smaller number may be a kernel's size, groups or heads
_EXAMPLE = "Write it as torch.nn.GELU() or torch.nn.functional.silu"


def problem_text(expression: str, inputs: Sequence[str], *, constructor_takes: int | None = None) -> str:
    """A program in the KernelBench form. Raises ProgramError.

    `expression`: a module (`torch.nn.GELU()`), its class, or a function (`torch.nn.functional.silu`, a lambda).
    `inputs`: a tensor each, as sizes (`64x768`) or an expression; one expression may be a tuple of several.
    `constructor_takes`: how many arguments the candidate's constructor must be given. With 0 the module is made without
    any; else the candidate gets the arguments that the expression gives.
    """
    reference = _parsed(expression, "reference", _EXAMPLE)
    drawn = [part for text in inputs for part in _input(text)]
    if not drawn:
        raise ProgramError(
            f"{_short(expression)} has no inputs", None, "Give each of them, as --input 64x768 or inputs=\"64x768\""
        )
    arguments = literal_arguments(reference)
    if arguments is not None and constructor_takes == 0:
        arguments = None
    sizes = _shared_sizes(arguments, drawn) if arguments is not None else {}
    naming = _Named(sizes)
    drawn = [naming.visit(part) for part in drawn]
    if arguments is not None:
        assert isinstance(reference, ast.Call)
        reference = naming.visit(reference)
    constants = [f"{name} = {size}" for size, name in sizes.items()]
    lines = [
        *_imports([reference, *drawn]),
        *(["", *constants] if constants else []),
        "",
        *_model(reference, passes=arguments is not None),
        "",
        "def get_inputs():",
        f"    return [{', '.join(map(ast.unparse, drawn))}]",
        "",
        "",
        "def get_init_inputs():",
        *_init_inputs(reference if arguments is not None else None),
    ]
    return "\n".join(lines) + "\n"


def inputs_text(inputs: Sequence[str]) -> str:
    """`get_inputs` for a program that has none. Raises ProgramError."""
    drawn = [part for text in inputs for part in _input(text)]
    imports = "".join(f"\n    {line}" for line in _imports(drawn))
    return f"def get_inputs():{imports}\n    return [{', '.join(map(ast.unparse, drawn))}]\n"


def constructor_takes(tree: ast.Module) -> int | None:
    """How many arguments ModelNew's constructor can be given at most; None where the text does not say."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "ModelNew"]
    for node in classes[-1].body if classes else []:
        if isinstance(node, ast.FunctionDef) and node.name == "__init__":
            given = node.args
            return None if given.vararg else len([*given.posonlyargs, *given.args]) - 1
    plain = bool(classes) and all(ast.unparse(base).endswith("Module") for base in classes[-1].bases)
    return 0 if plain else None


def _parsed(text: str, what: str, example: str) -> ast.expr:
    text = text.strip()
    if len(text) > MAX_EXPRESSION:
        raise ProgramError(f"The {what} has {len(text):,} characters", None, "Give a program in a file instead")
    try:
        node = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as exc:
        words = exc.msg if isinstance(exc, SyntaxError) else str(exc)
        raise ProgramError(
            f"The {what} {_short(text)!r} is no file and no Python expression: {words}", None, example
        ) from None
    _refuse_unknown_names(node)
    return node


def _refuse_unknown_names(node: ast.expr) -> None:
    bound = {each.arg for each in ast.walk(node) if isinstance(each, ast.arg)}
    bound |= {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    for name in _names(node):
        if name in bound or name in _IMPORTS or hasattr(builtins, name) or _installed(name):
            continue
        where = "torch.nn" if name[:1].isupper() else "torch.nn.functional"
        raise ProgramError(
            f"There is no name {name} in {_short(ast.unparse(node))}",
            None,
            f"Write it from its package on, as {where}.{name}",
        )


def _installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _names(node: ast.expr) -> Iterator[str]:
    yield from dict.fromkeys(n.id for n in ast.walk(node) if isinstance(n, ast.Name))


def _input(text: str) -> list[ast.expr]:
    parts = [part.strip() for part in text.split(",")]
    if all(_SIZES.fullmatch(part) for part in parts):
        draw = ast.parse("torch.randn", mode="eval").body
        return [ast.Call(draw, [ast.Constant(int(size)) for size in part.split("x")], []) for part in parts]
    node = _parsed(text, "input", "Write an input as 64x768, or as torch.randn(64, 768)")
    return list(node.elts) if isinstance(node, ast.Tuple | ast.List) else [node]


def literal_arguments(node: ast.expr) -> list[ast.expr] | None:
    """The arguments of a module's constructor where all of them are plain values, which a candidate can be given."""
    if not isinstance(node, ast.Call) or not _is_class(node.func):
        return None
    given = [*node.args, *(keyword.value for keyword in node.keywords)]
    if any(keyword.arg is None for keyword in node.keywords):
        return None
    for value in given:
        try:
            plain = ast.literal_eval(value)
        except (ValueError, TypeError, SyntaxError, RecursionError):
            return None
        if isinstance(plain, dict | set | bytes | complex):
            return None
    return given


def _is_class(node: ast.expr) -> bool:
    """By PyTorch's own convention: torch.nn.GELU is a class, torch.nn.functional.gelu a function."""
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name[:1].isupper()


def _shared_sizes(arguments: Sequence[ast.expr], drawn: Sequence[ast.expr]) -> dict[int, str]:
    """A name for each size that module and inputs have in common, so that both change where one does."""
    numbers = [_integers(part) for part in (arguments, drawn)]
    shared = sorted(numbers[0] & numbers[1])
    return {size: "size" if len(shared) == 1 else f"size_{at}" for at, size in enumerate(shared, start=1)}


def _integers(nodes: Sequence[ast.expr]) -> set[int]:
    found = (n for node in nodes for n in ast.walk(node) if isinstance(n, ast.Constant))
    return {n.value for n in found if type(n.value) is int and n.value >= _SMALLEST_SIZE}


class _Named(ast.NodeTransformer):
    """Writes the names of sizes for their numbers."""

    def __init__(self, names: dict[int, str]) -> None:
        self._names = names

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if type(node.value) is int and node.value in self._names:
            return ast.copy_location(ast.Name(self._names[node.value], ast.Load()), node)
        return node


def _imports(nodes: Sequence[ast.expr]) -> list[str]:
    used = dict.fromkeys(name for node in nodes for name in _names(node))
    bound = {each.arg for node in nodes for each in ast.walk(node) if isinstance(each, ast.arg)}
    more = [
        _IMPORTS.get(name, f"import {name}")
        for name in used
        if name != "torch" and name not in bound and (name in _IMPORTS or _installed(name))
        if not hasattr(builtins, name)
    ]
    return ["import torch", *more]


def _model(reference: ast.expr, *, passes: bool) -> list[str]:
    text = ast.unparse(reference)
    if passes:
        assert isinstance(reference, ast.Call)
        return ["", f"Model = {ast.unparse(reference.func)}", ""]
    if not isinstance(reference, ast.Call | ast.Lambda) and _is_class(reference):
        return ["", f"Model = {text}", ""]
    if isinstance(reference, ast.Call) and _is_class(reference.func):
        return ["", "def Model():", f"    return {text}", ""]
    called = f"({text})" if isinstance(reference, ast.Lambda) else text
    head = ["", "class Model(torch.nn.Module):"]
    if isinstance(reference, ast.Call):  # it makes the function: functools.partial(torch.sum, dim=1)
        head += ["    def __init__(self):", "        super().__init__()", f"        self.function = {text}", ""]
        called = "self.function"
    return [*head, "    def forward(self, *inputs):", f"        return {called}(*inputs)", ""]


def _init_inputs(reference: ast.expr | None) -> list[str]:
    if not isinstance(reference, ast.Call):
        return ["    return []"]
    if not reference.keywords:
        return [f"    return [{', '.join(map(ast.unparse, reference.args))}]"]
    called = ast.unparse(ast.Call(ast.Name("bind", ast.Load()), reference.args, reference.keywords))
    return [
        "    import inspect",
        "",
        "    bind = inspect.signature(Model).bind",
        f"    given = {called}",
        "    last = list(given.signature.parameters).index(list(given.arguments)[-1])",
        "    given.apply_defaults()",
        "    return list(given.args)[: last + 1]",
    ]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 80 else f"{text[:77]}..."
