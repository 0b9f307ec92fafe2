"""The reference without one of its operators gives numbers of its own, and nothing that lay in memory by chance."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch.nn import functional as F

from kernelgate.check.slips.other_operators import other_operators


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


@pytest.mark.parametrize(
    ("reference", "other", "words"),
    [
        (lambda x: F.layer_norm(x, (24,)), lambda x: F.layer_norm(x, (24,), eps=1e-3), "0.001 in place of 1e-05"),
        (lambda x: F.group_norm(x, 4), lambda x: F.group_norm(x, 8), "with 8 in place of 4 groups"),
        (F.gelu, F.silu, "with silu in place of gelu"),
        (lambda x: F.relu(x.clone(), inplace=True), F.relu6, "with relu6 in place of relu"),
        (lambda x: x.topk(3)[0], lambda x: x.topk(3, largest=False)[0], "with the smallest in place of the largest"),
        (lambda x: F.avg_pool1d(x, 3, 1, 1), lambda x: F.avg_pool1d(x, 3, 1, 1, False, False), "left out of the mean"),
        (lambda x: F.pad(x, (2, 2), "reflect"), lambda x: F.pad(x, (2, 2), "replicate"), "padding by replicate"),
        (lambda x: x.roll(2, 1), lambda x: x.roll(-2, 1), "with roll the other way"),
        (lambda x: x.tril(), lambda x: x.tril(-1), "at diagonal -1 in place of 0"),
    ],
)
def test_another_argument_or_function_gives_what_it_gives(
    reference: Callable[[torch.Tensor], torch.Tensor],
    other: Callable[[torch.Tensor], torch.Tensor],
    words: str,
) -> None:
    x = 3 * torch.randn(16, 24, generator=torch.Generator().manual_seed(1))
    found = [call() for said, call in other_operators(lambda: reference(x)) if words in said]
    assert [torch.allclose(one, other(x)) for one in found] == [True]


def test_a_normalization_without_running_statistics_is_not_given_any() -> None:
    x = torch.randn(4, 6, 8)
    for _words, call in other_operators(lambda: F.instance_norm(x)):
        call()  # PyTorch would end the process


def test_an_operator_that_gives_another_number_of_parts_explains_nothing() -> None:
    cell = torch.nn.LSTMCell(20, 36)  # its C++ takes four parts, and ends the process where it gets one
    x, h, c = torch.randn(12, 20), torch.randn(12, 36), torch.randn(12, 36)
    with torch.no_grad():
        changes = dict(other_operators(lambda: cell(x, (h, c))))
        with pytest.raises(ValueError, match="number of parts"):
            changes["with unsafe_split along dimension 0 in place of 1"]()
