"""Whether a problem's results go by one of its numbers, as those of a window do only if there is more than it holds.

In: a reference's text, the number, and sizes. Out: an answer, by the results with the number and with one less.
Not here: which numbers may bound which sizes (`check.sizes.search`).
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

import torch

from kernelgate.check.nesting import tensors_in
from kernelgate.check.problem import Problem
from kernelgate.check.sizes.numbers import numbers_in


def goes_by(text: str, label: str, number: str, sizes: Mapping[str, int]) -> bool | None:
    """None if the two results cannot be compared."""
    value = numbers_in(ast.parse(text))[number].value
    try:
        one, other = (_results(text, label, {**sizes, number: each}) for each in (value, value - 1))
    except Exception:  # a reference may refuse a number by any exception
        return None
    if [tensor.shape for tensor in one] != [tensor.shape for tensor in other]:
        return None
    return not all(map(torch.equal, one, other))


def _results(text: str, label: str, sizes: Mapping[str, int]) -> list[torch.Tensor]:
    problem = Problem(text, label, torch.device("cpu"), sizes)
    module = problem.model(problem.init_inputs(0), 0, torch.float32)
    return tensors_in([problem.call(module, problem.inputs(0))])
