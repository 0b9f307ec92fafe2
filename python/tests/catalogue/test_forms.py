"""The forms of the catalogue's programs, as `kernelgate show` prints them."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import torch
from catalogue.programs import CASES, layouts
from emulator.support import Emulation, in_worker, same_bits

from kernelgate.catalogue import benchmark_form, operators
from kernelgate.cli.main import main

pytestmark = pytest.mark.drawn

WITH_PROGRAM = [each.id for each in operators().values() if each.program_text is not None]
PROGRAM = '"""Twice."""\n\nimport torch\n\nrows = 2\n\n\nclass ModelNew(torch.nn.Module):\n    pass\n'
PROBLEM = '"""The problem.\n\nIt is made up."""\n\nimport torch, math\nfrom torch import nn\n\nsize = 3\n'


@pytest.mark.parametrize("operator", WITH_PROGRAM)
def test_the_benchmark_form_is_program_and_problem_in_one_file(
    operator: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["show", operator, "--form", "benchmark"]) == 0
    text = capsys.readouterr().out
    # As KernelBench's script loads it: a line of its own before it, no module and no file.
    found: dict[str, Any] = {}
    exec("import os\n" + text, found)
    for name, value in vars_of(operators()[operator].problem_text).items():
        assert found[name] == value
    small = dict(batch_size=3, dim=5, in_features=4, out_features=6)
    found.update({name: size for name, size in small.items() if name in found})
    arguments, inputs = found["get_init_inputs"](), found["get_inputs"]()
    torch.manual_seed(3)
    reference = found["Model"](*arguments)
    torch.manual_seed(3)
    ours = found["ModelNew"](*arguments)
    assert torch.equal(ours(*inputs), reference(*inputs))


def vars_of(text: str) -> dict[str, float]:
    """The constants of a problem."""
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(text).body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


@pytest.mark.parametrize(("operator", "lines"), [("leakyrelu", 90), ("scale_leakyrelu", 120)])
def test_the_short_form_is_short_and_gives_pytorchs_bits_with_its_gradients(
    cache: Path, operator: str, lines: int
) -> None:
    text = operators()[operator].form_text("short") or ""
    assert text.count("\n") <= lines
    case = next(each for each in CASES if each.operator == operator)

    def body(emulation: Emulation) -> list[Any]:
        found: dict[str, Any] = {"__name__": "program"}
        exec(text, found)
        wrong = []
        with emulation.active(), emulation.guarded(), torch.device("cuda"):
            module, reference = found["ModelNew"](*case.arguments(0.1)), case.reference(0.1)
            for x in layouts(torch.float32):
                ours, theirs = (x.detach().requires_grad_() for _ in range(2))
                results = module(ours), reference(theirs)
                gradients = [
                    torch.autograd.grad(result.sum(), leaf)[0]
                    for result, leaf in zip(results, (ours, theirs), strict=True)
                ]
                strides = results[0].stride() == results[1].stride()
                if not (strides and same_bits(*results) and same_bits(*gradients)):
                    wrong.append((x.shape, x.stride()))
        return [*wrong, *(fault.text for fault in emulation.overwritten())]

    assert in_worker(cache, body).result() == []


def test_the_short_form_of_the_product_is_as_near_as_float32_with_its_gradients(cache: Path) -> None:
    text = operators()["gemm_scale_leakyrelu"].form_text("short") or ""
    assert text.count("\n") <= 250

    def body(emulation: Emulation) -> list[Any]:
        found: dict[str, Any] = {"__name__": "program"}
        exec(text, found)
        wrong = []
        with emulation.active(), emulation.guarded(), torch.device("cuda"):
            for rows, k, columns in ((1, 1, 1), (3, 70, 33), (130, 64, 129), (2, 300, 7)):
                module = found["ModelNew"](k, columns, 2.0, 0.1)
                for _ in range(2):  # the split of the weight is made anew when the weight changes
                    x = torch.randn(rows, k, requires_grad=True)
                    leaves = x, module.gemm.weight, module.gemm.bias
                    expected = of_leaves(*(leaf.detach().double().requires_grad_() for leaf in leaves))
                    y = module(x)
                    actual = y, *torch.autograd.grad(y.square().sum(), leaves)
                    errors = [
                        float((a - e).norm() / e.norm()) for a, e in zip(actual, expected, strict=True)
                    ]
                    if max(errors) > 1e-6:
                        wrong.append((rows, k, columns, errors))
                    with torch.no_grad():
                        module.gemm.weight.mul_(3.0)
        return [*wrong, *(fault.text for fault in emulation.overwritten())]

    assert in_worker(cache, body).result() == []


def of_leaves(x: torch.Tensor, weight: torch.Tensor, bias: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """What the product should be, and its gradients."""
    y = torch.nn.functional.leaky_relu(torch.nn.functional.linear(x, weight, bias) * 2.0, 0.1)
    return y, *torch.autograd.grad(y.square().sum(), (x, weight, bias))


def test_program_and_problem_stand_in_the_benchmark_form_as_they_are() -> None:
    assert benchmark_form(PROGRAM, PROBLEM) == f"{PROGRAM}\n\n{PROBLEM}"


def test_a_name_that_means_two_things_is_refused() -> None:
    with pytest.raises(ValueError, match="both define rows"):
        benchmark_form(PROGRAM, PROBLEM + "rows = 4\n")


def test_a_problem_that_cannot_stand_below_a_program_is_refused() -> None:
    with pytest.raises(ValueError, match="cannot stand in one file"):
        benchmark_form(PROGRAM, "from __future__ import annotations\n" + PROBLEM)


def test_the_full_form_is_what_show_prints_without_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["show", "leakyrelu"]) == main(["show", "leakyrelu", "--form", "full"]) == 0
    text = (operators()["leakyrelu"].program_text or "").rstrip("\n") + "\n"
    assert capsys.readouterr().out == 2 * text
