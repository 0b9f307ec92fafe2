"""The reference of a run: its inputs, and the values that are expected for them.

In: the job and the device. Out: inputs, expected results and parameters, computed in the judge's process only.
Exact problems expect PyTorch's own result, bit for bit; graded ones a float64 result and the magnitudes summed.
Not here: at which sizes (`sized_problem`), what a worker gets of it (`packed_arguments`).
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import torch

from kernelgate.check.autograd import Differentiating
from kernelgate.check.autograd import gradients as autograd
from kernelgate.check.construction import in_dtype, seed_generators
from kernelgate.check.device_asserts import asserts_raise
from kernelgate.check.inputs.cases import Plan, case_seed
from kernelgate.check.inputs.kinds import CannotKeep
from kernelgate.check.nesting import flatten, resolved, shape_words, tensors_in
from kernelgate.check.problem import is_out_of_memory
from kernelgate.check.sizes.work import Work
from kernelgate.check.tolerance.choices import watched
from kernelgate.check.tolerance.grade import Grading
from kernelgate.check.tolerance.numerics import same_bits
from kernelgate.check.tolerance.oracle import Change, Take, Wide, floats_of, tensors_of, unchanged
from kernelgate.check.widening import change_tensors, deep_copy, recurrence_in_steps, widening, with_tensors
from kernelgate.judge.endings.device_memory import taken_on
from kernelgate.judge.endings.reference_failures import no_result, too_large
from kernelgate.judge.reference.case_inputs import CaseInputs
from kernelgate.judge.reference.copies import Mode, copied, each, fresh, other_state, shares_memory
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.reference.explained import Recall
from kernelgate.judge.reference.pace import pace_of
from kernelgate.judge.reference.parameter_states import LARGE, VARIED, Assignment, State, varied
from kernelgate.judge.reference.repeated_calls import gives_another_result
from kernelgate.judge.reference.sample_cases import SampleCases
from kernelgate.judge.reference.sized_problem import label_of, own_dtype, sized_problem
from kernelgate.messages.job import Job
from kernelgate.program import Candidate

T = TypeVar("T")


class NotAccepted(Exception):
    """The reference itself refuses the input: the case does not apply."""


class Reference:
    """The problem of a run on its device, `scaled` to what can be afforded for a candidate: without one, as if it had
    CUDA source. `too_much`: the work of sizes at which memory ran out. Raises RunEnded when it cannot be used.

    `work`: of one call, None where it cannot be made less; `room`: of the device before the run; `taken_bytes`: what a
    call of the reference took there at most, beside inputs and parameters.
    """

    def __init__(
        self,
        job: Job,
        device: torch.device,
        seed: int,
        candidate: Candidate | None = None,
        too_much: Work | None = None,
    ) -> None:
        self.device = device
        self.assignment = Assignment()
        self.parameters_seed = case_seed(seed, "parameters")
        self._own_seed = case_seed(seed, "as given")
        self.call_seed = case_seed(seed, "random numbers of a call")
        self.thorough = job.thorough
        self._gave_tensors = False
        self._earlier: list[Sequence[Any]] = []
        self.stateful = False
        """Whether a call has been seen to change buffers of the module."""
        self.remembers: bool | None = None
        """Whether a call changes what the next one gives by something that is in no state_dict; None before any."""
        operator = job.operator
        self.label = label_of(job)
        self.graded = operator is None or operator.values == "graded"
        self._parameters = operator.parameters if operator is not None else None
        self._modules: dict[tuple[torch.dtype, State], torch.nn.Module] = {}
        self._wide: dict[tuple[torch.dtype, State], torch.nn.Module] = {}
        problem = sized_problem(job, device, self.parameters_seed, self._own_seed, candidate, too_much)
        self._problem, self._base, self.line_of = problem.problem, problem.base, problem.problem.line_of
        self.init, self.own_inputs = problem.init, problem.own_inputs
        self.sizes, self.scaled, self.full_shape = problem.sizes, problem.scaled, problem.full_shape
        self.work, self.room, self.taken_bytes = problem.work, problem.room, 0
        self.scaled_for = problem.scaled_for
        self.pace = pace_of(job, problem.work, on_cpu=device.type == "cpu")
        self.dtype = own_dtype(job, self.own_inputs)
        self._samples = SampleCases(job, self._base, self.init or [], self.own_inputs)
        self.case_inputs = CaseInputs(
            self.own_inputs,
            self._problem.inputs,
            self._called,
            seed,
            dtype=self.dtype,
            plain=operator is not None,
            graded=self.graded,
            has_state=self.has_state,
            thorough=job.thorough,
            far=self.pace.far_cases,
        )

    @property
    def shape(self) -> str:
        return shape_words(self.own_inputs)

    def module(self, dtype: torch.dtype, state: State = "own") -> torch.nn.Module:
        """The reference module in a dtype, with its own parameters or others."""
        key = (dtype, state)
        if key not in self._modules:
            self._modules[key] = self._anew(dtype, state)
        return self._modules[key]

    def _anew(self, dtype: torch.dtype, state: State) -> torch.nn.Module:
        """Constructed, as the candidate is: in a copy, a function that the constructor made would still use the
        parts of the first module."""
        if state in VARIED:
            module = self._problem.model(self.varied_init(state) or [], self.parameters_seed, torch.float32)
        else:
            module = self._problem.model(self.init, self.parameters_seed, torch.float32)
            module.load_state_dict(self.state(state))
        return in_dtype(module, dtype)

    def state(self, name: State) -> dict[str, torch.Tensor]:
        """Parameters by name: the reference's own, small integers, or others of the same size."""
        own: dict[str, torch.Tensor] = self._base.state_dict()
        if name == "own":
            return own
        made = self._modules.get((torch.float32, name))
        if made is not None:
            return dict(made.state_dict())
        if name in VARIED:
            return dict(self.module(torch.float32, name).state_dict())
        if name == "large":
            return {key: one * LARGE if one.is_floating_point() else one for key, one in own.items()}
        generator = torch.Generator(device=self.device).manual_seed(case_seed(self.parameters_seed, name))
        return other_state(own, generator, integers=name == "integers")

    @property
    def nbytes(self) -> int:
        """Of inputs and parameters."""
        tensors = [*tensors_in(list(self.own_inputs)), *self._base.state_dict().values()]
        return sum(int(one.nbytes) for one in tensors)

    @property
    def parameter_names(self) -> list[str]:
        return [name for name, _parameter in self._base.named_parameters()]

    @property
    def results_in(self) -> tuple[int, ...]:
        """The numbers of the tensors among the inputs that stand for the result of a call that returns nothing."""
        if self._problem.results_in is None:
            with contextlib.suppress(Exception):  # the first case says what is wrong with it
                self.call(self.module(self.dtype), self.own_inputs)
        return self._problem.results_in or ()

    @property
    def seeds(self) -> set[int]:
        """What the reference itself has set the random seed to."""
        return self._problem.seeds

    @property
    def has_state(self) -> bool:
        return bool(self._base.state_dict())

    def expected(
        self, inputs: Sequence[Any], dtype: torch.dtype, state: State = "own", *, mode: Mode = "as made"
    ) -> Expected:
        """What the reference makes of the inputs. Raises NotAccepted where it refuses them, RunEnded where its result
        holds no tensor."""
        given = [copied(v) for v in inputs]
        module = self._fresh(self.module(dtype, state), mode)
        before = {name: buffer.clone() for name, buffer in module.named_buffers()}
        weights = {name: one.detach() for name, one in self.module(dtype, state).named_parameters()}
        (result, seen_in), random = self._seeded(
            lambda: watched(lambda: self._accepted(module, given), tensors_in(list(given)))
        )
        form, found = flatten(result)
        values = self._comparable(result, found)
        after = dict(module.named_buffers())
        changed = {
            name: after[name].clone() for name, was in before.items() if not same_bits(was, after[name])
        }
        for name, one in module.named_parameters():
            was = weights.get(name, one)
            if was.data_ptr() != one.data_ptr() and not same_bits(was, one.detach()):
                changed[name] = one.detach().clone()
        self.stateful = self.stateful or bool(changed)
        if self.remembers is None and self.graded:
            for name, was in before.items():
                after[name].copy_(was)
            for name in changed.keys() - before.keys():
                dict(module.named_parameters())[name].data = weights[name].clone()
            self.remembers = not changed.keys() <= module.state_dict().keys() or gives_another_result(
                lambda called: flatten(self._called_with(called, [copied(v) for v in inputs]))[1],
                module,
                values,
                anew=lambda: self._fresh(self.module(dtype, state), mode),
            )
        seen = seen_in(found)
        shares = shares_memory(found, [*given, *module.state_dict().values()])
        expected = Expected(
            values, form, shares, indices=seen.indices, vectors=seen.vectors, chooses=seen.chooses, state_after=changed
        )
        own, left = tensors_in(list(inputs)), tensors_in(list(given))
        if not all(same_bits(*pair) for pair in zip(own, left, strict=True)):
            results = self.results_in
            expected.inputs_after = [None if number in results else one for number, one in enumerate(left)]
        expected.seed = self.call_seed if random else None
        expected.has_own_parameters = state == "own"
        expected.results_in = self.results_in
        expected.recall = Recall(self.module(dtype, state), inputs, mode, self._called_with)
        if self.graded:
            expected.graded_by(self._grading(values, tensors_of, inputs, dtype, state, mode))
            if numbers := floats_of(result):
                expected.floats = self._grading(numbers, floats_of, inputs, dtype, state, mode).grades
        return expected

    @contextlib.contextmanager
    def after(self, earlier: Sequence[Sequence[Any]]) -> Iterator[None]:
        """Inside, what is expected is of a module that has been called with these inputs, one after another."""
        self._earlier = list(earlier)
        try:
            yield
        finally:
            self._earlier = []

    def _fresh(self, module: torch.nn.Module, mode: Mode, change: Change = unchanged) -> torch.nn.Module:
        again = fresh(module, mode)
        with asserts_raise(self.device):
            for inputs in self._earlier:
                self._problem.call(again, each([copied(v) for v in inputs], change))
        return again

    def _comparable(self, result: Any, found: Sequence[torch.Tensor]) -> list[torch.Tensor]:
        """The tensors of a result. Raises RunEnded where they cannot be compared, or NotAccepted, if others could."""
        if not found and self._gave_tensors:
            raise NotAccepted("it gives no tensor")
        if (unfit := no_result(result, found)) is not None:
            raise unfit
        self._gave_tensors = True
        return [resolved(one) for one in found]

    def _grading(self, values: Sequence[torch.Tensor], take: Take, *of_call: Any) -> Grading:
        """Of those values that `take` finds in a result. `of_call`: inputs, dtype, state and mode."""
        ways = (self._wide_result, self._own_result)
        wide = Wide(*(functools.partial(way, take, *of_call) for way in ways))
        no_memory = functools.partial(too_large, self.shape, self.room)
        return Grading(values, wide, of_call[1], "integers" in of_call[2:], self.pace.rounding_samples, no_memory)

    def _wide_result(
        self, take: Take, inputs: Sequence[Any], dtype: torch.dtype, state: State, mode: Mode, change: Change
    ) -> list[torch.Tensor]:
        """The tensors of the result in float64, floating inputs and parameters changed. Raises what PyTorch raises."""
        module = self._wide_module(dtype, state)
        if change is not unchanged:
            module = with_tensors(module, change)
        given = each([copied(v) for v in inputs], lambda tensor: change(tensor.double()))
        with widening(dtype), recurrence_in_steps(module):
            again = self._fresh(module, mode, lambda tensor: change(tensor.double()))
            return take(self._seeded(lambda: self._problem.call(again, given))[0])

    def _own_result(
        self, take: Take, inputs: Sequence[Any], dtype: torch.dtype, state: State, mode: Mode, change: Change
    ) -> list[torch.Tensor]:
        """The same in `dtype`."""
        module = with_tensors(self.module(dtype, state), change)
        given = each([copied(v) for v in inputs], change)
        return take(self._called_with(self._fresh(module, mode, change), given))

    def _wide_module(self, dtype: torch.dtype, state: State) -> torch.nn.Module:
        """In float64, with the very parameters that the module of `dtype` has."""
        key = (dtype, state)
        if key not in self._wide:
            self._wide = {key: change_tensors(self._anew(dtype, state), torch.Tensor.double)}
        return self._wide[key]

    def _accepted(self, module: torch.nn.Module, given: list[Any]) -> Any:
        """The reference's own result. Raises NotAccepted, RunEnded."""
        try:
            with taken_on(self.device) as taken:
                result = self._problem.call(module, given)
        except Exception as exc:  # a reference may refuse an input by any exception
            if is_out_of_memory(exc):
                raise too_large(self.shape, self.room) from exc
            raise NotAccepted(str(exc)) from exc
        self.taken_bytes = max([self.taken_bytes, *taken])
        return result

    def result_for(self, inputs: Sequence[Any], dtype: torch.dtype, state: State, seed: int) -> torch.Tensor:
        """The first tensor of the result with these random numbers. Raises what PyTorch raises."""
        return flatten(self.call(self.module(dtype, state), inputs, seed))[1][0]

    def _seeded(self, action: Callable[[], T], seed: int | None = None) -> tuple[T, bool]:
        """What an action gives from the random numbers of a call, and whether it drew any."""
        seed_generators(
            self.call_seed if seed is None else seed, of_cuda=self.device.type == "cuda"
        )
        before = self._generator_state()
        with asserts_raise(self.device):
            result = action()
        self._problem.note_seed(self.call_seed if seed is None else seed)
        return result, not torch.equal(before, self._generator_state())

    def _generator_state(self) -> torch.Tensor:
        state = torch.get_rng_state()
        if self.device.type == "cuda":
            state = torch.cat([state, torch.cuda.get_rng_state(self.device)])
        return state

    @property
    def plans(self) -> list[Plan]:
        """The cases of the check, in order."""
        return [*self.case_inputs.plans(), *self._samples.plans(self.dtype)]

    @property
    def small_plan(self) -> Plan | None:
        """A plan with small inputs; None where only the problem's own shape is known to do."""
        return next((plan for plan in self.plans if plan.name == "strided slice"), None)

    def inputs(self, plan: Plan, seed: int, dtype: torch.dtype | None = None) -> list[Any]:
        """The inputs of a case; `dtype`: instead of the run's. Raises NotAccepted where none are of their kind."""
        if plan.sample is not None:
            return self._samples.inputs(plan.sample, dtype or self.dtype, self.device)
        try:
            return self.case_inputs.draw(plan, seed, dtype or self.dtype)
        except CannotKeep as exc:
            raise NotAccepted(str(exc)) from exc

    def _called(self, inputs: Sequence[Any]) -> list[torch.Tensor]:
        """The tensors of the reference's result, to see whether it takes the inputs. Raises what PyTorch raises."""
        return flatten(self.call(self.module(self.dtype), inputs))[1]

    def drawn_inputs(self, seed: int) -> list[Any]:
        """The problem's own inputs, drawn anew; in the run's dtype, where they have another."""
        return self._in_run_dtype(self._problem.inputs(seed))

    @property
    def timed_inputs(self) -> list[Any]:
        """The problem's own inputs in the run's dtype."""
        return self._in_run_dtype(self.own_inputs)

    def _in_run_dtype(self, inputs: Sequence[Any]) -> list[Any]:
        floating = [one.dtype for one in tensors_in(list(inputs)) if one.is_floating_point()]
        return list(inputs) if not floating or self.dtype in floating else each(inputs, lambda v: v.to(self.dtype))

    def expected_value(self, inputs: Sequence[Any]) -> torch.Tensor:
        """What the reference itself makes of inputs of its own dtype. Raises NotAccepted."""
        return self.expected(inputs, self.dtype).value

    def upstream(self, inputs: Sequence[Any]) -> torch.Tensor | None:
        """A gradient to send into the backward pass: of the result's shape, dtype and device; None where it has
        none."""
        value = self.expected_value(inputs)
        return torch.ones_like(value) if value.is_floating_point() else None

    def gradients(
        self,
        inputs: Sequence[Any],
        upstream: torch.Tensor,
        dtype: torch.dtype,
        find: Differentiating = autograd,
        *,
        oracle: bool = True,
    ) -> list[torch.Tensor | None]:
        """What `find` of `check.autograd` gives for the reference; empty where there are no gradients. `oracle`: in
        float64, what the reference makes or converts is float64 as well."""
        given = each(inputs, lambda v: v.to(dtype))
        if dtype != torch.float64 or not oracle:
            with asserts_raise(self.device):
                return find(deep_copy(self.module(dtype)), given, upstream)[1]
        module = change_tensors(self._anew(self.dtype, "own"), torch.Tensor.double)
        with widening(self.dtype), asserts_raise(self.device):
            return find(module, given, upstream.double())[1]

    def wide_value(self, inputs: Sequence[Any]) -> torch.Tensor:
        """The first tensor of the result in float64. Raises what PyTorch raises."""
        return self._wide_result(tensors_of, inputs, self.dtype, "own", "as made", unchanged)[0]

    def varied_init(self, state: State = "varied") -> list[Any] | None:
        """The constructor's arguments with other floats; None where it takes none."""
        init = list(self.init)
        if not init and self._parameters is not None:
            init = [parameter.default for parameter in self._parameters]
        if not any(isinstance(value, float) for value in init):
            return None
        return [varied(value, state) if isinstance(value, float) else value for value in init]

    def call(self, module: torch.nn.Module, inputs: Sequence[Any], seed: int | None = None) -> Any:
        """What a module of the reference makes of the inputs; without gradients. PyTorch's own errors pass through."""
        return self._called_with(fresh(module), [copied(v) for v in inputs], seed)

    def _called_with(self, module: torch.nn.Module, given: Sequence[Any], seed: int | None = None) -> Any:
        return self._seeded(lambda: self._problem.call(module, given), seed)[0]
