"""A case of a run, drawn again for a person to look at. Nothing is judged here.

In: a job, its seed and the name of a case. Out: the very inputs, the reference module, and where a result is wrong by
the measure of the check. Not here: whose program it is (`notebook.drawing`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch

from kernelgate.backend.target import Target
from kernelgate.check.inputs.cases import OTHER_SIZE_PLAN, Plan, case_seed
from kernelgate.check.problem import constants
from kernelgate.check.tolerance.numerics import wrong_by_error, wrong_elements
from kernelgate.judge.cases.case_call import made_up
from kernelgate.judge.comparison.compare import Comparer
from kernelgate.judge.reference.copies import State, copied
from kernelgate.judge.reference.reference import Reference
from kernelgate.messages.job import Job, UsageError, suggestion

_AROUND = 2  # elements shown before and after the one that is meant


class DrawnCase:
    """One case of a run. `reference`: the reference module, with the parameters, dtype and device of the case.

    `load` gives the ModelNew of a cell, by the cell's id or number.
    """

    def __init__(
        self,
        job: Job,
        target: Target,
        name: str,
        parameters: State,
        load: Callable[[str | int], Any],
    ) -> None:
        assert job.seed is not None, "a case is drawn from the seed of its run"
        self._target = target
        self._seed = case_seed(job.seed, name)
        self._state = parameters
        self._load = load
        # Only the run's own sizes count: nothing is scaled to what fits on this machine.
        job.sizes = {**constants(job.reference_text, job.reference_label), **job.sizes}
        job.thorough = True  # the case may be one that only a thorough run has
        with self._own_random_numbers():
            self._reference = Reference.of(job, target.torch_device, job.seed)
            self._plan = self._plan_named(name)
        self._dtype = self._plan.dtype or self._reference.dtype
        self._comparer = Comparer(emulated=target.emulated, allowed=job.allow_arithmetic)
        with self._own_random_numbers():
            self.reference = self._reference.module(self._dtype, parameters)

    def inputs(self) -> list[Any]:
        """The inputs of the case, each time drawn anew, so that no call sees the changes of another."""
        with self._own_random_numbers():
            return [copied(value) for value in self._reference.inputs(self._plan, self._seed)]

    def program(self, cell: str | int) -> torch.nn.Module:
        """A cell's ModelNew, constructed as in the run, and with the reference's parameters where it has the same.

        `cell`: its id, or n of "In [n]"; its text as it ran last. The program runs in this process, unconfined.
        """
        model_new = self._load(cell)
        with self._own_random_numbers(), torch.no_grad():
            torch.manual_seed(self._reference.parameters_seed)
            module: torch.nn.Module = (
                model_new(*self._reference.init).to(self._dtype).to(self._reference.device)
            )
            own, state = module.state_dict(), self.reference.state_dict()
            if own.keys() == state.keys() and all(own[name].shape == state[name].shape for name in own):
                for name, value in state.items():
                    own[name].copy_(value)
        return module

    def wrong(self, got: torch.Tensor) -> torch.Tensor:
        """Where a result of the case is wrong, as the check counts it; bool, of its shape. Raises ValueError."""
        with self._own_random_numbers():
            expected = self._reference.expected(self.inputs(), self._dtype, self._state)
        if (got.shape, got.dtype) != (expected.value.shape, expected.value.dtype):
            raise ValueError(
                f"the result is {tuple(got.shape)} {got.dtype}, "
                f"and {tuple(expected.value.shape)} {expected.value.dtype} is expected"
            )
        if expected.grade is None:
            return wrong_elements(got, expected.value)
        decides = expected.grade.deciding(made_up=made_up(self._plan))
        return wrong_by_error(got, decides, self._comparer.limit(expected.grade))

    @staticmethod
    def around(index: tuple[int, ...], shape: torch.Size) -> list[tuple[int, ...]]:
        """An index and its neighbours in the last dimension of a shape."""
        if not index:
            return [()]
        *row, last = index
        near = range(max(last - _AROUND, 0), min(last + _AROUND + 1, shape[-1]))
        return [(*row, neighbour) for neighbour in near]

    def _plan_named(self, name: str) -> Plan:
        known = {plan.name: plan for plan in (*self._reference.plans, OTHER_SIZE_PLAN)}
        if name not in known:
            raise UsageError(f"There is no case {name!r}", suggestion(name, list(known)))
        return known[name]

    @contextlib.contextmanager
    def _own_random_numbers(self) -> Iterator[None]:
        """Leaves the random generators of the person's process as they were."""
        with torch.random.fork_rng(devices=self._target.generators):
            yield
