"""The judge's requests to a worker, and the worker's possible answers.

The worker runs the candidate and nothing else: it is asked to load a program, to construct its module and to call it,
and it answers with data. Every answer is checked for type and size when it is decoded (`messages.channel`).
Not here: constructing and arguments (`messages.arguments`), times (`messages.measure`), how tensors
travel (`messages.parcel`), how processes start (`processes.fork_server`).
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kernelgate.check import MAX_FORM, MAX_TENSORS
from kernelgate.messages import CostText, FaultText, Line, Text
from kernelgate.messages.arguments import Argument, Construct, Constructed
from kernelgate.messages.build_requests import BuiltExtension
from kernelgate.messages.device_compile import DeviceCompile
from kernelgate.messages.failures import CompilerFailed, Raised
from kernelgate.messages.measure import Measure, Measured, Trace, TraceTaken, Weigh, Weighed
from kernelgate.messages.parcel import Parcel

# --- asked by the judge ---------------------------------------------------------------------------------------------


class Load(msgspec.Struct, tag="load"):
    """Execute the program's text, as a module of its own. First message to a worker."""

    python: Text
    device: Literal["cuda", "emulated"]
    device_index: int
    cache: str
    arch: str | None = None
    folder: str = ""
    """Where the program finds modules of its author's (`program.folder`)."""
    examine: bool = False
    """Emulated: have every access of a kernel looked at."""
    launch_limit_s: float = 0.0
    """Emulated: end a launch that takes longer, and say where it was; 0 is no limit."""
    every_configuration: bool = False
    """Emulated: run a kernel that Triton tunes in each of its configurations."""
    quick: bool = False
    """On a GPU: build the two sides of an extension apart, if PyTorch's own build of it is not there yet."""


Manner = Literal[
    "plain",
    "gradients on",
    "inputs want gradients",
    "many times",
    "waited for",
    "inference mode",
    "after an exception",
    "in a thread",
    "hooked",
    "beside a copy",
    "observed",
    "without kernels",
    "examined",
    "counted",
    "train",
    "eval",
    "autocast",
    "copied",
    "pickled",
    "compiled",
    "exported",
    "gradient",
    "gradient of parameters",
    "gradient of inputs",
    "gradient of each input",
    "gradient of two calls",
    "double backward",
    "busy device",
    "late inputs",
    "side stream",
    "other device",
    "graph",
]
"""How a call is made; `worker.call_modes` does it."""


class SetState(msgspec.Struct, tag="set_state"):
    """Give the module other parameters: by load_state_dict, by writing into them, as an optimizer does, or by other
    memory, as `to` and `load_state_dict(assign=True)` do. "halve" takes no state: it halves whatever parameters the
    module has."""

    state: dict[str, Parcel]
    how: Literal["load", "in place", "other memory", "halve"]


class Call(msgspec.Struct, tag="call"):
    """Call the module.

    `order`: in which emulation runs threads. `same_memory`: the inputs take the place of those of the call before,
    whose shapes and dtypes they have. `upstream`: the gradient of the result, for the manners that differentiate.
    """

    inputs: list[Argument]
    order: Literal["normal", "reversed", "shuffled"] = "normal"
    manner: Manner = "plain"
    same_memory: bool = False
    upstream: Parcel | None = None
    seed: int | None = None
    """The state of the random generators at the call; None leaves them."""
    former: bool = False
    """Call the module that was kept when this one was made."""
    names: list[str] = []
    """Give the last inputs by these names."""


class CallOnPatterns(msgspec.Struct, tag="call_on_patterns"):
    """Call the module on one input that the worker makes itself, since it may be large: the numbers whose bits are
    `first`, `first` + 1, and so on (`check.inputs.bit_patterns`). The answer holds the result and its form, and no
    inputs."""

    shape: list[Annotated[int, Meta(ge=0, lt=2**31)]]
    dtype: Line
    first: int


class GetState(msgspec.Struct, tag="get_state"):
    """Send the module's parameters. `saved`: as its own state_dict gives them, which a checkpoint holds."""

    saved: bool = False


class LookAgain(msgspec.Struct, tag="look_again"):
    """Say what the results of the module's calls hold now, as far as they have been kept. `module_ends`: the module is
    let go first, as where a cell makes another one of that name. `count`: of results, the last ones."""

    module_ends: bool
    count: Annotated[int, Meta(ge=1)]


