"""How a module is made from what `get_init_inputs` gives: `Model(*values)`, or by position and by name; and its dtype.

In: a class and these values. Out: an instance. Judge and worker both use it, so that both make the same one.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch.nn.parameter import is_lazy

from kernelgate.check.random_fills import RandomFills

_FILLS = RandomFills()


def constructed(make: Callable[..., Any], values: Sequence[Any]) -> Any:
    """`make(*values)`. Where the values are a list and a dictionary, as in `[[64], {"bias": False}]`, and `make` takes
    what is in them, `make(64, bias=False)`. Raises what `make` raises."""
    by_position, by_name = values, dict[str, Any]()
    if len(values) == 2 and isinstance(values[0], list | tuple) and isinstance(values[1], dict):
        of_two = all(isinstance(name, str) for name in values[1]) and _takes(make, *values)
        by_position, by_name = values if of_two else (values, by_name)
    with _FILLS.remembered():
        return make(*by_position, **by_name)


def in_dtype(module: torch.nn.Module, dtype: torch.dtype) -> torch.nn.Module:
    """`module.to(dtype)`, which would take the imaginary part from a complex tensor: that keeps its dtype, or is
    complex128 where `dtype` is float64. What the module's own `to` gives, where it has no complex tensors."""
    if not any(one.is_complex() for one in _tensors(module)):
        result: torch.nn.Module = module.to(dtype)
        return result

    return torch.nn.Module._apply(module, lambda tensor: tensor_in_dtype(tensor, dtype))


def tensor_in_dtype(tensor: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """The same of one tensor; whole numbers stay what they are."""
    if tensor.is_complex():
        return tensor.to(torch.complex128) if dtype == torch.float64 else tensor
    return tensor.to(dtype) if tensor.is_floating_point() else tensor


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
