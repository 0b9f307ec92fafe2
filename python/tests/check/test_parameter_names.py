"""Parameters are matched by name, else by shape and order."""

from __future__ import annotations

import torch

from kernelgate.check.parameter_names import matched


def tensors(**shapes: tuple[int, ...]) -> dict[str, torch.Tensor]:
    return {name: torch.zeros(shape) for name, shape in shapes.items()}


def test_names_decide_where_they_are_the_same_in_any_order() -> None:
    own, given = tensors(a=(2, 2), b=(2, 2)), tensors(b=(2, 2), a=(2, 2))
    assert matched(own, given) == {"a": "a", "b": "b"}
    assert matched(own, tensors(a=(2, 2), b=(3, 2))) is None


def test_other_names_are_matched_by_shape_and_then_by_order() -> None:
    own, given = tensors(bias=(3,), weight=(3, 4), more=(3,)), tensors(w=(3, 4), b1=(3,), b2=(3,))
    assert matched(own, given) == {"bias": "b1", "weight": "w", "more": "b2"}
    assert matched(own, tensors(w=(3, 4), b1=(3,))) is None
    assert matched(own, tensors(w=(3, 4), b1=(3,), b2=(4,))) is None
