"""The `kernelgate` command: the verbs of a notebook. Reports go to standard output, progress to standard error."""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

from kernelgate.cli.evaluate import add_evaluate, run_evaluate
from kernelgate.cli.export import add_export, run_export, shown
from kernelgate.commands.fix import as_diff, fix_program
from kernelgate.commands.option_table import job_of
from kernelgate.commands.options import Parser, add_options, add_output_options, written_options
from kernelgate.commands.program_files import check_writable, read_program, write_page, write_program
from kernelgate.commands.references import with_reference
from kernelgate.commands.subcommands import RUN_VERBS, VERBS, add_plain_verbs, answer
from kernelgate.commands.terminal import Progress
from kernelgate.commands.watch import saves
from kernelgate.report import Report
from kernelgate.report.as_json import as_json
from kernelgate.report.model_text import as_model_text
from kernelgate.report.numbers import counted
from kernelgate.report.text import as_text
from kernelgate.run import UsageError, run
from kernelgate.version import __version__

STATUS_USAGE = 2


def exit_status(report: Report) -> int:
    """0 pass, 1 fail, 2 environment or not covered by emulation, 3 no verdict."""
    if report.verdict is None:
        return 3
    if report.verdict.kind in ("environment", "refused"):
        return STATUS_USAGE
    return {"pass": 0, "fail": 1}.get(report.verdict.outcome, 3)


def _parser() -> Parser:
    parser = Parser(prog="kernelgate", description="Prove CUDA kernels against PyTorch.")
    parser.add_argument("--version", action="version", version=f"kernelgate {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar=VERBS)
    for verb, does in RUN_VERBS.items():
        run_verb = verbs.add_parser(verb, help=does)
        run_verb.add_argument(
            "file", metavar="FILE", help="a program that defines ModelNew, a Markdown answer, or CUDA C++"
        )
        add_options(run_verb, verb=verb)
        add_output_options(run_verb)
    fix = verbs.add_parser("fix", help="print the certain fixes of a program as a diff; each was tried")
    fix.add_argument("file", metavar="FILE", help="a program that defines ModelNew")
    fix.add_argument("--write", action="store_true", help="write them into the file")
    add_options(fix, verb="verify")
    watch = verbs.add_parser("watch", help="verify a program each time it is saved, until Ctrl+C")
    watch.add_argument("file", metavar="FILE", help="a program that defines ModelNew")
    add_options(watch, verb="verify")
    add_output_options(watch)
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
    add_plain_verbs(verbs)
    return parser


def _run(args: argparse.Namespace) -> int:
    if args.html:
        check_writable(args.html)
    text = read_program(args.file)
    written, reference = with_reference(written_options(args), text)
    job = job_of(written, args.verb, text, Path(args.file).name, reference=reference)
    progress = Progress()
    try:
        report = run(job, progress.show)
    finally:
        progress.close()
    print(as_json(report) if args.json else as_model_text(report) if args.for_model else as_text(report))
    if args.html:
        write_page(report, args.html)
    return exit_status(report)


def _watch(args: argparse.Namespace) -> int:
    """Returns the exit status of the last run, when it is interrupted."""
    read_program(args.file)  # a wrong name is said now, not waited for
    status, ran = STATUS_USAGE, False
    args.verb = "verify"
    try:
        for _ in saves(args.file):
            print(f"--- {args.file}, saved at {time.strftime('%H:%M:%S')}", flush=True)
            try:
                status = _run(args)
            except UsageError as exc:
                if not ran:  # no save corrects an option
                    raise
                print(f"kernelgate: {exc}", file=sys.stderr)
                status = STATUS_USAGE
            ran = True
            sys.stdout.flush()
    except KeyboardInterrupt:
        return status
    return status


def _fix(args: argparse.Namespace) -> int:
    text = read_program(args.file)
    written, reference = with_reference(written_options(args), text)
    label = Path(args.file).name
    progress = Progress()
    try:
        fixed = fix_program(written, text, label, reference, progress.show)
    finally:
        progress.close()
    if fixed.after == fixed.before:
        print(as_text(fixed.report))
        if fixed.unfixed:
            words = f"with {counted(len(fixed.steps), 'fix', 'fixes')} the program ends with: {fixed.unfixed}"
            print(f"kernelgate: nothing was changed: {words}", file=sys.stderr)
        return exit_status(fixed.report)
    for step in fixed.steps:
        print(step, file=sys.stderr)
    if args.write:
        write_program(fixed.after, args.file)
        print(as_text(fixed.report))
    else:
        print(as_diff(fixed, label))
        print("Write this into the file with --write", file=sys.stderr)
    return exit_status(fixed.report)


def main(argv: list[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    try:
        args = _parser().parse_args(argv)
        if args.verb in RUN_VERBS:
            return _run(args)
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
    except UsageError as exc:
        print(f"kernelgate: {exc}", file=sys.stderr)
        return STATUS_USAGE


if __name__ == "__main__":
    sys.exit(main())
