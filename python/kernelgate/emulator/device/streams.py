"""Streams, events and graphs of torch.cuda, as the runtime keeps them: what orders work is known, and what is recorded.

In: what a program asks of torch.cuda. Out: classes that stand for torch's own. Operators of PyTorch are work as well:
from a program's first stream on, a mode tells the runtime of each.
Not here: vector clocks and graphs themselves (`runtime/streams.cpp`, `runtime/graphs.cpp`).
"""

from __future__ import annotations

import ctypes
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from kernelgate.emulator.device.devices import GPU, storage_address, tensors_of
from kernelgate.emulator.device.native import Native
from kernelgate.emulator.errors import Refused

_NO_TIME = "emulation has no time: it checks values, and never measures"
_NOT_IN_CAPTURE = "CUDA error: operation not permitted when stream is capturing"
_WORDS = {
    401: "the operation cannot be performed in the present state",
    900: "operation not permitted when stream is capturing",
    901: "operation failed due to a previous error during capture",
    904: "capturing stream has unjoined work",
}
# They ask the device for a number, and so wait for it.
_WAITING = ("_local_scalar_dense", "nonzero", "equal", "is_nonzero", "masked_select", "unique_dim", "_unique2")
_Handle = ctypes.c_void_p


class Streams:
    """The streams of this process. `on_cpu`: whether the program would find a tensor on the CPU."""

    def __init__(self, native: Native, on_cpu: Callable[[torch.Tensor], bool]) -> None:
        function = native.function
        self.create = function("stream_of_pool", _Handle)
        self.current = function("current_stream", _Handle)
        self.use = function("use_stream", None, _Handle)
        self.stream_synchronize = function("stream_synchronize", ctypes.c_int, _Handle)
        self.device_synchronize = function("device_synchronize", ctypes.c_int)
        self.event_create = function("event_create", _Handle)
        self.event_record = function("event_record", ctypes.c_int, _Handle, _Handle)
        self.event_synchronize = function("event_synchronize", ctypes.c_int, _Handle)
        self.event_destroy = function("event_destroy", None, _Handle)
        self.allocate = function("allocate", _Handle, ctypes.c_size_t)
        self.release = function("release", None, _Handle)
        self.wait = function("stream_wait", ctypes.c_int, _Handle, _Handle)
        self.begin_capture = function("begin_capture", ctypes.c_int, _Handle)
        self.end_capture = function("end_capture", ctypes.c_int, _Handle, ctypes.POINTER(_Handle))
        self.capture_status = function("capture_status", ctypes.c_int, _Handle)
        self.refuse_in_capture = function("refuse_in_capture", ctypes.c_int)
        self.launch_graph = function("launch_graph", None, _Handle, _Handle)
        self.release_graph = function("release_graph", None, _Handle)
        self.works_of_graph = function("graph_works", ctypes.c_size_t, _Handle)
        self.record = function("record", ctypes.c_int, _Handle, ctypes.c_uint64, ctypes.POINTER(_Handle))
        operator = [_Handle, ctypes.c_size_t, ctypes.c_int, _Handle, ctypes.c_char_p]
        self._operator = function("operator", None, *operator)
        self.on_cpu = on_cpu
        self.works: list[Callable[[], None]] = [lambda: None]  # what graphs hold; 0 is none
        self.raised: BaseException | None = None
        self.watch = _Watch(self)
        # Kept: the runtime calls them.
        nothing, numbered = ctypes.CFUNCTYPE(None), ctypes.CFUNCTYPE(None, ctypes.c_uint64)
        self._callbacks = nothing(self.watch.begin), numbered(self._replay)
        function("on_second_stream", None, nothing)(self._callbacks[0])
        function("on_replay", None, numbered)(self._callbacks[1])

    def check(self, error: int) -> None:
        """Raises what PyTorch raises for an error of CUDA's."""
        if error:
            raise RuntimeError(f"CUDA error: {_WORDS.get(error, 'invalid argument')}")

    def begins(self) -> None:
        """An operator begins, on the current stream."""
        self._operator(None, 0, 0, self.current(), None)

    def touches(self, tensor: torch.Tensor, what: str, *, write: bool) -> None:
        """What has begun reads or writes a tensor; parts of one that lie apart are not looked at."""
        with suppress(RuntimeError):  # no memory of its own
            if tensor.is_contiguous() and not self.on_cpu(tensor):
                self.touches_bytes(tensor.data_ptr(), tensor.nbytes, what, write=write)

    def touches_bytes(self, address: int, size: int, what: str, *, write: bool) -> None:
        """The same, of memory."""
        self._operator(address, size, write, None, what.encode()[:200])

    def read_back(self, result: Any) -> None:
        """The caller reads a result, as it does on the current stream."""
        self.begins()
        for tensor in tensors_of((result,)):
            self.touches(tensor, "the reader of the result", write=False)

    def wait_for_host(self) -> None:
        """The host waits for the current stream, as it does where it reads what that computes."""
        self.check(self.stream_synchronize(self.current()))

    def note(self, work: Callable[[], None], written: Sequence[torch.Tensor] = ()) -> None:
        """Work of the current stream is done; it is part of a graph if the stream is recorded."""
        if self.capture_status(self.current()):
            self.works.append(work)
            self.record(self.current(), len(self.works) - 1, _addresses(written))

    def _replay(self, number: int) -> None:
        try:
            self.works[number]()
        except BaseException as exc:  # a C function has called
            self.raised = self.raised or exc


