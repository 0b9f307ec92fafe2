"""A run as plain data: what is asked (`Job`).

A job names texts, never objects, so it can travel to another process or machine; its result is a report.
"""

from __future__ import annotations

import difflib
import math
import os
import re
import secrets
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec

from kernelgate.catalogue import Operator, operators
from kernelgate.messages.option import Option
from kernelgate.report import (
    Contract,
)

MAX_SOURCE_BYTES = 1_000_000
DTYPES = ("float32", "float16", "bfloat16", "float64")
DEVICES = ("auto", "cuda", "cuda:1", "emulated")
CONTRACTS = ("problem", "drop-in")
ALLOWED_ARITHMETIC = ("tf32", "fp16", "bf16")
Verb = Literal["verify", "benchmark", "profile"]
BASELINES = ("eager", "compile")
BUDGET_S = 20.0


class UsageError(Exception):
    """What was asked is impossible: an unknown problem, option or shape. `next_step` is what to do."""

    def __init__(self, what: str, next_step: str) -> None:
        super().__init__(f"{what}. {next_step}{'' if next_step.endswith('?') else '.'}")
        self.what = what
        self.next_step = next_step

    def _render_traceback_(self) -> list[str]:
        """IPython shows this instead of a traceback: the mistake is in what was asked, not in our code."""
        return [f"UsageError: {self}"]


def suggestion(word: str, known: Sequence[str], likeness: float = 0.6) -> str:
    """The next step for somebody who wrote `word` instead of one of the known ones."""
    close = difflib.get_close_matches(word, known, n=1, cutoff=likeness)
    return f"Did you mean {close[0]}?" if close else f"Choose one of: {', '.join(known)}"


def _either(words: Sequence[str]) -> str:
    """ "auto, cuda or emulated"."""
    return f"{', '.join(words[:-1])} or {words[-1]}"


class Limits(msgspec.Struct, frozen=True):
    """What a run may take, in seconds of wall time and bytes of host memory; a memory of 0 is set from what is free.
    `run_s` holds for the whole run; 0 is no such limit.
    """

    build_s: float = 600.0
    call_s: float = 60.0
    # Without its build. The largest problem of the catalogue takes a few seconds; a person waits for this, and would
    # rather have a verdict than a complete memory check.
    examine_s: float = 20.0
    # Under compute-sanitizer, each tool: PyTorch takes several times as long to start.
    sanitize_s: float = 120.0
    # The device compile check of one source. Most take a tenth of a second; headers of libcu++ make that several.
    device_compile_s: float = 60.0
    run_s: float = 0.0
    memory_bytes: int = 0

    @classmethod
    def of_run(cls, seconds: float | None) -> Limits:
        """The limits for a person who says how long a run may take: any part of it may take that long, too.

        Raises UsageError.
        """
        if seconds is None:
            return cls()
        if not (math.isfinite(seconds) and seconds > 0):
            raise UsageError(f"A run cannot take {seconds:g} s", "Give --timeout a number of seconds above 0")
        return cls(build_s=seconds, call_s=seconds, run_s=seconds)


def parse_shape(written: Any) -> tuple[int, ...] | None:
    """ "4096x393216" as numbers; a list or tuple of numbers is one already. Raises UsageError."""
    if written is None or not isinstance(written, str):
        return written if written is None else tuple(written)
    parts = written.lower().split("x")
    if not all(part.isdecimal() and 0 < int(part) <= 1 << 40 for part in parts):
        raise UsageError(
            f"{written!r} is not a shape", "Write sizes with x between them, for example 4096x393216"
        )
    return tuple(int(part) for part in parts)


def parse_sizes(written: Mapping[str, int] | Sequence[str] | None) -> dict[str, int]:
    """NAME=SIZE words, or a mapping, as sizes by name. Raises UsageError."""
    if written is None or isinstance(written, Mapping):
        return dict(written or {})
    sizes = {}
    for pair in written:
        name, _, size = pair.partition("=")
        if not (name.isidentifier() and size.isdecimal() and size.isascii()):
            raise UsageError(f"--set {pair} sets nothing", "Write it as --set batch_size=64")
        sizes[name] = int(size)
    return sizes


def parse_names(written: str | Sequence[str]) -> tuple[str, ...]:
    """ "eager,compile" as names."""
    return tuple(written.split(",")) if isinstance(written, str) else tuple(written)


def parse_every_size(written: str | None) -> bool:
    if written not in (None, "all"):
        raise UsageError(f"The sizes cannot be {written!r}", "Write --sizes all, or leave it out")
    return written == "all"


class Passage(msgspec.Struct, frozen=True):
    """Lines of another cell; `first_line` is the number of the first of them there, 0 if they have no place."""

    text: str
    label: str
    first_line: int


