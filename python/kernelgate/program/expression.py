"""A problem of one line: an expression of PyTorch and its inputs, as a program in the KernelBench form.

In: texts such as `torch.nn.LayerNorm(768)` and `64x768`. Out: the program's text, or `ProgramError`. Nothing is
executed and PyTorch is not imported: what a name is, is read from its form (`GELU` is a class, `gelu` a function).
The judge runs what comes out, and a text may come from a stranger's notebook: it holds names of PyTorch's tensor
library, calls of these, and literals. `src/notebook/verify/torchExpression.ts` reads the same, by the same examples.
Not here: where the texts come from (`commands.references`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from kernelgate.program.source import ProgramError

MAX_EXPRESSION = 10_000
_SIZES = re.compile(r"\d+(?:x\d+)*", re.ASCII)
_SHORT = {"nn": "torch.nn", "F": "torch.nn.functional"}
_HOLDERS = ("torch", "torch.nn", "torch.nn.functional", "torch.special", "torch.linalg", "torch.fft")
# Of torch itself: these read, write or compile what a text names.
_NO_TENSOR_FUNCTIONS = ("load", "save", "from_file", "compile", "import_ir_module", "get_file_path")
_PLAIN = (ast.Constant, ast.Tuple, ast.List, ast.UnaryOp, ast.BinOp, ast.Compare)
_SMALLEST_SIZE = 16  # a smaller number may be a kernel's size, groups or heads
_ALLOWED = "a name of torch, torch.nn or torch.nn.functional, or a call of one with numbers, words and such calls"


def problem_text(expression: str, inputs: Sequence[str], *, constructor_takes: int | None = None) -> str:
    """A program in the KernelBench form. Raises ProgramError.

    `expression`: a module (`torch.nn.GELU()`), its class, a function (`torch.nn.functional.silu`), or a function with
    what it is given besides its inputs (`torch.softmax(dim=0)`).
    `inputs`: a tensor each, as sizes (`64x768`) or an expression; one expression may be a tuple of several.
    `constructor_takes`: how many arguments the candidate's constructor must be given. With 0 the module is made without
    any; else the candidate gets the arguments that the expression gives.
    """
    reference = _parsed(expression, "reference", "torch.nn.GELU(), torch.nn.functional.silu or torch.softmax(dim=0)")
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
        "import torch",
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
    return f"def get_inputs():\n    import torch\n\n    return [{', '.join(map(ast.unparse, drawn))}]\n"


def constructor_takes(tree: ast.Module) -> int | None:
    """How many arguments ModelNew's constructor can be given at most; None if the text does not say."""
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
        node: ast.expr = _Full().visit(ast.parse(text, mode="eval").body)
        refused = _refused(node)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as exc:
        words = exc.msg if isinstance(exc, SyntaxError) else str(exc)
        raise ProgramError(
            f"The {what} {_short(text)!r} is no file and no Python expression: {words}", None, f"Write it as {example}"
        ) from None
    if refused is not None or (isinstance(node, _PLAIN) and what == "reference"):
        part = _short(ast.unparse(node if refused is None else refused))
        place = part if part == _short(text) else f"{part}, in {_short(text)},"
        raise ProgramError(
            f"The {what} {place} is not {_ALLOWED}", None, f"Write it as {example}; anything else goes into a file"
        )
    return node


class _Full(ast.NodeTransformer):
    """Writes names from torch on."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        full: ast.expr = ast.parse(_SHORT.get(node.id, node.id), mode="eval").body
        return full


def _refused(node: ast.expr) -> ast.expr | None:
    """The first part that is neither a literal, nor a name of PyTorch's tensor library or a call of one."""
    if isinstance(node, ast.Constant):
        return node if isinstance(node.value, bytes) else None
    if isinstance(node, ast.Attribute):
        return None if _is_known(*ast.unparse(node).rpartition(".")[::2]) else node
    if isinstance(node, ast.Call) and not isinstance(node.func, ast.Attribute):
        return node.func
    parts = [each.value if isinstance(each, ast.keyword) else each for each in ast.iter_child_nodes(node)]
    spread = isinstance(node, ast.Call) and any(keyword.arg is None for keyword in node.keywords)
    if spread or not isinstance(node, (*_PLAIN, ast.Call)):
        return node
    return next((bad for each in parts if isinstance(each, ast.expr) and (bad := _refused(each)) is not None), None)


def _is_known(holder: str, name: str) -> bool:
    if holder not in _HOLDERS or name.startswith("_"):
        return False
    return name[0].isupper() == (holder == "torch.nn") and not (holder == "torch" and name in _NO_TENSOR_FUNCTIONS)


def _input(text: str) -> list[ast.expr]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 1 and all(part.isdecimal() for part in parts):
        what = f"{text} is read as {len(parts)} inputs of one size each"
        raise ProgramError(what, None, f"Write {'x'.join(parts)} for one input, or an --input for each")
    if all(_SIZES.fullmatch(part) for part in parts):
        draw = ast.parse("torch.randn", mode="eval").body
        return [ast.Call(draw, [ast.Constant(int(size)) for size in part.split("x")], []) for part in parts]
    node = _parsed(text, "input", "64x768, or as torch.randn(64, 768)")
    return list(node.elts) if isinstance(node, ast.Tuple | ast.List) else [node]


def literal_arguments(node: ast.expr) -> list[ast.expr] | None:
    """The arguments of a module's constructor if all of them are plain values, which a candidate can be given."""
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


def _model(reference: ast.expr, *, passes: bool) -> list[str]:
    text = ast.unparse(reference)
    called = reference.func if isinstance(reference, ast.Call) else reference
    if _is_class(called):
        if passes or called is reference:
            return ["", f"Model = {ast.unparse(called)}", ""]
        return ["", "def Model():", f"    return {text}", ""]
    given = ""
    if isinstance(reference, ast.Call):
        if reference.args:
            raise ProgramError(
                f"{_short(text)} is called without its inputs",
                None,
                f"Name what it is given besides them, as {ast.unparse(called)}(dim=1)",
            )
        given = "".join(f", {ast.unparse(each)}" for each in reference.keywords)
    return [
        "",
        "class Model(torch.nn.Module):",
        "    def forward(self, *inputs):",
        f"        return {ast.unparse(called)}(*inputs{given})",
        "",
    ]


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