class Inspect(msgspec.Struct, tag="inspect"):
    """Say what has changed in the process since the program was loaded."""


class Compile(msgspec.Struct, tag="compile"):
    """Compile the device part of a source with NVRTC, in a worker without a candidate. First message to it.

    `flags`: the program's own for nvcc; `listing`: send the code as text as well; `lines`: count each
    line's instructions.
    """

    cuda: Text
    flags: list[Line]
    archs: list[str]
    cache: str
    listing: bool = False
    lines: bool = False


class Behave(msgspec.Struct, tag="behave"):
    """Say what PyTorch's operators give on fixed inputs, in this process and on this device."""

    device: Literal["cuda", "emulated"]
    device_index: int


class Alone(msgspec.Struct, tag="alone"):
    """Load the program, construct its module and call it some times, in a process that looks like a notebook's kernel
    and then ends. All parcels lie in the descriptors of this message. `module`: the name of the program's file. The
    answer is a `Returned` for each call, or one that says why there is none."""

    load: Load
    construct: Construct
    calls: list[Call]
    module: Line


Request = (
    Load
    | Construct
    | SetState
    | GetState
    | LookAgain
    | Call
    | CallOnPatterns
    | Measure
    | Weigh
    | Trace
    | Inspect
    | Behave
    | Compile
)


# --- answered by the worker -----------------------------------------------------------------------------------------


class Loaded(msgspec.Struct, tag="loaded"):
    pass


class CaughtBuild(msgspec.Struct):
    """A call of load_inline that failed, whose exception the program has caught. `line` counts in its Python."""

    line: int | None
    what: Line


class Returned(msgspec.Struct, tag="returned"):
    """What a call gave. `outputs`: every tensor of its result in order, none if one does not lie on the device or is
    not dense; `what` says what it was, and `form` how the tensors lie in it (`check.nesting`)."""

    what: Line
    outputs: Annotated[list[Parcel], Meta(max_length=MAX_TENSORS)]
    aliases_input: bool
    inputs: Annotated[list[Parcel], Meta(max_length=MAX_TENSORS)]
    """The whole memory of each tensor among the inputs after the call, as bytes, in the order given; then that of
    `upstream`, if there was one."""
    inputs_changed: Annotated[list[Line], Meta(max_length=20)] = []
    """What else about the inputs has changed, in words."""
    damage: Annotated[list[Line], Meta(max_length=20)] = []
    """Writes outside of a tensor that the backend found, in words."""
    form: Annotated[str, Meta(max_length=MAX_FORM)] = ""
    earlier: Annotated[list[Parcel], Meta(max_length=MAX_TENSORS)] = []
    """The tensors of the result of the call before, as they are now; none if there was no call."""
    aliases_earlier: bool = False
    wants_gradient: bool = False
    """A tensor of the result takes part in differentiation."""
    gradients: Annotated[list[Parcel | None], Meta(max_length=MAX_TENSORS)] = []
    """Manners that differentiate: as `check.autograd` has them; None if there is none."""
    drew: bool = False
    """A random generator of PyTorch, Python or NumPy is in another state after the call than before."""
    left_running: Annotated[list[Line], Meta(max_length=20)] = []
    """Threads and processes that the call started and that had not ended when it returned."""
    operators: Annotated[list[Line], Meta(max_length=64)] = []
    """Manner "observed": the operators of PyTorch that were dispatched, the most frequent first."""
    launches: Annotated[int, Meta(ge=0)] | None = None
    """Manner "observed": how many kernels the candidate launched; None if the device does not count them."""
    device_kernels: Annotated[list[Line], Meta(max_length=256)] = []
    """Manner "observed": the names of all kernels that ran, where the device names them."""
    caught_builds: Annotated[list[CaughtBuild], Meta(max_length=8)] = []
    """Manner "observed": calls of load_inline that have failed so far, and did not end the program."""
    kernels_matter: bool | None = None
    """Manner "without kernels": whether the result changes where kernels do nothing; None if that is not known."""
    findings: Annotated[list[FaultText], Meta(max_length=64)] = []
    """Manner "examined": faults as the device reports them (`emulator.decode_fault` reads them)."""
    unwritten_matters: bool = False
    """Manner "examined": the result depends on memory that nothing had written."""
    costs: Annotated[list[CostText], Meta(max_length=1024)] = []
    """Manner "counted": what accesses cost, as the device reports it (`emulator.decode_costs` reads it)."""
    raised: Annotated[list[Line], Meta(max_length=8)] = []
    """To `Alone`: an exception of the program, or what differs once the cell has ended, in words."""
    not_possible: Line | None = None
    """Why a manner cannot be tried on this device; the rest is then empty."""


