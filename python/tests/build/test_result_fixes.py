"""The form of a result, changed where forward returns it; the judge proves each change."""

from __future__ import annotations

import pytest

from kernelgate.build.result_fixes import in_wanted_form
from kernelgate.program import Source, read
from kernelgate.report.edits import edited

PROGRAM = """import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x):
        return {}
"""
ONE = "ModelNew returns {} instead of a tensor on the device"


@pytest.mark.parametrize(
    ("value", "how", "fixed"),
    [
        ("ext.f(x), None", ONE.format("a tuple of 2"), "ext.f(x)"),
        ("(ext.f(x), x)", ONE.format("a tuple of 2"), "ext.f(x)"),
        ("ext.f(x).item()", ONE.format("a float"), "ext.f(x)"),
        ("ext.f(x).cpu()", ONE.format("a tensor that is not on the device"), "ext.f(x)"),
        ("ext.f(x)", "the result is int32 instead of int64", "ext.f(x).to(torch.int64)"),
        ("x + 1", "the result has shape 1 instead of scalar", "(x + 1).reshape(())"),
        ("ext.f(x)", "the result has shape 16x100 instead of 16x1x100", "ext.f(x).unsqueeze(1)"),
        ("ext.f(x)", "the result has shape 16x100x1 instead of 16x100: it is", "ext.f(x).squeeze(2)"),
        ("ext.f(x)", "the result has shape 16x100 instead of 100x16", None),
        ("ext.f(x)", "the result has shape 16 instead of 1x16x1", None),
        ("ext.f(x)", ONE.format("a dict"), None),
    ],
)
def test_a_return_gets_the_form_that_is_wanted_where_one_change_gives_it(
    value: str, how: str, fixed: str | None
) -> None:
    text = PROGRAM.format(value)
    found = in_wanted_form(read(Source(text, "cell [4]")), how)
    if fixed is None:
        assert found is None
        return
    assert found is not None
    assert found[1] == 4
    assert edited(text, found[0].edit) == PROGRAM.format(fixed)


def test_of_two_returns_neither_is_changed() -> None:
    text = PROGRAM.format("x") + "        return x, None\n"
    assert in_wanted_form(read(Source(text, "cell [4]")), ONE.format("a tuple of 2")) is None
