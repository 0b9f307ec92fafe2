"""The report: one record of a run, and the only thing that is shown of it.

In: nothing. Out: the types below, the JSON schema made from them (`report.schema.json`), and, made from that
schema, the TypeScript types of the front end. Every string, list and number is bounded, because a report holds words
of a candidate, is stored in notebooks, and comes from strangers. Decoding with `msgspec` enforces the bounds; building
a report does not, so its texts are cut before it is built (`report.bounded`).
What a field's docstring calls "as shown" is written by `report.shown_words` alone, as the sections are, so that every
viewer shows the same words and figures.
Not here: what the stages time and profile measured (`report.measured`), how a report reads (`report.text`,
`report.html`) and what it concludes (`judge.verdict`).
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from kernelgate.report.accuracy import ErrorMap, Precision, Rules, Values
from kernelgate.report.blocks import Axis, Mark, Section
from kernelgate.report.measured import DeviceCode, Profile, Timing
from kernelgate.report.record import Code, Count, Distance, Log, Name, Record, Seconds, Words
from kernelgate.report.wrong_results import WrongKind

REPORT_MIME = "application/vnd.kernelgate.report+json"
REPORT_VERSION = 1

RunId = Annotated[str, Meta(pattern="^[A-Za-z0-9-]{1,64}$")]
Contract = Literal["problem", "drop-in"]
DeviceKind = Literal["cuda", "emulated", "none"]
StageName = Literal["build", "check", "time", "profile"]
StageState = Literal[
    "waiting",
    "running",
    "passed",
    "failed",
    "stopped",  # cut off by a cancel, a time limit or a mistake in KernelGate: what it had finished is kept
    "not run",
]
Outcome = Literal["pass", "fail", "unsupported", "not run"]

VerdictKind = Literal[
    "pass",
    "read",  # the program cannot be read: not Python, no ModelNew, ...
    "build",  # it does not compile, import or construct
    "wrong",  # it computes something else
    "fault",  # it touches memory that is not its own, crashes, or ends its process
    "weak",  # right as far as the check can tell, which is not far enough
    "timeout",
    "cancelled",
    "refused",  # emulation does not cover it
    "environment",  # no compiler, no torch, no such device
    "internal",  # our own mistake
    "profiled",  # code that is no candidate was profiled, and not judged
]


class ExcerptLine(Record, kw_only=True):
    """One line of the person's own text. `line` counts from 1 in their cell or file."""

    line: Count
    text: Annotated[str, Meta(max_length=400)]
    marked: bool = False


class Place(Record, kw_only=True):
    """Where in the person's cell or file something is."""

    label: Name
    """"cell [4]", or a file's name."""
    line: Count | None = None
    column: Count | None = None
    excerpt: Annotated[list[ExcerptLine], Meta(max_length=9)] = []
    words: Words = ""
    """As shown: "cell [4], line 33"."""


class Edit(Record, kw_only=True):
    """Where a fix goes in the person's cell or file, and how it is written there."""

    line: Annotated[int, Meta(ge=1, le=2**53 - 1)]
    column: Count
    """Characters of that line before it; 0 if lines are replaced."""
    text: Code
    replaces: Annotated[int, Meta(ge=0, le=1000)] = 0
    """Whole lines, from `line` on, that `text` takes the place of; 0 if it is inserted and nothing goes."""


class Failure(Record, kw_only=True):
    """What went wrong: what happened, where, and one next step. In a pass: beyond the problem."""

    stage: StageName | None
    what: Words
    where: Place | None = None
    next_step: Words
    fix: Code | None = None
    """Text that fixes it for certain, to be added as it stands; never a guess. The program passes with it, and with
    those fixes that its next failures offer. Empty if lines are only to be removed."""
    edit: Edit | None = None
    """Where `fix` goes; None if the program's text does not show that."""
    log: Log = ""
    """The tool's own output, cut at both ends of the bound; empty if there is none."""
    log_lines: Count = 0
    case: Name | None = None
    """The case whose values differ; None if the failure is of another kind."""


class Verdict(Record, kw_only=True):
    outcome: Literal["pass", "fail", "unclear", "not run"]
    kind: VerdictKind
    sentence: Words
    support: Annotated[list[Words], Meta(max_length=3)] = []
    obstacle: Words = ""
    """What keeps a program that is right for its problem from being a drop-in: "illegal memory access on odd sizes".
    Empty if nothing was found, and in every verdict but a pass."""
    strays: bool = False
    """A pass by luck: on inputs beyond the problem it touches memory that is not its own."""
    untried: Words = ""
    """Why it is not known whether it is a drop-in, if nothing was found that keeps it from being one: "12 of 19
    cases beyond the problem were not run: the reference is slow; --thorough runs it". Empty if not, and
    in every verdict but a pass."""
    short: Name = ""
    """The same in a few words, for a list of runs: "correct, 1.01x faster"."""


