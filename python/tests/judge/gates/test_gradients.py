"""The gradient's gate, of programs with several inputs; real processes."""

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
