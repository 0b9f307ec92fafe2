"""The result of a call, as data: the worker's side of an answer, copied before anything else can change.

In: a result, its inputs as they were, and the results before it. Out: `Returned` and the descriptors beside it.
"""

from __future__ import annotations

import functools
import secrets
import time
from collections import deque
from collections.abc import Sequence
from operator import is_
from typing import Any

import torch

from kernelgate.backend import Backend
from kernelgate.backend import tensor_methods as methods
from kernelgate.backend.memory import storage_bytes
from kernelgate.check.fingerprint import Fingerprints
from kernelgate.check.nesting import flatten, tensors_in
from kernelgate.messages.parcel import Parcel
from kernelgate.messages.worker import Returned
from kernelgate.worker.global_state import running

_FEW_RESULTS = 3
_FEW_BYTES = 1 << 30
_MOST_RESULTS = 200
_MOST_BYTES = 1 << 28
_GRACE_S = 0.1
_KEY = secrets.randbits(48)


class Packing:
    """Parcels of one answer, and the descriptors that travel beside it."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self.descriptors: list[int] = []

    def add(self, tensor: torch.Tensor, *, copy: bool = False) -> Parcel:
        # A conjugate is a view, as PyTorch's own programs have it; a negative is none that anybody asks for.
        numbers = methods.resolve_conj(methods.detach(tensor))
        if methods.numel(numbers) and not methods.data_pointer(numbers):
            numbers = methods.clone(numbers)  # such as the zeros that autograd makes without memory
        return self._backend.collect(numbers, self.descriptors, copy=copy)


class Before:
    """How the inputs, those of the call before, and the process were before a call."""

    def __init__(
        self, given: Sequence[Any], tensors: Sequence[torch.Tensor], earlier: Sequence[Any] = ()
    ) -> None:
        """`given`: what the module is called with; `tensors`: those in it, and the gradient that arrives."""
        self._given = given
        self._in_given = tensors_in(list(given))
        self._tensors = tensors
        self._earlier = tensors_in(list(earlier))
        self._prints = prints(self._earlier)
        self._forms = [_form(tensor) for tensor in tensors]
        self._memories = [storage_bytes(tensor) for tensor in tensors]
        self._running = running()

    def memories(self) -> list[torch.Tensor]:
        """The whole memory that each input has now; uint8, shape (n,)."""
        with torch._C.DisableTorchFunctionSubclass():
            return [storage_bytes(tensor) for tensor in self._tensors]

    def changed(self) -> list[str]:
        """What else about the inputs has changed, besides the values in their memory."""
        pairs = zip(self._forms, (_form(tensor) for tensor in self._tensors), strict=True)
        return [
            f"the caller's tensor had {was[what]} before the call and has {now[what]} after it"
            for was, now in pairs
            for what in was
            if was[what] != now[what]
        ] + [*self._containers_changed(), *self._earlier_changed()]

    def _containers_changed(self) -> list[str]:
        now = tensors_in(list(self._given))
        same = len(now) == len(self._in_given) and all(map(is_, now, self._in_given))
        return [] if same else ["the caller's list, tuple or dictionary holds other tensors after the call"]

    def _earlier_changed(self) -> list[str]:
        changed = prints(self._earlier) != self._prints
        return ["the caller's tensor of the call before holds other values after this one"] if changed else []

    def shares(self, result: torch.Tensor) -> bool:
        return any(_share_memory(result, memory) for memory in self._memories)

    def left_running(self) -> list[str]:
        """New threads and processes. A native thread that has been joined may take a moment to disappear."""
        deadline = time.monotonic() + _GRACE_S
        while True:
            left = [words for name, words in running().items() if name not in self._running]
            if not left or any(words != "a native thread" for words in left) or time.monotonic() > deadline:
                return left
            time.sleep(0.005)


class Results:
    """The results of a module, kept alive as far as memory goes: no later call can have their memory by chance, and
    what is written into them later is seen when they are looked at again."""

    def __init__(self) -> None:
        self._kept: deque[list[torch.Tensor]] = deque()
        self._bytes = 0

    def keep(self, tensors: Sequence[torch.Tensor]) -> None:
        self._kept.append([methods.detach(one) for one in tensors])
        self._bytes += _nbytes(tensors)
        while len(self._kept) > 1 and self._too_many():
            self._bytes -= _nbytes(self._kept.popleft())

    def _too_many(self) -> bool:
        if len(self._kept) <= _FEW_RESULTS:
            return self._bytes > _FEW_BYTES
        return self._bytes > _MOST_BYTES or len(self._kept) > _MOST_RESULTS

    @property
    def last(self) -> list[torch.Tensor]:
        return self._kept[-1] if self._kept else []

    @property
    def all(self) -> list[list[torch.Tensor]]:
        """All results so far, oldest first."""
        return list(self._kept)

    def share(self, tensor: torch.Tensor) -> bool:
        return any(_share_memory(tensor, one) for tensors in self._kept for one in tensors)


def prints(tensors: Sequence[torch.Tensor]) -> list[int]:
    if not tensors:
        return []
    of_each = _fingerprints(tensors[0].device)
    return [of_each.of(methods.resolved(one)) for one in tensors]


@functools.cache
def _fingerprints(device: torch.device) -> Fingerprints:
    """Of tensors on a device: drawing its factors takes longer than a fingerprint."""
    return Fingerprints(_KEY, device)


def _nbytes(tensors: Sequence[torch.Tensor]) -> int:
    return sum(one.nbytes for one in tensors)


def returned(
    result: Any,
    gradients: Sequence[torch.Tensor | None],
    damage: Sequence[str],
    before: Before,
    results: Results,
    backend: Backend,
    module: torch.nn.Module | None = None,
) -> tuple[Returned, list[int]]:
    """The answer to a call. The result is copied first, so that later writes do not count. `module`: after a call
    without gradients, whose result is a leaf that wants one only if it is one of the module's parameters."""
    packing = Packing(backend)
    what, form, tensors = described(result, backend)
    own = list(module.parameters()) if module is not None else []
    strange = next((words for one in tensors if module is not None and (words := _leaf_words(one, own))), "")
    if strange:
        what, tensors = strange, []
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
        wants_gradient=any(map(methods.wants_gradient, tensors)),
        gradients=[packing.add(g) if g is not None else None for g in gradients],
        left_running=before.left_running()[:20],
    )
    if outputs:
        results.keep(tensors)
    return answer, packing.descriptors


