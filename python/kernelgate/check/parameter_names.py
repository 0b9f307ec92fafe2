"""Which parameter of one module stands for which of another: by name, else by shape and order.

In: two modules' tensors by name. Out: a name of the second for each of the first. Both sides of a run use it, so that
what a candidate has taken is compared with what it was given.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch


def matched(own: Mapping[str, torch.Tensor], given: Mapping[str, torch.Tensor]) -> dict[str, str] | None:
    """For each name of `own` the one of `given` that it stands for; None where the shapes do not fit.

    Without common names, tensors of one shape are matched in their order.
    """
    if own.keys() == given.keys():
        fits = all(own[name].shape == given[name].shape for name in own)
        return {name: name for name in own} if fits else None
    left: dict[torch.Size, list[str]] = {}
    for name, tensor in given.items():
        left.setdefault(tensor.shape, []).append(name)
    found = {name: left[tensor.shape].pop(0) for name, tensor in own.items() if left.get(tensor.shape)}
    return found if len(found) == len(own) == len(given) else None
