"""The form of a result, changed where forward returns it; the judge proves each change."""

from __future__ import annotations

import pytest

from kernelgate.program import Source, read
from kernelgate.repair.python_fixes import in_wanted_form
from kernelgate.report.edits import edited
from kernelgate.report.wrong_results import NotOneTensor, OtherDtype, OtherShape

PROGRAM = """import torch.nn as nn
class ModelNew(nn.Module):
    def forward(self, x):
        return {}
"""


@pytest.mark.parametrize(
    ("value", "how", "fixed"),
    [
        ("ext.f(x), None", NotOneTensor("a tuple of 2"), "ext.f(x)"),
        ("(ext.f(x), x)", NotOneTensor("a tuple of 2"), "ext.f(x)"),
        ("ext.f(x).item()", NotOneTensor("a float"), "ext.f(x)"),
        ("ext.f(x).cpu()", NotOneTensor("a tensor that is not on the device"), "ext.f(x)"),
        ("ext.f(x)", OtherDtype("int32", "int64"), "ext.f(x).to(torch.int64)"),
        ("x + 1", OtherShape([1], []), "(x + 1).reshape(())"),
        ("ext.f(x)", OtherShape([16, 100], [16, 1, 100]), "ext.f(x).unsqueeze(1)"),
        ("ext.f(x)", OtherShape([16, 100, 1], [16, 100]), "ext.f(x).squeeze(2)"),
        ("ext.f(x)", OtherShape([16, 100], [100, 16]), None),
        ("ext.f(x)", OtherShape([16], [1, 16, 1]), None),
        ("ext.f(x)", NotOneTensor("a dict"), None),
    ],
)
def test_a_return_gets_the_form_that_is_wanted_where_one_change_gives_it(
    value: str, how: NotOneTensor | OtherDtype | OtherShape, fixed: str | None
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
    assert in_wanted_form(read(Source(text, "cell [4]")), NotOneTensor("a tuple of 2")) is None