class Fact(Record, kw_only=True):
    """One of the three facts of the card. `measured` is false if the answer is "not measured"."""

    question: Literal["Correct?", "Faster?", "Limit?", "On a GPU?"]
    answer: Words
    evidence: Words = ""
    measured: bool = True
    axis: Axis | None = None
    marks: Annotated[list[Mark], Meta(max_length=8)] = []
    """A small chart of it, if it was measured."""


class Stage(Record, kw_only=True):
    name: StageName
    state: StageState
    done: Count = 0
    total: Count = 0
    seconds: Seconds = 0.0
    note: Words = ""
    count: Name = ""
    """As shown: "9 of 15"; empty if nothing is counted."""
    took: Name = ""
    """As shown: "900 ms"; empty until it has ended."""


class Mismatch(Record, kw_only=True):
    """The first wrong element. Numbers are written out, because JSON has no inf and no NaN."""

    index: Name
    input: Name | None = None
    got: Name
    expected: Name


class Redraw(Record, kw_only=True):
    """What draws a case again, beside its name and the run's seed, dtype and device; for `kernelgate.draw_case`."""

    problem: Name | None = None
    """The catalogue's id; None for a reference program of the person's own, which the kernel of the run remembers."""
    sizes: Annotated[dict[Name, Annotated[int, Meta(ge=0, le=2**63 - 1)]], Meta(max_length=64)] = {}
    """The integers of the reference program that were set for the run."""
    parameters: Literal["own", "integers"] = "own"
    allow_arithmetic: Name | None = None


class Case(Record, kw_only=True):
    """One input drawn for the check stage, and what the candidate did with it."""

    name: Name
    contract: Contract
    """The contract that this case belongs to; a drop-in case never decides the contract `problem`."""
    shape: Name
    dtype: Name
    layout: Name
    distribution: Name
    seed: Count
    outcome: Outcome
    own: bool = False
    """The inputs are the problem's own, as it draws them."""
    wrong: Count = 0
    total: Count = 0
    max_ulp: Distance | None = None
    """Largest distance from the reference, in units in the last place, or of whole numbers; None if nothing finite
    differs or exists."""
    error_units: Distance | None = None
    """Graded problems: largest forward error in units of the rounding of the dtype; None for exact ones."""
    by_distribution: bool = False
    """Results are random: their distribution was compared, and not their values."""
    first: Mismatch | None = None
    redraw: Redraw | None = None
    """Where values differ."""
    message: Words = ""
    kind: WrongKind | None = None
    """In what way its result is wrong; None if it is not, and where the call did not come to an end."""
    fault: Finding | None = None
    """What ended the call, if that is a fault or a crash."""
    whole: Count = 0
    """How many values it holds, if they are all of the dtype."""
    error: Name = ""
    """The largest error, as shown: "4.2 u"; empty if there is none to show."""


class Gate(Record, kw_only=True):
    """A property beyond right values."""

    name: Name
    contract: Contract
    outcome: Outcome
    message: Words = ""


class Power(Record, kw_only=True):
    """How strong the check was: of so many mutants, how many it caught."""

    caught: Count
    total: Count
    slipped: Annotated[list[Name], Meta(max_length=20)] = []


class Finding(Record, kw_only=True):
    """A fault or a crash. `certain`: it decides the verdict of its contract."""

    kind: Name
    title: Name = ""
    """How its sentence begins: "Data race"."""
    sentence: Words
    contract: Contract
    certain: bool
    where: Place | None = None
    other_line: Count | None = None
    """A second line of the same text: the other side of a race, where an index overflowed."""
    next_step: Words = ""


class MemoryCheck(Record, kw_only=True):
    """Every access of the kernels looked at, on a few inputs: bounds, races, reads of what was never written."""

    tool: Name
    """"emulation", also if the run itself was on a GPU; "compute-sanitizer"."""
    state: Literal["clean", "found", "cut short", "not run"]
    note: Words = ""
    """On which inputs, or why it was cut short or not run."""
    findings: Annotated[list[Finding], Meta(max_length=24)] = []
    one_stream: bool = True
    """The program makes no stream of its own. The order between streams is not looked at."""


class Advice(Record, kw_only=True):
    """Something seen in the program's text. It never decides anything."""

    text: Words
    line: Count | None = None


