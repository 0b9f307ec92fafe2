"""The `kernelgate` command: the verbs of a notebook. Reports go to standard output, progress to standard error."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import msgspec

from kernelgate import __version__
from kernelgate.catalogue import operators
from kernelgate.judge import Job, UsageError, new_run_id, parse_shape, run
from kernelgate.report import Report
from kernelgate.report.text import as_text

STATUS_USAGE = 2


def exit_status(report: Report) -> int:
    """0 pass, 1 fail, 2 environment or not covered by emulation, 3 no verdict."""
    if report.verdict is None:
        return 3
    if report.verdict.kind in ("environment", "refused"):
        return STATUS_USAGE
    return {"pass": 0, "fail": 1}.get(report.verdict.outcome, 3)


class Progress:
    """One line on standard error for each stage and case; rewritten in place on a terminal."""

    def __init__(self) -> None:
        self._last = ""
        self._terminal = sys.stderr.isatty()

    def show(self, report: Report) -> None:
        stage = next((s for s in report.stages if s.state == "running"), None)
        if stage is None:
            return
        words = {"build": "compiling", "check": "checking"}.get(stage.name, stage.name)
        count = f" {stage.done} of {stage.total}" if stage.total > 1 else ""
        line = f"{words}{count}"
        if self._terminal:
            print(f"\r\x1b[K{line}, {report.elapsed_s:.0f} s", end="", file=sys.stderr, flush=True)
        elif line != self._last:
            print(line, file=sys.stderr, flush=True)
        self._last = line

    def close(self) -> None:
        if self._terminal and self._last:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="kernelgate", description="Prove CUDA kernels against PyTorch.")
    parser.add_argument("--version", action="version", version=f"kernelgate {__version__}")
    verbs = parser.add_subparsers(dest="verb", required=True, metavar="verify, show, list")
    verify = verbs.add_parser("verify", help="build a program and check it")
    verify.add_argument("file", help="a program that defines ModelNew, a Markdown answer, or CUDA C++")
    verify.add_argument("--problem", metavar="ID", help=f"one of: {', '.join(operators())}")
    verify.add_argument("--reference", metavar="FILE", help="a reference program in the KernelBench form")
    verify.add_argument("--shape", metavar="4096x393216")
    verify.add_argument("--set", metavar="NAME=SIZE", action="append", default=[], dest="sizes")
    verify.add_argument("--dtype", default="float32")
    verify.add_argument("--device", default="auto", metavar="auto|cuda|cuda:1|emulated")
    verify.add_argument("--contract", default="problem", metavar="problem|drop-in")
    verify.add_argument("--arch", metavar="sm_80")
    verify.add_argument("--seed", type=int)
    verify.add_argument("--json", action="store_true", help="the report as JSON")
    verify.add_argument("--html", metavar="FILE", help="write the report as a page")
    show = verbs.add_parser("show", help="print our program for a problem")
    show.add_argument("problem")
    verbs.add_parser("list", help="the problems of the catalogue")
    return parser


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as exc:
        raise UsageError(f"{path} cannot be read: {exc}", "Name a text file") from exc


def _sizes(pairs: list[str]) -> dict[str, int]:
    sizes = {}
    for pair in pairs:
        name, _, size = pair.partition("=")
        if not name.isidentifier() or not size.isdecimal():
            raise UsageError(f"{pair!r} sets nothing", "Write --set batch_size=64")
        sizes[name] = int(size)
    return sizes


def _verify(args: argparse.Namespace) -> int:
    job = Job(
        run=new_run_id(),
        text=_read(args.file),
        label=Path(args.file).name,
        problem=args.problem,
        reference=_read(args.reference) if args.reference else None,
        reference_label=Path(args.reference).name if args.reference else "",
        device=args.device,
        contract=args.contract,
        shape=parse_shape(args.shape) if args.shape else None,
        sizes=_sizes(args.sizes),
        dtype=args.dtype,
        arch=args.arch,
        seed=args.seed,
    )
    progress = Progress()
    try:
        report = run(job, progress.show)
    finally:
        progress.close()
    if args.html:
        from kernelgate.report.document import as_document

        try:
            Path(args.html).write_text(as_document(report), encoding="utf-8")
        except OSError as exc:
            raise UsageError(
                f"{args.html} cannot be written: {exc}", "Name a file in a folder that exists"
            ) from exc
    if args.json:
        print(msgspec.json.format(msgspec.json.encode(report), indent=1).decode())
    else:
        print(as_text(report))
    return exit_status(report)


def main(argv: list[str] | None = None) -> int:
    """Runs the command; returns its exit status."""
    args = _parser().parse_args(argv)
    try:
        if args.verb == "verify":
            return _verify(args)
        if args.verb == "list":
            for operator in operators().values():
                print(f"{operator.id:24} {operator.summary}")
            return 0
        named = operators().get(args.problem)
        text = named.program_text if named is not None else None
        if text is None:
            known = ", ".join(o.id for o in operators().values() if o.program_text is not None)
            raise UsageError(f"There is no program for {args.problem!r}", f"Choose one of: {known}")
        sys.stdout.write(text)
        return 0
    except UsageError as exc:
        print(f"kernelgate: {exc.what}. {exc.next_step}.", file=sys.stderr)
        return STATUS_USAGE


if __name__ == "__main__":
    sys.exit(main())
