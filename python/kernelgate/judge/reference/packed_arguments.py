"""Arguments of a constructor or a call, as a message carries them.

In: values, nested ones included, or the reference. Out: `Argument` or `Construct`, and the descriptors of what lies in
host memory.
"""

from __future__ import annotations

import contextlib
import dataclasses
import math
import pickle
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import torch

from kernelgate.backend.memory import packed
from kernelgate.check.nesting import is_floating, tensors_in
from kernelgate.check.problem import OWN_MODULE
from kernelgate.judge.endings.reference_failures import cannot_be_given
from kernelgate.judge.reference.copies import State
from kernelgate.messages.arguments import Argument, Construct, Made, Nested, NotFinite, Pickled, Value
from kernelgate.messages.parcel import Parcel

if TYPE_CHECKING:
    from kernelgate.judge.reference.reference import Reference


def packed_argument(value: Any, descriptors: list[int]) -> Argument:
    """An argument as a message carries it; a host tensor's descriptor is added to the list."""
    if isinstance(value, torch.Tensor):
        return packed(value, descriptors)
    if isinstance(value, dict):
        items = [packed_argument(one, descriptors) for one in value.values()]
        return Nested("dict", items, list(value))
    names = getattr(type(value), "_fields", None)
    if isinstance(value, tuple) and names is not None:
        return _made(value, "named tuple", names, descriptors)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [one.name for one in dataclasses.fields(value) if one.init]
        return _made(value, "dataclass", names, descriptors)
    if isinstance(value, list | tuple):
        items = [packed_argument(one, descriptors) for one in value]
        return Nested("list" if isinstance(value, list) else "tuple", items)
    if isinstance(value, float) and not math.isfinite(value):
        return NotFinite("nan" if value != value else "inf" if value > 0 else "-inf")
    if value is None or isinstance(value, bool | int | str | float):
        return Value(value)
    return _pickled(value)


def _made(value: Any, kind: Literal["named tuple", "dataclass"], names: Sequence[str], descriptors: list[int]) -> Made:
    made = type(value)
    module = "" if made.__module__ == OWN_MODULE else made.__module__
    fields = {name: packed_argument(getattr(value, name), descriptors) for name in names}
    return Made(module, made.__name__, kind, fields)


def _pickled(value: Any) -> Pickled:
    """Raises NotJudged for what a process that has not the reference's text cannot be given."""
    own = OWN_MODULE in (getattr(value, "__module__", None), type(value).__module__)
    with contextlib.suppress(Exception):  # such as of a lambda, or of an object that holds one
        if not own:
            return Pickled(pickle.dumps(value))
    raise cannot_be_given(value)


def packed_construction(
    reference: Reference, state: State = "own", dtype: torch.dtype | None = None, *, keep: bool = False
) -> tuple[Construct, list[int]]:
    """What a module is made from as the reference's is, in the reference's dtype if none is given, and the descriptors
    that carry it. `keep`: the module before stays alive."""
    descriptors: list[int] = []
    init = reference.varied if state == "varied" else reference.init
    dtype = dtype or reference.dtype
    floating = {one.dtype for one in tensors_in(list(reference.own_inputs)) if is_floating(one)}
    construct = Construct(
        init=[packed_argument(value, descriptors) for value in init or []],
        seed=reference.parameters_seed,
        dtype=str(dtype).removeprefix("torch."),
        state=packed_state(reference, state, descriptors),
        has_state=reference.has_state,
        optional=[name for name in reference.state("own") if name not in reference.parameter_names],
        assignment=reference.assignment.number,
        # Another dtype than the problem has by itself: whole modules are converted to it.
        converted=dtype != reference.dtype or (bool(floating) and dtype not in floating),
        keep=keep,
        results_in=list(reference.results_in),
    )
    return construct, descriptors


def packed_state(reference: Reference, name: State, descriptors: list[int]) -> dict[str, Parcel]:
    """The reference's parameters of that name; their descriptors are added to the list."""
    state: dict[str, Parcel] = {}
    if name == "as constructed":
        return state
    for key, tensor in reference.state(name).items():
        parcel = packed_argument(tensor, descriptors)
        assert isinstance(parcel, Parcel)
        state[key] = parcel
    return state
