"""The reference without one of its operators gives numbers of its own, and nothing that lay in memory by chance."""

from __future__ import annotations

import torch

from kernelgate.check.other_operators import other_operators


def test_memory_that_nothing_writes_explains_no_result() -> None:
    x, order = torch.randn(40, 24), torch.randperm(40)

    def scattered() -> torch.Tensor:
        out = torch.empty_like(x)
        out[order] = x
        return out

    changes = dict(other_operators(scattered))
    for _ in range(20):
        candidate = torch.empty_like(x)
        torch.index_select(x, 0, order, out=candidate)
        copy = candidate.clone()
        del candidate  # the next of that size takes its memory
        assert not torch.equal(changes["without its index_put"](), copy)


def test_an_operator_that_is_left_out_leaves_what_it_was_given() -> None:
    x = torch.linspace(-1, 1, 12)
    changes = dict(other_operators(lambda: torch.relu(x * 2)))
    assert torch.equal(changes["without its relu"](), x * 2)