class Problem(Record, kw_only=True):
    id: Name
    """The catalogue's id, or the reference file's name."""
    name: Name
    replaces: Name = ""
    shape: Name
    dtype: Name
    full_shape: Name | None = None
    """The problem's own shape, if it was scaled down to run here."""
    scaled_for: Words = ""
    """Why it was: "to fit into the device's memory: 12.3 GB of 80.0 GB are free"."""


class Candidate(Record, kw_only=True):
    label: Name
    """"cell [4]", "our program", or a file's name."""
    cell_id: Name | None = None
    ours: bool = False
    """It is the catalogue's program: the report says nothing of one that a person wrote. Its title says so first."""
    source_sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    lines: Count
    language: Literal["python", "cuda"]
    cuda_kernels: Annotated[list[Name], Meta(max_length=32)] = []
    operators: Annotated[list[Name], Meta(max_length=32)] = []
    """PyTorch's operators that one call dispatched, the most frequent first."""
    launches: Count | None = None
    """How many of its kernels one call launched; None if that is not known."""
    kernels_matter: bool | None = None
    """Whether its result is another one where its kernels do nothing; None if that is not known."""
    caught_build: Words = ""
    """Of a build that failed and whose exception it caught: "load_inline failed at line 12 and was caught: ..."."""


class Device(Record, kw_only=True):
    kind: DeviceKind
    name: Name
    detail: Words = ""


class Build(Record, kw_only=True):
    """How the candidate's CUDA source was built. `lane` names the compiler path; seconds are wall time."""

    lane: Literal["emulation", "load_inline", "none"]
    seconds: Seconds = 0.0
    cached: bool = False
    compiler: Name = ""
    extensions: Annotated[list[Name], Meta(max_length=16)] = []


class Environment(Record, kw_only=True):
    kernelgate: Name
    python: Name
    torch: Name = ""
    cuda: Name = ""
    driver: Name = ""
    platform: Name = ""
    confinement: Annotated[list[Name], Meta(max_length=8)] = []
    """What was closed to the candidate's process: "files" (writing outside of its folders), "network", ..."""
    unconfined: Words = ""
    """Why not more was closed."""


class Report(Record, kw_only=True):
    """One run. While it runs, `verdict` is None and `state` is "running"."""

    schema: Annotated[int, Meta(ge=1, le=2**31 - 1)] = REPORT_VERSION
    run: RunId
    state: Literal["running", "finished"]
    created: Name
    """ISO 8601, UTC."""
    elapsed_s: Seconds = 0.0
    title: Words
    verb: Literal["verify", "benchmark", "profile"] = "verify"
    contract: Contract = "problem"
    problem: Problem
    candidate: Candidate
    device: Device
    verdict: Verdict | None = None
    facts: Annotated[list[Fact], Meta(max_length=3)] = []
    stages: Annotated[list[Stage], Meta(max_length=4)] = []
    progress: Words = ""
    failure: Failure | None = None
    cases: Annotated[list[Case], Meta(max_length=100)] = []
    gates: Annotated[list[Gate], Meta(max_length=40)] = []
    power: Power | None = None
    memory_check: MemoryCheck | None = None
    sanitizer: MemoryCheck | None = None
    """The same by compute-sanitizer, on the GPU itself."""
    arithmetic: Name = ""
    """Graded problems: the arithmetic that the largest error means, "fp32", "split", "TF32 or FP16" or "BF16"."""
    precision: Precision | None = None
    """Where that error lies between the arithmetics; None if there is one only."""
    rules: Rules | None = None
    """What other tolerances say of it; None if nothing differs and none was asked for."""
    error_map: ErrorMap | None = None
    """Where the result of the first wrong case is wrong; None if none is, and where it has one element."""
    values: Values | None = None
    """What the same case gave, against what was expected."""
    timing: Timing | None = None
    profile: Profile | None = None
    advice: Annotated[list[Advice], Meta(max_length=20)] = []
    build: Build | None = None
    device_code: DeviceCode | None = None
    environment: Environment
    seed: Name = ""
    """Disclosed when the run has ended; `--seed` repeats the run to the bit."""
    output: Log = ""
    """What the candidate printed, cut."""
    doing: Name = ""
    """What a running run is at, as shown: "checking", "waiting to start"."""
    took: Name = ""
    """`elapsed_s` as shown: "4.70 s"."""
    scaled: Words = ""
    """As shown: "from 4096x393216, to run on the CPU"; empty if nothing was scaled down."""
    kernel_note: Words = ""
    """As shown: "contains no CUDA kernel"; empty if there is one, or where the program was not read."""
    cases_conclusion: Words = ""
    """As shown: "13 of 15 pass, 1 fail, 1 not run"."""
    sections: Annotated[list[Section], Meta(max_length=16)] = []
    """All else as it is shown."""
