"""A candidate at work: one worker after another, constructed and called as the judge asks.

In: inputs. Out: a `Result`, its tensors opened in the judge's process; what a worker did instead is `RunEnded`.
After a worker has gone, the next call starts another, up to a bound.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import torch

from kernelgate.backend.memory import opened
from kernelgate.judge.reference import Reference, State
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.run_ended import RunEnded
from kernelgate.messages.parcel import Parcel
from kernelgate.messages.worker import (
    Call,
    Construct,
    GetState,
    Inspect,
    Inspected,
    Returned,
    SetState,
    StateGot,
    StateLoaded,
)

_MAX_RESTARTS = 4
_ORDERS = ("normal", "reversed", "shuffled")


@dataclass(frozen=True)
class Result:
    """What a call gave. On a GPU the tensors are the worker's own memory: compare them before the next call."""

    answer: Returned
    outputs: list[torch.Tensor]
    inputs: list[torch.Tensor]
    earlier: list[torch.Tensor]
    gradients: list[torch.Tensor | None]

    @property
    def output(self) -> torch.Tensor | None:
        """The first tensor."""
        return self.outputs[0] if self.outputs else None


class Session:
    """`matching`: how the candidate took the reference's parameters."""

    def __init__(self, judge: RunContext, reference: Reference, device: tuple[str, int]) -> None:
        self._judge = judge
        self._reference = reference
        self._device = device
        self._constructed: tuple[torch.dtype, State] | None = None
        self._restarts = 0
        self._calls = 0
        self._alive = False
        self.matching: StateLoaded = "by name"

    @property
    def state_loaded(self) -> bool:
        """Whether the candidate has the reference's parameters."""
        return self.matching != "no"

    @property
    def worn_out(self) -> bool:
        """Whether so many workers have gone that no other is started."""
        return not self._alive and self._restarts > _MAX_RESTARTS

    def start(self) -> None:
        self._constructed = None
        self._judge.start_worker(*self._device)
        self._alive = True

    def construct(self, dtype: torch.dtype, state: State = "own") -> None:
        """Makes the module, if it is not that one already. Raises RunEnded."""
        if not self._alive:
            self._restarts += 1
            self.start()
        # A module that keeps statistics is made anew, so that each call begins where the reference's does.
        if self._constructed == (dtype, state) and not self._reference.stateful:
            return
        init, seed, parameters, descriptors = self._reference.construction(state)
        name = str(dtype).removeprefix("torch.")
        self._constructed = None
        request = Construct(init=init, seed=seed, dtype=name, state=parameters)
        try:
            self.matching = self._judge.construct(request, descriptors)
        except RunEnded as end:
            self._note(end)
            raise
        self._constructed = (dtype, state)

    def forget(self) -> None:
        """Has the next `construct` make the module anew, because this one has been changed."""
        self._constructed = None

    def set_state(self, state: State, how: Literal["load", "in place"]) -> None:
        """Gives the module other parameters. Raises RunEnded."""
        descriptors: list[int] = []
        parcels = self._reference.packed_state(state, descriptors)
        self._ask(SetState(state=parcels, how=how), descriptors, "taking other parameters")

    def halve_state(self) -> None:
        """Halves whatever parameters the candidate has. Raises RunEnded."""
        self._ask(SetState(state={}, how="halve"), [], "taking other parameters")

    def state(self) -> dict[str, torch.Tensor]:
        """The candidate's parameters by name, as they are now. Raises RunEnded, BadParcel."""
        answer, received = self._ask(GetState(), [], "being looked at")
        try:
            assert isinstance(answer, StateGot)
            return {name: self._open(parcel, received) for name, parcel in answer.state.items()}
        finally:
            for descriptor in received:
                os.close(descriptor)

    def inspect(self) -> list[str]:
        """What the candidate changed in its process, in words. Raises RunEnded."""
        answer, _ = self._ask(Inspect(), [], "being looked at")
        assert isinstance(answer, Inspected)
        return list(answer.changed)

    def call(
        self,
        inputs: Sequence[Any],
        doing: str,
        *,
        manner: Any = "plain",
        same_memory: bool = False,
        upstream: torch.Tensor | None = None,
        seed: int | None = None,
    ) -> Result:
        """One call of the module. Raises RunEnded, and BadParcel for a result that cannot be opened."""
        descriptors: list[int] = []
        arguments = [self._reference.pack(value, descriptors) for value in inputs]
        packed = self._reference.pack(upstream, descriptors) if upstream is not None else None
        request = Call(
            inputs=arguments,
            order=_ORDERS[self._calls % len(_ORDERS)],  # type: ignore[arg-type]
            manner=manner,
            same_memory=same_memory,
            upstream=packed if isinstance(packed, Parcel) else None,
            seed=seed,
        )
        self._calls += 1
        answer, received = self._ask(request, descriptors, doing)
        if answer.outputs and answer.outputs[0].kind == "memory" and self._device[0] == "cuda":
            self._judge.record.stage(
                "check"
            ).note = "results came through host memory: CUDA IPC is refused here"
        try:
            assert isinstance(answer, Returned)
            return Result(
                answer=answer,
                outputs=[self._open(one, received) for one in answer.outputs],
                inputs=[self._open(memory, received) for memory in answer.inputs],
                earlier=[self._open(one, received) for one in answer.earlier],
                gradients=[self._open(g, received) if g is not None else None for g in answer.gradients],
            )
        finally:
            for descriptor in received:
                os.close(descriptor)

    def _ask(self, request: Any, descriptors: list[int], doing: str) -> tuple[Any, list[int]]:
        try:
            return self._judge.ask(request, descriptors, "check", doing)
        except RunEnded as end:
            self._note(end)
            raise

    def _note(self, end: RunEnded) -> None:
        """An exception leaves a worker whole; any other end takes it along."""
        if not end.worker_lives:
            self._alive = False
            self._constructed = None

    def _open(self, parcel: Parcel, received: Sequence[int]) -> torch.Tensor:
        return opened(parcel, received, self._reference.device)
