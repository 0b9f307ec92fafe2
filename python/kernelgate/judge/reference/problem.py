"""The problem of a run: its facts, at sizes that the run can afford. Nothing is learnt later: what it holds is frozen.

In: the job, its device, and the candidate. Out: the fields of a `Problem`, whose reference takes its own inputs;
RunEnded if there are none. How much memory a call takes is counted before it is made, and can be more: if memory runs
out, the next smaller sizes are tried.
Not here: which sizes cost less (`check.sizes`), how much may be spent (`judge.reference.affordable`), calls (`calls`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import torch

from kernelgate.backend.memory import DTYPES
from kernelgate.check.device_asserts import asserts_raise
from kernelgate.check.inputs.cases import case_seed
from kernelgate.check.nesting import is_floating, shape_words, tensors_in
from kernelgate.check.problem import NoMemory, ProblemError, is_out_of_memory, parsed
from kernelgate.check.problem import Problem as Program
from kernelgate.check.sizes.work import Work
from kernelgate.judge.endings.device_memory import Room, give_back_memory, room_on
from kernelgate.judge.endings.reference_failures import too_large, unusable
from kernelgate.judge.endings.run_ended import TooLarge
from kernelgate.judge.reference.affordable import Pace, Scaling, budget_for, pace_of, scaling
from kernelgate.judge.reference.copies import Assignment, copied, fresh
from kernelgate.messages.job import Job
from kernelgate.program import Candidate

_STEPS_BACK = 6  # towards larger sizes, where the reference runs without values and raises with them
_MOST_SIZES = 8


@dataclass(frozen=True, eq=False)
class Problem:
    """`program`: the reference's text, executed. `sizes`: the numbers of the text that are set, by name. `init`,
    `own_inputs`: the arguments of the constructor and of a call; `base`: the module in float32. `full_shape`: the shape
    of the text's own sizes, if the problem is `scaled`. `work`: of one call, if it could be counted; `room`: of the
    device, before anything was made; `for_memory`: at larger sizes memory has run out."""

    job: Job
    device: torch.device
    seed: int
    program: Program
    sizes: dict[str, int]
    init: list[Any]
    own_inputs: list[Any]
    base: torch.nn.Module
    scaled: bool
    full_shape: str | None
    work: Work | None
    room: Room | None
    for_memory: bool
    assignment: Assignment = field(default_factory=Assignment)

    @property
    def label(self) -> str:
        return label_of(self.job)

    @property
    def graded(self) -> bool:
        return self.job.operator is None or self.job.operator.values == "graded"

    @property
    def parameters_seed(self) -> int:
        return case_seed(self.seed, "parameters")

    @property
    def call_seed(self) -> int:
        return case_seed(self.seed, "random numbers of a call")

    @cached_property
    def dtype(self) -> torch.dtype:
        """The run's dtype: the one asked for. If that is the default, and no input of the problem has it, the inputs'
        own."""
        asked = DTYPES[self.job.dtype]
        floating = [one.dtype for one in tensors_in(list(self.own_inputs)) if is_floating(one)]
        if self.job.operator is not None or torch.float32 in floating or asked != torch.float32:
            return asked
        return next((kind for kind in floating if kind in DTYPES.values()), asked)

    @cached_property
    def pace(self) -> Pace:
        return pace_of(self.job, self.work, on_cpu=self.device.type == "cpu")

    @property
    def shape(self) -> str:
        return shape_words(self.own_inputs)

    @property
    def scaled_for(self) -> str:
        """Why it was scaled, as the end of a sentence; "" for the time that emulation takes."""
        if not self.scaled or not (self.for_memory or self.room):
            return ""
        return f"to fit into the device's memory: {self.room.words}" if self.room else "to fit into free memory"

    @property
    def nbytes(self) -> int:
        """Of inputs and parameters."""
        tensors = [*tensors_in(list(self.own_inputs)), *self.base.state_dict().values()]
        return sum(int(one.nbytes) for one in tensors)

    @property
    def parameter_names(self) -> list[str]:
        return [name for name, _parameter in self.base.named_parameters()]

    @property
    def has_state(self) -> bool:
        return bool(self.base.state_dict())


def label_of(job: Job) -> str:
    """What messages call the reference's text."""
    return "problem.py" if job.operator is not None else job.reference_label


