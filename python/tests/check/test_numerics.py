"""How far results are from what is expected."""

import msgspec
import pytest
import torch

from kernelgate.check.numerics import compare_graded
from kernelgate.report.record import Distance


@pytest.mark.parametrize("got", [1e300, 1.7e308])
def test_the_error_of_any_finite_result_is_one_that_a_report_can_say(got):
    one = torch.tensor([1.0], dtype=torch.float64)
    found = compare_graded(one * got, one, one * 1e-300, bound=4.0, poison=0x7FC1)
    assert found.wrong == 1
    error = found.error_units or 0.0
    assert msgspec.convert(error, Distance) == error
