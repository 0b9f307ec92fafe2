"""What the reference of a run asks of a candidate: the cases, their inputs, and what is expected for them.

In: the job and the device. Out: plans, inputs and expected results, computed in the judge's process only. Exact
problems expect PyTorch's own result, bit for bit; graded ones a float64 result and the magnitudes summed. It learns
nothing by being asked. Not here: facts (`problem`), calls (`calls`), what a worker gets of it (`packed_arguments`).
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import itertools
import sys
import types
import unittest
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from kernelgate.check.inputs.cases import Plan, case_seed
from kernelgate.check.inputs.kinds import CannotKeep
from kernelgate.check.nesting import flatten, is_floating, resolved, tensors_in
from kernelgate.check.problem import is_out_of_memory, refusal_ends_it
from kernelgate.check.sizes.work import Work
from kernelgate.check.tolerance.choices import watched
from kernelgate.check.tolerance.grade import Grading
from kernelgate.check.tolerance.numerics import same_bits
from kernelgate.check.tolerance.oracle import Take, Wide, floats_of, tensors_of
from kernelgate.judge.endings.reference_failures import no_result, too_large
from kernelgate.judge.reference.affordable import SLOW
from kernelgate.judge.reference.calls import CallOf, ReferenceCalls, buffers, changed_state
from kernelgate.judge.reference.case_inputs import CaseInputs
from kernelgate.judge.reference.copies import Assignment, Mode, State, copied, shares_memory
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.reference.explained import Recall
from kernelgate.judge.reference.problem import problem_of
from kernelgate.messages.job import Job
from kernelgate.program import Candidate

MOST_SAMPLES = 8
_MOST_TRIED = 200
_MOST_ELEMENTS = 1 << 14


def pytorch_samples(
    module: torch.nn.Module, written: str, init: Sequence[Any], inputs: Sequence[Any], dtype: torch.dtype
) -> list[list[Any]]:
    """At most `MOST_SAMPLES`, each with as many inputs as the problem's own, none of the shapes of another one."""
    found: list[list[Any]] = []
    shapes = [_shapes(inputs)]
    with contextlib.suppress(Exception), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for sample in itertools.islice(_all(module, written, init, dtype), _MOST_TRIED):
            if _fits(sample, inputs) and _shapes(sample) not in shapes:
                shapes.append(_shapes(sample))
                found.append(sample)
            if len(found) == MOST_SAMPLES:
                break
    return found


def _all(
    module: torch.nn.Module, written: str, init: Sequence[Any], dtype: torch.dtype
) -> Iterator[list[Any]]:
    if type(module).__module__.startswith("torch.nn.modules"):
        with _without_expecttest():
            from torch.testing._internal.common_modules import module_db
        for info in module_db:
            if info.module_cls is type(module):
                made = info.module_inputs_func(info, "cpu", dtype, requires_grad=False, training=True)
                for one in made:
                    own = one.constructor_input
                    if not own.kwargs and list(own.args) == list(init) and not one.forward_input.kwargs:
                        yield list(one.forward_input.args)
    elif written.startswith("torch."):
        with _without_expecttest():
            from torch.testing._internal.common_methods_invocations import op_db
        name = written.removeprefix("torch.")
        for info in op_db:
            if info.name == name and not info.variant_test_name:
                for sample in info.sample_inputs("cpu", dtype, requires_grad=False):
                    if not sample.kwargs:
                        yield [sample.input, *sample.args]


@contextlib.contextmanager
def _without_expecttest() -> Iterator[None]:
    """These modules import expecttest as a base class for their tests. None of these tests runs here."""
    if "expecttest" in sys.modules or importlib.util.find_spec("expecttest") is not None:
        yield
        return
    stand_in = types.ModuleType("expecttest")
    stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    sys.modules["expecttest"] = stand_in
    try:
        yield
    finally:
        del sys.modules["expecttest"]


def _fits(sample: Sequence[Any], inputs: Sequence[Any]) -> bool:
    if len(sample) != len(inputs):
        return False
    for one, own in zip(sample, inputs, strict=True):
        if not isinstance(one, torch.Tensor) or not isinstance(own, torch.Tensor):
            return False
        if one.is_floating_point() != own.is_floating_point() or one.numel() > _MOST_ELEMENTS:
            return False
    return True


def _shapes(values: Sequence[Any]) -> list[tuple[int, ...]]:
    return [tuple(value.shape) for value in values if isinstance(value, torch.Tensor)]


class NotAccepted(Exception):
    """The reference itself refuses the input: the case does not apply."""


