"""`kernelgate.draw_case`: a case of a run in the person's own kernel, to run and to step through.

In: what a report says about the case. Out: a `DrawnCase`, or UsageError. Importing this imports no torch; calling does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kernelgate.messages.job import DTYPES, checked
from kernelgate.notebook.binding import model_new
from kernelgate.notebook.sources import cell_named
from kernelgate.program import ProgramError, Source, read
from kernelgate.run import Job, UsageError

if TYPE_CHECKING:
    from kernelgate.backend.target import Target
    from kernelgate.notebook.redrawn_case import DrawnCase

_MAX_REFERENCES = 50

_references: dict[str, str] = {}  # by run, for runs against a program of the person's own


def remember_reference(job: Job) -> None:
    """Keeps the reference program of a run, which its report does not hold. The oldest is forgotten beyond 50."""
    if job.reference is None:
        return
    _references[job.run] = job.reference
    while len(_references) > _MAX_REFERENCES:
        del _references[next(iter(_references))]


def draw_case(
    case: str,
    *,
    seed: int,
    problem: str | None = None,
    run: str | None = None,
    reference: str | None = None,
    sizes: Mapping[str, int] | None = None,
    dtype: str = "float32",
    device: str = "cpu",
    parameters: str = "own",
    allow_arithmetic: str | None = None,
) -> DrawnCase:
    """Draws the case named `case` again, as a run with this seed drew it, to the bit.

    One of `problem` (a catalogue id), `reference` (a program's text) and `run` (a run of this kernel that was given
    such a text). `sizes`: the integers of the reference program that the run set. `dtype`: as the report names it; that
    of inputs that are no floating numbers stands for "float32". `device`: "cpu", which emulated runs
    draw on, or "cuda"; one seed gives other numbers on each. `parameters`: the reference's "own", or small "integers".

        case = kernelgate.draw_case("normal", problem="leakyrelu", seed=7, sizes={"batch_size": 64, "dim": 3072})
        case.reference(*case.inputs())

    Raises UsageError for what does not exist.
    """
    if run is not None:
        reference = _reference_of(run)
    if device not in ("cpu", "cuda"):
        raise UsageError(f"No case is drawn on {device!r}", "Choose cpu or cuda")
    if parameters not in ("own", "integers"):
        raise UsageError(f"There are no parameters {parameters!r}", "Choose own or integers")
    job = checked(
        Job(
            run=run or "",
            text="",
            label="",
            problem=problem,
            reference=reference,
            reference_label="reference",
            sizes=dict(sizes or {}),
            dtype=_dtype_of_run(dtype),
            seed=seed,
            allow_arithmetic=allow_arithmetic,
        )
    )

    from kernelgate.judge.endings.run_ended import RunEnded
    from kernelgate.notebook.redrawn_case import DrawnCase

    try:
        return DrawnCase(job, _target_of(device), case, parameters, lambda cell: _model_new(cell, job))  # type: ignore[arg-type]
    except RunEnded as end:
        failure = end.failure
        raise UsageError(failure.what if failure else end.sentence, failure.next_step if failure else "") from None


def _dtype_of_run(dtype: str) -> str:
    """A report of a problem without floating inputs names theirs: "int64, bool"."""
    import torch

    names = dtype.split(", ")
    known = all(isinstance(getattr(torch, name, None), torch.dtype) for name in names)
    return "float32" if known and not set(names) & set(DTYPES) else dtype


def _target_of(device: str) -> Target:
    """Raises UsageError where a GPU is wanted and there is none."""
    import torch

    from kernelgate.backend.target import EMULATED, Target

    if device != "cuda":
        return EMULATED
    if not torch.cuda.is_available():
        raise UsageError(
            "This case was drawn on a GPU, and there is none here", "Run it in a kernel with a GPU"
        )
    return Target("cuda", torch.cuda.current_device())


def _reference_of(run: str) -> str:
    known = _references.get(run)
    if known is None:
        raise UsageError(
            f"The reference program of run {run!r} is not known in this kernel",
            "Verify again, or pass its text as reference= instead of run=",
        )
    return known


def _model_new(cell: str | int, job: Job) -> Any:
    """The ModelNew of a cell. Raises UsageError where its text holds none."""
    known = cell_named(cell)
    try:
        return model_new(read(Source(known.text, known.label), job.operator, job.reference_text))
    except ProgramError as exc:
        raise UsageError(exc.what, exc.next_step) from None
