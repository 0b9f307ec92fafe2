"""The worker's side of the time stage: what it calls in each phase, and by which clock.

In: a module, its inputs on the device, and a request. Out: a `Measured` and the descriptor of a kept result.
Not here: what the clocks do (`timing.clocks`), and what the figures mean (`judge.stages.time`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from kernelgate.backend import tensor_methods as methods
from kernelgate.check.autograd import leaves_of
from kernelgate.check.nesting import tensors_in
from kernelgate.messages.measure import Measure, Measured, Span, Trace, TraceTaken, Weighed
from kernelgate.profiling.trace import tracing
from kernelgate.report.measured import Phase
from kernelgate.timing.clocks import Flush, following_calls, graph_of, settle, single_calls, span_of
from kernelgate.timing.fresh import Fresh
from kernelgate.worker.call_results import Packing

_TRACED_CALLS = (20, 1)  # what outlasts each call shows in one; of many, in the last alone
_LARGE_BYTES = 1 << 29
_MAX_TRACE_BYTES = 1 << 26


class Stopwatch:
    """Times one module with one set of inputs. `upstream`: the gradient of its result, where phases need one."""

    def __init__(
        self, module: torch.nn.Module, inputs: Sequence[Any], upstream: torch.Tensor | None, flush_bytes: int
    ) -> None:
        self._module = module
        self._upstream = upstream
        device = next((v.device for v in inputs if isinstance(v, torch.Tensor)), torch.device("cuda"))
        self._flush = Flush(flush_bytes, device)
        self._padding: torch.Tensor | None = None
        self._result: torch.Tensor | None = None
        self._take(inputs)

    def _take(self, inputs: Sequence[Any]) -> None:
        self._inputs = list(inputs)
        self._leaves, wanted = leaves_of(self._module, self._inputs)
        self._wanted = [tensor for tensor in wanted if tensor.requires_grad]

    def _move(self, nbytes: int) -> None:
        """Moves everything to other memory, with another beginning; large tensors stay, as they cover all places
        alike."""
        device = self._flush.device
        torch.cuda.empty_cache()
        padding = torch.empty(nbytes, dtype=torch.int8, device=device)
        self._take([_moved(value) for value in self._inputs])
        for tensor in (*self._module.parameters(), *self._module.buffers()):
            tensor.data = _moved(tensor.data)
        for part in self._module.modules():
            if isinstance(part, torch.nn.RNNBase):
                part.flatten_parameters()  # else cuDNN gathers them in every call
        self._take(self._inputs)
        self._padding = padding
        torch.cuda.empty_cache()

    def measure(self, request: Measure, packing: Packing) -> Measured:
        """The readings of the clocks. The candidate's exceptions pass through."""
        if request.move is not None:
            self._move(request.move)
        before, call = self._calls(request)
        once = self._once(request.phase)
        with torch.set_grad_enabled(request.phase != "forward"):
            launch_s = settle(once, request.settle_s, self._flush)
            if request.cache_state == "cold":
                reading = single_calls(
                    call,
                    request.calls,
                    before=before,
                    flush=self._flush,
                    keep=request.keep,
                    as_seen=_copies if request.phase == "forward" else _copies_of_gradients,
                    launch_s=launch_s,
                )
                each = reading.each_s
            else:
                call = graph_of(call) if request.cache_state == "graph" else call
                readings = [following_calls(call, request.calls) for _ in range(request.repeats)]
                each = [one.device_s / request.calls for one in readings]
                reading = readings[-1]
            spans = [_span(call, min(calls, request.calls)) for calls in _TRACED_CALLS] if request.trace else []
        self._result = None
        if request.make_room:
            torch.cuda.empty_cache()
        return Measured(
            each_s=each,
            device_s=reading.device_s,
            wall_s=reading.wall_s,
            spans=[span for span in spans if span is not None],
            outputs=[packing.add(one) if one is not None else None for one in reading.kept or []],
        )

    def trace(self, request: Trace, packing: Packing) -> TraceTaken:
        """What one call does, after one that is not traced."""
        before, call = self._calls(Measure(phase=request.phase, cache_state="warm", calls=1))
        with torch.set_grad_enabled(request.phase != "forward"):
            self._once(request.phase)()
            if before is not None:
                before()
            torch.cuda.synchronize()
            with tracing(device=True) as traced:
                call()
        whole = None
        if request.whole:
            data = bytearray(traced.text.encode()[:_MAX_TRACE_BYTES])
            whole = packing.add(torch.frombuffer(data, dtype=torch.uint8))
        return TraceTaken(events=traced.events, left_out=traced.left_out, whole=whole)

    def weigh(self) -> Weighed:
        """The memory of a forward call without gradients, and what one with gradients keeps beside its result."""
        torch.cuda.synchronize()
        torch.cuda.reset_peak_memory_stats()
        held = torch.cuda.memory_allocated()
        with torch.no_grad():
            result = self._module(*self._inputs)
        torch.cuda.synchronize()
        peak = max(0, torch.cuda.max_memory_allocated() - held)
        del result
        return Weighed(peak_bytes=peak, kept_bytes=self._kept_bytes() if self._wanted else None)

    def _kept_bytes(self) -> int | None:
        """Trains as in the middle of a network: the inputs come from a layer before, and nothing else keeps them. None
        if it cannot train, such as one that writes with out=."""
        held = torch.cuda.memory_allocated()
        try:
            with torch.enable_grad():
                result = self._module(*[v.clone() if _wants_gradient(v) else v for v in self._leaves])
            torch.cuda.synchronize()
        except Exception:  # whatever a program raises if it is to train: the check has said so
            return None
        results = tensors_in(result)
        if not any(one.requires_grad for one in results):
            return None
        own = sum(one.untyped_storage().nbytes() for one in results)
        return int(max(0, torch.cuda.memory_allocated() - held - own))

    def _once(self, phase: Phase) -> Callable[[], None]:
        """One call with the values that are there, and what has to come before it."""
        before, call = self._calls(Measure(phase=phase, cache_state="warm", calls=1))

        def once() -> None:
            if before is not None:
                before()
            call()

        return once

    def _calls(self, request: Measure) -> tuple[Callable[[], Any] | None, Callable[[], Any]]:
        """What comes before each call, outside of its time, and the call."""
        fresh = Fresh(tensors_in(self._inputs), request.seed) if request.seed is not None else None
        if request.phase == "forward":
            return (fresh.next if fresh is not None else None), lambda: self._module(*self._inputs)

        def forward() -> None:
            if fresh is not None:
                with torch.no_grad():
                    fresh.next()
            self._result = self._module(*self._leaves)

        def backward() -> Any:
            return torch.autograd.grad(_first(self._result), self._wanted, self._upstream, allow_unused=True)

        if request.phase == "backward":
            return forward, backward

        def step() -> Any:
            result = self._module(*self._leaves)
            return torch.autograd.grad(_first(result), self._wanted, self._upstream, allow_unused=True)

        return (fresh.next if fresh is not None else None), step


def _moved(value: Any) -> Any:
    if not isinstance(value, torch.Tensor) or value.untyped_storage().nbytes() > _LARGE_BYTES:
        return value
    if any(stride == 0 and size > 1 for stride, size in zip(value.stride(), value.shape, strict=True)):
        return value  # expanded: its elements share memory, and cannot be written one by one
    copied = torch.empty_strided(value.shape, value.stride(), dtype=value.dtype, device=value.device)
    return copied.copy_(value)


def _copies_of_gradients(found: Sequence[torch.Tensor | None]) -> list[torch.Tensor | None]:
    return [methods.clone(one) if one is not None else None for one in found]


def _wants_gradient(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.requires_grad


def _span(call: Callable[[], Any], calls: int) -> Span | None:
    found = span_of(call, calls)
    return Span(calls=calls, span_s=found[0], events_s=found[1]) if found is not None else None


def _copies(result: Any) -> list[torch.Tensor]:
    """The tensors of a result as the current stream sees them now."""
    with torch.no_grad():
        return [methods.clone(one) for one in tensors_in(result)]


def _first(result: Any) -> Any:
    """The first tensor of a result; the result where it holds none."""
    return result if isinstance(result, torch.Tensor) else next(iter(tensors_in(result)), result)