@dataclass(frozen=True, eq=False)
class Reference(ReferenceCalls):
    @classmethod
    def of(
        cls,
        job: Job,
        device: torch.device,
        seed: int,
        candidate: Candidate | None = None,
        too_much: Work | None = None,
        assignment: Assignment | None = None,
    ) -> Reference:
        """The reference on its device, `scaled` to what can be afforded for a candidate: without one, as if it had
        CUDA source. `too_much`: the work of sizes at which memory ran out. Raises RunEnded if it cannot be used."""
        return cls(**problem_of(job, device, seed, candidate, too_much), assignment=assignment or Assignment())

    @cached_property
    def case_inputs(self) -> CaseInputs:
        return CaseInputs(
            self.own_inputs,
            self.program.inputs,
            lambda inputs: flatten(self.call(self.module(self.dtype), inputs))[1],
            self.seed,
            dtype=self.dtype,
            plain=self.job.operator is not None,
            graded=self.graded,
            has_state=self.has_state,
            thorough=self.job.thorough,
            far=self.pace.level < SLOW,
        )

    @cached_property
    def _samples(self) -> list[list[Any]]:
        """PyTorch's own, for a drop-in. Importing them takes seconds."""
        if self.job.contract != "drop-in":
            return []
        return pytorch_samples(self.base, self.job.reference_label, self.init or [], self.own_inputs, self.dtype)

    @property
    def plans(self) -> list[Plan]:
        """The cases of the check, in order."""
        shapes = [tuple(tensors_in(sample)[0].shape) for sample in self._samples]
        names = [f"PyTorch's sample {number + 1}" for number in range(len(shapes))]
        pairs = enumerate(zip(names, shapes, strict=True))
        samples = [Plan(name, "drop-in", shape=shape, sample=at) for at, (name, shape) in pairs]
        return [*self.case_inputs.plans(), *samples]

    @cached_property
    def small_plan(self) -> Plan | None:
        """A plan with small inputs; None if only the problem's own shape is known to do. Raises TooLarge."""
        shape = next((plan.shape for plan in self.plans if plan.name == "strided slice"), None)
        if shape is None:
            return None
        plan = Plan("gate", "drop-in", shape=shape, repeats=True)
        with refusal_ends_it():
            self.call(self.module(self.dtype), self.inputs(plan, case_seed(self.seed, "gate small")))
            return plan
        return None

    def inputs(self, plan: Plan, seed: int, dtype: torch.dtype | None = None) -> list[Any]:
        """The inputs of a case; `dtype`: instead of the run's. Raises NotAccepted if none are of their kind."""
        if plan.sample is not None:
            return [copied(value).to(self.device) for value in self._samples[plan.sample]]
        try:
            return self.case_inputs.draw(plan, seed, dtype or self.dtype)
        except CannotKeep as exc:
            raise NotAccepted(str(exc)) from exc

    def expected(
        self,
        inputs: Sequence[Any],
        dtype: torch.dtype,
        state: State = "own",
        *,
        mode: Mode = "as made",
        earlier: Sequence[Sequence[Any]] = (),
    ) -> Expected:
        """What the reference makes of the inputs, after the calls with `earlier` ones. Raises NotAccepted if it refuses
        them, RunEnded if its result holds no tensor."""
        call = CallOf(inputs, dtype, state, mode, earlier)
        given = [copied(v) for v in inputs]
        module = self.fresh(self.module(dtype, state), call)
        weights, before = self.weights(dtype, state), buffers(module)
        (result, seen_in), random = self.seeded(
            lambda: watched(lambda: self._accepted(module, given), tensors_in(list(given)))
        )
        form, found = flatten(result)
        values = self._comparable(result, found)
        seen = seen_in(found)
        expected = Expected(
            values,
            form,
            shares_memory(found, [*given, *module.state_dict().values()]),
            indices=seen.indices,
            vectors=seen.vectors,
            chooses=seen.chooses,
            state_after=changed_state(module, before, weights),
            seed=self.call_seed if random else None,
            has_own_parameters=state == "own",
            results_in=self.results_in,
            recall=Recall(self.module(dtype, state), inputs, mode, self.called_with),
        )
        own, left = tensors_in(list(inputs)), tensors_in(list(given))
        if not all(same_bits(*pair) for pair in zip(own, left, strict=True)):
            results = self.results_in
            expected.inputs_after = [None if number in results else one for number, one in enumerate(left)]
        if self.graded:
            expected.grading = self._grading(values, tensors_of, call)
            if numbers := floats_of(result):
                expected.floats = self._grading(numbers, floats_of, call)
        return expected

    def _accepted(self, module: torch.nn.Module, given: list[Any]) -> Any:
        try:
            return self.program.call(module, given)
        except Exception as exc:  # a reference may refuse an input by any exception
            if is_out_of_memory(exc):
                raise too_large(self.shape, self.room) from exc
            raise NotAccepted(str(exc)) from exc

    def _comparable(self, result: Any, found: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The tensors of a result. Raises RunEnded if they cannot be compared, or NotAccepted, if others could."""
        if not found and self.observed.gives_tensors:
            raise NotAccepted("it gives no tensor")
        if (unfit := no_result(result, found)) is not None:
            raise unfit
        return [resolved(one) for one in found]

    def _grading(self, values: Sequence[torch.Tensor], take: Take, call: CallOf) -> Grading:
        wide = Wide(*(functools.partial(way, take, call) for way in (self.wide_result, self.own_result)))
        no_memory = functools.partial(too_large, self.shape, self.room)
        return Grading(values, wide, call.dtype, call.state == "integers", self.pace.rounding_samples, no_memory)

    def expected_value(self, inputs: Sequence[Any]) -> torch.Tensor:
        """What the reference itself makes of inputs of its own dtype. Raises NotAccepted."""
        return self.expected(inputs, self.dtype).value

    def upstream(self, inputs: Sequence[Any]) -> torch.Tensor | None:
        """A gradient to send into the backward pass: of the result's shape, dtype and device; None if it has none."""
        value = self.expected_value(inputs)
        return torch.ones_like(value) if is_floating(value) else None
