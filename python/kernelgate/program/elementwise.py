"""PyTorch's elementwise modules and functions, as an expression of CUDA C++ each.

In: a name. Out: `Elementwise`. The expressions pass NaN on, as PyTorch does, and are for float32.
"""

from __future__ import annotations

from typing import NamedTuple

from kernelgate.program.from_expression.read import CLASSES


class Elementwise(NamedTuple):
    """`expression` of `v`, the element, and of the parameters, which are floats and given with their defaults."""

    expression: str
    parameters: tuple[tuple[str, float], ...] = ()


_SOFTPLUS = "v * beta > threshold ? v : log1pf(expf(v * beta)) / beta"
_FORMULAS = {
    "abs": Elementwise("fabsf(v)"),
    "celu": Elementwise("v > 0.0f ? v : alpha * expm1f(v / alpha)", (("alpha", 1.0),)),
    "cos": Elementwise("cosf(v)"),
    "elu": Elementwise("v > 0.0f ? v : alpha * expm1f(v)", (("alpha", 1.0),)),
    "exp": Elementwise("expf(v)"),
    "gelu": Elementwise("0.5f * v * (1.0f + erff(v * 0.70710678118654752f))"),
    "hardshrink": Elementwise("v >= -lambd && v <= lambd ? 0.0f : v", (("lambd", 0.5),)),
    "hardtanh": Elementwise(
        "v < min_val ? min_val : v > max_val ? max_val : v", (("min_val", -1.0), ("max_val", 1.0))
    ),
    "leaky_relu": Elementwise("v > 0.0f ? v : negative_slope * v", (("negative_slope", 0.01),)),
    "logsigmoid": Elementwise("v != v ? v : (v < 0.0f ? v : 0.0f) - log1pf(expf(-fabsf(v)))"),
    "mish": Elementwise("v * tanhf(v > 20.0f ? v : log1pf(expf(v)))"),
    "relu": Elementwise("v < 0.0f ? 0.0f : v"),
    "relu6": Elementwise("v < 0.0f ? 0.0f : v > 6.0f ? 6.0f : v"),
    "selu": Elementwise("1.0507009873554805f * (v > 0.0f ? v : 1.6732632423543772f * expm1f(v))"),
    "sigmoid": Elementwise("1.0f / (1.0f + expf(-v))"),
    "silu": Elementwise("v / (1.0f + expf(-v))"),
    "sin": Elementwise("sinf(v)"),
    "softplus": Elementwise(_SOFTPLUS, (("beta", 1.0), ("threshold", 20.0))),
    "softshrink": Elementwise("v > lambd ? v - lambd : v < -lambd ? v + lambd : v * 0.0f", (("lambd", 0.5),)),
    "softsign": Elementwise("v / (1.0f + fabsf(v))"),
    "tanh": Elementwise("tanhf(v)"),
    "tanhshrink": Elementwise("v - tanhf(v)"),
}


def elementwise(name: str) -> tuple[str, Elementwise] | None:
    """The function's name and formula, by the last part of a module's or function's name; None if it is none."""
    function = CLASSES.get(name, name)
    formula = _FORMULAS.get(function)
    return (function, formula) if formula is not None else None
