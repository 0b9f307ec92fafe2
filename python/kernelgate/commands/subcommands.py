"""The subcommands, the same in a shell and in a cell; and the answers of those that need no run: show, list,
operator, scaffold and doctor. No file is written about a module that PyTorch does not have."""

from __future__ import annotations

import argparse
import ast
import difflib
import importlib.util
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

from kernelgate.atomic_write import write_whole
from kernelgate.catalogue import Form, Operator, operators
from kernelgate.commands import doctor
from kernelgate.commands.option_table import OPTIONS
from kernelgate.commands.program_files import check_writable
from kernelgate.messages.job import Verb, suggestion
from kernelgate.program import ProgramError
from kernelgate.program.from_expression import operator
from kernelgate.program.scaffold import scaffold
from kernelgate.run import UsageError
from kernelgate.safe_path import Elsewhere

RUN_VERBS: dict[Verb, str] = {
    "verify": "build a program and check it",
    "benchmark": "build, check and time it",
    "profile": "build, check, time and profile it",
}
_FORMS = "full; short, to be read in one go; or benchmark, one file with its problem, as KernelBench's script takes it"
VERBS = ", ".join(
    [
        *RUN_VERBS,
        "fix",
        "watch",
        "evaluate",
        "export",
        "mcp",
        "completion",
        "show",
        "list",
        "operator",
        "scaffold",
        "doctor",
    ]
)


def add_plain_verbs(verbs: Any) -> None:
    """Adds the subcommands without a run to a parser."""
    show = verbs.add_parser("show", help="print our program for a problem")
    show.add_argument("problem", metavar="ID")
    show.add_argument("--form", choices=get_args(Form), default="full", help=_FORMS)
    verbs.add_parser("list", help="the problems of the catalogue")
    make = verbs.add_parser(
        "operator", help="write a drop-in program for an elementwise expression, and its problem"
    )
    make.add_argument("expression", metavar="EXPRESSION", help="in x, such as 'x * torch.sigmoid(x)'")
    make.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help="a number that the expression names",
    )
    make.add_argument(
        "--size", default="4096x393216", metavar="SIZES", help="of the problem's input, as 64x768"
    )
    make.add_argument("--folder", default=".", metavar="FOLDER", help="where to; here if not given")
    start = verbs.add_parser("scaffold", help="write a program to start from, and its problem")
    start.add_argument("expression", metavar="EXPRESSION", help="a module or function, such as torch.nn.GELU")
    start.add_argument("--input", dest="inputs", action="append", default=[], help=OPTIONS["inputs"].help)
    start.add_argument("--folder", default=".", metavar="FOLDER", help="where to; here if not given")
    checkup = verbs.add_parser("doctor", help="what works here, and what to do about the rest")
    checkup.add_argument("--json", action="store_true", help="the same for programs")


def answer(args: argparse.Namespace) -> tuple[str, int]:
    """What such a subcommand prints, and its exit status. Raises UsageError."""
    if args.verb == "show":
        return program_of(args.problem, args.form).rstrip("\n"), 0
    if args.verb == "list":
        return listed(), 0
    if args.verb == "scaffold":
        return scaffolded(args.expression, args.inputs, Path(args.folder)), 0
    if args.verb == "operator":
        return generated(args.expression, args.parameter, args.size, Path(args.folder)), 0
    diagnosis = doctor.diagnose()
    return doctor.as_json(diagnosis) if args.json else doctor.as_text(diagnosis), diagnosis.status


def scaffolded(expression: str, inputs: Sequence[str], folder: Path) -> str:
    """Writes the two files, neither over another one; what to do with them. Raises UsageError."""
    try:
        refuse_missing_name(expression)
        made = scaffold(expression, inputs)
    except ProgramError as exc:
        raise UsageError(exc.what, exc.next_step) from None
    return _written(folder, made.name, made.problem, made.program)


def generated(expression: str, parameters: Sequence[str], size: str, folder: Path) -> str:
    """Writes an operator's two files, neither over another one; what to do with them. Raises UsageError."""
    values = dict(_parameter(each) for each in parameters)
    if "size" in values:
        raise UsageError("A parameter cannot be named size", "Give it another name")
    try:
        made = operator(expression, size=size, **values)
    except ProgramError as exc:
        raise UsageError(exc.what, exc.next_step) from None
    return _written(folder, made.name, made.problem, made.program)


def _parameter(text: str) -> tuple[str, float]:
    name, _, number = text.partition("=")
    try:
        return name.strip(), float(number)
    except ValueError:
        raise UsageError(f"--parameter {text} gives no number", "Write it as --parameter slope=0.1") from None


def _written(folder: Path, name: str, problem_text: str, program_text: str) -> str:
    """Writes a problem and a program for it, neither over another file, and makes the folder. Raises UsageError."""
    try:
        folder.mkdir(exist_ok=True)
    except OSError as exc:
        raise UsageError(f"{folder} cannot be made: {exc.strerror}", "Name another --folder") from None
    files = {folder / f"{name}_problem.py": problem_text, folder / f"{name}_model_new.py": program_text}
    for path in files:
        check_writable(str(path))
        if path.exists():
            raise UsageError(f"{path} is there already", "Rename it, or name another --folder")
    for path, text in files.items():
        write_whole(path, text.encode())
    problem, program = map(str, files)
    return (
        f"{problem}: the problem\n{program}: a program for it\n\n"
        f"Check it: kernelgate verify {program} --reference {problem}"
    )


def listed() -> str:
    """The operators, one a line: id, magic, and what it computes."""
    found = operators().values()
    ids = max(len(operator.id) for operator in found)
    magics = max(len(operator.magic) for operator in found) + 2
    return "\n".join(f"{o.id:{ids}}  {'%%' + o.magic:{magics}}  {o.summary}" for o in found)


def operator_named(name: str) -> Operator:
    """The operator with this id. Raises UsageError."""
    found = operators().get(name)
    if found is None:
        raise UsageError(f"There is no problem {name!r}", suggestion(name, list(operators())))
    return found


def program_of(name: str, form: Form = "full") -> str:
    """Our program for an operator, in one of its forms. Raises UsageError if there is none."""
    text = operator_named(name).form_text(form)
    if text is None:
        what = "no program" if form != "short" else "no short form of the program"
        known = ", ".join(o.id for o in operators().values() if o.form_text(form) is not None)
        raise UsageError(f"There is {what} for {name} yet", f"Choose one of: {known}")
    return text


_SHORT = {"nn": "torch.nn", "F": "torch.nn.functional"}


def refuse_missing_name(expression: str) -> None:
    """Raises ProgramError. Looks at the dotted names that begin at torch, nn or F."""
    with Elsewhere():
        if importlib.util.find_spec("torch") is None:
            return
    try:
        tree = ast.parse(expression.strip(), mode="eval")
    except (SyntaxError, ValueError):
        return  # who reads the expression says what is wrong with it
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            _look_up(ast.unparse(node).split("."))


def _look_up(parts: list[str]) -> None:
    names = [*_SHORT.get(parts[0], parts[0]).split("."), *parts[1:]]
    if names[0] != "torch" or not all(name.isidentifier() for name in names):
        return
    with Elsewhere():
        import torch

    owner: object = torch
    for at, name in enumerate(names[1:], 1):
        if not hasattr(owner, name):
            near = difflib.get_close_matches(name, dir(owner), n=1)
            holder = ".".join(names[:at])
            meant = f"Write {holder}.{near[0]}, or another of its names" if near else f"Name what {holder} has"
            raise ProgramError(f"{holder} has no {name}", None, meant)
        owner = getattr(owner, name)
