"""The `kernelgate` command: the verbs of a notebook. Reports go to standard output, progress to standard error."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from kernelgate.catalogue import operators
from kernelgate.cli.evaluate import add_evaluate, run_evaluate
from kernelgate.cli.export import add_export, run_export, shown
from kernelgate.commands.fix import as_diff, fix_program, summary
from kernelgate.commands.option_table import OPTIONS, job_of
from kernelgate.commands.options import Parser, add_options, add_output_options, undone, written_options
from kernelgate.commands.program_files import check_writable, read_program, write_page, write_program
from kernelgate.commands.references import with_reference
from kernelgate.commands.subcommands import RUN_VERBS, VERBS, add_plain_verbs, answer
from kernelgate.commands.terminal import Progress
from kernelgate.commands.watch import saves
from kernelgate.messages.job import Verb, suggestion
from kernelgate.report import Report
from kernelgate.report.as_json import as_json
from kernelgate.report.model_text import as_model_text
from kernelgate.report.text import as_text
from kernelgate.report.wording import upper_first
from kernelgate.run import UsageError, run, wait_for_the_next_command
from kernelgate.version import __version__

STATUS_USAGE = 2
STATUS_INTERRUPTED = 130
STATUS_PIPE = 141


def exit_status(report: Report) -> int:
    """0 pass, 1 fail, 2 environment or not covered by emulation, 3 no verdict."""
    if report.verdict is None:
        return 3
    if report.verdict.kind in ("environment", "refused"):
        return STATUS_USAGE
    return {"pass": 0, "fail": 1}.get(report.verdict.outcome, 3)


_BEGIN = "Begin with: kernelgate doctor"
_EXAMPLES = """examples:
  kernelgate {verb} answer.md --reference model.py
  kernelgate {verb} mine.py --reference 'torch.nn.LayerNorm(768)' --input 64x768"""


def _parser() -> Parser:
    parser = Parser(prog="kernelgate", description="Prove CUDA kernels against PyTorch.", epilog=_BEGIN)
    parser.add_argument("--version", action="version", version=f"kernelgate {__version__}")
    verbs = parser.add_subparsers(dest="verb", metavar=VERBS)
    for verb, does in RUN_VERBS.items():
        add_output_options(_add_run(verbs, verb, does, verb))
    fix = _add_run(verbs, "fix", "print the certain fixes of a program as a diff; each was tried", "verify")
    fix.add_argument("--write", action="store_true", help="write them into the file")
    add_output_options(_add_run(verbs, "watch", "verify a program each time it is saved, until Ctrl+C", "verify"))
    add_evaluate(verbs)
    add_export(verbs)
    mcp = verbs.add_parser("mcp", help="serve tools to programs, over standard input and output")
    mcp.add_argument(
        "--server",
        metavar="URL",
        default="",
        help="run them in a kernel of this Jupyter server or kernel gateway; its token is JUPYTER_TOKEN",
    )
    mcp.add_argument("--kernel", metavar="NAME", default="", help="which kernel; the usual one if not given")
    complete = verbs.add_parser("completion", help="print what completes the command in a shell")
    complete.add_argument("shell", metavar="SHELL", help=", ".join(SHELLS))
    add_plain_verbs(verbs)
    return parser


def _add_run(verbs: Any, name: str, does: str, verb: Verb) -> Parser:
    """A subcommand that runs one file."""
    parser: Parser = verbs.add_parser(
        name,
        help=does,
        description=f"{upper_first(does)}.",
        epilog=_EXAMPLES.format(verb=name),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    what = parser.add_argument_group("what")
    what.add_argument(
        "file", metavar="FILE", help="a program that defines ModelNew, a Markdown answer, or CUDA C++"
    )
    add_options(parser, verb=verb)
    return parser


def _run(args: argparse.Namespace, watch: Callable[[], None] | None = None) -> Report | None:
    """The report, which is printed; None where `watch` has ended the run."""
    if args.html:
        check_writable(args.html)
    text = read_program(args.file)
    written, reference = with_reference(written_options(args), text)
    job = job_of(written, args.verb, text, Path(args.file).name, reference=reference)
    with Progress() as progress:

        def tick() -> None:
            progress.tick()
            if watch is not None:
                watch()

        report = run(job, progress.show, tick)
    if watch is not None and report.verdict is not None and report.verdict.kind == "cancelled":
        return None
    print(as_json(report) if args.json else as_model_text(report) if args.for_model else as_text(report))
    if args.html:
        write_page(report, args.html)
    for words in undone(written, report):
        print(f"kernelgate: {words}", file=sys.stderr)
    return report


def _watch(args: argparse.Namespace) -> int:
    """Returns the exit status of the last run, when it is interrupted."""
    read_program(args.file)  # a wrong name is said now, not waited for
    status, ran = STATUS_USAGE, False
    args.verb = "verify"
    with contextlib.suppress(KeyboardInterrupt):
        for save in saves(args.file):
            print(f"--- {args.file}, saved at {time.strftime('%H:%M:%S', time.localtime(save.at))}", flush=True)
            try:
                report = _run(args, save.look)
            except UsageError as exc:
                if not ran:  # no save corrects an option
                    raise
                print(f"kernelgate: {exc}", file=sys.stderr)
                status = STATUS_USAGE
            else:
                if report is not None:
                    status = exit_status(report)
                elif save.is_old:
                    print("--- saved again: this run is ended", flush=True)
                else:  # by Ctrl+C
                    return status
            ran = True
            sys.stdout.flush()
    return status


def _fix(args: argparse.Namespace) -> int:
    text = read_program(args.file)
    written, reference = with_reference(written_options(args), text)
    label = Path(args.file).name
    with Progress() as progress:
        fixed = fix_program(written, text, label, reference, progress.show)
    done = fixed.after != fixed.before
    for step in fixed.steps if done else ():
        print(step, file=sys.stderr)
    if done and not args.write:
        print(as_diff(fixed, label))
    else:
        print(as_text(fixed.report))
    if done and args.write:
        write_program(fixed.after, args.file)
    print(f"kernelgate: {summary(fixed, args.file, written=args.write)}", file=sys.stderr)
    return exit_status(fixed.report)


def main(argv: list[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    try:
        status = _answered(_parser().parse_args(argv))
        sys.stdout.flush()
    except UsageError as exc:
        print(f"kernelgate: {exc}", file=sys.stderr)
        return STATUS_USAGE
    except KeyboardInterrupt:
        return STATUS_INTERRUPTED
    except BrokenPipeError:  # who reads has enough; Python flushes once more when it ends
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return STATUS_PIPE
    return status


def _answered(args: argparse.Namespace) -> int:
    """Raises UsageError, KeyboardInterrupt, BrokenPipeError."""
    if args.verb is None:
        print(_parser().format_help().rstrip())
        return 0
    if args.verb == "completion":
        print(completion(_parser(), args.shell))
        return 0
    if args.verb in (*RUN_VERBS, "fix"):
        wait_for_the_next_command()
    if args.verb in RUN_VERBS:
        report = _run(args)
        assert report is not None
        status = exit_status(report)
        no_file = "trace" in args and undone({"trace": args.trace}, report)
        return STATUS_USAGE if no_file and status == 0 else status
    if args.verb == "fix":
        return _fix(args)
    if args.verb == "watch":
        return _watch(args)
    if args.verb == "evaluate":
        return run_evaluate(args)
    if args.verb == "export":
        report, says = run_export(args)
        print(shown(report, says))
        return exit_status(report)
    if args.verb == "mcp":
        from kernelgate.agents.server import serve

        return serve(args.server, args.kernel)
    text, status = answer(args)
    print(text)
    return status



SHELLS = ("bash", "zsh", "fish")


def completion(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script. Raises UsageError."""
    if shell not in SHELLS:
        raise UsageError(f"There is no completion for {shell!r}", suggestion(shell, SHELLS))
    try:
        import shtab
    except ImportError:
        raise UsageError("shtab, which writes it, is not installed", "pip install shtab") from None
    kinds = {"FILE": shtab.FILE, "WHAT": shtab.FILE, "FOLDER": shtab.DIRECTORY, "DIR": shtab.DIRECTORY}
    for action in _actions(parser):
        values = OPTIONS[action.dest].values if action.dest in OPTIONS else ()
        values = tuple(operators()) if action.metavar == "ID" else values
        if values:
            action.choices = values
        elif action.metavar in kinds:
            action.complete = kinds[action.metavar]  # type: ignore[attr-defined]
    return str(shtab.complete(parser, shell))


def _actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for each in action.choices.values():
                yield from _actions(each)
        else:
            yield action
