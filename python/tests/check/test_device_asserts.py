"""Where PyTorch refuses an index or a probability on the CPU, it aborts on a GPU: the check raises before that."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode

from kernelgate.check.device_asserts import OutOfRange, asserts_raise, check_ranges, crashes_raise

X = torch.rand(6, 5)
LONG = torch.long
# A call of a number: an index, a class or a probability; the values that are in range, and those that are not.
CALLS: dict[str, tuple[Callable[[torch.Tensor, Any], object], tuple[float, ...], tuple[float, ...]]] = {
    "gather": (lambda x, i: x.gather(1, torch.full((6, 2), i, dtype=LONG)), (0, 4), (-1, 5)),
    "scatter": (lambda x, i: x.scatter(0, torch.full((2, 5), i, dtype=LONG), 1.0), (0, 5), (-1, 6)),
    "scatter in place": (
        lambda x, i: x.clone().scatter_add_(1, torch.full((6, 1), i, dtype=LONG), x),
        (0, 4),
        (-1, 5),
    ),
    "index_select": (lambda x, i: x.index_select(1, torch.tensor([0, i])), (0, 4), (5, 70)),
    "index_fill": (lambda x, i: x.index_fill(0, torch.tensor([i]), 0.0), (5, -6), (6, -7)),
    "index_add": (lambda x, i: x.index_add(0, torch.tensor([i]), x[:1]), (0, 5), (6, 70)),
    "one index": (lambda x, i: x[torch.tensor([0, i])], (5, -6), (6, -7)),
    "the second index": (lambda x, i: x[:, torch.tensor([0, i])], (4, -5), (5, -6)),
    "an index after a mask": (lambda x, i: x[x[:, 0] >= 0, torch.full((6,), i)], (4, -5), (5, -6)),
    "assignment": (lambda x, i: x.clone().index_put_((torch.tensor([i]),), x[0]), (5, -6), (6, -7)),
    "take": (lambda x, i: x.take(torch.tensor([i])), (29, -30), (30, -31)),
    "embedding": (lambda x, i: F.embedding(torch.tensor([[0, i]]), x), (0, 5), (-1, 6)),
    "embedding bag": (lambda x, i: F.embedding_bag(torch.tensor([[0, i]]), x), (0, 5), (-1, 6)),
    "cross-entropy": (lambda x, i: F.cross_entropy(x, torch.full((6,), i)), (0, 4, -100), (-1, 5)),
    "of images": (
        lambda x, i: F.nll_loss(torch.rand(2, 3, 4, 4), torch.full((2, 4, 4), i), ignore_index=-1),
        (0, 2, -1),
        (3, -2),
    ),
    "multi-margin": (lambda x, i: F.multi_margin_loss(x, torch.full((6,), i)), (0, 4), (-1, 5)),
    "binary cross-entropy": (lambda x, p: F.binary_cross_entropy(x * 0 + p, x), (0.0, 1.0), (-0.1, 1.1)),
    "labels of binary cross-entropy": (
        lambda x, p: F.binary_cross_entropy(x, x * 0 + p),
        (0.0, 1.0),
        (-0.1, 1.1),
    ),
    "bernoulli": (lambda x, p: torch.bernoulli(x * 0 + p), (0.0, 1.0), (-0.1, 1.1)),
    "bernoulli in place": (lambda x, p: torch.full_like(x, 7.0).bernoulli_(x * 0 + p), (0.0, 1.0), (-0.1, 1.1)),
    "bernoulli in place, of a number": (lambda x, p: torch.full_like(x, 7.0).bernoulli_(p), (0.0, 1.0), ()),
    "bernoulli of a number": (lambda x, p: torch.bernoulli(x + 7.0, p), (0.0, 1.0), ()),
    "multinomial": (lambda x, p: torch.multinomial(x + p, 2), (0.1, 3.0), (-1.5,)),
    "multinomial with replacement": (lambda x, p: torch.multinomial(x * p, 2, True), (1.0,), (0.0, math.inf)),
    "embedding bag with offsets": (
        lambda x, i: F.embedding_bag(torch.tensor([0, 1, 2]), x, torch.tensor([0, i, 2])),
        (0, 1, 2),
        (3,),
    ),
    "the first offset": (
        lambda x, i: F.embedding_bag(torch.tensor([0, 1, 2]), x, torch.tensor([i, 2, 2])),
        (0,),
        (1,),
    ),
    "embedding with a largest norm": (
        lambda x, i: F.embedding(torch.tensor([0, i]), x.clone(), max_norm=1.0),
        (0, 5),
        (-1, 6),
    ),
    "max_unpool2d": (
        lambda x, i: F.max_unpool2d(torch.ones(1, 1, 1, 1), torch.full((1, 1, 1, 1), i), 2),
        (0, 3),
        (-1, 4),
    ),
    "masked_scatter": (lambda x, n: x.masked_scatter(x[0] >= 0, torch.ones(n)), (30, 40), (29,)),
    "repeat_interleave": (lambda x, n: x[:2].repeat_interleave(torch.tensor([1, n]), 0), (0, 3), (-1,)),
    "a size of repeat_interleave": (
        lambda x, n: torch.repeat_interleave(torch.tensor([1, 2]), output_size=n),
        (3,),
        (2, 4),
    ),
    "an assertion": (lambda x, n: torch._assert_async(torch.tensor(n)), (1, 2.0), (0, 0.0)),
}
CASES = [(name, value) for name, (_call, good, bad) in CALLS.items() for value in (*good, *bad)]


class _Checking(TorchDispatchMode):  # type: ignore[misc]
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        check_ranges(func, args, kwargs or {})
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize(("name", "value"), CASES)
def test_what_the_cpu_refuses_is_out_of_range(name: str, value: float) -> None:
    call, good, _bad = CALLS[name]
    if value in good:
        with _Checking():
            call(X, value)
        return
    with pytest.raises((IndexError, RuntimeError)):
        call(X, value)
    with pytest.raises(OutOfRange), _Checking():
        call(X, value)


def segments(at: int, **how: torch.Tensor) -> torch.Tensor:
    return torch.segment_reduce(X[:, at], "sum", **how)


def labels(most: int, counted: int = 3) -> torch.Tensor:
    scores, lengths = torch.rand(10, 2, 5).log_softmax(-1), torch.tensor([10, 10])
    return F.ctc_loss(scores, torch.tensor([[1, 2, most]] * 2), lengths, torch.tensor([counted, counted]))


def compressed(column: int) -> torch.Tensor:
    sparse = torch.sparse_csr_tensor(torch.tensor([0, 1, 2]), torch.tensor([0, column]), torch.ones(2), (2, 6))
    return sparse @ X


CRASHES: list[tuple[str, Callable[[], torch.Tensor], Callable[[], torch.Tensor]]] = [
    (
        "torch.segment_reduce",
        lambda: segments(0, offsets=torch.tensor([0, 2, 6])),
        lambda: segments(0, offsets=torch.tensor([0, 2, 1 << 40])),
    ),
    (
        "torch.segment_reduce",
        lambda: torch.segment_reduce(X[:, 0], "max", lengths=torch.tensor([4, 2]), unsafe=True),
        lambda: torch.segment_reduce(X[:, 0], "max", lengths=torch.tensor([1 << 40, 2]), unsafe=True),
    ),
    ("nn.CTCLoss()", lambda: labels(4), lambda: labels(1 << 40)),
    ("nn.CTCLoss()", lambda: labels(-1, counted=2), lambda: labels(-1 << 40)),
    ("torch.sparse_csr_tensor", lambda: compressed(5), lambda: compressed(1 << 40)),
]


@pytest.mark.parametrize(("text", "good", "bad"), CRASHES, ids=lambda one: one if isinstance(one, str) else "")
def test_what_ends_a_process_on_the_cpu_raises(
    text: str, good: Callable[[], torch.Tensor], bad: Callable[[], torch.Tensor]
) -> None:
    with crashes_raise(text):
        assert bool(good().isfinite().all())
        with pytest.raises((OutOfRange, RuntimeError)):
            bad()


def test_a_compressed_matrix_has_as_many_values_as_its_rows_say() -> None:
    columns, values = torch.tensor([0, 1]), torch.ones(2)
    with _Checking():
        torch.sparse_csr_tensor(torch.tensor([0, 1, 2]), columns, values, (2, 6))
        with pytest.raises(OutOfRange):
            torch.sparse_csr_tensor(torch.tensor([0, 1, 3]), columns, values, (2, 6))


def test_groups_of_a_product_end_within_it() -> None:
    left, right = torch.zeros(16, 8, dtype=torch.bfloat16), torch.zeros(2, 8, 8, dtype=torch.bfloat16)
    call = torch.ops.aten._grouped_mm.default
    check_ranges(call, (left, right, torch.tensor([5, 16], dtype=torch.int32)), {})
    for ends in ([5, 17], [9, 5]):
        with pytest.raises(OutOfRange):
            check_ranges(call, (left, right, torch.tensor(ends, dtype=torch.int32)), {})


@pytest.mark.gpu
@pytest.mark.parametrize("name", CALLS)
def test_a_gpu_raises_where_it_would_abort(name: str) -> None:
    call, good, bad = CALLS[name]
    there = X.cuda()
    with torch.device("cuda"), asserts_raise(there.device):
        for value in good:
            call(there, value)
        for value in bad:
            with pytest.raises(OutOfRange):
                call(there, value)
    torch.cuda.synchronize()