def _addresses(tensors: Sequence[torch.Tensor]) -> Any:
    return (_Handle * (len(tensors) + 1))(*(storage_address(tensor) for tensor in tensors), None)


class _Watch(TorchDispatchMode):  # type: ignore[misc]
    """Sees the operators of a program that has a second stream."""

    def __init__(self, streams: Streams) -> None:
        super().__init__()
        self._streams = streams
        self._is_on = self._is_wanted = False

    def begin(self) -> None:
        """From now on, also in later calls of the program."""
        self._is_wanted = True
        self.enter()

    def enter(self) -> None:
        """Where the program's code begins."""
        if self._is_wanted and not self._is_on:
            self._is_on = True
            self.__enter__()

    def leave(self) -> None:
        """Where it ends."""
        if self._is_on:
            self._is_on = False
            self.__exit__(None, None, None)

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        streams, keywords = self._streams, kwargs or {}
        given = list(tensors_of((*args, *keywords.values())))
        is_recorded = streams.capture_status(streams.current())
        name = func._schema.name.removeprefix("aten::")
        if _is_view(func) or (given and all(map(streams.on_cpu, given))):
            return func(*args, **keywords)
        if name in _WAITING and is_recorded:
            streams.refuse_in_capture()
            raise RuntimeError(_NOT_IN_CAPTURE)
        written = _written(func, args, keywords)
        if is_recorded:
            streams.record(streams.current(), 0, _addresses(written))
        streams.begins()
        asks_shape_alone = name.startswith(("new_", "empty")) or name.endswith("_like")
        for tensor in given:
            if not asks_shape_alone:
                streams.touches(tensor, name, write=any(tensor is one for one in written))
        result = func(*args, **keywords)
        known = {storage_address(tensor) for tensor in given}
        fresh = [tensor for tensor in tensors_of((result,)) if storage_address(tensor) not in known]
        if "empty" not in name:
            for tensor in fresh:
                streams.touches(tensor, name, write=True)
        if is_recorded and (fresh or written):
            streams.note(lambda: self._again(func, args, keywords, fresh))
        if name in _WAITING:
            streams.wait_for_host()
        return result

    def _again(self, func: Any, args: Any, keywords: Any, fresh: Sequence[torch.Tensor]) -> None:
        """The operator on what its arguments hold now; its results go to where they went."""
        if fresh and self._streams.on_cpu(fresh[0]):
            return
        with torch._C._AutoDispatchBelowAutograd():
            results = tensors_of((func(*args, **keywords),))
            for there, result in zip(fresh, [one for one in results if one is not None], strict=False):
                there.copy_(result)


def _is_view(func: Any) -> bool:
    return any(each.alias_info is not None and not each.alias_info.is_write for each in func._schema.returns)


def _written(func: Any, args: Any, keywords: Any) -> list[torch.Tensor]:
    declared = func._schema.arguments
    values = [*args, *(keywords.get(each.name) for each in declared[len(args) :])]
    writes = (each.alias_info is not None and each.alias_info.is_write for each in declared)
    return list(tensors_of(value for value, written in zip(values, writes, strict=False) if written))


def _stream_class(streams: Streams, event_class: type) -> type:
    class Stream:
        """A stream of the pool, or the one at a handle."""

        device = GPU
        device_index, device_type = 0, 1

        def __init__(self, device: Any = None, priority: int = 0, **given: Any) -> None:
            self.cuda_stream = given["stream_ptr"] if "stream_ptr" in given else streams.create()
            self.stream_id, self.priority = self.cuda_stream, priority
            self._entered: list[int | None] = []

        def __enter__(self) -> Stream:
            self._entered.append(streams.current())
            streams.use(self.cuda_stream)
            return self

        def __exit__(self, *error: object) -> None:
            streams.use(self._entered.pop())

        def __eq__(self, other: object) -> bool:
            return isinstance(other, Stream) and other.cuda_stream == self.cuda_stream

        def __hash__(self) -> int:
            return hash(self.cuda_stream)

        def synchronize(self) -> None:
            streams.check(streams.stream_synchronize(self.cuda_stream))

        def wait_stream(self, stream: Any) -> None:
            self.wait_event(stream.record_event())

        def wait_event(self, event: Any) -> None:
            streams.check(streams.wait(self.cuda_stream, event.cuda_event))

        def record_event(self, event: Any = None) -> Any:
            event = event or event_class()
            event.record(self)
            return event

        def query(self) -> bool:
            return True

        @staticmethod
        def priority_range() -> tuple[int, int]:
            return 0, 0

    return Stream