class StateSet(msgspec.Struct, tag="state_set"):
    """`fits`: whether the module still has tensors of the shapes that it was given; else nothing is set."""

    fits: bool = True


class StateGot(msgspec.Struct, tag="state_got"):
    """Parameters and buffers by name."""

    state: Annotated[dict[str, Parcel], Meta(max_length=MAX_TENSORS)]


class LookedAgain(msgspec.Struct, tag="looked_again"):
    """The tensors of each result, as they are now: of one call after another, up to the last."""

    results: Annotated[list[Annotated[list[Parcel], Meta(max_length=MAX_TENSORS)]], Meta(max_length=1000)]


class Inspected(msgspec.Struct, tag="inspected"):
    changed: Annotated[list[Line], Meta(max_length=50)]
    """Settings and functions of PyTorch that have changed, in words."""
    seeds: tuple[int, int] | None = None
    """The random seed now and before, if it has changed."""


class Behaved(msgspec.Struct, tag="behaved"):
    values: Annotated[dict[Line, Parcel], Meta(max_length=200)]
    """By the name of an operator or a module: what it gives, as bytes."""


class Refused(msgspec.Struct, tag="refused"):
    """Emulation does not cover the program. `unit` and `line` are those of the source given to load_inline;
    `python_line` is the candidate's own that asked for what is missing, where Python did."""

    what: Line
    unit: Line | None = None
    line: int | None = None
    unit_text: Text = ""
    python_line: int | None = None


class NoToolchain(msgspec.Struct, tag="no_toolchain"):
    what: Line


class Broke(msgspec.Struct, tag="raised"):
    """The candidate raised. `findings`: faults of the device behind it, as in `Returned`."""

    raised: Raised
    findings: Annotated[list[FaultText], Meta(max_length=64)] = []


class NotCompiled(msgspec.Struct, tag="not_compiled"):
    failed: CompilerFailed


class OwnFailure(msgspec.Struct, tag="own_failure"):
    """The worker itself made a mistake; its process then ends. Nothing of it is the candidate's."""

    what: Line
    log: Annotated[str, Meta(max_length=20_000)] = ""


class Compiled(msgspec.Struct, tag="compiled"):
    """A result for each architecture; `version` of NVRTC, "" if there is none."""

    version: Annotated[str, Meta(max_length=40)]
    results: Annotated[list[DeviceCompile], Meta(max_length=4)]


Answer = (
    Loaded
    | Constructed
    | StateSet
    | StateGot
    | LookedAgain
    | Returned
    | Measured
    | Weighed
    | TraceTaken
    | Inspected
    | Behaved
    | Compiled
    | Refused
    | NoToolchain
    | Broke
    | NotCompiled
    | OwnFailure
)


ANSWER_TO: dict[type, type] = {
    Load: Loaded,
    Construct: Constructed,
    SetState: StateSet,
    GetState: StateGot,
    LookAgain: LookedAgain,
    Call: Returned,
    CallOnPatterns: Returned,
    Measure: Measured,
    Weigh: Weighed,
    Trace: TraceTaken,
    Inspect: Inspected,
    Behave: Behaved,
    Compile: Compiled,
}
"""The answer to each request, if all went well."""


class Building(msgspec.Struct, tag="building"):
    """Sent while a request is being worked on: a compiler starts, or (`name` None) has ended. At the start with what it
    compiles, for the lines of faults."""

    name: Line | None
    cpp_sources: Text = ""
    cuda_sources: Text = ""
    cuda_flags: Annotated[list[Line], Meta(max_length=64)] = []
    includes: bool = True
    """Whether load_inline puts its own includes before the sources."""


class Confined(msgspec.Struct, tag="confined"):
    """Told once, before the program is loaded: what its process may not do, by name, and why not more."""

    held: Annotated[list[Annotated[str, Meta(max_length=40)]], Meta(max_length=8)]
    missing: Annotated[str, Meta(max_length=400)] = ""


class Reply(msgspec.Struct, tag="reply"):
    """Every answer comes with the extensions built since the one before."""

    answer: Answer
    built: Annotated[list[BuiltExtension], Meta(max_length=64)] = []


FromWorker = Building | Confined | Reply
