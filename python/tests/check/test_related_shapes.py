"""Among the shapes that are tried there is the one that a reference takes."""

from __future__ import annotations

import pytest
import torch
import torch.nn.functional as F

from kernelgate.check.inputs.shape_plans import related_shapes


@pytest.mark.parametrize(
    ("function", "own", "new"),
    [
        (torch.add, [(32, 16), (32, 16)], (7, 16)),
        (torch.add, [(32, 16), (16,)], (7, 16)),
        (torch.mul, [(32, 16), (32, 1)], (7, 16)),
        (torch.matmul, [(32, 16), (16, 24)], (7, 16)),
        (torch.matmul, [(32, 32), (32, 32)], (7, 32)),
        (torch.bmm, [(4, 32, 16), (4, 16, 8)], (7, 32, 16)),
        (F.scaled_dot_product_attention, [(2, 4, 16, 8)] * 3, (7, 4, 16, 8)),
        (torch.outer, [(32,), (16,)], (7,)),
        (torch.dot, [(32,), (32,)], (1027,)),
        (lambda x, m: m @ x, [(16, 8), (4, 16)], (7, 8)),
        (lambda x, y: torch.where(y > 0, x, x), [(32, 16), (32, 16)], (67, 129)),
        (lambda x: x, [(3,)], ()),
    ],
)
def test_one_of_the_ways_fits(function: object, own: list[tuple[int, ...]], new: tuple[int, ...]) -> None:
    assert callable(function)
    for shapes in related_shapes(own, 0, new):
        assert shapes[0] == new
        try:
            function(*[torch.randn(shape) for shape in shapes])
        except RuntimeError:
            continue
        return
    pytest.fail(f"none of {related_shapes(own, 0, new)}")
