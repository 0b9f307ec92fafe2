"""Calls of the reference of a run: its modules by dtype and parameters, what they give, and their gradients.

In: a `Problem`. Out: results of calls, computed in the judge only. A question gets the same answer whenever it
is asked. Not here: what is expected of a candidate (`judge.reference.reference`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import torch

from kernelgate.check.autograd import Differentiating, as_one, floating_in
from kernelgate.check.autograd import gradients as autograd
from kernelgate.check.construction import in_dtype, seed_generators
from kernelgate.check.device_asserts import asserts_raise
from kernelgate.check.inputs.cases import case_seed
from kernelgate.check.nesting import flatten, is_floating, resolved, tensors_in
from kernelgate.check.problem import is_out_of_memory, refusal_ends_it
from kernelgate.check.tolerance.numerics import as_real, same_bits
from kernelgate.check.tolerance.oracle import Change, Take, unchanged
from kernelgate.check.widening import change_tensors, deep_copy, recurrence_in_steps, widening, with_tensors
from kernelgate.judge.endings.device_memory import taken_on
from kernelgate.judge.endings.reference_failures import too_large
from kernelgate.judge.reference.copies import Mode, State, copied, each, fresh, other_state
from kernelgate.judge.reference.problem import Problem

T = TypeVar("T")

_BEFORE: dict[State, State] = {"rows exchanged": "changed", "one element": "rows exchanged"}
"""What these states are made of."""


@dataclass(frozen=True)
class CallOf:
    """One call. `earlier`: the inputs of the calls of the same module before it."""

    inputs: Sequence[Any]
    dtype: torch.dtype
    state: State = "own"
    mode: Mode = "as made"
    earlier: Sequence[Sequence[Any]] = ()


@dataclass(frozen=True)
class Observed:
    """What a call at the problem's own inputs shows. `changes`: it changes buffers or parameters of the module;
    `remembers`: it changes what the next one gives by something that is in no state_dict; `taken_bytes`: of the device,
    at most, beside inputs and parameters."""

    changes: bool = False
    remembers: bool = False
    gives_tensors: bool = False
    taken_bytes: int = 0

    @property
    def keeps(self) -> bool:
        """Whether a call leaves anything for the next one."""
        return self.changes or self.remembers


@dataclass(frozen=True, eq=False)
class ReferenceCalls(Problem):
    """`varied`: what the constructor of the state of that name is given, as `vary` has it."""

    varied: list[Any] = field(default_factory=list)
    picked: list[int] = field(default_factory=list)
    _modules: dict[tuple[torch.dtype, State], torch.nn.Module] = field(default_factory=dict)
    _wide: dict[tuple[torch.dtype, State], torch.nn.Module] = field(default_factory=dict)

    def module(self, dtype: torch.dtype, state: State = "own") -> torch.nn.Module:
        """The reference module in a dtype, with its own parameters or others."""
        key = (dtype, state)
        if key not in self._modules:
            self._modules[key] = self._anew(dtype, state)
        return self._modules[key]

    def _anew(self, dtype: torch.dtype, state: State) -> torch.nn.Module:
        """Constructed, as the candidate is: in a copy, a function that the constructor made would still use the
        parts of the first module."""
        init = self.varied if state == "varied" else self.init
        module = self.program.model(init, self.parameters_seed, torch.float32)
        if state != "varied":
            module.load_state_dict(self.state(state))
        return in_dtype(module, dtype)

    def state(self, name: State) -> dict[str, torch.Tensor]:
        """Parameters by name: the reference's own, small integers, or others of the same size."""
        own: dict[str, torch.Tensor] = self.base.state_dict()
        if name == "own":
            return own
        made = self.module(torch.float32, name) if name == "varied" else self._modules.get((torch.float32, name))
        if made is not None:
            return dict(made.state_dict())
        generator = torch.Generator(device=self.device).manual_seed(case_seed(self.parameters_seed, name))
        before = self.state(_BEFORE[name]) if name in _BEFORE else own
        return {**other_state(before, generator, name, *self.picked), **{name: own[name] for name in self._constants}}

    @cached_property
    def _constants(self) -> list[str]:
        """The floating buffers that no call changes, in training either, such as a mask or a table: a constructor makes
        them the same each time, and a program may do without. None if that cannot be tried."""
        module = fresh(self.module(self.dtype), "train")
        before = {name: one for name, one in buffers(module).items() if is_floating(one)}
        with refusal_ends_it():
            if before:
                self.called_with(module, [copied(v) for v in self.own_inputs])
            now = dict(module.named_buffers())
            kept = before.keys() & self.base.state_dict().keys()
            return sorted(name for name in kept if same_bits(before[name], now[name]))
        return []

    @property
    def full_init(self) -> list[Any]:
        """The constructor's arguments, those by default too, if the problem is an operator's."""
        operator = self.job.operator
        return self.init or [one.default for one in (operator.parameters if operator is not None else ())]

    def vary(self, init: list[Any]) -> None:
        """The state "varied" is from now on that of a module which is made with these arguments."""
        self.varied[:] = init
        self.drop("varied")

    def pick(self, number: int) -> None:
        """The state "one element" is from now on that of this one among the floating parameters."""
        self.picked[:] = [number]
        self.drop("one element")

    def drop(self, state: State) -> None:  # on a GPU a large module takes much memory
        for made in (self._modules, self._wide):
            for key in [key for key in made if key[1] == state]:
                del made[key]

    @property
    def results_in(self) -> tuple[int, ...]:
        """The numbers of the tensors among the inputs that stand for the result of a call that returns nothing."""
        if self.program.results_in is None:
            with contextlib.suppress(Exception):  # the first case says what is wrong with it
                self.call(self.module(self.dtype), self.own_inputs)
        return self.program.results_in or ()

    @cached_property
    def observed(self) -> Observed:
        """Raises TooLarge without memory for it."""
        try:
            return self._observed()
        except Exception as exc:  # the first case says what is wrong with it
            if is_out_of_memory(exc):
                raise too_large(self.shape, self.room) from exc
            return Observed()

    def _observed(self) -> Observed:
        module = fresh(self.module(self.dtype))
        weights, before = self.weights(self.dtype, "own"), buffers(module)
        with taken_on(self.device) as taken:
            result = self.called_with(module, [copied(v) for v in self.own_inputs])
        values = [resolved(one) for one in flatten(result)[1]]
        changed = changed_state(module, before, weights)
        remembers = False
        if self.graded and values:
            now = {**dict(module.named_parameters()), **dict(module.named_buffers())}
            for name in changed:
                now[name].data = (before[name] if name in before else weights[name]).clone()
            remembers = not changed.keys() <= module.state_dict().keys() or gives_another_result(
                lambda called: flatten(self.called_with(called, [copied(v) for v in self.own_inputs]))[1],
                module,
                values,
                anew=lambda: fresh(self.module(self.dtype)),
            )
        return Observed(bool(changed), remembers, bool(values), max(taken, default=0))

    def weights(self, dtype: torch.dtype, state: State) -> dict[str, torch.Tensor]:
        return {name: one.detach() for name, one in self.module(dtype, state).named_parameters()}

    def fresh(
        self, module: torch.nn.Module, call: CallOf, change: Change = unchanged, *, is_copy: bool = False
    ) -> torch.nn.Module:
        """A copy of a module, unless it is one, in its mode after the earlier calls."""
        again = fresh(module, call.mode, is_copy=is_copy)
        with asserts_raise(self.device):
            for inputs in call.earlier:
                self.program.call(again, each([copied(v) for v in inputs], change))
        return again

    def wide_result(self, take: Take, call: CallOf, change: Change) -> list[torch.Tensor]:
        """The tensors of the result in float64, floating inputs and parameters changed. Raises what PyTorch raises."""
        module, is_copy = self._wide_module(call.dtype, call.state), change is not unchanged
        if is_copy:
            module = with_tensors(module, change)
        given = each([copied(v) for v in call.inputs], lambda tensor: change(tensor.double()))
        with widening(call.dtype), recurrence_in_steps(module):
            again = self.fresh(module, call, lambda tensor: change(tensor.double()), is_copy=is_copy)
            return take(self.seeded(lambda: self.program.call(again, given))[0])

    def own_result(self, take: Take, call: CallOf, change: Change) -> list[torch.Tensor]:
        """The same in the call's dtype."""
        module = with_tensors(self.module(call.dtype, call.state), change)
        given = each([copied(v) for v in call.inputs], change)
        return take(self.called_with(self.fresh(module, call, change, is_copy=True), given))

    def _wide_module(self, dtype: torch.dtype, state: State) -> torch.nn.Module:
        """In float64, with the very parameters that the module of `dtype` has."""
        key = (dtype, state)
        if key not in self._wide:
            self._wide.clear()
            self._wide[key] = change_tensors(self._anew(dtype, state), torch.Tensor.double)
        return self._wide[key]

    def wide_value(self, inputs: Sequence[Any]) -> torch.Tensor:
        """The floating tensors of the result in float64, as one. Raises what PyTorch raises."""
        return as_one(self.wide_result(floating_in, CallOf(inputs, self.dtype), unchanged))

    def call(self, module: torch.nn.Module, inputs: Sequence[Any], seed: int | None = None) -> Any:
        """What a module of the reference makes of the inputs; without gradients. PyTorch's own errors pass through."""
        return self.called_with(fresh(module), [copied(v) for v in inputs], seed)

    def called_with(self, module: torch.nn.Module, given: Sequence[Any], seed: int | None = None) -> Any:
        """The same without a copy."""
        return self.seeded(lambda: self.program.call(module, given), seed)[0]

    def seeded(self, action: Callable[[], T], seed: int | None = None) -> tuple[T, bool]:
        """What an action gives from the random numbers of a call, and whether it drew any."""
        seed = self.call_seed if seed is None else seed
        seed_generators(seed, of_cuda=self.device.type == "cuda")
        before = self._generator_state()
        with asserts_raise(self.device):
            result = action()
        self.program.note_seed(seed)
        return result, not torch.equal(before, self._generator_state())

    def _generator_state(self) -> torch.Tensor:
        state = torch.get_rng_state()
        if self.device.type == "cuda":
            state = torch.cat([state, torch.cuda.get_rng_state(self.device)])
        return state

    def gradients(
        self,
        inputs: Sequence[Any],
        upstream: torch.Tensor,
        dtype: torch.dtype,
        find: Differentiating = autograd,
        *,
        oracle: bool = True,
    ) -> list[torch.Tensor | None]:
        """What `find` of `check.captured` gives for the reference; empty if there are no gradients. `oracle`: in
        float64, what the reference makes or converts is float64 as well."""
        given = each(inputs, lambda v: v.to(dtype))
        if dtype != torch.float64 or not oracle:
            with asserts_raise(self.device):
                return find(deep_copy(self.module(dtype)), given, upstream)[1]
        module = change_tensors(self._anew(self.dtype, "own"), torch.Tensor.double)
        with widening(self.dtype), asserts_raise(self.device):
            return find(module, given, upstream.double())[1]

    def drawn_inputs(self, seed: int) -> list[Any]:
        """The problem's own inputs, drawn anew; in the run's dtype, if they have another."""
        return self._in_run_dtype(self.program.inputs(seed))

    @property
    def timed_inputs(self) -> list[Any]:
        """The problem's own inputs in the run's dtype."""
        return self._in_run_dtype(self.own_inputs)

    def _in_run_dtype(self, inputs: Sequence[Any]) -> list[Any]:
        floating = [one.dtype for one in tensors_in(list(inputs)) if is_floating(one)]
        return list(inputs) if not floating or self.dtype in floating else each(inputs, lambda v: v.to(self.dtype))


