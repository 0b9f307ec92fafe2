"""`kernelgate evaluate`: many candidates from a shell. Rows go to standard output as they come, progress to standard
error."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, get_args

import msgspec

from kernelgate.atomic_write import write_whole
from kernelgate.commands.options import add_options, undone, written_options
from kernelgate.commands.program_files import check_writable
from kernelgate.evaluation.engines import local_processes
from kernelgate.evaluation.found import asked_in
from kernelgate.evaluation.row import Row
from kernelgate.evaluation.session import Evaluation, evaluate
from kernelgate.evaluation.table import as_page, counts, line, summary
from kernelgate.formats.junit import as_junit
from kernelgate.formats.sarif import as_sarif
from kernelgate.formats.traces import as_trace
from kernelgate.messages.job import UsageError, Verb, suggestion
from kernelgate.report.numbers import counted

RESULTS = "kernelgate-results.jsonl"


def add_evaluate(verbs: Any) -> None:
    """Adds the subcommand to a parser."""
    parser = verbs.add_parser("evaluate", help="judge many programs, each once; after a stop, continue")
    parser.add_argument(
        "paths", metavar="WHAT", nargs="+", help="programs, folders of them, or lists of jobs, JOBS.jsonl"
    )
    parser.add_argument(
        "--problems", metavar="DIR", help="a folder of problems; a program goes by its problem's name"
    )
    parser.add_argument(
        "--jobs", metavar="N", type=int, help="runs at a time; as many as suit this machine if not given"
    )
    parser.add_argument(
        "--results",
        metavar="FILE",
        default=RESULTS,
        help=f"the file of rows, from which a later run continues: {RESULTS}",
    )
    parser.add_argument(
        "--verb", dest="verb_of_runs", default="verify", metavar="VERB", help="verify, benchmark or profile"
    )
    parser.add_argument("--json", action="store_true", help="print each row as a line of JSON")
    parser.add_argument("--html", metavar="FILE", help="write the table and the reports as a page")
    for name, says in WRITTEN.items():
        parser.add_argument(f"--{name}", metavar="FILE", help=f"write {says[0]}")
    add_options(parser, verb="profile")


def run_evaluate(args: argparse.Namespace) -> int:
    """0 if all pass, 1 if one fails, 3 if one has no verdict. Raises UsageError."""
    if args.verb_of_runs not in get_args(Verb):
        raise UsageError(
            f"There is no verb {args.verb_of_runs!r}", suggestion(args.verb_of_runs, get_args(Verb))
        )
    if args.jobs is not None and args.jobs < 1:
        raise UsageError(f"{args.jobs} runs at a time are none", "Give --jobs a number from 1 on")
    for path in filter(None, (args.html, args.results, *(getattr(args, name) for name in WRITTEN))):
        check_writable(path)
    written = written_options(args)
    all_asked = asked_in(args.paths, written, args.problems, args.verb_of_runs)
    engine = local_processes(args.jobs)
    # Runs at the same time share the processors.
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // engine.slots)))
    shown = _Shown(args.json)
    try:
        done = evaluate(all_asked, engine, Path(args.results), shown.row)
    except KeyboardInterrupt:
        shown.close()
        print("kernelgate: interrupted; run the same command again to continue", file=sys.stderr)
        raise
    finally:
        engine.close()
    shown.close()
    print(summary(done.rows, done.pace), file=sys.stderr if args.json else sys.stdout)
    if args.html:
        write_whole(Path(args.html), as_page(done.rows, done.pace).encode())
    for name, (_, as_text) in WRITTEN.items():
        if path := getattr(args, name):
            write_whole(Path(path), as_text(done.rows).encode())
    says = [words for row in done.rows if row.report is not None for words in undone(written, row.report)]
    for words, runs in Counter(says).items():
        print(f"kernelgate: in {counted(runs, 'run')}, {words}", file=sys.stderr)
    outcomes = {row.outcome for row in done.rows}
    return 1 if "fail" in outcomes else 0 if outcomes <= {"pass"} else 3


class _Shown:
    """Rows on standard output; on a terminal, one line on standard error that is written over."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._terminal = sys.stderr.isatty()

    def row(self, row: Row, so_far: Evaluation) -> None:
        self.close()
        print(msgspec.json.encode(row).decode() if self._as_json else line(row), flush=True)
        if self._terminal:
            says = f"{so_far.pace.words()}: {counts(so_far.rows)}"
            print(f"\r\x1b[K{says}", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def traces(rows: Sequence[Row]) -> str:
    """A trace a line; rows without a verdict are left out, as a trace has no word for them."""
    found = [as_trace(row.report, row.source, row.name) for row in rows if row.report is not None]
    return "".join(f"{msgspec.json.encode(one).decode()}\n" for one in found if one is not None)


def junit(rows: Sequence[Row]) -> str:
    return as_junit([(row.name, row.problem, row.report, row.error) for row in rows])


def sarif(rows: Sequence[Row]) -> str:
    return as_sarif([(row.file or row.name, row.report) for row in rows])


WRITTEN: dict[str, tuple[str, Callable[[Sequence[Row]], str]]] = {
    "traces": ("traces, as SOL-ExecBench and FlashInfer-Bench read them", traces),
    "junit": ("JUnit XML", junit),
    "sarif": ("SARIF: what is wrong, with its lines", sarif),
}
