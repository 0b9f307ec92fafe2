"""What is said of a result that the reference gives with something changed, and that nothing is said of others."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from kernelgate.check.device_asserts import asserts_raise
from kernelgate.check.slips.diagnosis import digits_lost
from kernelgate.check.tolerance.numerics import Graded
from kernelgate.judge.reference.explained import Recall, explained, other_formula


class Layers(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(48, 48)
        self.norm = nn.LayerNorm(48)

    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        z = torch.relu(self.linear(x)) * 1.5 + y
        return torch.softmax(self.norm(z), dim=1)


def _layers(change: Callable[[Layers, torch.Tensor, torch.Tensor], torch.Tensor]) -> str | None:
    torch.manual_seed(0)
    module = Layers()
    x, y = torch.randn(24, 48), torch.randn(24, 48)
    with torch.no_grad():
        value = module(x, y)
        got = change(module, x, y)
    scale = torch.full_like(value, 1e-6, dtype=torch.float64)
    recall = Recall(module, [x, y], "as made", _without)
    found = explained(got, value, 0, scale, recall)
    return found.words if found is not None else None


def _without(module: nn.Module, given: object, seed: int | None = None) -> torch.Tensor:
    with torch.no_grad():
        return module(*given)  # type: ignore[misc]


def _end(m: Layers, z: torch.Tensor, dim: int = 1) -> torch.Tensor:
    return torch.softmax(m.norm(z), dim=dim)


THEY = "the values are what the reference gives "
CHANGES: dict[str, Callable[[Layers, torch.Tensor, torch.Tensor], torch.Tensor]] = {
    THEY + "without its relu": lambda m, x, y: _end(m, m.linear(x) * 1.5 + y),
    THEY + "without its mul": lambda m, x, y: _end(m, torch.relu(m.linear(x)) + y),
    THEY + "without its add": lambda m, x, y: _end(m, torch.relu(m.linear(x)) * 1.5),
    THEY + "without the bias of its matrix product": lambda m, x, y: _end(
        m, torch.relu(x @ m.linear.weight.t()) * 1.5 + y
    ),
    THEY + "without its layer normalization": lambda m, x, y: torch.softmax(
        torch.relu(m.linear(x)) * 1.5 + y, dim=1
    ),
    THEY + "without its softmax": lambda m, x, y: m.norm(torch.relu(m.linear(x)) * 1.5 + y),
    THEY + "with sub in place of add": lambda m, x, y: _end(m, torch.relu(m.linear(x)) * 1.5 - y),
    THEY + "with softmax along dimension 0 in place of 1": lambda m, x, y: _end(
        m, torch.relu(m.linear(x)) * 1.5 + y, 0
    ),
    THEY + "with linear.weight transposed": lambda m, x, y: _end(
        m, torch.relu(x @ m.linear.weight + m.linear.bias) * 1.5 + y
    ),
    THEY + "with input 1 read with sizes 0 and 1 swapped (24x48 read as 48x24)": lambda m, x, y: m(
        x.reshape(48, 24).t().contiguous(), y
    ),
    THEY + "with input 1 and input 2 exchanged": lambda m, x, y: m(y, x),
    "the values are the reference's in reverse order along the last dimension": lambda m, x, y: m(x, y).flip(1),
    "the values are the reference's shifted by 1 along dimension 0": lambda m, x, y: m(x, y).roll(1, 0),
}


@pytest.mark.parametrize("words", CHANGES)
def test_a_change_of_the_reference_is_named(words: str) -> None:
    assert _layers(CHANGES[words]) == words


NO_CHANGES: dict[str, Callable[[Layers, torch.Tensor, torch.Tensor], torch.Tensor]] = {
    "random numbers": lambda m, x, y: torch.rand(24, 48),
    "bfloat16": lambda m, x, y: m.bfloat16()(x.bfloat16(), y.bfloat16()).float(),
    "two mistakes": lambda m, x, y: _end(m, F.gelu(m.linear(x)) - y),
    "a part wrong": lambda m, x, y: torch.cat([m(x, y)[:12], m(x, y)[12:].flip(1)]),
    "all equal": lambda m, x, y: torch.full((24, 48), 1 / 48),
    "an approximation": lambda m, x, y: m(x, y).mul(1000).round().div(1000),
}


@pytest.mark.parametrize("name", NO_CHANGES)
def test_nothing_is_said_of_a_result_that_no_change_gives(name: str) -> None:
    assert _layers(NO_CHANGES[name]) is None


def _single(reference: Callable[[torch.Tensor], torch.Tensor], got: torch.Tensor, x: torch.Tensor) -> str | None:
    class Model(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return reference(x)

    value = reference(x)
    scale = torch.full(value.shape, 1e-6, dtype=torch.float64) if value.is_floating_point() else None
    found = explained(got, value, 0, scale, Recall(Model(), [x], "as made", _without))
    return found.words if found is not None else None


@pytest.mark.parametrize(
    ("reference", "wrong", "words"),
    [
        (lambda x: x.cumsum(1), lambda x: x.cumsum(0), "with cumsum along dimension 0 in place of 1"),
        (lambda x: x.argmax(1), lambda x: x.argmin(1), "with argmin in place of argmax"),
        (lambda x: x.amax(1), lambda x: x.amin(1), "with amin in place of amax"),
        (lambda x: F.gelu(x) * 2, lambda x: x * 2, "without its gelu"),
        (lambda x: F.batch_norm(x, None, None, training=True), lambda x: x, "without its batch normalization"),
    ],
)
def test_an_operator_along_another_dimension_or_in_place_of_another_is_named(
    reference: Callable[[torch.Tensor], torch.Tensor], wrong: Callable[[torch.Tensor], torch.Tensor], words: str
) -> None:
    torch.manual_seed(1)
    x = torch.randn(24, 40)
    assert _single(reference, wrong(x), x) == f"the values are what the reference gives {words}"


class Of(nn.Module):
    """A function as a module."""

    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


class Scattered(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        values, places = x.topk(5, -1)
        return torch.zeros_like(x).scatter(-1, places, values.softmax(-1))


@pytest.mark.gpu
def test_a_change_that_would_abort_on_a_gpu_explains_nothing() -> None:
    module = Scattered()
    x = torch.randn(30, 64, device="cuda")  # along dimension 0, a place above 29 is out of range

    def run(module: nn.Module, given: object, _seed: int | None = None) -> torch.Tensor:
        with asserts_raise(x.device):
            return _without(module, given)

    value = module(x)
    scale = torch.full_like(value, 1e-6, dtype=torch.float64)
    assert explained(value * x.cos(), value, 0, scale, Recall(module, [x], "as made", run)) is None
    torch.cuda.synchronize()  # raises where a kernel was aborted


@pytest.mark.parametrize(
    ("reference", "formula", "words", "instead"),
    [
        (F.elu, lambda x: torch.where(x > 0, x, x.exp() - 1), "exp(x) - 1 loses digits", "expm1f"),
        (F.softplus, lambda x: (1 + x.exp()).log(), "log(1 + exp(x)) loses digits", "log1pf"),
        (F.logsigmoid, lambda x: torch.sigmoid(x).log(), "log(1 + exp(x)) loses digits", "log1pf"),
        (F.gelu, lambda x: F.gelu(x, approximate="tanh"), "GELU is computed by its tanh", "erff"),
        (
            lambda x: F.gelu(x.half()),
            lambda x: F.gelu(x.half().float(), approximate="tanh").half(),
            "GELU is computed by its tanh",
            "erff",
        ),
    ],
)
def test_another_formula_is_named_with_what_to_write_instead(
    reference: Callable[[torch.Tensor], torch.Tensor],
    formula: Callable[[torch.Tensor], torch.Tensor],
    words: str,
    instead: str,
) -> None:
    x = torch.linspace(-1.5, 8, 4001)  # where GELU itself loses no digits
    value = reference(x)
    scale = value.double().abs() * torch.finfo(value.dtype).eps * 8
    found = other_formula(formula(x), value, scale, Recall(Of(reference), [x], "as made", _without))
    assert found is not None and found.words.startswith(words) and instead in found.next_step


def test_digits_lost_near_0_are_told_from_other_errors() -> None:
    x = torch.linspace(-0.1, 0.1, 1001)
    right = Graded(torch.sinh(x), torch.sinh(x.double()), torch.sinh(x.double()).abs())
    by_exp = (x.exp() - (-x).exp()) / 2
    wrong = (by_exp.double() - right.oracle).abs() > 1e-5 * right.oracle.abs()
    assert digits_lost(by_exp, right, wrong) is not None
    bent = torch.sinh(x) * 1.001
    assert digits_lost(bent, right, torch.ones_like(wrong)) is None
