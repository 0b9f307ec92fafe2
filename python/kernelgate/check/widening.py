"""The reference in float64: every number that it computes with, also those that it makes itself.

In: a module and its inputs. Out: a copy of the module in float64, and a mode in which what it makes or converts is
float64 as well. Plain tensors among its attributes, `torch.zeros` in `forward` and `.float()` reach float64 too.
Random numbers stay those of the reference: PyTorch draws others for float64 than for the narrower dtype.
"""

from __future__ import annotations

import collections
import contextlib
import copy
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

import torch

from kernelgate.check.nesting import is_floating
from kernelgate.check.operator_mode import OperatorMode

_WIDER = {
    **dict.fromkeys((torch.float32, torch.float16, torch.bfloat16), torch.float64),
    **dict.fromkeys((torch.complex64, torch.complex32), torch.complex128),
}


_MAKE_FLOATS = frozenset({"rand", "randn", "normal"})
"""Random operators that make tensors of a floating dtype if none is named."""
_DRAW_BY_ARGUMENT = frozenset({"bernoulli", "multinomial", "poisson", "normal"})
"""Random operators whose tensors are what they draw by, so that narrowing those loses nothing of the result."""


class _Widening(OperatorMode):
    def __init__(self, narrow: torch.dtype) -> None:
        super().__init__()
        self._narrow = narrow

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if torch.Tag.nondeterministic_seeded in func.tags:
            return self._drawn(func, name, args, kwargs)
        if kwargs.get("dtype") in _WIDER:
            kwargs = {**kwargs, "dtype": _WIDER[kwargs["dtype"]]}
        return func(*args, **kwargs)

    def _drawn(self, func: Any, name: str, args: Any, kwargs: Any) -> Any:
        """What a random operator gives, with the numbers that it draws in the narrower dtype."""
        if name == "native_dropout":
            return self._dropped(func, *args, **kwargs)
        if name.endswith("_") and args and _is_wide(args[0]):
            narrow = torch.empty_like(args[0], dtype=self._narrow)
            return args[0].copy_(func(narrow, *args[1:], **kwargs))
        if not any(_is_wide(one) for one in args) and "dtype" in {one.name for one in func._schema.arguments}:
            if kwargs.get("dtype") in (None, torch.float64) and name in _MAKE_FLOATS:
                kwargs = {**kwargs, "dtype": self._narrow}
            return _widened(func(*args, **kwargs))
        if name.endswith("_like") and _is_wide(args[0]):
            return _widened(func(args[0], *args[1:], **{**kwargs, "dtype": self._narrow}))
        if name in _DRAW_BY_ARGUMENT:
            args = tuple(one.to(self._narrow) if _is_wide(one) else one for one in args)
            return _widened(func(*args, **kwargs))
        return func(*args, **kwargs)  # such as attention, whose result is no plain draw

    def _dropped(self, func: Any, values: torch.Tensor, p: float, train: bool | None) -> Any:
        """Dropout as one operator, as GPUs have it: the mask of the narrower dtype over the values in float64."""
        _result, mask = func(values.to(self._narrow), p, train)
        scale = 0.0 if p == 1 else 1 / (1 - p)
        return (values * mask * scale if train is not False else values.clone()), mask


def _is_wide(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype == torch.float64


def _widened(value: Any) -> Any:
    return (
        value.to(_WIDER[value.dtype]) if isinstance(value, torch.Tensor) and value.dtype in _WIDER else value
    )


_CONTAINERS = (dict, collections.OrderedDict, set, list)


@contextlib.contextmanager
def widening(narrow: torch.dtype = torch.float32) -> Iterator[None]:
    """Inside, a tensor that is made or converted to a narrower floating dtype is float64, and random numbers are those
    that are drawn in `narrow`."""
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float64)
    try:
        with _Widening(narrow):
            yield
    finally:
        torch.set_default_dtype(before)


