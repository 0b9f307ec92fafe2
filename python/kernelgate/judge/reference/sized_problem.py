"""The problem of a run, at sizes that the run can afford.

In: the job, its device, and the candidate. Out: a `SizedProblem`, whose reference takes its own inputs; RunEnded where
there is none. How much memory a call takes is counted before it is made, and can be more: where memory runs out, the
next smaller sizes are tried.
Not here: which sizes cost less (`check.sizes`), how much may be spent (`judge.reference.affordable`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from kernelgate.backend.memory import DTYPES
from kernelgate.check.device_asserts import asserts_raise
from kernelgate.check.nesting import shape_words, tensors_in
from kernelgate.check.problem import NoMemory, Problem, ProblemError, is_out_of_memory, parsed
from kernelgate.check.sizes.work import Work
from kernelgate.judge.endings.device_memory import Room, give_back_memory, room_on
from kernelgate.judge.endings.reference_failures import too_large, unusable
from kernelgate.judge.endings.run_ended import TooLarge
from kernelgate.judge.reference.affordable import Scaling, below, budget_for, scaling
from kernelgate.judge.reference.copies import copied, fresh
from kernelgate.messages.job import Job
from kernelgate.program import Candidate

_STEPS_BACK = 6  # towards larger sizes, where the reference runs without values and raises with them
_MOST_SIZES = 8


@dataclass(frozen=True)
class SizedProblem:
    """`sizes`: the numbers of the text that are set, by name. `init`, `own_inputs`: the arguments of the constructor
    and of a call; `base`: the module in float32. `full_shape`: the shape of the text's own sizes, where the problem is
    `scaled`. `work`: of one call, where it could be counted; `room`: of the device, before anything was made;
    `for_memory`: at larger sizes memory has run out."""

    problem: Problem
    sizes: dict[str, int]
    init: list[Any]
    own_inputs: list[Any]
    base: torch.nn.Module
    scaled: bool = False
    full_shape: str | None = None
    work: Work | None = None
    room: Room | None = None
    for_memory: bool = False

    @property
    def scaled_for(self) -> str:
        """Why it was scaled, as the end of a sentence; "" for the time that emulation takes."""
        if not self.scaled or not (self.for_memory or self.room):
            return ""
        return f"to fit into the device's memory: {self.room.words}" if self.room else "to fit into free memory"

    def runs(self) -> bool:
        """Whether the reference takes its own inputs, with their values. Raises TooLarge without memory for it."""
        try:
            with asserts_raise(self.problem.device):
                self.problem.call(fresh(self.base), [copied(v) for v in self.own_inputs])
        except Exception as exc:  # a reference may refuse an input by any exception
            if is_out_of_memory(exc):
                raise too_large(shape_words(self.own_inputs), self.room) from exc
            return False
        return True


def label_of(job: Job) -> str:
    """What messages call the reference's text."""
    return "problem.py" if job.operator is not None else job.reference_label


def sized_problem(
    job: Job,
    device: torch.device,
    parameters_seed: int,
    inputs_seed: int,
    candidate: Candidate | None,
    too_much: Work | None = None,
) -> SizedProblem:
    """Without a candidate as if it had CUDA source. `too_much`: the work of sizes at which memory ran out. Raises
    RunEnded where the reference cannot be used."""
    text, label = job.reference_text, label_of(job)
    try:
        parsed(text, label)  # before its numbers are looked for
        room = room_on(device)
        for _size in range(_MOST_SIZES):
            found = _scaling(job, device, candidate, too_much)
            try:
                made = _made(job, device, parameters_seed, inputs_seed, found, room)
                return replace(made, for_memory=too_much is not None)
            except (NoMemory, TooLarge) as exc:
                if found.work is None or not _smaller(found.work, too_much):
                    raise
                last, too_much = exc.with_traceback(None), found.work
                last.__cause__ = last.__context__ = None  # their frames hold tensors
            give_back_memory()
        raise last
    except ProblemError as exc:
        raise unusable(exc, label, text, job.reference_first_line) from exc


def _smaller(work: Work, than: Work | None) -> bool:
    return than is None or work.elements < than.elements


def _made(
    job: Job,
    device: torch.device,
    parameters_seed: int,
    inputs_seed: int,
    found: Scaling,
    room: Room | None,
) -> SizedProblem:
    """At the last of the steps, or a larger one, at which the reference runs. Raises ProblemError, TooLarge."""
    text, label, steps = job.reference_text, label_of(job), found.steps
    asked = job.shape is not None or (job.operator is not None and bool(job.sizes))
    scaled = bool(steps[-1]) and not asked
    full_shape = _full_shape(text, label, job.sizes) if scaled else None
    for sizes in reversed(steps[-_STEPS_BACK:]):
        every = {**sizes, **job.sizes}
        problem = Problem(text, label, device, every)
        init = problem.init_inputs(parameters_seed)
        inputs = problem.inputs(inputs_seed)
        base = problem.model(init, parameters_seed, torch.float32)
        sized = SizedProblem(problem, every, init, inputs, base, scaled, full_shape, found.work, room)
        if not scaled or sized.runs():
            break
    return sized


def _scaling(job: Job, device: torch.device, candidate: Candidate | None, too_much: Work | None) -> Scaling:
    operator = job.operator
    on_cpu = device.type == "cpu"
    if operator is not None and (job.shape is not None or on_cpu):
        shape = operator.emulated_shape if job.shape is None else job.shape
        return Scaling((dict(zip(operator.shape, shape, strict=True)),))
    budget = below(budget_for(device, job.verb, DTYPES[job.dtype].itemsize, candidate), too_much)
    theirs = candidate.python if candidate is not None else ""
    return scaling(job.reference_text, label_of(job), budget, job.sizes, theirs, on_cpu=on_cpu)


def _full_shape(text: str, label: str, sizes: Mapping[str, int]) -> str:
    full = Problem(text, label, torch.device("meta"), sizes)
    return shape_words(full.inputs(0))


def own_dtype(job: Job, inputs: Sequence[Any]) -> torch.dtype:
    """The run's dtype: the one asked for. Where that is the default, and no input of the problem has it, the inputs'
    own."""
    asked = DTYPES[job.dtype]
    floating = [one.dtype for one in tensors_in(list(inputs)) if one.is_floating_point()]
    if job.operator is not None or torch.float32 in floating or asked != torch.float32:
        return asked
    return next((kind for kind in floating if kind in DTYPES.values()), asked)
