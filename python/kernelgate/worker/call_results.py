"""The result of a call, as data: the worker's side of an answer, copied before anything else can change.

In: a result, its inputs as they were, and the results before it. Out: `Returned` and the descriptors beside it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from typing import Any

import torch

from kernelgate.backend import Backend
from kernelgate.backend import tensor_methods as methods
from kernelgate.backend.memory import storage_bytes
from kernelgate.check.nesting import flatten
from kernelgate.messages.parcel import Parcel
from kernelgate.messages.worker import Returned
from kernelgate.worker.global_state import running

_KEPT_RESULTS = 3
_KEPT_BYTES = 1 << 30
_GRACE_S = 0.1


class Packing:
    """Parcels of one answer, and the descriptors that travel beside it."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.descriptors: list[int] = []

    def add(self, tensor: torch.Tensor, *, copy: bool = False) -> Parcel:
        return self._backend.collect(methods.detach(tensor), self.descriptors, copy=copy)


class Before:
    """How the inputs and the process were before a call."""

    def __init__(self, tensors: Sequence[torch.Tensor]) -> None:
        self._tensors = tensors
        self._forms = [_form(tensor) for tensor in tensors]
        self._memories = [storage_bytes(tensor) for tensor in tensors]
        self._running = running()

    def memories(self) -> list[torch.Tensor]:
        """The whole memory of each input as it is now; uint8, shape (n,)."""
        return self._memories

    def changed(self) -> list[str]:
        """What has changed about the inputs, other than their memory."""
        now = [_form(tensor) for tensor in self._tensors]
        return [f"{was} has become {form}" for was, form in zip(self._forms, now, strict=True) if form != was]

    def shares(self, result: torch.Tensor) -> bool:
        return any(_share_memory(result, tensor) for tensor in self._tensors)

    def left_running(self) -> list[str]:
        """New threads and processes. A native thread that has been joined may take a moment to disappear."""
        deadline = time.monotonic() + _GRACE_S
        while True:
            left = [words for name, words in running().items() if name not in self._running]
            if not left or any(words != "a native thread" for words in left) or time.monotonic() > deadline:
                return left
            time.sleep(0.005)


class Results:
    """The latest results of a module, kept alive so that a later call cannot get their memory by chance."""

    def __init__(self) -> None:
        self._kept: deque[list[torch.Tensor]] = deque(maxlen=_KEPT_RESULTS)

    def keep(self, tensors: Sequence[torch.Tensor]) -> None:
        if self._kept and sum(one.nbytes for one in tensors) * _KEPT_RESULTS > _KEPT_BYTES:
            self._kept.popleft()  # large ones: only the last
        self._kept.append([methods.detach(one) for one in tensors])

    @property
    def last(self) -> list[torch.Tensor]:
        return self._kept[-1] if self._kept else []

    def share(self, tensor: torch.Tensor) -> bool:
        return any(_share_memory(tensor, one) for tensors in self._kept for one in tensors)


def returned(
    result: Any,
    gradients: Sequence[torch.Tensor | None],
    damage: Sequence[str],
    before: Before,
    results: Results,
    backend: Backend,
) -> tuple[Returned, list[int]]:
    """The answer to a call. The result is copied first: what is written later does not count."""
    packing = Packing(backend)
    what, form, tensors = _described(result, backend)
    outputs = [packing.add(one, copy=True) for one in tensors]
    answer = Returned(
        what=what,
        outputs=outputs,
        form=form,
        aliases_input=any(before.shares(one) for one in tensors),
        inputs=[packing.add(memory) for memory in before.memories()],
        inputs_changed=[words[:2000] for words in before.changed()[:20]],
        damage=list(damage)[:20],
        earlier=[packing.add(one) for one in results.last],
        aliases_earlier=any(results.share(one) for one in tensors),
        gradients=[packing.add(g) if g is not None else None for g in gradients],
        left_running=before.left_running()[:20],
    )
    if outputs:
        results.keep(tensors)
    return answer, packing.descriptors


def _described(result: Any, backend: Backend) -> tuple[str, str, list[torch.Tensor]]:
    """A result in words, its form, and its tensors; no tensors where one cannot be sent."""
    try:
        form, tensors = flatten(result)
    except ValueError as exc:
        return str(exc)[:200], "", []
    words = [_tensor_words(one, backend) for one in tensors]
    strange = next((one for one in words if one != "a tensor"), None)
    if strange is not None:
        return strange, form, []
    return ("a tensor" if isinstance(result, torch.Tensor) else _words(result)), form, tensors


def _form(tensor: torch.Tensor) -> str:
    """What a call may not change about a tensor, other than its memory, in words."""
    gradient = ", wants a gradient" if methods.wants_gradient(tensor) else ""
    shape, stride, offset = (
        methods.shape(tensor),
        list(methods.stride(tensor)),
        methods.storage_offset(tensor),
    )
    return f"a tensor of shape {shape}, strides {stride}, offset {offset}{gradient}"[:900]


def _share_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    pointer, others = (methods.storage_pointer(methods.untyped_storage(tensor)) for tensor in (one, other))
    return bool(pointer != 0 and pointer == others)


def _tensor_words(result: torch.Tensor, backend: Backend) -> str:
    if not backend.is_device_tensor(result):
        return f"a tensor on {result.device}"
    if result.layout != torch.strided:
        return f"a tensor of layout {str(result.layout).removeprefix('torch.')}"
    return _words(result)


def _words(result: Any) -> str:
    """What a call returned, in words."""
    if result is None:
        return "None"
    if type(result) is torch.Tensor and vars(result):
        return "a tensor with attributes of its own"
    if type(result) is torch.Tensor or type(result) is torch.nn.Parameter:
        return "a tensor"
    if isinstance(result, torch.Tensor):
        return f"a {type(result).__name__}, a subclass of torch.Tensor"
    if isinstance(result, tuple | list):
        return f"a {type(result).__name__} of {len(result)}"
    return f"a {type(result).__name__}"[:200]
