"""A candidate's session: one worker after another, in which its module is constructed and called as the check asks.

In: inputs. Out: a `Result`, its tensors opened in the judge's process; anything else that a
worker did is `RunEnded`. After a worker has gone, the next call starts another, up to a bound.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

import torch

from kernelgate.backend.target import Target
from kernelgate.check.fingerprint import Fingerprints
from kernelgate.check.inputs.cases import case_seed
from kernelgate.check.nesting import tensors_in
from kernelgate.judge.candidate.calls_apart import DisguisedCall
from kernelgate.judge.candidate.model_in_worker import Answered, ModelInWorker, Result, close_all
from kernelgate.judge.candidate.worker import CandidateWorker
from kernelgate.judge.endings.device_memory import free_for_workers
from kernelgate.judge.endings.run_ended import CandidateRaised, RunEnded
from kernelgate.judge.reference.copies import State
from kernelgate.judge.reference.packed_arguments import packed_argument, packed_construction
from kernelgate.judge.reference.reference import Reference
from kernelgate.judge.run.live_report import LiveReport
from kernelgate.messages.arguments import Construct, StateLoaded
from kernelgate.messages.worker import (
    Answer,
    Call,
    CallOnPatterns,
    GetState,
    Inspect,
    Inspected,
    LookAgain,
    LookedAgain,
    Request,
    Returned,
    SetState,
    StateGot,
    StateSet,
)
from kernelgate.processes import process_tree
from kernelgate.report import one_line

_MAX_RESTARTS = 4
_ORDERS = ("normal", "reversed", "shuffled")
_SAME_SEED = "its parameters do not fit the reference's: made from the same random seed instead"
_SHOWN_NAMES = 6
SetHow = Literal["load", "in place", "other memory"]
A = TypeVar("A")


@dataclass(frozen=True)
class _Given:
    """A result as it was when it came. `own`: of the problem's own shapes and dtype; `reuses`: it lies in the memory of
    an earlier one."""

    doing: str
    own: bool
    reuses: bool
    fingerprints: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Overwritten:
    """A result that has changed after it was returned. `doing`: the call that gave it; `own`: as in `_Given`;
    `calls_later`: 0 if the module has gone since, and nothing was called; `reused`: its module
    gives the memory of results to later ones."""

    doing: str
    calls_later: int
    own: bool
    reused: bool


_A_MOMENT_S = 0.05


class Session:
    """`matching`: how the candidate took the reference's parameters. `overwritten`: results of modules that are gone,
    and of this one as far as it has been looked at again, that later calls have changed."""

    def __init__(
        self, worker: CandidateWorker, reference: Reference, target: Target, live: LiveReport
    ) -> None:
        self._worker = worker
        self._reference = reference
        self._target = target
        self._live = live
        self._model = ModelInWorker(self._ask, reference)
        self._constructed: tuple[torch.dtype, State] | None = None
        self._restarts = 0
        self._calls = 0
        self.calls_that_left_work = 0
        """How many calls have returned before all that they had started had ended."""
        self._loaded: tuple[State, SetHow] | None = None
        self._used = False
        self._may_hold_a_graph = False
        self._may_have_changed = False
        self._alive = False
        self._fingerprints = Fingerprints(
            case_seed(reference.parameters_seed, "fingerprints"), reference.device
        )
        self._given: list[_Given] = []
        self._looked_at: list[_Given] = []
        self.overwritten: list[Overwritten] = []
        self.free_bytes: int | None = None
        """Of the device, when the worker was last asked; None on the CPU."""
        self.matching: StateLoaded = "by name"
        self.names: dict[str, str] = {}
        """The reference's names by the candidate's own, as far as it has taken the reference's parameters."""
        self.assignments = 1
        """How many ways there are to take them."""

    @property
    def state_loaded(self) -> bool:
        """Whether the candidate has the reference's parameters."""
        return self.matching != "no"

    @property
    def worn_out(self) -> bool:
        """Whether so many workers have ended that no other is started."""
        return not self._alive and self._restarts > _MAX_RESTARTS

    def start(self) -> None:
        self._constructed = None
        self._given, self._looked_at = [], []
        self._worker.start(self._target)
        self._alive = True

    def construct(self, dtype: torch.dtype, state: State = "own") -> None:
        """Makes the module, if it is not that one already. Raises RunEnded."""
        if not self._alive:
            self._restarts += 1
            self.start()
        if self._constructed == (dtype, state):
            return
        self._constructed = None
        self.look_again(module_ends=True)
        made = self._model.construct(dtype, state)
        if state != "as constructed":
            self.matching, self.names, self.assignments = made.state_loaded, made.names, made.assignments
        self._constructed = (dtype, state)
        self._loaded, self._used, self._may_hold_a_graph = None, False, False

    def note_matching(self) -> None:
        """Says in the report which of its parameters stand for which of the reference's, where names do not say it."""
        others = [f"{one} for {other}" for one, other in self.names.items() if one != other]
        if self.matching == "no":
            self._live.note("build", _SAME_SEED)
        elif others:
            more = f" and {len(others) - _SHOWN_NAMES} more" if len(others) > _SHOWN_NAMES else ""
            words = f"of its parameters, these stand for the reference's: {', '.join(others[:_SHOWN_NAMES])}{more}"
            self._live.note("build", one_line(words, 600))

    def construct_beside(self, dtype: torch.dtype, state: State) -> None:
        """Makes another module, while the one before stays alive as the `former`. Raises RunEnded."""
        self._constructed = None
        self.look_again()
        self._model.construct(dtype, state, keep=True)

    def _renew(self) -> None:
        """Where a module keeps something between calls, each call begins in the state that the reference's begins
        in. A buffer that has been updated with gradients on holds a graph, which no other values take away."""
        observed, constructed = self._reference.observed, self._constructed
        if not (observed.keeps or self._may_have_changed) or not self._used or constructed is None:
            return
        state, how = self._loaded or (constructed[1], "in place")
        if observed.remembers or self._may_hold_a_graph or not self.state_loaded:
            self._constructed = None
            self.construct(*constructed)
        if self.state_loaded and state != "as constructed" and not self.set_state(state, how):
            self._constructed = None
            self.construct(*constructed)
            self.set_state(state, how)

    def go_on(self) -> None:
        """Makes the next call one of the module as it is, and not as the reference's begins."""
        self._used = False

    def forget(self) -> None:
        """Makes the next `construct` start anew, because this module has been changed."""
        self._constructed = None

    def set_state(self, state: State, how: SetHow) -> bool:
        """Gives the module other parameters: whether they still fit. Raises RunEnded."""
        given = self._model.arguments()
        request = SetState(state=given.state(state), how=how)
        with self._send(StateSet, request, given.descriptors, "taking other parameters") as got:
            fits = got.answer.fits
        self._loaded = state, how
        return fits

    def halve_state(self) -> None:
        """Halves whatever parameters the candidate has. Raises RunEnded."""
        self.go_on()
        self._send(StateSet, SetState(state={}, how="halve"), (), "taking other parameters").close()

    def state(self, *, saved: bool = False) -> dict[str, torch.Tensor]:
        """The candidate's parameters by name, as they are now, or as its own state_dict gives them. Raises RunEnded,
        BadParcel."""
        with self._send(StateGot, GetState(saved), (), "being looked at") as got:
            return {name: got.tensor(parcel) for name, parcel in got.answer.state.items()}

    def at_work(self) -> dict[str, str]:
        """The threads of the candidate's process and the processes that it has started, by an id each, as the system
        describes them."""
        return process_tree.at_work(self._worker.pid) if self._worker.pid is not None else {}

    def is_busy(self) -> bool:
        """Whether the candidate's process computes although nothing has been asked of it."""
        pid = self._worker.pid
        before = process_tree.processor_time(pid) if pid is not None else 0
        time.sleep(_A_MOMENT_S)
        return pid is not None and process_tree.processor_time(pid) > before + 1

    def look_again(self, *, module_ends: bool = False, run_ends: bool = False) -> None:
        """Compares the results of the module's calls with what they were when they came; `module_ends`: once the module
        is gone; `run_ends`: those of the modules before it, too. Raises RunEnded, BadParcel."""
        given, self._given = self._given, []
        self._looked_at += given
        given = self._looked_at if run_ends else given
        if len(given) < 2:  # a single result was looked at when it came
            return
        with self._send(LookedAgain, LookAgain(module_ends, len(given)), (), "being looked at") as got:
            results = got.answer.results[-len(given) :]
            reused = any(one.reuses for one in given)  # a call that raised may have written there as well
            for later, (was, now) in enumerate(zip(reversed(given), reversed(results), strict=False)):
                if was.fingerprints and was.fingerprints != self._prints(got.tensor(one) for one in now):
                    self.overwritten.append(Overwritten(was.doing, later, was.own, reused))

    def _prints(self, tensors: Iterable[torch.Tensor]) -> list[int]:
        return [self._fingerprints.of(tensor) for tensor in tensors]

    def state_by_reference_names(self, *, saved: bool = False) -> dict[str, torch.Tensor]:
        """The same by the names that the reference has for them; empty if none match. Raises RunEnded, BadParcel."""
        own = self.state(saved=saved)
        return {self.names[name]: tensor for name, tensor in own.items() if name in self.names}

    def inspect(self) -> list[str]:
        """What the candidate changed in its process, in words. A seed that the reference sets as well is a part of the
        problem. Raises RunEnded."""
        with self._send(Inspected, Inspect(), (), "being looked at") as got:
            changed, seeds = list(got.answer.changed), got.answer.seeds
        if seeds is not None and seeds[0] not in self._reference.program.seeds:
            changed.append(f"the random seed is {seeds[0]} instead of {seeds[1]}")
        return changed + [
            f"{name} gives other values than before" for name in self._worker.behaves_otherwise()
        ]

    def call(
        self,
        inputs: Sequence[Any],
        doing: str,
        *,
        manner: Any = "plain",
        same_memory: bool = False,
        upstream: torch.Tensor | None = None,
        seed: int | None = None,
        former: bool = False,
        changes: bool = False,
        names: Sequence[str] = (),
    ) -> Result:
        """One call of the module, or of the `former` one; the last inputs by `names`. `changes`: the reference's
        changes buffers of its module. Raises RunEnded, and BadParcel for a result that cannot be opened."""
        self._renew()
        given = self._model.arguments(inputs)
        request = Call(
            inputs=given.values,
            order=_ORDERS[self._calls % len(_ORDERS)],  # type: ignore[arg-type]
            manner=manner,
            same_memory=same_memory,
            upstream=given.parcel(upstream),
            seed=seed,
            former=former,
            names=list(names),
        )
        self._calls += 1
        self._used = True
        self._may_have_changed |= changes
        self._may_hold_a_graph |= upstream is not None or manner in ("gradients on", "inputs want gradients")
        with self._send(Returned, request, given.descriptors, doing) as got:
            answer = got.answer
            self.calls_that_left_work += bool(answer.left_running)
            if answer.outputs and answer.outputs[0].kind == "memory" and self._target.shares_memory:
                self._live.note("check", "results came through host memory: CUDA IPC is refused here")
            if answer.outputs:
                self._given.append(_Given(doing, self._of_own_form(inputs), answer.aliases_earlier))
            outputs = [got.tensor(one) for one in answer.outputs]
            if (
                outputs and not answer.aliases_input
            ):  # a view changes with its base, and has a gate of its own
                self._given[-1].fingerprints.extend(self._prints(outputs))
            return Result(
                answer=answer,
                outputs=outputs,
                inputs=[got.tensor(memory) for memory in answer.inputs],
                earlier=[got.tensor(one) for one in answer.earlier],
                gradients=[got.tensor(g) if g is not None else None for g in answer.gradients],
            )

    def call_on_patterns(self, shape: Sequence[int], dtype: torch.dtype, first: int, doing: str) -> Result:
        """One call on the numbers whose bits are `first`, `first` + 1, and so on, which the worker itself writes down.
        Raises RunEnded, and BadParcel for a result that cannot be opened."""
        self._renew()
        self._used = True
        request = CallOnPatterns(list(shape), str(dtype).removeprefix("torch."), first)
        with self._send(Returned, request, (), doing) as got:
            outputs = [got.tensor(one) for one in got.answer.outputs]
            return Result(answer=got.answer, outputs=outputs, inputs=[], earlier=[], gradients=[])

    def begin_disguised(self, inputs: list[list[Any]], module: str) -> DisguisedCall:
        """Begins a call on each of these inputs in a process that looks like a notebook's kernel, where the program's
        file has the name `module`. The caller closes it."""
        reference = self._reference
        construct, descriptors = packed_construction(reference)
        try:
            calls = [Call([packed_argument(value, descriptors) for value in each]) for each in inputs]
            handle = self._worker.begin_disguised(construct, calls, module, descriptors)
        finally:
            close_all(descriptors)
        return DisguisedCall(self._worker, handle, inputs, reference.device)

    def _of_own_form(self, inputs: Sequence[Any]) -> bool:
        own_dtype = self._constructed is None or self._constructed[0] == self._reference.dtype
        return own_dtype and _shapes(inputs) == _shapes(self._reference.own_inputs)

    def _send(self, kind: type[A], request: Request, descriptors: Sequence[int], doing: str) -> Answered[A]:
        self.free_bytes = free_for_workers(self._reference.device)
        return self._model.send(kind, request, descriptors, doing)

    def _ask(self, request: Request, descriptors: Sequence[int], doing: str) -> tuple[Answer, list[int]]:
        """The worker survives an exception, and nothing else."""
        try:
            stage: Literal["build", "check"] = "build" if isinstance(request, Construct) else "check"
            return self._worker.ask(request, descriptors, stage, doing)
        except CandidateRaised:
            raise
        except RunEnded:
            self._alive = False
            self._constructed = None
            self._given, self._looked_at = [], []
            raise


def _shapes(values: Sequence[Any]) -> list[torch.Size]:
    return [value.shape for value in tensors_in(list(values))]