def problem_of(
    job: Job, device: torch.device, seed: int, candidate: Candidate | None, too_much: Work | None = None
) -> dict[str, Any]:
    """The fields of a `Problem`; without a candidate as if it had CUDA source. `too_much`: the work of sizes at which
    memory ran out. Raises RunEnded if the reference cannot be used."""
    text, label = job.reference_text, label_of(job)
    for_memory = too_much is not None
    try:
        parsed(text, label)  # before its numbers are looked for
        room = room_on(device)
        for _size in range(_MOST_SIZES):
            found = _scaling(job, device, candidate, too_much)
            try:
                made = _made(job, device, seed, found, room)
                return {**made, "job": job, "device": device, "seed": seed, "for_memory": for_memory}
            except (NoMemory, TooLarge) as exc:
                if found.work is None or not (too_much is None or found.work.elements < too_much.elements):
                    raise
                last, too_much, for_memory = exc.with_traceback(None), found.work, True
                last.__cause__ = last.__context__ = None  # their frames hold tensors
            give_back_memory()
        raise last
    except ProblemError as exc:
        raise unusable(exc, label, text, job.reference_first_line) from exc


def _made(job: Job, device: torch.device, seed: int, found: Scaling, room: Room | None) -> dict[str, Any]:
    """At the last of the steps, or a larger one, at which the reference runs. Raises ProblemError, TooLarge."""
    text, label, steps = job.reference_text, label_of(job), found.steps
    asked = job.shape is not None or (job.operator is not None and bool(job.sizes))
    scaled = bool(steps[-1]) and not asked
    full_shape = shape_words(Program(text, label, torch.device("meta"), job.sizes).inputs(0)) if scaled else None
    parameters_seed = case_seed(seed, "parameters")
    for sizes in reversed(steps[-_STEPS_BACK:]):
        every = {**sizes, **job.sizes}
        program = Program(text, label, device, every)
        init = program.init_inputs(parameters_seed)
        inputs = program.inputs(case_seed(seed, "as given"))
        base = program.model(init, parameters_seed, torch.float32)
        if not scaled or _runs(program, base, inputs, room):
            break
    facts: dict[str, Any] = {"program": program, "sizes": every, "init": init, "own_inputs": inputs, "base": base}
    return {**facts, "scaled": scaled, "full_shape": full_shape, "work": found.work, "room": room}


def _runs(program: Program, base: torch.nn.Module, inputs: Sequence[Any], room: Room | None) -> bool:
    """Whether the reference takes its own inputs, with their values. Raises TooLarge without memory for it."""
    try:
        with asserts_raise(program.device):
            program.call(fresh(base), [copied(v) for v in inputs])
    except Exception as exc:  # a reference may refuse an input by any exception
        if is_out_of_memory(exc):
            raise too_large(shape_words(inputs), room) from exc
        return False
    return True


def _scaling(job: Job, device: torch.device, candidate: Candidate | None, too_much: Work | None) -> Scaling:
    operator = job.operator
    on_cpu = device.type == "cpu"
    if operator is not None and (job.shape is not None or on_cpu):
        shape = operator.emulated_shape if job.shape is None else job.shape
        return Scaling((dict(zip(operator.shape, shape, strict=True)),))
    budget = budget_for(device, job.verb, DTYPES[job.dtype].itemsize, candidate)
    if too_much is not None:
        budget = replace(budget, elements=max(1, min(budget.elements, too_much.elements // 2)))
    return scaling(job.reference_text, label_of(job), budget, job.sizes, candidate, on_cpu=on_cpu)
