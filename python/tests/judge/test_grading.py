"""What a result is held against: by a glance, by a grade, and in a narrow dtype by what all elements have in common."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from kernelgate.check.arithmetic import LEAST_UNITS
from kernelgate.check.common_error import common_error
from kernelgate.check.numerics import Graded, wrong_by_error
from kernelgate.check.widening import widening
from kernelgate.judge.grading import Change, Wide, glance, grades

Call = Callable[..., torch.Tensor]


def _wide(call: Call, *inputs: torch.Tensor) -> Wide:
    def in_float64(change: Change) -> list[torch.Tensor]:
        with widening(inputs[0].dtype):
            return [call(*[change(one.double()) for one in inputs])]

    return Wide(in_float64, lambda change: [call(*map(change, inputs))])


def _is_wrong(got: torch.Tensor, right: Graded, limit: float) -> bool:
    return bool(wrong_by_error(got, right, limit).any())


@pytest.mark.parametrize("times", [1e-7, 1e-6, 1e-3])
def test_what_passes_at_a_glance_passes_by_its_grade(times: float) -> None:
    torch.manual_seed(0)
    x, w = torch.randn(24, 96), torch.randn(96, 16)
    product = torch.matmul
    value, wide = product(x, w), _wide(product, x, w)
    seen, (grade,) = glance([value], wide, integers=False), grades([value], wide, integers=False)
    assert seen is not None and grade is not None
    assert not _is_wrong(value.double().float(), seen[0], LEAST_UNITS)
    got = value * (1 + times)
    assert _is_wrong(got, seen[0], LEAST_UNITS) >= _is_wrong(got, grade.right, grade.bounds.fp32_limit)
    assert times < 1e-3 or _is_wrong(got, seen[0], LEAST_UNITS)


def test_nothing_is_seen_at_a_glance_where_nothing_rounds() -> None:
    x = torch.randn(8, 8)
    assert glance([x.relu()], _wide(torch.relu, x), integers=False) is None


@pytest.mark.filterwarnings("ignore:Sparse")
def test_sums_of_an_operator_that_cannot_be_moved_may_cancel() -> None:
    """A product of a sparse matrix: what its inputs move it by stands for what its operators do."""

    def product(values: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.sparse_csr_tensor(rows, columns, values, size=(24, 40)) @ x

    for seed in range(20):
        torch.manual_seed(seed)
        rows, columns = torch.arange(0, 24 * 40 + 1, 40), torch.arange(40).repeat(24)
        values, x = torch.randn(24 * 40), torch.randn(40, 5)
        (grade,) = grades([product(values, x)], _wide(product, values, x), integers=False)
        assert grade is not None
        otherwise = sum(values.view(24, 40)[:, i, None] * x[i] for i in reversed(range(40)))
        assert not _is_wrong(otherwise, grade.right, grade.bounds.fp32_limit)
        assert _is_wrong(otherwise * 1.001, grade.right, grade.bounds.fp32_limit)


NARROW = [torch.float16, torch.bfloat16]
HONEST: dict[str, tuple[Call, Call]] = {
    "softmax": (lambda x: torch.softmax(x, 1), lambda x: _divided((x - x.amax(1, keepdim=True)).exp())),
    "layer norm": (lambda x: torch.layer_norm(x, (96,)), lambda x: _normalized(x)),
    "variance": (lambda x: x.var(1, correction=0), lambda x: ((x - x.mean(1, keepdim=True)) ** 2).mean(1)),
    "product": (lambda x: x @ x.T, lambda x: sum(x[:, i : i + 16] @ x[:, i : i + 16].T for i in range(0, 96, 16))),
    "silu": (torch.nn.functional.silu, lambda x: x * torch.sigmoid(x)),
}
WRONG: dict[str, Call] = {
    "softmax": lambda x: torch.softmax(x.float(), 1) * 1.05,
    "variance": lambda x: x.float().var(1) * 1.01,
    "product": lambda x: x.float() @ x.float().T * 1.02,
    "silu": lambda x: torch.nn.functional.silu(x.float()) * 1.02,
}


def _divided(x: torch.Tensor) -> torch.Tensor:
    return x / x.sum(1, keepdim=True)


def _normalized(x: torch.Tensor) -> torch.Tensor:
    return (x - x.mean(1, keepdim=True)) * torch.rsqrt(x.var(1, keepdim=True, correction=0) + 1e-5)


def _passes(reference: Call, program: Call, dtype: torch.dtype) -> bool:
    x = torch.randn(128, 96, generator=torch.Generator().manual_seed(3)).to(dtype)
    (grade,) = grades([reference(x)], _wide(reference, x), integers=False)
    assert grade is not None and grade.common is not None
    got = program(x).to(dtype)
    wrong = _is_wrong(got, grade.right, grade.bounds.fp32_limit)
    return not wrong and common_error(got, grade.right, grade.common) is None


@pytest.mark.parametrize("dtype", NARROW, ids=["half", "bfloat16"])
@pytest.mark.parametrize("name", HONEST)
def test_a_program_that_rounds_every_step_to_a_narrow_dtype_passes(name: str, dtype: torch.dtype) -> None:
    reference, program = HONEST[name]
    assert _passes(reference, program, dtype)


@pytest.mark.parametrize("dtype", NARROW, ids=["half", "bfloat16"])
@pytest.mark.parametrize("name", WRONG)
def test_a_factor_of_a_few_roundings_is_wrong_in_a_narrow_dtype(name: str, dtype: torch.dtype) -> None:
    assert not _passes(HONEST[name][0], WRONG[name], dtype)
