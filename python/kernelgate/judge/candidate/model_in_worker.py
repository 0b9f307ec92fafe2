"""One ModelNew in a worker: constructed as the reference is, asked with tensors, answered with tensors.

In: requests and the tensors that go with them. Out: answers, their tensors opened in the judge's process; whatever else
a worker did is the exception of `ask`. This is the one place that packs, unpacks and closes descriptors.
Not here: the meaning of an answer, and which worker it is (`judge.candidate.session`, `judge.stages.memory_check`,
`judge.timing.programs_under_test`).
"""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

import torch

from kernelgate.backend.memory import check_answer, opened, unpack_host
from kernelgate.judge.reference.packed_arguments import packed_argument, packed_construction, packed_state
from kernelgate.messages.arguments import Argument, Constructed
from kernelgate.messages.parcel import BadParcel, Parcel
from kernelgate.messages.worker import Answer, Request, Returned

if TYPE_CHECKING:
    from kernelgate.judge.reference.copies import State
    from kernelgate.judge.reference.reference import Reference

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


A = TypeVar("A")


class Ask(Protocol):
    """How a worker is asked: the answer that belongs to the request, and the descriptors beside it."""

    def __call__(
        self, request: Request, descriptors: Sequence[int], doing: str
    ) -> tuple[Answer, list[int]]: ...


class Arguments:
    """Values of a request, packed for a worker, and the descriptors that carry them. Sending it closes them."""

    def __init__(self, reference: Reference, values: Sequence[Any] = ()) -> None:
        self._reference = reference
        self.descriptors: list[int] = []
        self.values: list[Argument] = [packed_argument(value, self.descriptors) for value in values]

    def parcel(self, value: torch.Tensor | None) -> Parcel | None:
        """One more tensor."""
        packed = packed_argument(value, self.descriptors) if value is not None else None
        return packed if isinstance(packed, Parcel) else None

    def state(self, name: State) -> dict[str, Parcel]:
        """The reference's parameters of that state."""
        return packed_state(self._reference, name, self.descriptors)


@dataclass(frozen=True)
class Answered(Generic[A]):
    """An answer and what came beside it, until it is closed. Tensors of a GPU are the worker's own memory: they hold
    what they do until the next request."""

    answer: A
    _descriptors: list[int]
    _device: torch.device

    def tensor(self, parcel: Parcel) -> torch.Tensor:
        """Raises BadParcel for one that cannot be opened."""
        return opened(parcel, self._descriptors, self._device)

    def data(self, parcel: Parcel) -> bytes:
        """The bytes of a parcel that came through host memory. Raises BadParcel."""
        data = unpack_host(parcel, self._descriptors)
        return bytes(memoryview((ctypes.c_char * data.numel()).from_address(data.data_ptr())))

    def close(self) -> None:
        close_all(self._descriptors)

    def __enter__(self) -> Answered[A]:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class ModelInWorker:
    """`ask` raises its own exceptions where a worker gives no answer."""

    def __init__(self, ask: Ask, reference: Reference) -> None:
        self._ask = ask
        self._reference = reference

    def construct(
        self,
        dtype: torch.dtype | None = None,
        state: State = "own",
        doing: str = "constructing ModelNew",
        *,
        keep: bool = False,
    ) -> Constructed:
        """Makes the module, in the reference's dtype if none is given. `keep`: the one before stays alive."""
        request, descriptors = packed_construction(self._reference, state, dtype, keep=keep)
        with self.send(Constructed, request, descriptors, doing) as got:
            return got.answer

    def arguments(self, values: Sequence[Any] = ()) -> Arguments:
        return Arguments(self._reference, values)

    def send(self, kind: type[A], request: Request, descriptors: Sequence[int], doing: str) -> Answered[A]:
        """The answer to a request, of its kind; the caller closes it. `doing`: what the program is at, in words. Raises
        BadParcel if what came with it cannot be what it says."""
        try:
            answer, received = self._ask(request, descriptors, doing)
        finally:
            close_all(descriptors)
        assert isinstance(answer, kind)
        try:
            check_answer(answer, received)
        except BadParcel:
            close_all(received)
            raise
        return Answered(answer, received, self._reference.device)


def close_all(descriptors: Iterable[int]) -> None:
    for descriptor in descriptors:
        os.close(descriptor)
