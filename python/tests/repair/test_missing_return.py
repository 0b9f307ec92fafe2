"""A function with a result and no return statement: where it is, and the fix where it makes one tensor."""

from __future__ import annotations

import pytest
from fault_classes import PROGRAM

from kernelgate.program import Candidate, Source, read
from kernelgate.repair.missing_return import missing_return
from kernelgate.report.edits import edited

LACKS = PROGRAM.replace("    return y;\n", "")


def _source(candidate: Candidate) -> str:
    return next(each.value for each in candidate.literals if "#include" in each.value)


def test_the_function_is_named_at_its_end_and_returns_the_one_tensor_that_it_makes() -> None:
    candidate = read(Source(LACKS, "cell [4]"))
    found = missing_return(candidate, _source(candidate))
    assert found is not None
    assert (found.function, found.returns, found.row) == ("f", "torch::Tensor", 16)
    assert found.fix is not None and found.fix.edit is not None
    assert edited(LACKS, found.fix.edit) == PROGRAM


@pytest.mark.parametrize(
    "text",
    [
        PROGRAM,
        LACKS.replace("torch::Tensor f(torch::Tensor x) {", "void f(torch::Tensor x) {"),
        LACKS.replace("    int n = x.numel();\n", '    throw std::runtime_error("not here");\n'),
    ],
    ids=["with a return", "without a result", "that throws"],
)
def test_a_function_that_needs_no_return_is_not_named(text: str) -> None:
    candidate = read(Source(text, "cell [4]"))
    assert missing_return(candidate, _source(candidate)) is None


def test_of_two_tensors_none_is_returned_by_a_fix() -> None:
    text = LACKS.replace("    int n", "    auto z = torch::zeros_like(x);\n    int n")
    candidate = read(Source(text, "cell [4]"))
    found = missing_return(candidate, _source(candidate))
    assert found is not None and found.fix is None
