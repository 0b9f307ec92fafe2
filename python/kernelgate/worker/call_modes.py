"""How the worker calls a module: as it is, copied, compiled, under autocast, in a graph, ...

In: a module and its inputs, placed on the device. Out: its result. A candidate's exceptions pass through; a manner
that is impossible on this device raises NotPossible.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from time import process_time
from typing import Any

import torch

from kernelgate.check.autograd import (
    Differentiating,
    gradients,
    gradients_of_each_input,
    gradients_of_inputs,
    gradients_of_two_calls,
    second_gradients,
)
from kernelgate.check.captured import CAPTURES, COPIES, device_of, in_inference_mode, write_over
from kernelgate.check.nesting import is_floating, mapped
from kernelgate.check.operator_mode import OperatorMode

Module = Callable[..., Any]
_DELAY_CYCLES = 20_000_000  # some 10 ms: longer than any host needs to get from one launch to the next
_MOST_OPERATORS = 64
_BUSY_PRODUCTS = 4  # some 90 ms on an H200, 250 on an A100: longer than a loaded host needs for a call
_BUSY_SIDES = (8192, 4096, 2048)
_SEEN_ELEMENTS = 1 << 20
_MANY_CALLS = 128
_MANY_CALLS_S = 0.1  # of the processor


class NotPossible(Exception):
    """The manner needs what this device does not have."""


def call(
    module: Any, inputs: Sequence[Any], manner: str, *, emulated: bool, left_open: list[str]
) -> Any:
    """The module's result, called in that manner; without gradients unless the manner asks for them. Raises
    NotPossible. `left_open` gets words for a mode that the call leaves otherwise.

    In emulation, tensors say that they are on a GPU.
    """
    if emulated:
        if manner in _NEED_A_GPU:
            raise NotPossible("needs a GPU")
        manner = _EMULATED.get(manner, manner)
    with torch.set_grad_enabled(_AS_IN_A_CELL.get(manner, False)):
        if manner not in _AS_IN_A_CELL:
            return _MANNERS[manner](module, inputs)
        result = module(*inputs)
        if torch.is_grad_enabled() != _AS_IN_A_CELL[manner]:
            left_open.append(f"the gradient mode is {torch.is_grad_enabled()} after a call")
        return result


_AS_IN_A_CELL = {"plain": False, "gradients on": True, "inputs want gradients": True}
"""Plain calls, with gradients on or off."""


def by_name(module: Module, names: Sequence[str]) -> Module:
    """The module, called with the last of its inputs by these names."""
    if not names:
        return module
    return lambda *inputs: module(*inputs[: -len(names)], **dict(zip(names, inputs[-len(names) :], strict=True)))


def wanting_gradients(inputs: Sequence[Any]) -> list[Any]:
    """The inputs as a layer in the middle of a model that is trained gets them; they share the memory of these."""
    wanting: list[Any] = mapped(list(inputs), lambda v: v.detach().requires_grad_() if is_floating(v) else v)
    return wanting


def in_a_thread(call: Callable[[], Any], device: torch.device | None) -> Any:
    """What a call gives or raises in a thread that ends with it. `device`: the current GPU there, as here."""
    ended: list[tuple[Any, BaseException | None]] = []

    def run() -> None:
        try:
            if device is not None and device.type == "cuda":
                torch.cuda.set_device(device)
            ended.append((call(), None))
        except BaseException as exc:  # the candidate may raise anything
            ended.append((None, exc))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    result, raised = ended[0]
    if raised is not None:
        raise raised
    return result


def _many_times(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """The result of the last of many calls, as many as a tenth of a second allows."""
    device = device_of(inputs)
    ends = process_time() + _MANY_CALLS_S
    for _ in range(_MANY_CALLS - 1):
        result = module(*inputs)
        if device.type == "cuda":
            torch.cuda.synchronize(device)
        if process_time() > ends:
            return result
        del result  # a large problem has no room for two
    return module(*inputs)


def _waited_for(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """The inputs are there before the call, and everything on the device has ended after it, on whatever stream."""
    torch.cuda.synchronize(device_of(inputs))
    result = module(*inputs)
    torch.cuda.synchronize(device_of(inputs))
    return result


def _after_an_exception(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """After calls with what is no tensor, which most modules refuse: all of the inputs, then the last one. No kernel
    can be launched on such a thing, so nothing is harmed."""
    for count in (len(inputs), 1):
        with suppress(Exception):
            module(*_copies(inputs)[: len(inputs) - count], *(object() for _ in range(count)))
    return module(*inputs)


def _hooked(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """Called with zeros for which a hook puts the inputs, and the result taken from another hook: only if hooks
    are called it is right."""
    seen: list[Any] = []
    handles = [
        module.register_forward_pre_hook(lambda _module, _given: tuple(inputs)),
        module.register_forward_hook(lambda _module, _given, result: seen.append(result)),
    ]
    try:
        module(*mapped(list(inputs), lambda v: torch.zeros_like(v) if is_floating(v) else v))
    finally:
        for handle in handles:
            handle.remove()
    return seen[0] if seen else None


def _beside_a_copy(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """The module itself, after a copy of it got other parameters and was called."""
    other = copy.deepcopy(module)
    for one in (*other.parameters(), *other.buffers()):
        if one.is_floating_point():
            one.mul_(0.5)
    other(*_copies(inputs))
    return module(*inputs)


def _copies(inputs: Sequence[Any]) -> list[Any]:
    """For a call that is not looked at, and that may write to them as the reference does."""
    copies: list[Any] = mapped(list(inputs), torch.Tensor.clone)
    return copies


def _in_mode(module: torch.nn.Module, inputs: Sequence[Any], *, training: bool) -> Any:
    before = module.training
    try:
        switched = module.train() if training else module.eval()
        if switched is not module:
            name = "train" if training else "eval"
            raise TypeError(f"ModelNew().{name}() gives {type(switched).__name__}, not the module itself")
        result = module(*inputs)
        if module.training is not training:
            raise TypeError(f"a call changes ModelNew().training from {training} to {module.training}")
        return result
    finally:
        module.train(before)


def _autocast(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    with torch.autocast("cuda", dtype=torch.bfloat16):
        return module(*inputs)


def _autocast_on_the_cpu(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """As on a GPU: a program that asks finds the GPU's autocast on."""
    before = torch.is_autocast_enabled("cuda"), torch.get_autocast_dtype("cuda")
    torch.set_autocast_enabled("cuda", True)
    torch.set_autocast_dtype("cuda", torch.bfloat16)
    try:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return module(*inputs)
    finally:
        torch.set_autocast_enabled("cuda", before[0])
        torch.set_autocast_dtype("cuda", before[1])


