"""Every way of being wrong has words, and nothing of it is left unsaid."""

from __future__ import annotations

from typing import get_args

import pytest

from kernelgate.report import wrong_values as values
from kernelgate.report.wrong_results import (
    Folded,
    Form,
    NotDense,
    NotOneTensor,
    OtherDtype,
    OtherMoment,
    OtherRandom,
    OtherShape,
    Property,
    Strays,
    Unreadable,
    WritesOutside,
    Wrong,
    WrongKind,
)

END = values.End(3, 24, "rows")
DIFFER = values.Differ(1200, 4096, END)
WORDS: dict[Wrong, str] = {
    WritesOutside("something wrote before a tensor of 4 bytes"): "something wrote before a tensor of 4 bytes",
    Form("a tuple of 2", "[tensor]"): "ModelNew returns a tuple of 2 instead of [tensor]",
    NotDense("a list of 3", "[tensor]"): "ModelNew returns a list of 3 instead of [tensor]",
    NotOneTensor("None"): "ModelNew returns None instead of a tensor on the device",
    OtherDtype("float16", "float32"): "the result is float16 instead of float32",
    OtherShape((4, 1), ()): "the result has shape 4x1 instead of scalar",
    Unreadable("no storage"): "the result cannot be read: no storage",
    Folded(): "its constructor folds a number into a parameter, and loading the parameters replaces it",
    Property("no cache", "it keeps results", "Keep none"): "it keeps results",
    OtherMoment("the mean", 0.25, 0.5): "the mean of its random results is 0.25, the reference's 0.5",
    Strays(0.125): "12.5% of its random results are values that the reference does not give",
    OtherRandom("calls"): "its random results of one call depend on those of the call before",
    DIFFER: "1,200 of 4,096 elements differ, all of them in the last 3 of 24 rows",
    values.Differ(2, 3, where="result 1 of 2"): "result 1 of 2: 2 of 3 elements differ",
    values.OneNumber(3.0, 1.5, 2.0): "the result is 3 instead of 1.5, 2 times as large",
    values.OneNumber(3, 2): "the result is 3 instead of 2",
    values.Unwritten(1, 8, last=True): "the last element is never written",
    values.Unwritten(2, 8, last=True): "the last 2 of 8 elements are never written",
    values.Unwritten(8, 8, last=True): "nothing is written to the output",
    values.Unwritten(2, 8, last=False): "2 of 8 elements are never written",
    values.Zeros(96, 768, END): "96 of 768 elements are 0, all of them in the last 3 of 24 rows",
    values.NanMade(2, 8): "NaN where the reference has numbers (2 of 8 elements are wrong)",
    values.NanSwallowed(2): "NaN is not passed on: 2 elements are numbers where the reference gives NaN",
    values.NanSwallowed(zero=True): "NaN inputs give 0 instead of NaN",
    values.NanSwallowed(): "NaN inputs do not give NaN",
    values.OnInputs(("NaN", "infinite", "zero")): "wrong on NaN, infinite and zero inputs",
    values.OnInputs(("negative",), "zero"): "negative inputs give 0",
    values.OnInputs(("negative",), "unchanged"): "negative inputs are returned unchanged",
    values.Slope(0.011, 0.01): "negative inputs are multiplied by 0.011 instead of 0.01",
    values.Slope(0.0100001, 0.01, rounded=True): (
        "negative inputs are multiplied by numbers like 0.0100001 instead of 0.01, as by more roundings"
    ),
    values.Factor(1.01): "every element is 1.01 times the reference's",
    values.Factor(-1.0): "every element has the other sign",
    values.Shift(-0.25): "every element is 0.25 smaller than the reference's",
    values.Factor(1.01, on_average=True): (
        "the elements are 1.01 times the reference's on average, more than rounding makes"
    ),
    values.Shift(0.25, on_average=True): (
        "the elements are 0.25 larger than the reference's on average, more than rounding makes"
    ),
    values.Changed("without its relu"): "the values are what the reference gives without its relu",
    values.IgnoresStrides("as they lie"): "the values are what the reference gives as they lie",
    values.OtherFormula("gelu by tanh"): "GELU is computed by its tanh approximation",
    values.LosesDigits("exp - 1"): "exp(x) - 1 loses digits where x is near 0; expm1 keeps them",
    values.DigitsLost(6e-8, 0.5): (
        "digits are lost where the result is near 0: its errors are those of numbers near 1 (6e-08), "
        "up to 50 % of the result"
    ),
    values.NarrowFormat("bfloat16"): "the values are computed in bfloat16",
    values.CoarserProducts("TF32", 500.2, "fp32", 1.55): (
        "computed in TF32: errors of 500 units of rounding, where PyTorch's fp32 makes 1.6"
    ),
    values.AsCoarse(values.Differ(2, 3), "TF32"): "2 of 3 elements differ, by no more than TF32 would make them",
}


@pytest.mark.parametrize("wrong", WORDS, ids=lambda wrong: type(wrong).__name__)
def test_a_wrong_result_is_said_with_its_facts(wrong: Wrong) -> None:
    assert wrong.words == WORDS[wrong]
    assert "{" not in wrong.next_step and not wrong.next_step.endswith(".")


def test_every_kind_is_that_of_a_record() -> None:
    assert {wrong.kind for wrong in WORDS} == set(get_args(WrongKind))
