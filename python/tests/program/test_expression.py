"""An expression of PyTorch and its inputs as a program: what each kind becomes, and what is refused."""

from __future__ import annotations

import ast
import json
from pathlib import Path
from typing import Any

import pytest
import torch

from kernelgate.program import ProgramError
from kernelgate.program.expression import constructor_takes, problem_text

# src/notebook/verify reads the same.
EXAMPLES = json.loads((Path(__file__).parents[1] / "fixtures/reference_expressions.json").read_text())


def _loaded(expression: str, *inputs: str, takes: int | None = None) -> tuple[dict[str, Any], torch.nn.Module]:
    namespace: dict[str, Any] = {}
    exec(problem_text(expression, inputs, constructor_takes=takes), namespace)
    return namespace, namespace["Model"](*namespace["get_init_inputs"]())


@pytest.mark.parametrize(
    ("expression", "inputs", "init", "shape"),
    [
        ("torch.nn.GELU()", ["4x8"], [], (4, 8)),
        ("torch.nn.GELU", ["4x8"], [], (4, 8)),
        ("torch.nn.GELU(approximate='tanh')", ["4x8"], ["tanh"], (4, 8)),
        ("torch.nn.LayerNorm(32)", ["torch.randn(4, 32)"], [32], (4, 32)),
        ("nn.LayerNorm(32, bias=False)", ["4x32"], [32, 1e-5, True, False], (4, 32)),
        ("torch.nn.functional.silu", ["4x8"], [], (4, 8)),
        ("torch.add(alpha=2)", ["4x8, 4x8"], [], (4, 8)),
        ("torch.special.expit", ["torch.rand(4, 8, dtype=torch.float64) * 2 - 1"], [], (4, 8)),
        ("torch.matmul", ["4x8", "8x2"], [], (4, 2)),
        ("F.softmax(dim=0)", ["4x8"], [], (4, 8)),
        ("torch.nn.Sequential(nn.Linear(8, 3), nn.ReLU())", ["4x8"], [], (4, 3)),
        ("torch.nn.Embedding(100, 8)", ["torch.randint(0, 100, (5,))"], [100, 8], (5, 8)),
        ("torch.nn.CrossEntropyLoss()", ["torch.randn(4, 9), torch.randint(0, 9, (4,))"], [], ()),
    ],
)
def test_modules_and_functions_become_problems(
    expression: str, inputs: list[str], init: list[Any], shape: tuple[int, ...]
) -> None:
    namespace, module = _loaded(expression, *inputs)
    assert namespace["get_init_inputs"]() == init
    assert tuple(module(*namespace["get_inputs"]()).shape) == shape


def test_a_candidate_whose_constructor_takes_nothing_is_given_nothing() -> None:
    namespace, module = _loaded("torch.nn.LayerNorm(32)", "4x32", takes=0)
    assert namespace["get_init_inputs"]() == [] and module.normalized_shape == (32,)


@pytest.mark.parametrize(
    ("program", "takes"),
    [
        ("class ModelNew(nn.Module):\n  def __init__(self): pass", 0),
        ("class ModelNew(nn.Module):\n  def __init__(self, size, eps=1): pass", 2),
        ("class ModelNew(nn.Module):\n  def __init__(self, *sizes): pass", None),
        ("class ModelNew(nn.Module): pass", 0),
        ("class ModelNew(nn.LayerNorm): pass", None),
        ("ModelNew = Other", None),
    ],
)
def test_what_a_constructor_takes_is_read_from_the_text(program: str, takes: int | None) -> None:
    assert constructor_takes(ast.parse(program)) == takes


def test_a_size_that_module_and_input_share_has_one_name() -> None:
    text = problem_text("torch.nn.LayerNorm(768)", ["64x768"])
    assert "size = 768" in text and "torch.randn(64, size)" in text and "return [size]" in text


@pytest.mark.parametrize(
    ("expression", "inputs", "says"),
    [
        ("torch.nn.GELU(", ["4"], "is no file and no Python expression: '(' was never closed"),
        ("import os", ["4"], "is no file and no Python expression"),
        ("GELU()", ["4"], "The reference GELU, in GELU(), is not a name of torch"),
        ("torch.sum(1)", ["4x4"], "torch.sum(1) is called without its inputs"),
        ("torch.nn.GELU()", [], "has no inputs"),
        ("torch.nn.GELU()", ["4x"], "is no file and no Python expression"),
        ("torch.nn.GELU()", ["randn(4)"], "The input randn, in randn(4), is not a name of torch"),
        ("(" * 1000, ["4"], "is no file and no Python expression"),
    ],
)
def test_what_cannot_be_read_says_what_and_what_to_write(
    expression: str, inputs: list[str], says: str
) -> None:
    with pytest.raises(ProgramError) as refused:
        problem_text(expression, inputs)
    assert says in refused.value.what and refused.value.next_step


@pytest.mark.parametrize("expression", EXAMPLES["taken"])
def test_names_of_the_tensor_library_and_calls_of_them_are_taken(expression: str) -> None:
    compile(problem_text(expression, ["4x8"]), "problem", "exec")


@pytest.mark.parametrize("expression", EXAMPLES["refused"])
def test_nothing_else_reaches_the_judge_as_a_reference_or_an_input(expression: str) -> None:
    with pytest.raises(ProgramError) as refused:
        problem_text(expression, ["4x8"])
    assert refused.value.next_step
    if expression not in EXAMPLES["values"]:
        with pytest.raises(ProgramError):
            problem_text("torch.nn.GELU()", [expression])