class Job(msgspec.Struct, kw_only=True):
    """One run. Exactly one of `problem` and `reference`, a program's text, is given.

    `first_line`: the line of the person's cell at which `text` begins. `above`: passages of other cells that the
    program needs, in the order in which they run. `reference_label`: where the reference comes
    from, in one line; `reference_first_line`: the line of its file or cell at which it begins. A field with an `Option`
    is what a person may ask for; the option's help says what it does.
    """

    run: str
    text: str
    label: str
    first_line: int = 1
    above: tuple[Passage, ...] = ()
    cell_id: str | None = None
    ours: bool = False
    """The text is the catalogue's own program."""
    prove_fixes: bool = True
    """Judge the program with a fix before the report offers it."""
    awaited: bool = True
    """Somebody waits for the first verdict; of many programs, the last one matters."""
    reference_label: str = ""
    tolerance_of: str = ""
    """Whose `rtol` and `atol` are, in words: "the workload's"; "" for the person's own."""
    reference_first_line: int = 1
    cache: str = ""
    folder: str = ""
    """Where the program and its reference find modules of their author's (`program.folder`)."""
    verb: Verb = "verify"

    problem: Annotated[str | None, Option("a problem of the catalogue", "ID", use="source")] = None
    reference: Annotated[
        str | None,
        Option(
            "a problem of your own: a file in the KernelBench form, cell:3 of the notebook, a name that a cell "
            "defines, or an expression such as torch.nn.GELU()",
            "WHAT",
            use="source",
        ),
    ] = None
    inputs: Annotated[
        tuple[str, ...],
        Option(
            "an input of the reference: its sizes, such as 512x3072, or an expression such as torch.randn(64, 768)",
            "INPUT",
            flag="--input",
            written=str | Sequence[str] | None,
            default=None,
            repeats=True,
            use="source",
        ),
    ] = ()
    shape: Annotated[
        tuple[int, ...] | None,
        Option(
            "the sizes of a problem of the catalogue, such as 4096x393216",
            "SIZES",
            written=str | None,
            read=parse_shape,
        ),
    ] = None
    sizes: Annotated[
        dict[str, int],
        Option(
            "an integer constant of the reference program; may be repeated",
            "NAME=SIZE",
            flag="--set",
            written=Mapping[str, int] | None,
            default=None,
            read=parse_sizes,
            repeats=True,
        ),
    ] = {}
    dtype: Annotated[str, Option(_either(DTYPES), values=DTYPES)] = "float32"
    device: Annotated[str, Option(_either(DEVICES), values=DEVICES)] = "auto"
    contract: Annotated[Contract, Option(_either(CONTRACTS), written=str, values=CONTRACTS)] = "problem"
    arch: Annotated[
        str | None, Option("the architecture to compile for; as the device if not given", "sm_80")
    ] = None
    allow_arithmetic: Annotated[
        str | None,
        Option(
            f"let products in {_either(ALLOWED_ARITHMETIC)} pass, where the reference's are in float32",
            "tf32",
            values=ALLOWED_ARITHMETIC,
        ),
    ] = None
    rtol: Annotated[
        float | None,
        Option(
            "a tolerance of your own: a value within ATOL + RTOL * |expected| passes, as in torch.allclose; 0 if only "
            "--atol is given",
            "RTOL",
        ),
    ] = None
    atol: Annotated[float | None, Option("the other part of it; 0 if only --rtol is given", "ATOL")] = None
    seed: Annotated[
        int | None,
        Option("repeats the run of the report that discloses it; a secret one is drawn if not given"),
    ] = None
    examine: Annotated[
        bool | None,
        Option(
            "on a GPU, look at every access under compute-sanitizer too. In emulation that is done in any case; "
            "--no-examine leaves it out"
        ),
    ] = None
    thorough: Annotated[
        bool, Option("try more cases: inputs times 1000, parameters times 30, more numbers for the constructor")
    ] = False
    all_values: Annotated[
        bool, Option("compare every float32 number, if the problem is elementwise in one input; a GPU always does")
    ] = False
    every_size: Annotated[
        bool,
        Option(
            "look at every access at each size from 1 to 1,025, and beside longer blocks: all",
            name="examine_sizes",
            flag="--sizes",
            written=str | None,
            default=None,
            read=parse_every_size,
        ),
    ] = False
    listing: Annotated[
        bool,
        Option(
            "show the kernels as compiled for sm_80: PTX, and SASS if the CUDA toolkit is installed",
            name="sass",
        ),
    ] = False
    limits: Annotated[
        Limits,
        Option(
            "how long the run may take; if not given, 600 s for a build and 60 s for a call",
            "SECONDS",
            name="timeout",
            written=float | None,
            default=None,
            read=Limits.of_run,
        ),
    ] = Limits()
    budget_s: Annotated[
        float,
        Option(
            f"how long times are taken at most; {BUDGET_S:g} if not given",
            "SECONDS",
            name="budget",
            use="timing",
        ),
    ] = BUDGET_S
    against: Annotated[
        tuple[str, ...],
        Option(
            f"what it is timed against: {', '.join(BASELINES)}, with commas between them",
            "eager,compile",
            written=str,
            default="eager",
            values=BASELINES,
            read=parse_names,
            use="timing",
        ),
    ] = ("eager",)
    sweep: Annotated[bool, Option("time other sizes as well, from small to whole", use="timing")] = False
    trace: Annotated[
        str,
        Option(
            "with profile: write the trace of a call, for Chrome or Perfetto",
            "FILE",
            written=str | None,
            default=None,
            use="timing",
        ),
    ] = ""

    @property
    def operator(self) -> Operator | None:
        return operators()[self.problem] if self.problem is not None else None

    @property
    def reference_text(self) -> str:
        """The reference program."""
        return self.operator.problem_text if self.operator is not None else self.reference or ""


