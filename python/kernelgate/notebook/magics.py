"""The magics: `%%leakyrelu_cuda` and its kin, one for each operator, and `%kernelgate` with the shell command's verbs.

A body that only uses ModelNew gets our program, verified and bound, and then runs; any other is the candidate itself.
A candidate that fails is not bound; the cell then raises a short error.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

from kernelgate.catalogue import Operator, operators
from kernelgate.commands.option_table import OURS, job_of
from kernelgate.commands.options import Parser, undone
from kernelgate.commands.program_files import check_writable, write_page
from kernelgate.commands.references import with_reference
from kernelgate.commands.subcommands import RUN_VERBS, answer, operator_named, program_of
from kernelgate.messages.job import Verb
from kernelgate.notebook.binding import bind, require_pass
from kernelgate.notebook.cellprofile import profile_cell
from kernelgate.notebook.display import display_here
from kernelgate.notebook.magic_line import body_kind, operator_parser, parsed, said, umbrella_parser
from kernelgate.notebook.running import shown_run
from kernelgate.notebook.sources import Cell, NotebookCells, needed_of_other_cells, running_cell
from kernelgate.program import Source, read
from kernelgate.report.as_json import as_json
from kernelgate.report.model_text import as_model_text
from kernelgate.run import UsageError

Magic = Callable[[str, "str | None"], None]


class BodyFailed(Exception):
    """The body raised; what it raised is shown already."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


def magics(shell: Any) -> dict[str, Magic]:
    """Every magic of ours by name."""
    found = {operator.magic: _operator_magic(shell, operator) for operator in operators().values()}
    return {**found, "kernelgate": _umbrella(shell)}


def _operator_magic(shell: Any, operator: Operator) -> Magic:
    parser = operator_parser(operator)

    def magic(line: str, cell: str | None = None) -> None:
        args = parsed(parser, line)
        if args is not None:
            verb: Verb = "profile" if args.profile else "benchmark" if args.benchmark else "verify"
            _run(shell, f"%%{operator.magic}", verb, args, cell)

    return _documented(magic, parser)


def _umbrella(shell: Any) -> Magic:
    parser = umbrella_parser()

    def magic(line: str, cell: str | None = None) -> None:
        args = parsed(parser, line)
        if args is None:
            return
        if args.verb is None:
            print(parser.format_help())
            return
        if args.verb in RUN_VERBS:
            _run(shell, f"%%kernelgate {args.verb}", args.verb, args, cell)
            return
        if cell is not None and cell.strip():
            raise UsageError(f"%%kernelgate {args.verb} takes no body", f"Write %kernelgate {args.verb}")
        print(answer(args)[0])

    return _documented(magic, parser)


def _documented(magic: Magic, parser: Parser) -> Magic:
    """With the parser's help as its docstring, and the parser itself for completion."""
    magic.__doc__ = parser.format_help()
    magic.parser = parser  # type: ignore[attr-defined]
    return magic


def _run(shell: Any, magic: str, verb: Verb, args: argparse.Namespace, cell: str | None) -> None:
    if not args.name.isidentifier():
        raise UsageError(f"--as {args.name} is no name", "Write it as --as FastLeakyReLU")
    if args.html:
        check_writable(args.html)
    written, reference = with_reference(said(args), cell or "", NotebookCells())
    operator = operator_named(written["problem"]) if "problem" in written else None
    body = cell if cell is not None and cell.strip() else ""
    kind = body_kind(body, args.name, shell.transform_cell)
    # With a reference, a body is what is compared with it, whether it has a ModelNew, custom_kernel or a mistake.
    uses = not body or (reference is None and kind == "uses")
    here = running_cell()
    if verb == "profile" and body and kind != "defines" and operator is None and reference is None:
        _profile_cell(shell, magic, body, here)
        return
    if uses:
        if operator is None:
            raise UsageError("The cell defines no ModelNew", f"Define it below {magic}, or name a problem")
        source = Source(program_of(operator.id), OURS)
        job = job_of(written, verb, source.text, source.label, ours=True)
    else:
        label = here.label if here is not None else "this cell"
        source = Source(body, label, _first_line(here, body), needed_of_other_cells(body))
        job = job_of(
            written,
            verb,
            body,
            label,
            first_line=source.first_line,
            above=source.above,
            cell_id=here.cell_id if here else None,
            reference=reference,
        )
    report = shown_run(job).report
    if args.json:
        print(as_json(report))
    if args.for_model:
        print(as_model_text(report))
    if args.html:
        write_page(report, args.html)
    for words in undone(written, report):
        print(words)
    require_pass(report, args.name)
    candidate = read(source, operator, job.reference_text)
    bind(shell, args.name, candidate, emulated=report.device.kind == "emulated", falls_back=uses)
    if uses and body:
        _run_body(shell, magic, body)


def _first_line(here: Cell | None, body: str) -> int:
    """The line of the cell at which the body begins: 2, or more where blank lines stand above the magic."""
    if here is None:
        return 2
    # IPython ends the body with a line break, whether the cell does or not.
    above, found, _ = here.text.rstrip().rpartition(body.rstrip())
    return above.count("\n") + 1 if found else 2


def _profile_cell(shell: Any, magic: str, body: str, here: Cell | None) -> None:
    """No candidate is meant: the cell itself is profiled."""
    label = here.label if here is not None else "this cell"
    cell_id = here.cell_id if here is not None else None
    report, error = profile_cell(body, label, cell_id, lambda: shell.run_cell(body, store_history=False))
    display_here().close(report)
    _raise_body(magic, error)


def _run_body(shell: Any, magic: str, body: str) -> None:
    _raise_body(magic, shell.run_cell(body, store_history=False))


def _raise_body(magic: str, error: Any) -> None:
    """What the body raised is shown already; Run All stops all the same."""
    if error.error_before_exec is not None or error.error_in_exec is not None:
        raise BodyFailed(f"The body of {magic} ended with the error above.")
