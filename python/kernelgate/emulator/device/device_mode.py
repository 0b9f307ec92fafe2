"""The mode under which torch has a GPU beside the CPU: every tensor is on one of the two, and leaves it only by a copy.

In: calls of torch's functions. Out: their results, tagged with their device; what PyTorch raises where a program mixes
devices up. Not here: the tags (`devices`), functions that are no tensor's (`torch_surface`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import torch
import torch.utils._device
from torch.overrides import TorchFunctionMode, _get_current_function_mode_stack, _pop_mode, _push_mode
from torch.utils._device import DeviceContext, _device_constructors

from kernelgate.emulator.device.devices import (
    CPU,
    DEVICE,
    GPU,
    HOST,
    PINNED,
    UNKNOWN,
    Devices,
    Place,
    named_place,
    names_gpu,
    share_memory,
    tensors_of,
)
from kernelgate.emulator.device.generators import refuse_other_device
from kernelgate.emulator.device.native import Native

_T = torch.Tensor
# Functions that may meet tensors of both devices: they copy, look at shapes only, or want sizes on the CPU.
_MIXING_METHODS = (
    "copy_ to type_as new_tensor set_ backward __deepcopy__ __setitem__ index_put index_put_ "
    "expand_as view_as reshape_as is_same_size tensor_split"
)
_MIXING_FUNCTIONS = (
    "tensor as_tensor asarray index_put index_put_ is_same_size broadcast_tensors result_type tensor_split ctc_loss "
    "lstm gru rnn_tanh rnn_relu _pack_padded_sequence _pad_packed_sequence "
    "_has_compatible_shallow_copy_type"
)
# Getters are new objects at each access: compared with ==, found in a dict or a set, never with `is`.
_MIXING: set[Any] = {
    *(getattr(_T, name) for name in _MIXING_METHODS.split() if hasattr(_T, name)),
    *(getattr(torch, name) for name in _MIXING_FUNCTIONS.split() if hasattr(torch, name)),
    *(getattr(torch, name) for name in dir(torch) if name.startswith("_foreach_")),
    _T.data.__set__,
    _T.grad.__set__,
    torch.nn.functional.ctc_loss,
    torch.autograd.backward,
    torch.autograd.grad,
}
_OF_A_TENSOR = (torch.tensor, torch.as_tensor, torch.asarray)
_MAY_HOLD_TENSORS = (torch.Tensor, list, tuple)
_OPERATORS = (torch._ops.OpOverload, torch._ops.OpOverloadPacket)
_WHILE_CAPTURING: dict[Any, Any] = {
    _T.device.__get__: GPU,
    _T.is_cuda.__get__: True,
    _T.is_cpu.__get__: False,
    _T.get_device: 0,
}


class EmulatedDevice(TorchFunctionMode):  # type: ignore[misc]
    """Around candidate code. An operator of torch.ops is left alone: what it makes is tagged if it is made."""

    def __init__(self, native: Native) -> None:
        super().__init__()
        self.entered = 0  # how many have entered it and not left
        self.wait_for_device: Callable[[], None] = lambda: None
        self._devices = Devices(native)
        self._answers: dict[Any, Callable[..., Any]] = {
            _T.device.__get__: lambda tensor: CPU if self._devices.on_cpu(tensor) else GPU,
            _T.is_cuda.__get__: lambda tensor: not self._devices.on_cpu(tensor),
            _T.is_cpu.__get__: self._devices.on_cpu,
            _T.get_device: lambda tensor: -1 if self._devices.on_cpu(tensor) else 0,
            _T.is_pinned: lambda tensor, *_, **__: self._devices.place(tensor) == PINNED,
            _T.cuda: lambda tensor, *_, **__: self._moved(tensor, DEVICE),
            _T.cpu: lambda tensor, *_, **__: self._moved(tensor, HOST),
            _T.pin_memory: lambda tensor, *_, **__: self._pinned(tensor),
            **{reads: reads for reads in (torch.device, torch._C._nn._parse_to)},  # what devices are named
        }

    def __enter__(self) -> EmulatedDevice:
        self.entered += 1
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        """Leaves this mode, whatever lies on top: a program may have left a mode of its own open."""
        self.entered -= 1
        if not any(mode is self for mode in _get_current_function_mode_stack()):
            return
        above = []
        while (mode := _pop_mode()) is not self:
            above.append(mode)
        for mode in reversed(above):
            _push_mode(mode)

    def on_cpu(self, tensor: torch.Tensor) -> bool:
        return self._devices.on_cpu(tensor)

    def on_host(self, tensor: torch.Tensor) -> None:
        """Notes that the tensor views memory of the CPU."""
        self._devices.put(tensor, HOST)

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        keywords = dict(kwargs or {})
        if torch.compiler.is_compiling():
            # A stand-in for a tensor, while a graph is captured, has no memory to ask.
            if func in _WHILE_CAPTURING:
                return _WHILE_CAPTURING[func]
            return args[0] if func == _T.cuda else _called(func, args, keywords)
        if func in self._answers:
            return self._answers[func](*args, **keywords)
        if isinstance(func, _OPERATORS):
            return _called(func, args, keywords)
        tensors = list(tensors_of((*args, *keywords.values())))
        self._refuse(func, args, keywords, tensors)
        result = self._placed(func, args, keywords, tensors)
        # An empty tensor has no memory, so nothing says on which device it is.
        if keywords.get("generator") is not None and isinstance(result, torch.Tensor) and result.numel():
            refuse_other_device(keywords["generator"], on_cpu=self.on_cpu(result))
        return result

    def _placed(
        self, func: Any, args: Sequence[Any], keywords: dict[str, Any], tensors: list[torch.Tensor]
    ) -> Any:
        """The function's result, on the device where it would be."""
        named = _named_device(func, args, keywords)
        pinned = bool(keywords.pop("pin_memory", False))
        result = _called(func, args, keywords)
        if not isinstance(result, _MAY_HOLD_TENSORS):
            return result
        if isinstance(named, torch.Tensor):
            return self._arrived(result, self._devices.place(named), tensors)
        if named is not None:
            return self._arrived(result, PINNED if pinned else named_place(named), tensors)
        if func == torch._pack_padded_sequence:
            self._devices.put(result[1], HOST)  # sizes of batches
        elif self._is_made_on_host(func, args, tensors):
            self._devices.put(result, PINNED if pinned else HOST)
        return result

    def _refuse(
        self, func: Any, args: Sequence[Any], keywords: Mapping[str, Any], tensors: list[torch.Tensor]
    ) -> None:
        """Raises what PyTorch raises on a machine with a GPU."""
        if func == _T.__getitem__:
            self._devices.refuse_far_indices(tensors[0], tensors[1:])
        elif len(tensors) > 1 and func not in _MIXING:
            self._devices.refuse_mixed(tensors)
        elif func == _T.__array__ or (func == _T.numpy and not keywords.get("force")):
            self._devices.refuse_numpy(args[0])

    def _is_made_on_host(self, func: Any, args: Sequence[Any], tensors: list[torch.Tensor]) -> bool:
        """Whether a result without a device of its own is the CPU's: by what it is made of, or by default."""
        if func in _device_constructors() and not (
            func in _OF_A_TENSOR and isinstance(args[0], torch.Tensor)
        ):
            return not names_gpu(torch.utils._device.CURRENT_DEVICE)
        return bool(tensors) and all(map(self._devices.on_cpu, tensors))

    def _arrived(self, result: Any, place: Place | None, tensors: list[torch.Tensor]) -> Any:
        """The result on the device that the call names: a copy, where torch had nothing to do on the CPU."""
        if place is None or place == UNKNOWN or not isinstance(result, torch.Tensor):
            return result
        there = self._devices.place(result)
        if there == place:
            return result
        if there >= HOST or any(share_memory(result, tensor) for tensor in tensors):
            return self._moved(result, place)
        if there == UNKNOWN and place == DEVICE:
            return result.clone()  # it may look into memory of numpy
        self._devices.put(result, place)
        return result

    def _moved(self, tensor: torch.Tensor, place: Place) -> torch.Tensor:
        there = self._devices.place(tensor)
        if (there >= HOST) == (place >= HOST):
            return tensor
        copy = tensor.clone()
        self._devices.put(copy, place)
        if place >= HOST:
            self.wait_for_device()
        return copy

    def _pinned(self, tensor: torch.Tensor) -> torch.Tensor:
        there = self._devices.place(tensor)
        if there == DEVICE:
            name = tensor.type().replace("torch.", "torch.cuda.")
            raise RuntimeError(f"cannot pin '{name}' only dense CPU tensors can be pinned")
        if there != HOST:
            return tensor
        copy = tensor.clone()
        self._devices.put(copy, PINNED)
        return copy