def described(result: Any, backend: Backend) -> tuple[str, str, list[torch.Tensor]]:
    """A result in words, its form, and its tensors; no tensors if one cannot be sent."""
    try:
        form, tensors = flatten(result)
    except ValueError as exc:
        return str(exc)[:200], "", []
    words = [_tensor_words(one, backend) for one in tensors]
    strange = next((one for one in words if one != "a tensor"), None)
    if strange is not None:
        return strange, form, []
    return ("a tensor" if isinstance(result, torch.Tensor) else _words(result)), form, tensors


def _form(tensor: torch.Tensor) -> dict[str, str]:
    """What a call may not change about a tensor besides its values: a description in words, by name."""
    with torch._C.DisableTorchFunctionSubclass():
        storage = methods.untyped_storage(tensor)
        own = ", ".join(sorted(map(str, vars(tensor)))) or "none"
        form = {
            "class": f"the class {type(tensor).__name__}",
            "shape": f"the shape {methods.shape(tensor)}",
            "stride": f"the strides {list(methods.stride(tensor))}",
            "offset": f"the storage offset {methods.storage_offset(tensor)}",
            "dtype": f"the dtype {str(methods.dtype(tensor)).removeprefix('torch.')}",
            "sign": "a sign that is read as it is" if methods.is_resolved(tensor) else "a sign that is read negated",
            "memory": f"memory at {methods.storage_pointer(storage):#x}",
            "bytes": f"{methods.storage_nbytes(storage)} bytes of memory",
            "wants": f"requires_grad = {methods.wants_gradient(tensor)}",
            "gradient": "a gradient" if methods.has_gradient(tensor) else "no gradient",
            "hooks": f"{methods.hooks(tensor)} hooks",
            "attributes": f"these attributes of its own: {own}",
        }
    return {what: words[:900] for what, words in form.items()}


def _share_memory(one: torch.Tensor, other: torch.Tensor) -> bool:
    """A tensor without elements has none to share."""
    if methods.numel(one) == 0 or methods.numel(other) == 0:
        return False
    pointer, others = (methods.storage_pointer(methods.untyped_storage(tensor)) for tensor in (one, other))
    return bool(pointer != 0 and pointer == others)


def _leaf_words(tensor: torch.Tensor, own: Sequence[torch.Tensor]) -> str:
    """What is strange about a result that is none of the module's parameters, "" for nothing. A caller may not write
    into a leaf that requires a gradient, and a module that keeps a Parameter takes it for one of its own."""
    if any(tensor is parameter for parameter in own):
        return ""
    if isinstance(tensor, torch.nn.Parameter):
        return "a Parameter that is none of its own"
    if methods.wants_gradient(tensor) and methods.is_leaf(tensor):
        return "a tensor that requires a gradient though gradients are off"
    return ""


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
