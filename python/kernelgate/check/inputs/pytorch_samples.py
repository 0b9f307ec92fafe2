"""PyTorch's own samples of an operator's inputs, if the reference is one of its operators.

In: a reference's module, how it was written, its constructor's arguments and inputs. Out: further inputs, on the CPU.
They come from the installed torch's `module_db` and `op_db`, which are made for its own tests: where these cannot be
imported, there are no samples, and the report names none.
"""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import sys
import types
import unittest
from collections.abc import Iterator, Sequence
from typing import Any

import torch

MOST_SAMPLES = 8
_MOST_TRIED = 200
_MOST_ELEMENTS = 1 << 14


def pytorch_samples(
    module: torch.nn.Module, written: str, init: Sequence[Any], inputs: Sequence[Any], dtype: torch.dtype
) -> list[list[Any]]:
    """At most `MOST_SAMPLES`, each with as many inputs as the problem's own, none of the shapes of another one."""
    found: list[list[Any]] = []
    shapes = [_shapes(inputs)]
    with contextlib.suppress(Exception), torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for sample in itertools.islice(_all(module, written, init, dtype), _MOST_TRIED):
            if _fits(sample, inputs) and _shapes(sample) not in shapes:
                shapes.append(_shapes(sample))
                found.append(sample)
            if len(found) == MOST_SAMPLES:
                break
    return found


def _all(
    module: torch.nn.Module, written: str, init: Sequence[Any], dtype: torch.dtype
) -> Iterator[list[Any]]:
    if type(module).__module__.startswith("torch.nn.modules"):
        with _without_expecttest():
            from torch.testing._internal.common_modules import module_db
        for info in module_db:
            if info.module_cls is type(module):
                made = info.module_inputs_func(info, "cpu", dtype, requires_grad=False, training=True)
                for one in made:
                    own = one.constructor_input
                    if not own.kwargs and list(own.args) == list(init) and not one.forward_input.kwargs:
                        yield list(one.forward_input.args)
    elif written.startswith("torch."):
        with _without_expecttest():
            from torch.testing._internal.common_methods_invocations import op_db
        name = written.removeprefix("torch.")
        for info in op_db:
            if info.name == name and not info.variant_test_name:
                for sample in info.sample_inputs("cpu", dtype, requires_grad=False):
                    if not sample.kwargs:
                        yield [sample.input, *sample.args]


@contextlib.contextmanager
def _without_expecttest() -> Iterator[None]:
    """These modules import expecttest as a base class for their tests. None of these tests runs here."""
    if "expecttest" in sys.modules or importlib.util.find_spec("expecttest") is not None:
        yield
        return
    stand_in = types.ModuleType("expecttest")
    stand_in.TestCase = unittest.TestCase  # type: ignore[attr-defined]
    sys.modules["expecttest"] = stand_in
    try:
        yield
    finally:
        del sys.modules["expecttest"]


def _fits(sample: Sequence[Any], inputs: Sequence[Any]) -> bool:
    """Whether tensors and their dtypes stand where the problem has them."""
    if len(sample) != len(inputs):
        return False
    for one, own in zip(sample, inputs, strict=True):
        if not isinstance(one, torch.Tensor) or not isinstance(own, torch.Tensor):
            return False
        if one.is_floating_point() != own.is_floating_point() or one.numel() > _MOST_ELEMENTS:
            return False
    return True


def _shapes(values: Sequence[Any]) -> list[tuple[int, ...]]:
    return [tuple(value.shape) for value in values if isinstance(value, torch.Tensor)]
