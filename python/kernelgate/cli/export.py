"""`kernelgate export`: a program is judged, and if it passes it is written as a package of Hugging Face kernels."""

from __future__ import annotations

import argparse
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kernelgate.catalogue import operators
from kernelgate.commands.option_table import job_of
from kernelgate.commands.options import add_options, undone, written_options
from kernelgate.commands.program_files import read_program
from kernelgate.commands.references import with_reference
from kernelgate.commands.subcommands import program_of
from kernelgate.commands.terminal import Progress
from kernelgate.formats import FormatError
from kernelgate.formats.kernel_package import PackageNames, check_imports, package_files
from kernelgate.messages.job import Job, UsageError
from kernelgate.program import ProgramError, Source, read
from kernelgate.report import Report
from kernelgate.report.text import as_text
from kernelgate.run import run

_OUR_LICENSE = "bsd-3-clause"
_NO_LICENSE = "other"


def add_export(verbs: Any) -> None:
    """Adds the subcommand to a parser."""
    parser = verbs.add_parser(
        "export", help="verify a program, and write it as a package of Hugging Face kernels"
    )
    parser.add_argument(
        "what", metavar="WHAT", help="a program's file, or a problem of the catalogue for our program"
    )
    parser.add_argument("--to", metavar="FOLDER", help="a new folder for the package; its name if not given")
    parser.add_argument("--name", metavar="NAME", help="the package's name; that of the file if not given")
    parser.add_argument("--license", metavar="ID", help="as the Hub writes it: apache-2.0")
    parser.add_argument("--repo-id", metavar="WHO/NAME", default="", help="the repository on the Hub")
    add_options(parser, verb="benchmark")


def run_export(args: argparse.Namespace) -> tuple[Report, str]:
    """The report, and what to say of the package; "" if nothing is written, as it does not pass.
    Raises UsageError."""
    ours = args.what in operators() and not Path(args.what).exists()
    text = program_of(args.what) if ours else read_program(args.what)
    name = args.name or _name_of(args.what)
    folder = Path(args.to or name)
    try:
        names = PackageNames(name, args.license or (_OUR_LICENSE if ours else _NO_LICENSE), args.repo_id)
        _check_new(folder)
        options = written_options(args)
        if ours and "reference" not in options:
            options.setdefault("problem", args.what)
        written, reference = with_reference(options, text)
        job = job_of(written, "benchmark", text, Path(args.what).name, reference=reference)
        program = _program(job)
        check_imports(program)
        with Progress() as progress:
            report = run(job, progress.show)
        if report.verdict is None or report.verdict.outcome != "pass":
            return report, ""
        _write(folder, package_files(program, report, names))
    except FormatError as exc:
        raise UsageError(exc.what, exc.next_step) from None
    hint = "" if names.license != _NO_LICENSE else '\nThe license is "other"; name yours with --license.'
    said = [f"{folder}: a kernel package, verified. CARD.md says what was found.{hint}", *undone(written, report)]
    return report, "\n".join(said)


def _program(job: Job) -> str:
    """What is judged, as Python; nothing if it cannot be read, as the report then says."""
    try:
        return read(Source(text=job.text, label=job.label), job.operator, job.reference_text).python
    except ProgramError:
        return ""


def _name_of(what: str) -> str:
    """ "LeakyReLU_fast.py" as a name of a package: "leakyrelu-fast"."""
    return re.sub("[^a-z0-9]+", "-", Path(what).stem.lower()).strip("-")


def _check_new(folder: Path) -> None:
    if folder.exists() or folder.is_symlink():
        raise UsageError(f"{folder} is there already", "Remove it, or name another folder with --to")
    if not folder.resolve().parent.is_dir():
        raise UsageError(
            f"There is no folder {folder.resolve().parent}", "Make it, or name another one with --to"
        )


def _write(folder: Path, files: Mapping[str, str]) -> None:
    """The whole folder, or nothing. Raises UsageError."""
    target = folder.resolve()
    try:
        unfinished = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as exc:
        raise _unwritable(folder, exc) from None
    try:
        for name, text in files.items():
            path = unfinished / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
        unfinished.chmod(0o755)
        unfinished.rename(target)
    except OSError as exc:
        raise _unwritable(folder, exc) from None
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _unwritable(folder: Path, exc: OSError) -> UsageError:
    return UsageError(f"{folder} cannot be written: {exc.strerror}", "Name another one with --to")


def shown(report: Report, says: str) -> str:
    """What the command prints."""
    return says or f"{as_text(report)}\n\nNothing is written: only a program that passes becomes a package."