def new_run_id() -> str:
    return f"kg-{secrets.token_hex(6)}"


def cache_folder() -> Path:
    """Where builds are kept: $KERNELGATE_CACHE, or a folder in the user's cache."""
    own = os.environ.get("KERNELGATE_CACHE")
    if own:
        return Path(own)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kernelgate"


def checked(job: Job) -> Job:
    """The job, if what it asks exists. Raises UsageError."""
    if (job.problem is None) == (job.reference is None):
        what = "No problem is named" if job.problem is None else "Two problems are named"
        raise UsageError(what, "Name one: --problem ID or --reference WHAT")
    if job.problem is not None and job.problem not in operators():
        known = suggestion(job.problem, list(operators()))
        own = f"Give a reference of your own as --reference {job.problem}"
        raise UsageError(
            f"There is no problem {job.problem!r}", own if job.problem.endswith(".py") else known
        )
    kind, _, index = job.device.partition(":")
    if kind not in ("auto", "cuda", "emulated") or (index and (kind != "cuda" or not index.isdecimal())):
        raise UsageError(f"There is no device {job.device!r}", f"Choose {_either(DEVICES)}")
    if job.contract not in CONTRACTS:
        raise UsageError(f"There is no contract {job.contract!r}", suggestion(job.contract, CONTRACTS))
    if job.dtype not in DTYPES:
        raise UsageError(f"There is no dtype {job.dtype!r}", suggestion(job.dtype, DTYPES, likeness=0.54))
    if job.seed is not None and not 0 <= job.seed < 1 << 63:
        raise UsageError(f"{job.seed} is no seed", "Give a whole number from 0 to 9223372036854775807")
    if job.allow_arithmetic is not None and job.allow_arithmetic not in ALLOWED_ARITHMETIC:
        step = suggestion(job.allow_arithmetic, ALLOWED_ARITHMETIC)
        raise UsageError(f"There is no arithmetic {job.allow_arithmetic!r}", step)
    for name, value in (("--rtol", job.rtol), ("--atol", job.atol)):
        if value is not None and not 0 <= value <= 1e300:
            raise UsageError(f"{name} cannot be {value:g}", "Give a number of 0 or more, such as 1e-3")
    if not (math.isfinite(job.budget_s) and job.budget_s > 0):
        raise UsageError(
            f"Times cannot be taken for {job.budget_s:g} s", "Give --budget a number of seconds above 0"
        )
    for name in job.against:
        if name not in BASELINES:
            raise UsageError(f"There is nothing {name!r} to time against", suggestion(name, BASELINES))
    if job.arch is not None and not re.fullmatch(r"sm_\d{2,3}[a-z]?", job.arch):
        raise UsageError(f"There is no architecture {job.arch!r}", "Write it as sm_80")
    if job.trace and job.verb != "profile":
        raise UsageError("Only profile traces", "Leave --trace out, or profile")
    for name, size in job.sizes.items():
        if not 0 < size <= 1 << 40:
            raise UsageError(f"{name} cannot be {size}", "Give a size from 1 to 1099511627776")
    if job.shape is not None:
        if job.operator is None:
            raise UsageError(
                "--shape needs a problem of the catalogue", "Use --set NAME=SIZE with --reference"
            )
        if len(job.shape) != len(job.operator.shape):
            raise UsageError(
                f"{job.operator.name} has {len(job.operator.shape)} sizes, not {len(job.shape)}",
                f"Give them as {'x'.join(job.operator.shape)}",
            )
    return job
