"""What the line of a magic of ours says: its options, whether the magic runs or a call names its cell; and what the
body below it is: code that uses ModelNew, which means our program, or one to judge.

In: a line, a body, or the text of a cell. Out: options by name; what the body is, by parsing, never by a flag. Not
here: what a magic does (`notebook.magics`).
"""

from __future__ import annotations

import argparse
import ast
import re
import shlex
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from kernelgate.catalogue import Operator, operators
from kernelgate.commands.options import Parser, add_options, add_output_options, written_options
from kernelgate.commands.subcommands import RUN_VERBS, VERBS, add_plain_verbs
from kernelgate.notebook.sources import shell_here
from kernelgate.program.kind import bindings, is_cuda, is_markdown, mentions_model_new
from kernelgate.program.names import near_model_new
from kernelgate.run import UsageError

_MAGIC = re.compile(r"\s*(?:%load_ext\s+\w+\s+)?%%?(\w+)([^\n]*)\n?")


class SaidByMagic(NamedTuple):
    options: dict[str, Any]
    uses_ours: bool
    """Whether the body holds no program, so that ours is meant."""


def said_by_magic(text: str) -> SaidByMagic | None:
    """What a cell says that a magic of ours begins; None for any other cell. Raises UsageError."""
    found = _MAGIC.match(text)
    name = found[1] if found is not None else ""
    operator = next((one for one in operators().values() if one.magic == name), None)
    if found is None or not (operator or name == "kernelgate"):
        return None
    args = parsed(operator_parser(operator) if operator is not None else umbrella_parser(), found[2])
    if args is None or getattr(args, "verb", "verify") not in RUN_VERBS:
        raise UsageError(f"The cell verifies nothing: %{name}{found[2]}", "Name a cell with a program")
    body, shell = text[found.end() :], shell_here()
    as_python = shell.transform_cell if shell is not None else str
    return SaidByMagic(said(args), not body.strip() or body_kind(body, args.name, as_python) == "uses")


def operator_parser(operator: Operator) -> Parser:
    parser = Parser(
        prog=f"%{operator.magic}",
        help_hint=f"See %{operator.magic} --help",
        description=f"Verifies a program for {operator.name}: this cell's, or ours if the cell only uses ModelNew.",
    )
    parser.add_argument("--benchmark", action="store_true", help="time it as well")
    parser.add_argument("--profile", action="store_true", help="time and profile it as well")
    parser.set_defaults(operator=operator.id)
    _add_cell_options(parser)
    add_options(parser, "every", "timing", verb="profile")
    return parser


def umbrella_parser() -> Parser:
    parser = Parser(
        prog="%kernelgate",
        help_hint="See %kernelgate --help",
        description="Prove CUDA kernels against PyTorch.",
    )
    verbs = parser.add_subparsers(dest="verb", metavar=VERBS)
    for verb, does in RUN_VERBS.items():
        run_verb = verbs.add_parser(verb, help=f"{does}: this cell's program, or ours without a body")
        run_verb.add_argument("operator", metavar="ID", nargs="?", help=f"one of: {', '.join(operators())}")
        _add_cell_options(run_verb)
        add_options(run_verb, verb=verb)
        run_verb.add_argument("--reference-cell", metavar="N", help="the cell that holds the reference, n of In [n]")
    add_plain_verbs(verbs)
    return parser


def _add_cell_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--as", dest="name", default="ModelNew", metavar="NAME", help="the name to bind it to"
    )
    add_output_options(parser)


def parsed(parser: Parser, line: str) -> argparse.Namespace | None:
    """The options; None if the person asked for help, which is printed. Raises UsageError."""
    try:
        return parser.parse_args(shlex.split(line))
    except ValueError as exc:
        raise UsageError(f"The options cannot be read: {str(exc).lower()}", parser.help_hint) from None
    except SystemExit:  # after --help
        return None


def said(args: argparse.Namespace) -> dict[str, Any]:
    """The options as they were written, `--reference-cell 3` as `--reference cell:3`. Raises UsageError."""
    written = written_options(args)
    if args.operator is not None:
        if "problem" in written:
            raise UsageError("Two problems are named", "Name one")
        written["problem"] = args.operator
    number = getattr(args, "reference_cell", None)
    if number is not None:
        if "reference" in written:
            raise UsageError("Two references are named", "Name one: --reference or --reference-cell")
        written["reference"] = f"cell:{number}"
    return written


BodyKind = Literal["uses", "defines", "other"]


def body_kind(body: str, name: str, as_python: Callable[[str], str]) -> BodyKind:
    """Whether it names ModelNew, or the `name` that it is bound to, or defines it; CUDA C++ and Markdown define.

    A class of nearly that name is one that was to be judged, unless it uses ModelNew itself.
    """
    try:
        tree = ast.parse(as_python(body))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return "defines" if is_cuda(body) or is_markdown(body) or mentions_model_new(body) else "other"
    names = {"ModelNew", name}
    if any(True for each in names for _ in bindings(tree, each)):
        return "defines"
    near = near_model_new(tree)
    return "uses" if _named(tree, names) and (near is None or _named(near, names)) else "other"


def _named(tree: ast.AST, names: set[str]) -> bool:
    itself = set()  # a class names itself in `super(ModelNew, self)`, which uses nothing
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Name) and node.func.id == "super":
                itself |= set(node.args)
            elif _is_magic(node):
                texts = [each.value for each in node.args if isinstance(each, ast.Constant)]
                if any(re.search(rf"\b{name}\b", str(text)) for text in texts for name in names):
                    return True
    return any(isinstance(node, ast.Name) and node.id in names and node not in itself for node in ast.walk(tree))


def _is_magic(call: ast.Call) -> bool:
    """`%timeit ModelNew()(x)`, as IPython writes it: the rest of the line is a text."""
    shell = call.func.value if isinstance(call.func, ast.Attribute) else None
    return isinstance(shell, ast.Call) and isinstance(shell.func, ast.Name) and shell.func.id == "get_ipython"
