"""What a person may ask of a run: one definition for the shell command, the magics and `kernelgate.verify`.

In: the words after a verb or a magic, or the arguments of a call. Out: a `Job`. A mistake is a UsageError, never an
exit of the process.
Not here: which program is meant, a file or a cell.
"""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn, cast

from kernelgate.catalogue import operators
from kernelgate.commands.program_files import check_writable, read_program
from kernelgate.messages.job import BASELINES, BUDGET_S, Verb, checked
from kernelgate.report import Contract
from kernelgate.run import Job, Limits, UsageError, new_run_id, parse_shape


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options of a run, by the names that they have everywhere. `reference` is a program's text."""

    problem: str | None = None
    reference: str | None = None
    reference_label: str = "reference"
    shape: str | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    dtype: str = "float32"
    device: str = "auto"
    contract: str = "problem"
    arch: str | None = None
    allow_arithmetic: str | None = None
    seed: int | None = None
    examine: bool | None = None
    timeout: float | None = None
    verb: Verb = "verify"
    budget: float = BUDGET_S
    against: str = "eager"
    trace: str | None = None
    sass: bool = False
    sweep: bool = False

    def job(self, text: str, label: str, *, first_line: int = 1, cell_id: str | None = None) -> Job:
        """A run of the program `text`, which begins at line `first_line` of the person's cell. Raises UsageError."""
        return checked(
            Job(
                run=new_run_id(),
                text=text,
                label=label,
                first_line=first_line,
                cell_id=cell_id,
                problem=self.problem,
                reference=self.reference,
                reference_label=self.reference_label if self.reference is not None else "",
                device=self.device,
                contract=cast(Contract, self.contract),
                shape=parse_shape(self.shape) if self.shape is not None else None,
                sizes=dict(self.sizes),
                dtype=self.dtype,
                arch=self.arch,
                allow_arithmetic=self.allow_arithmetic,
                seed=self.seed,
                examine=self.examine,
                limits=Limits.of_run(self.timeout),
                verb=self.verb,
                budget_s=self.budget,
                against=tuple(self.against.split(",")),
                trace=self.trace or "",
                listing=self.sass,
                sweep=self.sweep,
            )
        )


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are UsageErrors with a next step; `help_hint` says where the options are listed."""

    def __init__(self, *, help_hint: str = "", **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)
        self.help_hint = help_hint or f"See {self.prog} --help"

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse's, except that a word which is not known is refused here, where its neighbours are known."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            raise self._unknown(unknown[0])
        return found, unknown

    def error(self, message: str) -> NoReturn:
        raise UsageError(message[:1].upper() + message[1:], self.help_hint)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise UsageError(f"There is no {action.dest} {value!r}", suggestion(value, list(action.choices)))

    def _unknown(self, word: str) -> UsageError:
        if not word.startswith("-"):
            return UsageError(f"{word!r} is one word too many", self.help_hint)
        known = [option for action in self._actions for option in action.option_strings]
        close = difflib.get_close_matches(word.split("=")[0], known, n=1)
        return UsageError(
            f"There is no option {word}", f"Did you mean {close[0]}?" if close else self.help_hint
        )


def suggestion(word: str, known: Sequence[str]) -> str:
    """The next step for somebody who wrote `word` instead of one of the known ones."""
    close = difflib.get_close_matches(word, known, n=1)
    return f"Did you mean {close[0]}?" if close else f"Choose one of: {', '.join(known)}"


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """The options of a run, `--problem` and `--reference` included."""
    parser.add_argument("--problem", metavar="ID", help=f"one of: {', '.join(operators())}")
    parser.add_argument("--reference", metavar="FILE", help="a reference program in the KernelBench form")
    add_how_options(parser)


def add_how_options(parser: argparse.ArgumentParser) -> None:
    """The options of a run whose problem is known."""
    parser.add_argument("--shape", metavar="SIZES", help="the sizes of the problem, such as 4096x393216")
    parser.add_argument(
        "--set",
        metavar="NAME=SIZE",
        action="append",
        default=[],
        dest="sizes",
        help="an integer of the reference program; may be repeated",
    )
    parser.add_argument("--dtype", default="float32", help="float32, float16, bfloat16 or float64")
    parser.add_argument("--device", default="auto", help="auto, cuda, cuda:1 or emulated")
    parser.add_argument("--contract", default="problem", help="problem or drop-in")
    parser.add_argument(
        "--arch", metavar="sm_80", help="the architecture to compile for; as the device if not given"
    )
    parser.add_argument(
        "--allow-arithmetic",
        metavar="tf32",
        help="let products in tf32, fp16 or bf16 pass, where the reference's are in float32",
    )
    parser.add_argument("--seed", type=int, help="repeats the run of the report that discloses it")
    parser.add_argument(
        "--examine",
        action=argparse.BooleanOptionalAction,
        help="look at every access of the kernels, in emulation, and on a GPU under compute-sanitizer as well; if not "
        "given, where there is no GPU",
    )
    parser.add_argument(
        "--sass",
        action="store_true",
        help="show the kernels as compiled for sm_80: PTX, and SASS where the CUDA toolkit is installed",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        metavar="SECONDS",
        help="how long the run may take; if not given, 600 s for a build and 60 s for a call",
    )
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--html", metavar="FILE", help="write the report as a page")


def add_timing_options(parser: argparse.ArgumentParser) -> None:
    """The options of a run that takes times."""
    parser.add_argument(
        "--budget",
        type=float,
        default=BUDGET_S,
        metavar="SECONDS",
        help=f"how long times are taken at most; {BUDGET_S:g} if not given",
    )
    parser.add_argument(
        "--against",
        default="eager",
        metavar="eager,compile",
        help=f"what it is timed against: {', '.join(BASELINES)}, with commas between them",
    )
    parser.add_argument("--sweep", action="store_true", help="time other sizes as well, from small to whole")
    parser.add_argument(
        "--trace", metavar="FILE", help="with profile: write the trace of a call, for Chrome or Perfetto"
    )


def run_options(args: argparse.Namespace, verb: Verb = "verify") -> RunOptions:
    """What was asked, with the reference read from its file. Raises UsageError."""
    reference = getattr(args, "reference", None)
    return RunOptions(
        problem=args.problem,
        reference=read_program(reference) if reference is not None else None,
        reference_label=Path(reference).name if reference is not None else "",
        shape=args.shape,
        sizes=_sizes(args.sizes),
        dtype=args.dtype,
        device=args.device,
        contract=args.contract,
        arch=args.arch,
        allow_arithmetic=args.allow_arithmetic,
        seed=args.seed,
        examine=args.examine,
        timeout=args.timeout,
        verb=verb,
        budget=getattr(args, "budget", BUDGET_S),
        against=getattr(args, "against", "eager"),
        sweep=getattr(args, "sweep", False),
        trace=_trace_file(getattr(args, "trace", None), verb),
        sass=args.sass,
    )


def _trace_file(path: str | None, verb: Verb) -> str | None:
    """The file for a trace, as a whole path: a run may work elsewhere. Raises UsageError."""
    if path is None:
        return None
    if verb != "profile":
        raise UsageError("Only profile traces", "Leave --trace out, or profile")
    check_writable(path)
    return str(Path(path).resolve())


def _sizes(pairs: Sequence[str]) -> dict[str, int]:
    sizes = {}
    for pair in pairs:
        name, _, size = pair.partition("=")
        if not (name.isidentifier() and size.isdecimal() and size.isascii()):
            raise UsageError(f"--set {pair} sets nothing", "Write it as --set batch_size=64")
        sizes[name] = int(size)
    return sizes
