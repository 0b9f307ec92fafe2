"""Which tensor of one module stands for which of another: by name, else by the words in names, shape and order.

In: two modules' tensors by name. Out: assignments, the likeliest first: a name of the second for names of the first.
Several may fit, and only results show which is right (`judge.parameter_choice`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Collection, Iterator, Mapping

import torch

MOST_TRIED = 24
_SAME = {"gamma": "weight", "scale": "weight", "w": "weight", "beta": "bias", "shift": "bias", "b": "bias"}


def assignments(
    own: Mapping[str, torch.Tensor], given: Mapping[str, torch.Tensor], optional: Collection[str] = ()
) -> list[dict[str, str]]:
    """At most `MOST_TRIED`, none if the shapes do not fit. A name that both have stands for itself. If all shapes
    agree in their order, that order comes last: a Sequential with fewer modules has equal names by chance. `optional`:
    what of `given` need not have its like; of `own` anything may be without."""
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
    return [*found, in_order] if fits and first and in_order not in found else found


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
