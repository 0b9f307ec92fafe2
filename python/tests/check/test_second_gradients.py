"""Gradients of gradients, where PyTorch's own backward pass can be differentiated as a whole."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from kernelgate.check.autograd import second_gradients


class Called(torch.nn.Module):
    def __init__(self, function: Callable[..., torch.Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        return self.function(*inputs)


def test_a_backward_pass_that_lost_a_part_of_its_graph_is_refused() -> None:
    places = torch.stack([torch.arange(6), torch.arange(6)])

    def product(values: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.sparse.mm(torch.sparse_coo_tensor(places, values, (6, 6), check_invariants=False), x)

    with pytest.raises(RuntimeError, match="takes no part in differentiation"):
        second_gradients(Called(product), [torch.rand(6), torch.rand(6, 3)], torch.rand(6, 3))


def test_a_gradient_that_is_zero_needs_no_graph() -> None:
    x, y = torch.rand(5), torch.rand(5)
    _, found = second_gradients(Called(lambda a, b: a * torch.floor(b + 1)), [x, y], torch.rand(5))
    assert found[2] is not None and bool(found[2].all())
