"""The reference in float64 draws the random numbers that it draws in its own dtype."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F

from kernelgate.check.widening import widening

DRAWS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "dropout": lambda x: F.dropout(x, 0.25, training=True),
    "dropout as one operator": lambda x: torch.native_dropout(x, 0.25, True)[0],
    "dropout of everything": lambda x: torch.native_dropout(x, 1.0, True)[0],
    "alpha dropout": lambda x: F.alpha_dropout(x, 0.25, training=True),
    "like the input": lambda x: x + torch.randn_like(x),
    "by size": lambda x: x * torch.rand(x.shape[0], 1),
    "by size and dtype": lambda x: x + torch.randn(x.shape, dtype=torch.float32),
    "in place": lambda x: x + torch.empty_like(x).normal_(0, 2),
    "by the input": lambda x: torch.bernoulli(x.sigmoid()) * x,
    "of mean and deviation": lambda x: x + torch.normal(0.0, 1.0, x.shape),
    "indices": lambda x: x[torch.randperm(len(x))],
    "classes": lambda x: x.softmax(1).multinomial(3).to(x.dtype),
    "gumbel": lambda x: F.gumbel_softmax(x),
    "attention": lambda x: F.scaled_dot_product_attention(x[None], x[None], x[None], dropout_p=0.3),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_float64_has_the_random_numbers_of_the_narrower_dtype(
    draw: Callable[[torch.Tensor], torch.Tensor],
) -> None:
    x = torch.randn(32, 41, generator=torch.Generator().manual_seed(1))
    torch.manual_seed(2)
    narrow = draw(x)
    torch.manual_seed(2)
    with widening(torch.float32):
        wide = draw(x.double())
    assert wide.dtype == torch.float64
    torch.testing.assert_close(wide.float(), narrow, rtol=2e-6, atol=2e-6)
