"""What a result is held against: PyTorch's own error, a grade, and what all elements of it have in common."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import torch

from kernelgate.check.tolerance.arithmetic import LEAST_UNITS
from kernelgate.check.tolerance.grade import Grade, tolerance
from kernelgate.check.tolerance.nearness import Near, common_error
from kernelgate.check.tolerance.numerics import Graded, wrong_by_error
from kernelgate.check.tolerance.oracle import Change, Wide
from kernelgate.check.widening import widening

Call = Callable[..., torch.Tensor]


def _wide(call: Call, *inputs: torch.Tensor) -> Wide:
    def in_float64(change: Change) -> list[torch.Tensor]:
        with widening(inputs[0].dtype):
            return [call(*[change(one.double()) for one in inputs])]

    return Wide(in_float64, lambda change: [call(*map(change, inputs))])


def _is_wrong(got: torch.Tensor, right: Graded, limit: float) -> bool:
    return bool(wrong_by_error(got, right, limit).any())


@pytest.mark.parametrize("times", [1e-7, 1e-6, 1e-3])
def test_what_is_near_passes_by_its_grade(times: float) -> None:
    torch.manual_seed(0)
    x, w = torch.randn(24, 96), torch.randn(96, 16)
    value, oracle = x @ w, x.double() @ w.double()
    (grade,) = tolerance(_wide(torch.matmul, x, w), [value], integers=False)
    assert grade is not None
    assert Near(value, oracle, LEAST_UNITS).of(oracle.float()).worst <= 1
    got = value * (1 + times)
    far = Near(value, oracle, LEAST_UNITS).of(got).worst > 1
    assert far >= _is_wrong(got, grade.same, grade.bounds.fp32_limit)
    assert times < 1e-3 or far


def test_only_pytorchs_own_numbers_are_near_where_nothing_rounds() -> None:
    x = torch.randn(8, 8)
    assert Near(x.relu(), x.relu().double(), LEAST_UNITS).of(x.relu()).worst == 0
    assert Near(x.relu(), x.relu().double(), LEAST_UNITS).of(x.relu() * 1.0000002).worst > 1
    assert Near(x.relu() * 1.0000002, x.relu().double(), LEAST_UNITS).of(x.relu()).worst == 0


def test_the_few_elements_of_a_jump_do_not_make_others_near() -> None:
    torch.manual_seed(0)
    x = torch.rand(4096) + 1
    oracle = x.double() / 3
    value = oracle.float()
    value[:200] += 0.05  # on the other side of a jump
    got = oracle.float()
    got[2000:] += 0.05
    assert Near(value, oracle, LEAST_UNITS).of(got).worst > 1
    assert Near(value, oracle, LEAST_UNITS).of(oracle.float()).worst <= 1


def _graded(call: Call, *inputs: torch.Tensor) -> Grade:
    (grade,) = tolerance(_wide(call, *inputs), [call(*inputs)], integers=False)
    assert grade is not None
    return grade


def _same(got: torch.Tensor, grade: Grade) -> bool:
    return not _is_wrong(got, grade.same, grade.bounds.limit("split"))


def _accurate(got: torch.Tensor, grade: Grade) -> bool:
    return not _is_wrong(got, grade.right, grade.bounds.limit("split"))


def _softplus(x: torch.Tensor) -> torch.Tensor:
    return torch.log(1 + torch.exp(x))


def test_digits_lost_beside_the_size_of_a_result_are_a_matter_of_accuracy() -> None:
    x = torch.arange(-8.0, 9.0).repeat(16)
    grade = _graded(torch.nn.functional.softplus, x)
    assert _same(_softplus(x), grade) and not _accurate(_softplus(x), grade)
    below = x.abs() * -1 - 12  # where all of it is small, digits of it are the result
    grade = _graded(torch.nn.functional.softplus, below)
    assert not _same(_softplus(below), grade)


def test_what_is_below_the_smallest_normal_number_may_be_0() -> None:
    x = torch.rand(4096) ** 4 * 1000
    grade, got = _graded(lambda x: x * 3e-38, x), x * 3e-38
    got[got < 1.17e-38] = 0
    assert _same(got, grade) and not _accurate(got, grade)
    got[got < 1e-36] = 0
    assert not _same(got, grade)


def test_terms_of_a_sum_may_be_added_in_any_order() -> None:
    torch.manual_seed(0)
    a, b, c = (torch.randn(4096) for _ in range(3))
    grade = _graded(lambda a, b, c: a + b + c, a, b, c)
    assert _accurate(a + (b + c), grade)
    assert not _same(a + b + c.bfloat16(), grade)


def test_one_running_sum_of_a_million_terms_is_arithmetic_of_float32() -> None:
    torch.manual_seed(0)
    terms = torch.rand(2, 1 << 20)
    grade = _graded(lambda x: x.sum(1), terms)
    running = torch.from_numpy(np.add.accumulate(terms.numpy(), axis=1, dtype=np.float32)[:, -1].copy())
    assert abs(float(running[0] / terms[0].double().sum()) - 1) > 1e-6
    assert _same(running, grade)
    assert not _same(terms[:, : 1 << 19].sum(1) * 2.01, grade)


def test_a_layer_norm_beside_a_large_mean_does_not_pass_with_a_row_that_is_off() -> None:
    torch.manual_seed(0)
    x = 1000 + 0.1 * torch.randn(8, 4096)
    grade = _graded(lambda x: torch.layer_norm(x, (4096,)), x)
    got = torch.layer_norm(x, (4096,))
    got[3] *= 1.02
    assert not _same(got, grade)


@pytest.mark.filterwarnings("ignore:Sparse")
def test_sums_of_an_operator_that_cannot_be_moved_may_cancel() -> None:
    """A product of a sparse matrix: what its inputs move it by stands for what its operators do."""

    def product(values: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.sparse_csr_tensor(rows, columns, values, size=(24, 40)) @ x

    for seed in range(20):
        torch.manual_seed(seed)
        rows, columns = torch.arange(0, 24 * 40 + 1, 40), torch.arange(40).repeat(24)
        values, x = torch.randn(24 * 40), torch.randn(40, 5)
        (grade,) = tolerance(_wide(product, values, x), [product(values, x)], integers=False)
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
    (grade,) = tolerance(_wide(reference, x), [reference(x)], integers=False)
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


def test_norms_over_two_elements_leave_room_for_any_rounding_if_pytorchs_own_error_is_small_by_chance() -> None:
    torch.manual_seed(3)
    *weights, last = [torch.randn(64, 64) / 8 for _ in range(6)]

    def network(x: torch.Tensor, last: torch.Tensor, *layers: torch.Tensor) -> torch.Tensor:
        for layer in layers:
            x = torch.nn.functional.batch_norm(x @ layer, None, None, training=True)
        return x @ last

    given = (torch.rand(1, 64) + 0.01 * torch.randn(2, 64), last, *weights)
    oracle = network(*(one.double() for one in given))
    near = (oracle + (network(*given) - oracle) / 64).float()
    (grade,) = tolerance(_wide(network, *given), [near], integers=False)
    assert grade is not None
    assert _same(network(*(one * (1 + torch.randn(one.shape) * 2.0**-24) for one in given)), grade)
