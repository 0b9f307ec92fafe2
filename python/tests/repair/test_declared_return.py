"""A function that is declared with another result than it has: where, and its fix."""

from __future__ import annotations

import pytest
from fault_classes import PROGRAM

from kernelgate.program import Source, read
from kernelgate.repair.declared_return import other_return
from kernelgate.report.edits import edited

DECLARED = "torch::Tensor f(torch::Tensor x);"


@pytest.mark.parametrize("declared", ["void", "std::vector<torch::Tensor>", "int64_t"])
def test_the_declaration_is_named_and_gets_the_result_of_the_definition(declared: str) -> None:
    text = PROGRAM.replace(DECLARED, DECLARED.replace("torch::Tensor f", f"{declared} f"))
    found = other_return(read(Source(text, "cell [4]")))
    assert found is not None
    assert (found.function, found.declared, found.returns, found.row) == ("f", declared, "torch::Tensor", 21)
    assert found.fix is not None and found.fix.edit is not None
    assert edited(text, found.fix.edit) == PROGRAM


@pytest.mark.parametrize("declared", ["at::Tensor f(at::Tensor x);", "void f(torch::Tensor x, double s);", "void g();"])
def test_the_same_type_other_parameters_and_another_function_are_not_named(declared: str) -> None:
    assert other_return(read(Source(PROGRAM.replace(DECLARED, declared), "cell [4]"))) is None
