"""A failing case drawn again: the very inputs of the run, and the same elements wrong, outside of the gate."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

import kernelgate
from kernelgate.notebook.sources import remember_cell
from kernelgate.report import Case, Report
from kernelgate.run import Job, UsageError, new_run_id, run

from .kernels import Kernel

pytestmark = pytest.mark.drawn

CELLS = Path(__file__).parents[1] / "fixtures" / "cells"

PROGRAM = """import torch, torch.nn as nn, torch.nn.functional as F
class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
    def forward(self, x):
        return {result}
"""

PRODUCT = """import torch.nn as nn, torch.nn.functional as F
class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier, self.negative_slope = multiplier, negative_slope
    def forward(self, x):
        return F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope) * {factor}
"""

CUDA = """%%leakyrelu_cuda --seed 7
#include <torch/extension.h>
__global__ void leaky(const float* x, float* y, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] > 0 ? x[i] : 0.011f * x[i];
}
torch::Tensor leaky_relu(torch::Tensor x, double negative_slope) {
  auto y = torch::empty_like(x);
  leaky<<<(x.numel() + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
"""


def _judged(text: str, **options: Any) -> tuple[Report, Case]:
    """A run in emulation, and the case that its failure names."""
    remember_cell("mine", text)
    options = {"problem": "leakyrelu", "device": "emulated", "examine": False, **options}
    report = run(Job(run=new_run_id(), text=text, label="program", **options))
    assert report.failure is not None and report.failure.case is not None, report.verdict
    return report, next(case for case in report.cases if case.name == report.failure.case)


def _drawn(report: Report, case: Case, **options: Any) -> Any:
    told = case.redraw
    assert told is not None
    return kernelgate.draw_case(
        case.name,
        problem=told.problem,
        seed=int(report.seed),
        sizes=told.sizes,
        dtype=report.problem.dtype,
        parameters=told.parameters,
        allow_arithmetic=told.allow_arithmetic,
        **options,
    )


@pytest.mark.parametrize(
    ("result", "options", "name"),
    [
        ("F.leaky_relu(x.bfloat16(), self.negative_slope).to(x.dtype)", {}, "as given"),
        ("F.leaky_relu(x, 0.011)", {"shape": (7, 33)}, "normal"),
        (
            "F.leaky_relu(x, 0.01).nan_to_num(0.0 if x.dtype == torch.float32 else torch.nan, torch.inf, -torch.inf)",
            {"contract": "drop-in"},
            "infinities and NaN",
        ),
        (
            "F.leaky_relu(x, 0.011 if x.dtype == torch.float16 else 0.01)",
            {"contract": "drop-in"},
            "half",
        ),
        (
            "F.leaky_relu(torch.as_strided(x, x.shape, torch.empty(x.shape).stride()), 0.01)",
            {"contract": "drop-in"},
            "channels last",
        ),
        (
            "F.leaky_relu(x, 0.011 if x.dtype == torch.float64 else 0.01)",
            {"contract": "drop-in", "dtype": "float16"},
            "double",
        ),
    ],
)
def test_the_case_that_a_failure_names_is_drawn_again_to_the_bit(
    result: str, options: dict[str, Any], name: str
) -> None:
    report, case = _judged(PROGRAM.format(result=result), **options)
    drawn = _drawn(report, case)
    (x,) = drawn.inputs()
    assert case.name == name and case.first is not None
    assert str(x.dtype) == f"torch.{case.dtype}"
    got = drawn.program("mine")(*drawn.inputs())
    wrong = drawn.wrong(got)
    assert (int(wrong.sum()), wrong.numel()) == (case.wrong, case.total)
    first = wrong.nonzero()[0].tolist()
    assert str(first) == case.first.index
    digits = {"float64": 17, "float32": 9}.get(case.dtype, 5)
    assert f"{x[tuple(first)]:.{digits}g}" == case.first.input


@pytest.mark.parametrize(
    ("factor", "name", "parameters"),
    [
        ("1.01", "as given", "own"),
        ("1.000001", "integers", "integers"),
        ("(1.01 if x.element_size() == 8 else 1)", "double", "own"),
    ],
)
def test_a_graded_case_has_the_parameters_and_the_measure_of_the_run(
    factor: str, name: str, parameters: str
) -> None:
    report, case = _judged(PRODUCT.format(factor=factor), problem="gemm_scale_leakyrelu", contract="drop-in")
    assert case.redraw is not None and (case.name, case.redraw.parameters) == (name, parameters)
    drawn = _drawn(report, case)
    with torch.no_grad():
        assert int(drawn.wrong(drawn.program("mine")(*drawn.inputs())).sum()) == case.wrong
        assert not drawn.wrong(drawn.reference(*drawn.inputs())).any()


def test_a_failure_that_is_no_wrong_value_names_no_case() -> None:
    report = run(
        Job(run=new_run_id(), text=PROGRAM.format(result="x[:1]"), label="program", problem="leakyrelu")
    )
    assert report.failure is not None
    assert report.verdict is not None and "shape" in report.verdict.sentence
    assert report.failure.case is None


def test_drawing_leaves_the_random_numbers_of_the_kernel_alone() -> None:
    remember_cell("mine", PROGRAM.format(result="x"))
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    case = kernelgate.draw_case("as given", problem="leakyrelu", seed=7, sizes={"batch_size": 2, "dim": 3})
    case.program("mine")(*case.inputs())
    assert torch.equal(torch.rand(3), expected)


def test_inputs_that_a_program_changes_are_whole_when_drawn_again() -> None:
    case = kernelgate.draw_case("as given", problem="leakyrelu", seed=7, sizes={"batch_size": 2, "dim": 3})
    before = case.inputs()[0].clone()
    case.inputs()[0].zero_()
    assert torch.equal(case.inputs()[0], before)


def test_a_result_of_another_shape_is_named_as_such() -> None:
    case = kernelgate.draw_case("as given", problem="leakyrelu", seed=7, sizes={"batch_size": 2, "dim": 3})
    with pytest.raises(ValueError, match=r"\(2,\) .*float32, and \(2, 3\) .*float32 is expected"):
        case.wrong(torch.zeros(2))


@pytest.mark.parametrize(
    ("index", "near"),
    [
        ((1, 0), [(1, 0), (1, 1), (1, 2)]),
        ((1, 5), [(1, 3), (1, 4), (1, 5)]),
        ((), [()]),
    ],
)
def test_the_neighbours_of_an_element_end_with_its_row(
    index: tuple[int, ...], near: list[tuple[int, ...]]
) -> None:
    case = kernelgate.draw_case("as given", problem="leakyrelu", seed=7, sizes={"batch_size": 2, "dim": 6})
    assert case.around(index, torch.Size([2, 6][: len(index)])) == near


@pytest.mark.parametrize(
    ("case", "options", "says"),
    [
        ("norml", {"problem": "leakyrelu", "sizes": {"dim": 6}}, "There is no case 'norml'. Did you mean normal?"),
        ("normal", {"problem": "leakyrelo"}, "There is no problem 'leakyrelo'"),
        ("normal", {"run": "kg-1"}, "The reference program of run 'kg-1' is not known in this kernel."),
        ("normal", {"problem": "leakyrelu", "sizes": {"dims": 3}}, "no integer constant dims"),
        (
            "normal",
            {"problem": "leakyrelu", "device": "tpu"},
            "No case is drawn on 'tpu'. Choose cpu or cuda.",
        ),
        ("normal", {"problem": "leakyrelu", "parameters": "mine"}, "There are no parameters 'mine'"),
    ],
)
def test_what_does_not_exist_is_reported_in_one_line(case: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(UsageError) as told:
        kernelgate.draw_case(case, seed=7, **options)
    assert says in str(told.value)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_case_of_a_gpu_is_not_drawn_without_one() -> None:
    with pytest.raises(UsageError, match="drawn on a GPU, and there is none here"):
        kernelgate.draw_case("normal", problem="leakyrelu", seed=7, device="cuda")


@pytest.mark.gpu
def test_a_case_of_a_gpu_is_drawn_again_to_the_bit() -> None:
    report, case = _judged(PROGRAM.format(result="F.leaky_relu(x, 0.011)"), device="cuda")
    drawn = _drawn(report, case, device="cuda")
    (x,) = drawn.inputs()
    assert case.first is not None and x.is_cuda
    wrong = drawn.wrong(drawn.program("mine")(x))
    assert int(wrong.sum()) == case.wrong
    assert f"{x.flatten()[int(wrong.flatten().int().argmax())]:.9g}" == case.first.input


def test_the_inserted_cell_runs_a_program_without_cuda_beside_the_reference(loaded: Kernel) -> None:
    program = PROGRAM.format(result="F.leaky_relu(x, 0.011)")
    judged = loaded.run(f"%%leakyrelu_cuda --seed 7\n{program}", cell_id="3f2a91c0").report
    assert judged["failure"]["case"] == "normal"
    case = next(each for each in judged["cases"] if each["name"] == "normal")
    shown = loaded.run((CELLS / "runs-here.txt").read_text())
    assert shown.error is None, shown.traceback
    lines = shown.text.splitlines()
    first = case["first"]
    assert lines[0].startswith(f"{case['wrong']:,} of 196,608 elements differ; the largest error is 0.00")
    assert lines[1] == f"{first['index']}: expected {first['expected']}, got {first['got']}"
    assert len(lines) == 6


def test_the_inserted_cell_shows_what_is_expected_where_the_program_needs_a_gpu(loaded: Kernel) -> None:
    judged = loaded.run(CUDA, cell_id="3f2a91c0").report
    assert (judged["device"]["kind"], judged["failure"]["case"]) == ("emulated", "normal")
    first = next(each["first"] for each in judged["cases"] if each["name"] == "normal")
    shown = loaded.run((CELLS / "needs-a-gpu.txt").read_text())
    assert shown.error is None, shown.traceback
    near = shown.text.splitlines()[2:]
    assert [line.split(":")[0] for line in near] == ["[0, 0]", "[0, 1]", "[0, 2]", "[0, 3]"]
    assert f"{first['index']}: input {first['input']}, expected {first['expected']}" in near


def test_a_reference_of_the_persons_own_is_known_by_its_run(loaded: Kernel) -> None:
    done = loaded.run(
        "import kernelgate\n"
        "from kernelgate.catalogue import operators\n"
        "text = operators()['leakyrelu'].problem_text\n"
        f"report = kernelgate.verify(source={PROGRAM.format(result='x')!r}, reference=text).report\n"
        "failed = next(each for each in report.cases if each.redraw)\n"
        "case = kernelgate.draw_case(\n"
        "    failed.name, run=report.run, seed=int(report.seed), sizes=failed.redraw.sizes\n"
        ")\n"
        "print(failed.redraw.problem, int(case.wrong(case.inputs()[0]).sum()) == failed.wrong)"
    )
    assert done.error is None, done.traceback
    assert done.text == "None True\n"
