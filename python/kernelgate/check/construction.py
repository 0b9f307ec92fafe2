"""How a module is made from what `get_init_inputs` gives: `Model(*values)`, or by position and by name; its dtype, and
its random numbers.

In: a class, these values and a seed. Out: an instance. Judge and worker both use it, so that both make the same one.
An `nn.Linear(8192, 8192)` draws 67 million numbers by one thread, which takes 0.4 s, and a run makes it 30 times from
the same seed: large random fills of constructors that have been seen to take long are copied, with the very numbers and
the very state of the generator.
"""

from __future__ import annotations

import contextlib
import inspect
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from kernelgate.check.nesting import is_floating
from kernelgate.check.operator_mode import OperatorMode

_of_the_cpu = torch.default_generator
_seed_all = torch.manual_seed


def seed_generators(seed: int, *, of_cuda: bool) -> None:
    """As torch.manual_seed, which formats the stack for each kind of device that is not in use. That takes longer than
    a call of a small module. `of_cuda`: those of GPUs, too; the CPU has one."""
    if of_cuda:
        _seed_all(seed)
    else:
        _of_the_cpu.manual_seed(seed)


_LONG_S = 0.1  # a compiler's time is not in it
_LEAST_ELEMENTS = 1 << 20
_MOST_BYTES = 1 << 30
_RANDOM = (torch.ops.aten.uniform_.default, torch.ops.aten.normal_.default)


class RandomFills:
    """Of one process: the numbers that its constructors drew, the latest ones within `_MOST_BYTES`.

    `long_s`: what a constructor takes, of its own thread, before those that follow are watched.
    """

    def __init__(self, long_s: float = _LONG_S) -> None:
        self._long_s = long_s
        self._takes_long = False
        self._drawn: OrderedDict[Any, tuple[torch.Tensor, torch.Tensor]] = OrderedDict()

    @contextlib.contextmanager
    def remembered(self) -> Iterator[None]:
        """Inside, one constructor runs."""
        began = time.thread_time()
        with _WatchingFills(self._fill) if self._takes_long else contextlib.nullcontext():
            yield
        self._takes_long |= time.thread_time() - began > self._long_s

    def _fill(self, fill: Callable[..., Any], tensor: torch.Tensor, bounds: Sequence[Any]) -> torch.Tensor:
        key = (fill, tensor.shape, tensor.dtype, *bounds, torch.get_rng_state().numpy().tobytes())
        if key in self._drawn:
            numbers, state = self._drawn[key]
            self._drawn.move_to_end(key)
            tensor.copy_(numbers)
            torch.set_rng_state(state)
            return tensor
        fill(tensor, *bounds)
        self._drawn[key] = (tensor.detach().clone(), torch.get_rng_state())
        while sum(numbers.nbytes for numbers, _ in self._drawn.values()) > _MOST_BYTES:
            self._drawn.popitem(last=False)
        return tensor


class _WatchingFills(OperatorMode):
    def __init__(self, fill: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self._fill = fill

    def call(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if func in _RANDOM and not kwargs and _is_large(args[0]):
            return self._fill(func, args[0], args[1:])
        return func(*args, **kwargs)


def _is_large(tensor: torch.Tensor) -> bool:
    """And plain: the order of the numbers follows from its shape alone."""
    plain = type(tensor) in (torch.Tensor, torch.nn.Parameter) and tensor.is_contiguous()
    return plain and tensor.device.type == "cpu" and tensor.numel() >= _LEAST_ELEMENTS


_FILLS = RandomFills()


def constructed(make: Callable[..., Any], values: Sequence[Any]) -> Any:
    """What `make` gives for `arguments_for` it. Raises what it raises."""
    by_position, by_name = arguments_for(make, values)
    with _FILLS.remembered():
        return make(*by_position, **by_name)


def arguments_for(make: Callable[..., Any], values: Sequence[Any]) -> tuple[Sequence[Any], dict[str, Any]]:
    """Those of `make(*values)`. If the values are a list and a dictionary, as in `[[64], {"bias": False}]`, and `make`
    takes what is in them, `make(64, bias=False)`."""
    by_position, by_name = values, dict[str, Any]()
    if len(values) == 2 and isinstance(values[0], list | tuple) and isinstance(values[1], dict):
        of_two = all(isinstance(name, str) for name in values[1]) and _takes(make, *values)
        by_position, by_name = values if of_two else (values, by_name)
    return by_position, by_name


def in_dtype(module: torch.nn.Module, dtype: torch.dtype) -> torch.nn.Module:
    """`module.to(dtype)`, which would take the imaginary part from a complex tensor: that keeps its dtype, or is
    complex128 where `dtype` is float64. What the module's own `to` gives, if it has no complex tensors."""
    if not any(one.is_complex() for one in _tensors(module)):
        result: torch.nn.Module = module.to(dtype)
        return result

    return torch.nn.Module._apply(module, lambda tensor: tensor_in_dtype(tensor, dtype))


def tensor_in_dtype(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The same of one tensor; whole numbers stay what they are."""
    if tensor.is_complex():
        return tensor.to(torch.complex128) if dtype == torch.float64 else tensor
    return tensor.to(dtype) if is_floating(tensor) else tensor


def _tensors(module: torch.nn.Module) -> Iterator[torch.Tensor]:
    """Parameters and buffers, whatever the module's own attributes are called; lazy ones are left out."""
    for part in vars(module)["_modules"].values():
        if part is not None:
            yield from _tensors(part)
    for one in (*vars(module)["_parameters"].values(), *vars(module)["_buffers"].values()):
        if one is not None and not is_lazy(one):
            yield one


def _takes(make: Callable[..., Any], by_position: Sequence[Any], by_name: dict[str, Any]) -> bool:
    try:
        inspect.signature(make).bind(*by_position, **by_name)
    except (TypeError, ValueError):  # it does not, or does not say what it takes
        return False
    return True