def _event_class(streams: Streams) -> type:
    class Event:
        """Orders the work of streams. Asked for a time, it refuses."""

        def __init__(self, *_args: Any, **_kwargs: Any) -> None:
            self.cuda_event = streams.event_create()

        def __del__(self) -> None:
            streams.event_destroy(self.cuda_event)

        def record(self, stream: Any = None) -> None:
            there = streams.current() if stream is None else stream.cuda_stream
            streams.check(streams.event_record(self.cuda_event, there))

        def wait(self, stream: Any = None) -> None:
            there = streams.current() if stream is None else stream.cuda_stream
            streams.check(streams.wait(there, self.cuda_event))

        def synchronize(self) -> None:
            streams.check(streams.event_synchronize(self.cuda_event))

        def query(self) -> bool:
            return True

        def elapsed_time(self, end: Any) -> float:
            raise Refused(f"torch.cuda.Event.elapsed_time ({_NO_TIME})")

    return Event


class _StreamContext:
    """The stream is the current one inside."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream

    def __enter__(self) -> None:
        if self.stream is not None:
            self.stream.__enter__()

    def __exit__(self, *error: object) -> None:
        if self.stream is not None:
            self.stream.__exit__(*error)


def names_of_streams(streams: Streams) -> dict[str, Any]:
    """What torch.cuda has of streams, by its names."""
    event = _event_class(streams)
    stream = _stream_class(streams, event)

    def external(stream_ptr: int, device: Any = None) -> Any:
        return stream(stream_ptr=stream_ptr)

    def at(handle: int | None) -> Any:
        return stream(stream_ptr=handle or 0)

    return {
        "Stream": stream,
        "ExternalStream": external,
        "Event": event,
        "StreamContext": _StreamContext,
        "stream": _StreamContext,
        "current_stream": lambda device=None: at(streams.current()),
        "default_stream": lambda device=None: at(None),
        "set_stream": lambda given: streams.use(given.cuda_stream) if given is not None else None,
        "synchronize": lambda device=None: streams.check(streams.device_synchronize()),
        "caching_allocator_alloc": lambda size, device=None, stream=None: streams.allocate(size) or 0,
        "caching_allocator_delete": lambda pointer: streams.release(pointer),
        "is_current_stream_capturing": lambda: bool(streams.capture_status(streams.current())),
        "CUDAGraph": _graph_class(streams),
        "graph": _capturing,
        "graph_pool_handle": lambda: (0, 1),
    }


def _graph_class(streams: Streams) -> type:
    class CUDAGraph:
        """A graph of the runtime's."""

        def __init__(self, keep_graph: bool = False) -> None:
            self._graph: int | None = None

        def capture_begin(self, pool: Any = None, capture_error_mode: str = "global", **_given: Any) -> None:
            streams.check(streams.begin_capture(streams.current()))

        def capture_end(self) -> None:
            graph = _Handle()
            streams.check(streams.end_capture(streams.current(), ctypes.byref(graph)))
            self.reset()
            self._graph = graph.value
            if not streams.works_of_graph(self._graph):
                warnings.warn(
                    "The CUDA Graph is empty. This usually means that the graph was attempted to be captured on wrong "
                    "device or stream.",
                    stacklevel=3,
                )

        def instantiate(self) -> None: ...
        def replay(self) -> None:
            if self._graph is None:
                raise RuntimeError("Called CUDAGraph::replay without a preceding successful capture.")
            streams.launch_graph(self._graph, streams.current())
            raised, streams.raised = streams.raised, None
            if raised is not None:
                raise raised

        def reset(self) -> None:
            if self._graph is not None:
                streams.release_graph(self._graph)
            self._graph = None

        def __del__(self) -> None:
            self.reset()

        def pool(self) -> tuple[int, int]:
            return 0, 1

        def enable_debug_mode(self) -> None: ...
        def debug_dump(self, debug_path: str) -> None: ...
        def register_generator_state(self, state: Any) -> None: ...

    return CUDAGraph


@contextmanager
def _recorded(graph: Any, stream: Any, given: dict[str, Any]) -> Any:
    torch.cuda.synchronize()
    with torch.cuda.stream(stream or torch.cuda.Stream()):
        graph.capture_begin(**given)
        try:
            yield
        finally:
            raised = sys.exc_info()[0]
            try:
                graph.capture_end()
            except RuntimeError:
                if raised is None:  # differently, it would hide what has spoiled the recording
                    raise


def _capturing(
    cuda_graph: Any, pool: Any = None, stream: Any = None, capture_error_mode: str = "global", **_given: Any
) -> AbstractContextManager[None]:
    """torch.cuda.graph: what is done inside is recorded."""
    found: AbstractContextManager[None] = _recorded(cuda_graph, stream, {"pool": pool})
    return found
