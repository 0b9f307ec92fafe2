"""A module remembers earlier calls if they change its result. Sums by atomics differ from call to call without that."""

from __future__ import annotations

import pytest
import torch

from kernelgate.judge.reference.calls import gives_another_result

X = torch.linspace(-1, 1, 4001)


class Plain(torch.nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * 2


class Counts(torch.nn.Module):
    n = 0

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.n += 1
        return x + 1e-5 * self.n


class InAnyOrder(torch.nn.Module):
    """Rounds otherwise in each call."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + 1e-6 * torch.rand_like(x)


class CallsOnce(Counts):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        assert not self.n
        return super().forward(x)


@pytest.mark.parametrize(
    ("made", "remembers"), [(Plain, False), (InAnyOrder, False), (Counts, True), (CallsOnce, True)]
)
def test_a_result_that_depends_on_the_calls_before_is_known(made: type[torch.nn.Module], remembers: bool) -> None:
    torch.manual_seed(0)
    module = made()
    before = [module(X)]
    assert gives_another_result(lambda called: [called(X)], module, before, anew=made) == remembers