def reach_beyond_functions(mode: EmulatedDevice) -> None:
    """Extends the mode to what torch does not pass to modes: a backward pass, hooks of saved tensors, memory of
    numpy, a temporary default device."""
    hooks = torch.autograd.graph.saved_tensors_hooks
    keep_hooks = hooks.__init__

    def under_mode(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def called(*args: Any, **kwargs: Any) -> Any:
            with mode if mode.entered else nullcontext():  # it was left to handle the call that leads here
                return function(*args, **kwargs)

        return called

    def hooked(self: Any, pack_hook: Callable[..., Any], unpack_hook: Callable[..., Any]) -> None:
        keep_hooks(self, under_mode(pack_hook), under_mode(unpack_hook))

    def of_host_memory(make: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(make)
        def made(*args: Any, **kwargs: Any) -> Any:
            result = make(*args, **kwargs)
            mode.on_host(result)
            return result

        return made

    def default_device(
        context: DeviceContext, func: Any, types: Any, args: Sequence[Any] = (), kwargs: Any = None
    ) -> Any:
        keywords = kwargs or {}
        if func in _device_constructors() and keywords.get("device") is None:
            # `with torch.device(...)` comes before the mode, set_default_device after it.
            left = names_gpu(context.device) and mode not in _get_current_function_mode_stack()
            keywords = {**keywords, "device": CPU if left else context.device}
        return func(*args, **keywords)

    torch.autograd._engine_run_backward = under_mode(torch.autograd._engine_run_backward)
    hooks.__init__ = hooked
    torch.from_numpy, torch.frombuffer = of_host_memory(torch.from_numpy), of_host_memory(torch.frombuffer)
    DeviceContext.__torch_function__ = default_device


def _named_device(func: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """The device that a call names for its result, or the tensor whose device it takes; None for none."""
    named = [keywords.get("device")]
    if func == _T.to or func == _T.type_as:
        named += [*args[1:], keywords.get("other")]
    elif named[0] is None:
        return None
    return next(
        (name for name in named if isinstance(name, torch.Tensor) or named_place(name) is not None), None
    )


def _called(func: Any, args: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """The function's result, without a GPU: all memory is the CPU's."""
    first = 1 if func == _T.to else len(args)
    here = [
        CPU if (isinstance(a, torch.device) and names_gpu(a)) or (i >= first and names_gpu(a)) else a
        for i, a in enumerate(args)
    ]
    if names_gpu(keywords.get("device")):
        keywords = {**keywords, "device": CPU}
    return func(*here, **keywords)
