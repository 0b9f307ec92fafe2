"""Where a result fits another formula, the report names that formula."""

from __future__ import annotations

import pytest
import torch
from torch.nn.functional import gelu

from kernelgate.check.slips.other_operators import fits, other_formulas


@pytest.mark.parametrize(
    ("theirs", "programs", "words"),
    [
        ("none", "tanh", "GELU is computed by its tanh approximation"),
        ("tanh", "none", "GELU is computed by erf, and the reference's by its tanh approximation"),
    ],
)
def test_either_formula_of_gelu_is_named_where_the_reference_has_the_other(
    theirs: str, programs: str, words: str
) -> None:
    x = torch.randn(400, generator=torch.Generator().manual_seed(0))
    value, got = gelu(x, approximate=theirs), gelu(x, approximate=programs)
    slack = (8 * torch.finfo(torch.float32).eps * value.abs()).double()
    found = other_formulas(lambda: gelu(x, approximate=theirs))
    assert [other.wrong.words for other, there in found if fits(got, value, there, slack, other)] == [words]