def buffers(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    return {name: buffer.clone() for name, buffer in module.named_buffers()}


def changed_state(
    module: torch.nn.Module, before: Mapping[str, torch.Tensor], weights: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """The buffers and parameters that calls have changed, as they are now. A parameter that lies where it did has not
    been replaced, and is one of many modules."""
    after = dict(module.named_buffers())
    changed = {name: after[name].clone() for name, was in before.items() if not same_bits(was, after[name])}
    for name, one in module.named_parameters():
        was = weights.get(name, one)
        if was.data_ptr() != one.data_ptr() and not same_bits(was, one.detach()):
            changed[name] = one.detach().clone()
    return changed


_SHARE = 1e-3
_UNITS = 8.0  # of a narrow dtype, whose sums in another order differ by more than that share


def gives_another_result(
    call: Callable[[torch.nn.Module], list[torch.Tensor]],
    module: torch.nn.Module,
    before: Sequence[torch.Tensor],
    *,
    anew: Callable[[], torch.nn.Module],
) -> bool:
    """Whether `call` gives something else than `before`, what it gave of the same module. `anew`: makes another one."""
    try:
        again = call(module)
        if about_equal(again, before):
            return False
        return about_equal(call(anew()), before) or not about_equal(again, before, of_largest=_share(before))
    except Exception as exc:  # such as one that may be called once
        return not is_out_of_memory(exc)


def _share(values: Sequence[torch.Tensor]) -> float:
    floating = [one.dtype for one in values if one.is_floating_point()]
    return max([_SHARE, *(_UNITS * float(torch.finfo(dtype).eps) for dtype in floating)])


def about_equal(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor], *, of_largest: float = 0.0) -> bool:
    """Whether two results agree within a thousandth of each element, or within a share of the largest one."""

    def slack(value: torch.Tensor) -> float:
        largest = value.abs().nan_to_num(0.0, 0.0, 0.0).max() if of_largest and value.numel() else 0.0
        return max(1e-8, of_largest * float(largest))

    def agree(a: torch.Tensor, b: torch.Tensor) -> bool:
        a, b = as_real(a), as_real(b)
        if not a.is_floating_point() or a.dtype != b.dtype:
            return a.dtype == b.dtype and bool(torch.equal(a, b))
        return a.shape == b.shape and bool(torch.isclose(a, b, rtol=_SHARE, atol=slack(b), equal_nan=True).all())

    return len(one) == len(other) and all(map(agree, one, other))