def _busy_device(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """Calls it while the whole device is busy for some time: a kernel on a stream of its own cannot have run yet when
    the caller's stream is done. The ends of the result are copied to the host at once, as the caller's stream sees
    them."""
    device = device_of(inputs)
    factors, products = _products(device)
    torch.cuda.synchronize(device)
    elsewhere = torch.cuda.Stream(device)
    with torch.cuda.stream(elsewhere):
        for _ in range(products):
            torch.mm(factors[0], factors[0], out=factors[1])
    result = module(*inputs)
    if not isinstance(result, torch.Tensor) or result.device != device or not result.is_contiguous():
        return result
    # Unlike a kernel, copies to the host do not wait for room on the device. What is copied is the memory as it lies:
    # of a conjugate, PyTorch would change the signs on the host at once, before an asynchronous copy has arrived.
    ends = _ends(read_like(result, result))
    seen = [torch.empty(part.shape, dtype=part.dtype, pin_memory=True) for part in ends]
    for there, part in zip(seen, ends, strict=True):
        there.copy_(part, non_blocking=True)
    torch.cuda.current_stream(device).synchronize()
    torch.cuda.synchronize(device)
    as_seen = result.detach().clone()
    for there, part in zip(seen, _ends(as_seen), strict=True):
        part.copy_(read_like(there, result))
    return as_seen


def read_like(tensor: torch.Tensor, like: torch.Tensor) -> torch.Tensor:
    """A view of the same memory, conjugated or negated where PyTorch has noted that `like` is to be read so.

    Of a tensor and itself: its elements as they lie in memory.
    """
    conjugated = tensor.conj() if like.is_conj() else tensor
    negated: torch.Tensor = torch._neg_view(conjugated) if like.is_neg() else conjugated
    return negated


def _products(device: torch.device) -> tuple[list[torch.Tensor], int]:
    """A factor, the memory of a product, and how many products keep the device busy: small ones on a device that is
    nearly full, since a lack of memory for them is no fault of the program. Raises OutOfMemoryError if even the
    smallest do not fit: a call that nothing is busy beside would pass for one that something is."""
    *larger, least = _BUSY_SIDES
    for side in larger:
        with contextlib.suppress(torch.OutOfMemoryError):
            return _products_of(side, device)
    return _products_of(least, device)


def _products_of(side: int, device: torch.device) -> tuple[list[torch.Tensor], int]:
    factors = [torch.ones(side, side, device=device) for _ in range(2)]
    return factors, _BUSY_PRODUCTS * (_BUSY_SIDES[0] // side) ** 3


def _ends(result: torch.Tensor) -> list[torch.Tensor]:
    """The first and the last elements of a contiguous tensor: enough to see, and soon copied."""
    flat = result.detach().view(-1)
    return [flat[:_SEEN_ELEMENTS], flat[-_SEEN_ELEMENTS:]]


def _side_stream(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """Calls it on a stream of the caller's."""
    device = device_of(inputs)
    with torch.cuda.stream(torch.cuda.Stream(device)):
        return _late_inputs(module, inputs)


def _late_inputs(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """The inputs arrive late on the current stream: a kernel on any other stream reads what was there before."""
    device = device_of(inputs)
    waiting = mapped(list(inputs), lambda v: torch.full_like(v, float("nan")) if is_floating(v) else v)
    torch.cuda.synchronize(device)
    torch.cuda._sleep(_DELAY_CYCLES)
    write_over(waiting, inputs)
    result = mapped(module(*waiting), torch.Tensor.clone)
    torch.cuda.current_stream(device).synchronize()
    return result


def _other_device(module: torch.nn.Module, inputs: Sequence[Any]) -> Any:
    """Calls it on a second device, while the first is the current one."""
    device = device_of(inputs)
    if torch.cuda.device_count() < 2:
        raise NotPossible("needs two GPUs")
    second = torch.device("cuda", (device.index + 1) % torch.cuda.device_count())
    # Through the host: a direct copy lets each device reach the other's memory, and hides a kernel on the wrong one.
    there = copy.deepcopy(module).cpu().to(second)
    moved = mapped(list(inputs), lambda v: v.cpu().to(second))
    with torch.cuda.device(device):
        result = there(*moved)
        torch.cuda.synchronize(second)
    return mapped(result, lambda v: v.cpu().to(device) if v.device == second else v)


_MANNERS: dict[str, Callable[[torch.nn.Module, Sequence[Any]], Any]] = {
    "many times": _many_times,
    "waited for": _waited_for,
    "inference mode": in_inference_mode,
    "after an exception": _after_an_exception,
    "hooked": _hooked,
    "beside a copy": _beside_a_copy,
    "train": functools.partial(_in_mode, training=True),
    "eval": functools.partial(_in_mode, training=False),
    "autocast": _autocast,
    "autocast on the CPU": _autocast_on_the_cpu,
    "busy device": _busy_device,
    "late inputs": _late_inputs,
    "side stream": _side_stream,
    "other device": _other_device,
    **CAPTURES,
    **COPIES,
}

MAKE_ANOTHER = frozenset({"beside a copy", *CAPTURES, *COPIES})
"""Manners that make another module, for which random numbers may be drawn, as a constructor does."""

DIFFERENTIATING: dict[str, Differentiating] = {
    "gradient": gradients,
    "gradient of parameters": functools.partial(gradients, of_inputs=False),
    "gradient of inputs": gradients_of_inputs,
    "gradient of each input": gradients_of_each_input,
    "gradient of two calls": gradients_of_two_calls,
    "double backward": second_gradients,
}
"""Manners that call the module and then its backward pass, with the gradient of the result."""

# Emulation replaces torch's CUDA functions, and torch.compile cannot trace these replacements.
_NEED_A_GPU = frozenset({"side stream", "other device", "graph", "compiled", "exported"})
_EMULATED = {"autocast": "autocast on the CPU", "busy device": "plain", "late inputs": "plain"}


class _Operators(OperatorMode):
    """Counts the operators that are dispatched while it is entered."""

    def __init__(self) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        self.counts[str(func)[:200]] += 1
        return func(*args, **kwargs)


def observed(module: torch.nn.Module, inputs: Sequence[Any]) -> tuple[Any, list[str]]:
    """The result of a plain call, and the operators of PyTorch that it dispatched, the most frequent first."""
    with torch.no_grad(), _Operators() as operators:
        result = module(*inputs)
    return result, [name for name, _count in operators.counts.most_common(_MOST_OPERATORS)]
