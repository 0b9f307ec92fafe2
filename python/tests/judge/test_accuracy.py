"""The same function first, accuracy second: what decides about a result, and what is said of it beside that."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from kernelgate.check.tolerance.grade import Asked, Grading
from kernelgate.check.tolerance.numerics import Comparison
from kernelgate.check.tolerance.oracle import Change, Wide
from kernelgate.check.widening import widening
from kernelgate.judge.cases.accuracy import Accuracy, rules
from kernelgate.judge.comparison.compare import Comparer
from kernelgate.judge.gates import Gates
from kernelgate.judge.reference.expected import Expected
from kernelgate.messages.job import Job, UsageError, checked
from kernelgate.report.accuracy_words import rules as rules_words

Call = Callable[..., torch.Tensor]


def _expected(call: Call, *inputs: torch.Tensor, made_up: bool = False) -> Expected:
    def in_float64(change: Change) -> list[torch.Tensor]:
        with widening(inputs[0].dtype):
            return [call(*[change(one.double()) for one in inputs])]

    value = call(*inputs)
    wide = Wide(in_float64, lambda change: [call(*map(change, inputs))])
    grading = Grading([value], wide, inputs[0].dtype, False, 6, MemoryError)
    expected = Expected([value], "tensor", False, grading, made_up=made_up)
    return expected


def _found(got: torch.Tensor, expected: Expected, asked: Asked | None = None) -> Comparison:
    return Comparer(emulated=True, allowed=None, asked=asked).compare(got, expected)


def test_a_result_as_near_as_pytorchs_own_takes_no_sample_of_rounding() -> None:
    torch.manual_seed(0)
    a, b, c = (torch.randn(64, 512) for _ in range(3))
    expected = _expected(lambda a, b, c: a + b + c, a, b, c)
    found = _found(a + (b + c), expected)
    assert not found.wrong and not found.inexact and not expected.is_graded
    assert found.times_own is not None and found.times_own < 4


def test_digits_that_are_lost_beside_the_result_decide_about_accuracy_alone() -> None:
    x = torch.arange(-8.0, 9.0).repeat(64)
    expected = _expected(torch.nn.functional.mish, x, made_up=True)
    found = _found(x * torch.tanh(torch.log(1 + torch.exp(x))), expected)
    assert not found.wrong and found.inexact
    assert found.times_own is not None and found.times_own > 100


def _normed(x: torch.Tensor, epsilon: float) -> torch.Tensor:
    x = x / 16
    return x / (x.square().mean(1, keepdim=True) + epsilon).sqrt()


WRONG: dict[str, tuple[Call, Call]] = {
    "a missing bias": (lambda x: x * 2 + 0.01, lambda x: x * 2),
    "a bound of 1e-3": (torch.relu, lambda x: torch.where(x > 1e-3, x, 0.0)),
    "the tanh form of GELU": (torch.nn.functional.gelu, lambda x: torch.nn.functional.gelu(x, approximate="tanh")),
    "another axis": (lambda x: torch.softmax(x, 1), lambda x: torch.softmax(x, 0)),
    "small weights left out": (
        lambda x: torch.softmax(4 * x, 1),
        lambda x: torch.softmax(4 * x, 1) * (torch.softmax(4 * x, 1) > 0.01),
    ),
    "another epsilon": (lambda x: _normed(x, 1e-5), lambda x: _normed(x, 1e-6)),
    "a term in bfloat16": (lambda x: x @ x.T, lambda x: x @ x.T + (x[:, :1].bfloat16() - x[:, :1]) * x[:, 0]),
    "one tile": (torch.tanh, lambda x: torch.cat([torch.tanh(x[:63]), torch.tanh(x[63:]) * 1.001])),
}


@pytest.mark.parametrize("made_up", [False, True])
@pytest.mark.parametrize("name", WRONG)
def test_another_function_is_wrong_on_inputs_of_the_problem_and_on_others(name: str, made_up: bool) -> None:
    torch.manual_seed(1)
    call, other = WRONG[name]
    x = torch.randn(64, 256)
    assert _found(other(x), _expected(call, x, made_up=made_up)).wrong


def test_where_the_reference_has_no_number_on_made_up_inputs_any_result_will_do() -> None:
    x = torch.linspace(-4, 4, 512)
    got = torch.where(x < 0, 0.0, x.sqrt())
    assert _found(got, _expected(torch.sqrt, x)).wrong
    assert not _found(got, _expected(torch.sqrt, x, made_up=True)).wrong
    assert _found(got * 1.01, _expected(torch.sqrt, x, made_up=True)).wrong


def test_what_a_person_allows_passes_and_is_less_accurate() -> None:
    torch.manual_seed(0)
    x = torch.randn(64, 256)
    expected = _expected(torch.nn.functional.gelu, x)
    got = torch.nn.functional.gelu(x, approximate="tanh")
    assert _found(got, expected, Asked(0.0, 1e-4)).wrong
    found = _found(got, expected, Asked(0.0, 1e-3))
    assert not found.wrong and found.inexact


def test_the_row_of_accuracy_fails_a_drop_in_and_names_the_largest_error() -> None:
    gates = Gates()
    accuracy = Accuracy(gates, None)  # type: ignore[arg-type]
    accuracy.note("as given", Comparison(0, 9, error_units=0.0), "")
    assert gates.rows() == []
    for case, times in (("as given", 1.5), ("normal", 3.0), ("integers", 0.5)):
        accuracy.note(case, Comparison(0, 9, times_own=times), "")
    (row,) = gates.rows()
    assert (row.outcome, row.contract) == ("pass", "drop-in")
    assert row.message == "at most 3 times PyTorch's own error (case “normal”)"
    accuracy.note("extremes", Comparison(0, 9, times_own=40.0, inexact=2), "digits are lost")
    (row,) = gates.rows()
    assert row.outcome == "fail" and "digits are lost, 40 times PyTorch's own error (case “extremes”)" in row.message
    assert gates.first_failure() is None


@pytest.mark.parametrize(
    ("off", "words"),
    [
        (1e-6, "assert_close passes, KernelBench's 0.0001 passes"),
        (6e-5, "assert_close fails, KernelBench's 0.0001 passes"),
        (1e-2, "assert_close fails, KernelBench's 0.0001 fails"),
    ],
)
def test_a_report_says_what_other_rules_make_of_a_result(off: float, words: str) -> None:
    value = torch.linspace(-1, 1, 100)
    found = rules([value + off], [value], None)
    assert found is not None and words in rules_words(found)
    assert rules([value], [value], None) is None
    asked = rules([value], [value], Asked(1e-3, 0.0))
    assert asked is not None and "by your tolerance, values within 0 + 0.001 x |expected| pass" in rules_words(asked)
    of_a_file = rules([value], [value], Asked(1e-3, 0.0, "the workload's"))
    assert of_a_file is not None and rules_words(of_a_file).startswith("by the workload's tolerance, ")


@pytest.mark.parametrize("value", [-1.0, float("nan"), float("inf")])
def test_a_tolerance_is_a_number_of_0_or_more(value: float) -> None:
    with pytest.raises(UsageError, match="--atol cannot be"):
        checked(Job(run="r", text="", label="p.py", problem="leakyrelu", atol=value))
