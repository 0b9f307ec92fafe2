"""How far results are from what is expected."""

import msgspec
import pytest
import torch

from kernelgate.check.tolerance.numerics import Graded, compare_graded, usual_error, with_rough
from kernelgate.report.record import Distance


@pytest.mark.parametrize("got", [1e300, 1.7e308])
def test_the_error_of_any_finite_result_is_one_that_a_report_can_say(got: float) -> None:
    one = torch.tensor([1.0], dtype=torch.float64)
    found = compare_graded(one * got, Graded(one, one, one * 1e-300), bound=4.0, poison=0x7FC1)
    assert found.wrong == 1
    error = found.error_units or 0.0
    assert msgspec.convert(error, Distance) == error


def _sigmoid_beside_underflow() -> Graded:
    """PyTorch's own result is 0 for a few numbers, where float64 has one below the normal ones of float32."""
    x = torch.linspace(-8, 8, 1000, dtype=torch.float64)
    x[:4] = torch.tensor([-89.0, -90.0, -91.0, -92.0])
    oracle = torch.sigmoid(x)
    value = oracle.float()
    value[:4] = 0
    return Graded(value, oracle, oracle.abs())


def test_a_few_digits_that_pytorch_loses_allow_no_others() -> None:
    right = _sigmoid_beside_underflow()
    bound = max(32.0, 4 * usual_error(right.value, right))
    assert bound == 32.0
    right = with_rough(right, bound)
    lost_too = right.oracle.float()
    lost_too[4] = right.oracle[4] + 4e-38
    assert not compare_graded(right.value, right, bound, 0).wrong
    assert not compare_graded(lost_too, right, bound, 0).wrong
    lost_too[5:9] *= 1.001
    assert compare_graded(lost_too, right, bound, 0).wrong


def test_the_usual_error_of_a_few_elements_is_the_largest() -> None:
    one = torch.ones(3, dtype=torch.float64)
    right = Graded(one.float(), one, one)
    assert usual_error(torch.tensor([1.0, 1.5, 1.0]), right) == 0.5 * 2**24


def test_a_number_that_is_too_small_for_its_digits_is_right_and_says_nothing_of_the_arithmetic() -> None:
    right = _sigmoid_beside_underflow()
    found = compare_graded(right.value, right, 32.0, 0)
    assert not found.wrong and found.error_units is not None and found.error_units < 2.0


def test_what_pytorch_is_as_far_from_is_right_and_says_nothing_of_the_arithmetic() -> None:
    oracle = torch.ones(100, dtype=torch.float64)
    value = oracle.float()
    value[3] += 1e-4
    found = compare_graded(value.clone(), Graded(value, oracle, oracle), 32.0, 0)
    assert (found.wrong, found.error_units) == (0, 0.0)
