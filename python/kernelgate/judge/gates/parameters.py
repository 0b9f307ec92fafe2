"""Gates about the parameters of a module."""

from __future__ import annotations

from typing import Any

import torch

from kernelgate.check.nesting import is_floating
from kernelgate.check.tolerance.numerics import same_bits
from kernelgate.judge.candidate.session import SetHow
from kernelgate.judge.gates.gate_kind import GateKind, NotTried
from kernelgate.judge.gates.trial import Trial, require
from kernelgate.judge.reference.copies import State, moved
from kernelgate.report.numbers import counted

UNTOUCHED = GateKind(
    "parameters untouched",
    "problem",
    "it changes its own parameters",
    "A checkpoint that is saved after a call holds other values",
    next_step="Keep what is derived from the parameters beside them, not in their place",
)
TAKE_EFFECT = GateKind(
    "parameters take effect",
    "problem",
    "it goes on with old parameters after they have changed",
    "Loading a checkpoint, or a step of training, has no effect",
    "does not take the reference's state_dict",
    next_step="Name the parameters as the reference does, and read them in every call",
)
BUFFERS = GateKind(
    "buffers take effect",
    "drop-in",
    "it goes on with the whole numbers of its first buffers after others were loaded",
    "A checkpoint that holds other indices has no effect",
)
STARTS = GateKind(
    "starting weights",
    "drop-in",
    "it starts from other weights than the reference",
    "Training begins elsewhere; KernelBench, which leaves each its own weights from one seed, says “output mismatch”",
    next_step="Make the parameters by the layers that the reference makes them by, in its order",
)

_MOST_ALONE = 4  # parameters of which one element changes
_ENOUGH_TO_COMPARE = 64  # elements
_OTHER_SIZE = 2.0  # times: another distribution, not another draw


def untouched(trial: Trial) -> str:
    """Buffers are left out: a module may keep statistics there; and parameters that the reference changes, too."""
    if not trial.reference.has_state:
        raise NotTried(None)
    if not trial.session.state_loaded:
        raise NotTried("its parameters do not fit the reference's")
    inputs = trial.inputs("parameters")
    expected = trial.expected(inputs)
    trial.check(inputs, expected, "calling ModelNew")
    names = [name for name in trial.reference.parameter_names if name not in expected.state_after]
    now, right = trial.session.state_by_reference_names(), trial.reference.state("own")
    for name in names:
        require(
            name not in now or same_bits(now[name], right[name].to(now[name].dtype)),
            f"{name} holds other values after a call",
        )
    saved = trial.session.state_by_reference_names(saved=True)
    for name in names:
        require(
            name not in saved
            or (saved[name].shape == right[name].shape and same_bits(saved[name], right[name].to(saved[name].dtype))),
            f"its state_dict holds other values for {name} than the module",
        )
    return f"{counted(len(names), 'parameter')} compared after a call, and as saved"


def take_effect(trial: Trial) -> str:
    """Given by other memory, as `to` does; by load_state_dict, with rows in other places, which leaves every sum; and
    one element of one parameter at a time written in place, as an optimizer does."""
    if not trial.reference.has_state:
        raise NotTried(None)
    inputs = trial.inputs("parameters")
    try:
        if trial.session.state_loaded:
            _by_name(trial, inputs)
            return "in other memory, by load_state_dict, and an element in place"
        _by_halving(trial, inputs)
        return "another result once they were halved"
    finally:
        trial.session.forget()
        for state in ("rows exchanged", "one element"):
            trial.reference.drop(state)


def _by_name(trial: Trial, inputs: list[Any]) -> None:
    reference = trial.reference
    floating = {id(one) for one in reference.state("own").values() if is_floating(one) and one.numel()}
    drawn = torch.randperm(len(floating), generator=trial.generator("parameters")).tolist()
    alone: tuple[State, SetHow, str] = ("one element", "in place", "changed in one element")
    ways: list[tuple[State, SetHow, str]] = [
        ("changed", "other memory", "got other memory"),
        ("rows exchanged", "load", "were loaded with two rows exchanged"),
    ]
    for number, (state, how, words) in enumerate([*ways, *[alone] * min(_MOST_ALONE, len(drawn))], -len(ways)):
        if number >= 0:
            reference.pick(drawn[number])
        expected = trial.expected(inputs, state)
        trial.session.set_state(state, how)
        trial.check(inputs, expected, f"calling ModelNew after its parameters {words}")


def buffers(trial: Trial) -> str:
    """Those of whole numbers, such as indices: a checkpoint may hold others."""
    own, held = trial.reference.state("own"), trial.session.names.values()
    if not any(name in held and not torch.equal(moved(one), one) for name, one in own.items()):
        raise NotTried(None)
    inputs = trial.inputs("buffers")
    expected = trial.expected(inputs, "whole numbers moved")
    try:
        trial.session.set_state("whole numbers moved", "load")
        trial.check(inputs, expected, "calling ModelNew after load_state_dict gave it other indices")
    finally:
        trial.session.forget()
    return "loaded with whole numbers in other places"


def _by_halving(trial: Trial, inputs: list[Any]) -> None:
    """Where its parameters have other names, their meaning is not known; but a change of them must matter."""
    expected = trial.expected(inputs)
    before = [one.clone() for one in trial.check(inputs, expected, "calling ModelNew").outputs]
    trial.session.halve_state()
    result = trial.session.call(inputs, "calling ModelNew after its parameters changed")
    require(
        bool(result.outputs) and not all(same_bits(*pair) for pair in zip(result.outputs, before, strict=False)),
        "its own parameters were halved, and the result is the same",
    )


def starting_weights(trial: Trial) -> str:
    """Of a fresh module, before it gets the reference's: by their size alone, as a program may draw them in another
    order."""
    right = {name: trial.reference.state("own")[name] for name in trial.reference.parameter_names}
    right = {name: one for name, one in right.items() if is_floating(one) and one.numel() >= _ENOUGH_TO_COMPARE}
    if not right or not trial.session.state_loaded:
        raise NotTried(None)
    try:
        trial.session.construct(trial.reference.dtype, "as constructed")
        own = trial.session.state_by_reference_names()
    finally:
        trial.session.forget()
    for name, wanted in right.items():
        if name in own:
            sizes = sorted((_size(own[name]), _size(wanted)))
            seen = f"{name} is {_size(own[name]):.2g} in size at first, the reference's {_size(wanted):.2g}"
            require(sizes[1] <= _OTHER_SIZE * sizes[0], seen)
    return f"{counted(len(right), 'parameter')} compared by size"


def _size(values: torch.Tensor) -> float:
    """The root of the mean square."""
    return float(values.double().square().mean().sqrt())