@contextlib.contextmanager
def recurrence_in_steps(module: torch.nn.Module) -> Iterator[None]:
    """Inside, a recurrent network of this module computes step by step, where cuDNN would have one operator for all."""
    recurrent = any(isinstance(part, torch.nn.RNNBase) for part in module.modules())
    with torch.backends.cudnn.flags(enabled=False) if recurrent else contextlib.nullcontext():
        yield


def with_tensors(module: torch.nn.Module, change: Callable[[torch.Tensor], torch.Tensor]) -> torch.nn.Module:
    """A copy of a module with every floating or complex tensor of it changed: parameters, buffers and plain attributes,
    those in lists and dictionaries included."""
    tensors = (*module.parameters(), *module.buffers())
    plain = [one for one in tensors if type(one) in (torch.nn.Parameter, torch.Tensor)]
    copies: dict[int, torch.Tensor] = {}
    for one in filter(_is_changed, plain):
        data = on_parts(change, one.data)
        is_parameter = isinstance(one, torch.nn.Parameter)
        copies[id(one)] = torch.nn.Parameter(data, one.requires_grad) if is_parameter else data
    changed = deep_copy(module, copies)  # without a copy of what is replaced
    rest = {id(one) for one in copies.values()}
    return _changed_attributes(_change_data(changed, change, without=rest), change)


def deep_copy(module: torch.nn.Module, copies: Mapping[int, Any] | None = None) -> torch.nn.Module:
    """A copy of a module; `copies`: what takes the place of an object, by its id.

    PyTorch does not copy what has been computed, such as the weight that torch.nn.utils.weight_norm makes of two
    parameters before each call: it becomes a plain tensor.
    """
    known = dict(copies or {})
    for part in module.modules():
        for value in vars(part).values():
            if isinstance(value, torch.Tensor) and not value.is_leaf:
                known.setdefault(id(value), value.detach().clone())
            elif type(value) in _CONTAINERS and not value:  # a part has ten for its hooks: they take most of the time
                known.setdefault(id(value), type(value)())
    return copy.deepcopy(module, known)


def on_parts(change: Callable[[torch.Tensor], torch.Tensor], tensor: torch.Tensor) -> torch.Tensor:
    """A change of a floating tensor; that of a complex one changes its real and imaginary parts."""
    if not tensor.is_complex():
        return change(tensor)
    return torch.view_as_complex(change(torch.view_as_real(tensor.resolve_conj())))


def _is_changed(value: Any) -> bool:
    return is_floating(value) or (isinstance(value, torch.Tensor) and value.is_complex())


def change_tensors(
    changed: torch.nn.Module, change: Callable[[torch.Tensor], torch.Tensor]
) -> torch.nn.Module:
    """The module itself, changed so: for one whose parts are held by functions, where a copy does not reach."""
    return _changed_attributes(_change_data(changed, change), change)


def _change_data(
    changed: torch.nn.Module, change: Callable[[torch.Tensor], torch.Tensor], without: Container[int] = ()
) -> torch.nn.Module:
    for tensor in (*changed.parameters(), *changed.buffers()):
        if _is_changed(tensor) and id(tensor) not in without:
            tensor.data = on_parts(change, tensor.data)
    return changed


def _changed_attributes(
    changed: torch.nn.Module, change: Callable[[torch.Tensor], torch.Tensor]
) -> torch.nn.Module:
    for part in changed.modules():
        for name, value in list(vars(part).items()):
            if not name.startswith("_"):
                vars(part)[name] = _changed(value, change)
    return changed


def _changed(value: Any, change: Callable[[torch.Tensor], torch.Tensor]) -> Any:
    if isinstance(value, torch.Tensor):
        return on_parts(change, value) if _is_changed(value) else value
    if type(value) in (list, tuple):
        return type(value)(_changed(one, change) for one in value)
    if type(value) is dict:
        return {key: _changed(one, change) for key, one in value.items()}
    return value
