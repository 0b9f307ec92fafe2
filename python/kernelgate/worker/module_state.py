"""A module's parameters and buffers, whatever its own methods make of them: a program may override any of these.

In: a candidate's module. Out: its tensors by name, and the reference's written into them: by name, else by the words in
names, shape and order. Several assignments may fit, and only results show which is right (`judge.cases`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

import torch

from kernelgate.backend.memory import dtype_of
from kernelgate.check.construction import in_dtype, tensor_in_dtype
from kernelgate.messages.arguments import Construct, Constructed, StateLoaded


def _moved(module: torch.nn.Module, result: Any) -> torch.nn.Module:
    """The module that `to` gives, or the module itself: a program may override `to` and forget to return it."""
    return result if isinstance(result, torch.nn.Module) else module


def own_state(module: torch.nn.Module) -> dict[str, torch.Tensor]:
    """The very parameters and buffers by name; a program's own state_dict may give copies, or other names."""
    state = torch.nn.Module.state_dict(module)
    return {name: one for name, one in state.items() if isinstance(one, torch.Tensor)}


def prepared(
    module: torch.nn.Module,
    asked: Construct,
    state: Mapping[str, torch.Tensor],
    to_device: Callable[[torch.nn.Module], Any],
) -> tuple[torch.nn.Module, Constructed]:
    """A module that has just been made, with the reference's parameters. It stays as its author wrote it, and only what
    stands for a tensor of the reference's takes that one's dtype, unless the whole module is to be `converted`."""
    dtype = dtype_of(asked.dtype)
    if asked.converted:
        module = _moved(module, in_dtype(module, dtype))
    module = _moved(module, to_device(module))
    own = own_state(module)
    wanted = asked.assignment is not None and bool(state)
    found = assignments(_once_each(own, state), state, asked.optional) if wanted else []
    names = found[min(asked.assignment or 0, len(found) - 1)] if found else {}
    for name in names if found or not asked.has_state else own:
        if (right := tensor_in_dtype(own[name].data, dtype)).dtype != own[name].dtype:
            own[name].data = right
    for name, other in names.items():
        own[name].copy_(state[other])
    by_name = len(found) == 1 and own.keys() == state.keys() and all(map(str.__eq__, names, names.values()))
    how: StateLoaded = "by name" if by_name or not asked.has_state else "by assignment" if found else "no"
    return module, Constructed(how, names, len(found))


def _once_each(own: Mapping[str, torch.Tensor], given: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
    """By a name that both have, if there is one, and else by its first: a module that stands in two places has two."""
    places = {name: (one.data_ptr(), one.shape, one.stride()) if one.numel() else name for name, one in own.items()}
    seen = {places[name] for name in own if name in given}
    first = {place: name for name, place in reversed(places.items()) if place not in seen}
    return {name: one for name, one in own.items() if name in given or first.get(places[name]) == name}


def put_state(module: torch.nn.Module, names: Mapping[str, str], state: dict[str, Any], how: str) -> bool:
    """Gives a module that has been called the reference's parameters. False, and nothing is written, where its own no
    longer have their shapes: a call may put other buffers in the place of the first. `how`: as in `SetState`; `names`:
    those of the reference by the module's own."""
    own = own_state(module)
    state = {name: state[other] for name, other in names.items() if other in state}
    if how == "load":
        module.load_state_dict(state, strict=own.keys() == state.keys())
    elif how == "halve":
        for parameter in (*module.parameters(), *module.buffers()):
            if parameter.is_floating_point():
                parameter.mul_(0.5)
    else:
        own = {
            **dict(module.named_parameters(remove_duplicate=False)),
            **dict(module.named_buffers(remove_duplicate=False)),
        }
        if any(name not in own or own[name].shape != value.shape for name, value in state.items()):
            return False
        for name, value in state.items():
            if how == "other memory":
                own[name].data = value.to(own[name].dtype)
            else:
                own[name].copy_(value)
    return True


MOST_TRIED = 24
_SAME = {"gamma": "weight", "scale": "weight", "w": "weight", "beta": "bias", "shift": "bias", "b": "bias"}


def assignments(
    own: Mapping[str, torch.Tensor], given: Mapping[str, torch.Tensor], optional: Collection[str] = ()
) -> list[dict[str, str]]:
    """At most `MOST_TRIED`, none if the shapes do not fit. A name that both have stands for itself. If all shapes
    agree in their order, that order is one of them: second, or last where names agree, as a Sequential with fewer
    modules has equal names by chance. `optional`: what of `given` need not have its like; of `own` anything may be
    without."""
    first = {name: name for name in own if name in given and own[name].shape == given[name].shape}
    ours: dict[torch.Size, list[str]] = {}
    for name, tensor in own.items():
        if name not in first:
            ours.setdefault(tensor.shape, []).append(name)
    theirs: dict[torch.Size, list[str]] = {}
    for name, tensor in given.items():
        if name not in first:
            theirs.setdefault(tensor.shape, []).append(name)
    groups = [_pairings(ours.get(shape, []), names, optional) for shape, names in theirs.items()]
    found: list[dict[str, str]] = []
    for pairs in itertools.islice(itertools.product(*groups), MOST_TRIED):
        one = {**first, **{name: other for group in pairs for name, other in group}}
        if one not in found:
            found.append(one)
    in_order = dict(zip(own, given, strict=False))
    fits = len(own) == len(given) and all(own[name].shape == given[other].shape for name, other in in_order.items())
    if fits and in_order not in found:
        found.insert(len(found) if first else 1, in_order)
    return found


def _pairings(
    ours: list[str], theirs: list[str], optional: Collection[str]
) -> list[tuple[tuple[str, str], ...]]:
    """The ways to pair names of one shape, the likeliest first; none if there are too few of `ours`."""
    needed = [name for name in theirs if name not in optional]
    if len(ours) < len(needed):
        return []
    likely = sorted(
        itertools.product(range(len(ours)), range(len(theirs))),
        key=lambda pair: (-_alike(ours[pair[0]], theirs[pair[1]]), pair[1] != pair[0], pair),
    )
    greedy: dict[int, int] = {}
    for one, other in likely:
        if one not in greedy and other not in greedy.values():
            greedy[one] = other
    first = tuple((ours[one], theirs[other]) for one, other in greedy.items())
    rest = itertools.islice(_in_any_order(ours, theirs), MOST_TRIED)
    every = dict.fromkeys([first, *rest])
    covering = [pairs for pairs in every if set(needed) <= {other for _name, other in pairs}]
    distinct: dict[frozenset[tuple[str, str]], tuple[tuple[str, str], ...]] = {}
    for pairs in covering:
        distinct.setdefault(frozenset(pairs), pairs)
    return list(distinct.values())


def _in_any_order(ours: list[str], theirs: list[str]) -> Iterator[tuple[tuple[str, str], ...]]:
    if len(ours) <= len(theirs):
        for others in itertools.permutations(theirs, len(ours)):
            yield tuple(zip(ours, others, strict=True))
    else:
        for names in itertools.permutations(ours, len(theirs)):
            yield tuple(zip(names, theirs, strict=True))


def _alike(one: str, other: str) -> int:
    """How many words two names share; the last ones, which say what a tensor is for, count twice."""
    ours, theirs = _words(one), _words(other)
    same_end = bool(ours and theirs) and ours[-1] == theirs[-1]
    return len(set(ours) & set(theirs)) + same_end


def _words(name: str) -> list[str]:
    return [_SAME.get(word, word) for word in re.findall(r"[a-z]+|\d+", name.lower())]
