"""The gradient's gate, of programs with several inputs and of activations; real processes."""

from __future__ import annotations

import pytest

from judge.candidates import verify

PRODUCT = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def forward(self, x, y):
        return x * y.sin()

def get_inputs():
    return [torch.randn(6, 20), torch.randn(6, 20)]

def get_init_inputs():
    return []
"""
PRODUCT_WITH_A_BACKWARD = """
import torch
import torch.nn as nn

class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y.sin()

    @staticmethod
    def backward(ctx, upstream):
        x, y = ctx.saved_tensors
        first = upstream * y.sin() if ctx.needs_input_grad[0] else None
        return first, upstream * x * y.cos() if ctx.needs_input_grad[ASKED] else None

class ModelNew(nn.Module):
    def forward(self, x, y):
        return Product.apply(x, y)
"""


@pytest.mark.parametrize(("asked", "how"), [("1", "as autograd's"), ("0", "one input alone wants it")])
def test_a_gradient_is_asked_for_where_one_of_two_inputs_wants_it(asked: str, how: str) -> None:
    text = PRODUCT_WITH_A_BACKWARD.replace("ASKED", asked)
    report = verify(text, problem=None, reference=PRODUCT)
    (found,) = [gate for gate in report.gates if gate.name == "gradient"]
    assert found.outcome == ("pass" if asked == "1" else "fail")
    assert how in found.message


RELU6 = """
import torch

class Model(torch.nn.ReLU6):
    pass

def get_inputs():
    return [torch.randn(33, 65)]

def get_init_inputs():
    return []
"""
RELU6_WITH_A_BACKWARD = """
import torch
import torch.nn as nn

class Relu6(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.clamp(0, 6)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return torch.where(CONDITION, upstream, 0 * upstream)

class ModelNew(nn.Module):
    def forward(self, x):
        return Relu6.apply(x)
"""


@pytest.mark.parametrize(("condition", "outcome"), [("(x > 0) & (x < 6)", "pass"), ("x > 0", "fail")])
def test_a_gradient_is_asked_for_where_an_activation_bends_far_from_0(condition: str, outcome: str) -> None:
    text = RELU6_WITH_A_BACKWARD.replace("CONDITION", condition)
    report = verify(text, problem=None, reference=RELU6)
    (found,) = [gate for gate in report.gates if gate.name == "gradient"]
    assert found.outcome == outcome
    assert outcome == "pass" or "eight times as large" in found.message
