"""Every gate catches a program that breaks it, and nothing else; real processes."""

from __future__ import annotations

import re

import pytest

from judge.candidates import RIGHT_CUDA, cuda_program, forward, verify
from kernelgate.catalogue import operators
from kernelgate.judge.gates import gate_words
from kernelgate.report import Gate, Report

pytestmark = pytest.mark.drawn

HONEST = forward("return F.leaky_relu(x, s)")

LINEAR = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x):
{body}
"""
RIGHT_LINEAR = "return F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)"


WRONG_GRADIENT = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class Leaky(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, slope):
        ctx.save_for_backward(x)
        return F.leaky_relu(x, slope)

    @staticmethod
    def backward(ctx, upstream):
        (x,) = ctx.saved_tensors
        return torch.where(x > 0, upstream, torch.zeros_like(upstream)), None

class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return Leaky.apply(x, self.negative_slope)
"""


def linear(body: str) -> str:
    return LINEAR.format(body="\n".join(f"        {line}" for line in body.splitlines()))


def gate(report: Report, name: str) -> Gate:
    found = [gate for gate in report.gates if gate.name == name]
    assert found, [gate.name for gate in report.gates]
    return found[0]


@pytest.mark.parametrize(
    ("name", "text", "problem"),
    [
        ("input untouched", forward("return F.leaky_relu_(x, s)"), "leakyrelu"),
        (
            "same result three times",
            forward(
                "self.calls = getattr(self, 'calls', 0) + 1\n"
                "return F.leaky_relu(x, s) if self.calls % 3 else F.leaky_relu(x, s) + 1"
            ),
            "leakyrelu",
        ),
        (
            "no cache by address",
            forward(
                "key = (x.data_ptr(), x._version)\n"
                "if getattr(self, 'key', None) != key:\n"
                "    self.key, self.kept, self.x = key, F.leaky_relu(x, s), x\n"
                "return self.kept.clone()"
            ),
            "leakyrelu",
        ),
        (
            "parameters take effect",
            linear(
                "if not hasattr(self, 'w'):\n    self.w = self.gemm.weight.detach().clone()\n"
                "return F.leaky_relu(F.linear(x, self.w, self.gemm.bias) * self.multiplier, self.negative_slope)"
            ),
            "gemm_scale_leakyrelu",
        ),
        (
            "finished with the stream",
            forward(
                "import threading, time\ny = F.leaky_relu(x, s)\n"
                "threading.Thread(target=time.sleep, args=(1,)).start()\nreturn y"
            ),
            "leakyrelu",
        ),
        (
            "no global state changed",
            "import torch\ntorch.backends.cuda.matmul.allow_tf32 = True\n" + HONEST,
            "leakyrelu",
        ),
    ],
)
def test_a_program_that_breaks_a_gate_of_the_problem_fails_by_it(name: str, text: str, problem: str) -> None:
    report = verify(text, problem=problem)
    assert report.verdict is not None
    assert report.verdict.outcome == "fail", report.verdict.sentence
    if name == "same result three times":  # the cases see every third call, too
        return
    assert gate(report, name).outcome == "fail"
    assert report.failure is not None and gate_words(gate(report, name)) in report.verdict.sentence


def test_a_module_that_cannot_be_made_again_fails_by_what_it_raises() -> None:
    made_once = HONEST.replace("class ModelNew", "MADE = []\n\nclass ModelNew").replace(
        "        self.negative_slope =",
        "        assert not MADE, 'made twice'\n        MADE.append(1)\n        self.negative_slope =",
    )
    report = verify(made_once)
    assert report.verdict is not None and report.verdict.outcome == "fail", report.verdict
    assert report.verdict.sentence == "Does not run: AssertionError while constructing ModelNew: made twice"


def test_a_module_that_starts_from_other_weights_is_no_drop_in() -> None:
    other = linear(RIGHT_LINEAR).replace(
        "        self.multiplier =", "        nn.init.normal_(self.gemm.weight)\n        self.multiplier ="
    )
    for text, outcome in ((linear(RIGHT_LINEAR), "pass"), (other, "fail")):
        report = verify(text, problem="gemm_scale_leakyrelu")
        assert report.verdict is not None and report.verdict.outcome == "pass"
        assert gate(report, "starting weights").outcome == outcome
        assert ("it starts from other weights" in report.verdict.obstacle) == (outcome == "fail")


@pytest.mark.parametrize(
    ("name", "outcome", "text"),
    [
        ("constructor arguments", "fail", forward("return F.leaky_relu(x, 0.01)")),
        (
            "constructor arguments",
            "unsupported",
            HONEST.replace("negative_slope: float = 0.01", "").replace("= negative_slope", "= 0.01"),
        ),
        ("layout as the reference", "fail", forward("return F.leaky_relu(x, s).contiguous()")),
        ("gradient", "unsupported", forward("return F.leaky_relu(x.detach(), s)")),
        ("gradient", "fail", WRONG_GRADIENT),
        (
            "autocast",
            "fail",
            forward("y = F.leaky_relu(x, s)\nreturn y.half() if torch.is_autocast_enabled('cuda') else y"),
        ),
        (
            "deepcopy and pickle",
            "unsupported",
            HONEST.replace(
                "super().__init__()",
                "super().__init__()\n        self.lazy = lambda: None\n        self.m = torch",
            ),
        ),
        ("train and eval", "fail", forward("return F.leaky_relu(x, s) if self.training else x")),
    ],
)
def test_a_program_that_breaks_a_gate_of_the_drop_in_is_correct_but_no_drop_in(
    name: str, outcome: str, text: str
) -> None:
    report = verify(text)
    assert report.verdict is not None
    assert report.verdict.outcome == "pass", report.verdict.sentence
    assert report.verdict.sentence.startswith("Correct for this problem; not a drop-in: ")
    assert gate(report, name).outcome == outcome
    assert verify(text, contract="drop-in").verdict.outcome == "fail"  # type: ignore[union-attr]


@pytest.mark.parametrize("operator", sorted(operators()))
def test_our_own_program_is_a_drop_in(operator: str) -> None:
    entry = operators()[operator]
    assert entry.program_text is not None
    report = verify(entry.program_text, problem=operator, contract="drop-in", examine=False)
    assert report.verdict is not None
    assert report.verdict.outcome == "pass", report.verdict.sentence


def test_honest_programs_hold_every_gate_that_can_be_tried_here() -> None:
    for text, problem in ((HONEST, "leakyrelu"), (linear(RIGHT_LINEAR), "gemm_scale_leakyrelu")):
        report = verify(text, problem=problem, contract="drop-in")
        assert report.verdict is not None
        assert report.verdict.outcome == "pass", report.verdict.sentence
        assert {g.outcome for g in report.gates} <= {"pass", "not run"}
        assert all(g.message == "needs a GPU" for g in report.gates if g.outcome == "not run")
        # What was seen, and how often, rather than a word.
        assert all(g.message for g in report.gates if g.outcome == "pass")
        assert re.fullmatch(r"in \d\d cases", gate(report, "input untouched").message)
        assert gate(report, "gradient").message.endswith(", and in float64")
    assert gate(report, "parameters untouched").message.startswith("2 parameters compared")


def test_the_check_catches_every_known_wrong_result_that_exists_for_a_problem() -> None:
    for text, problem, total in (
        (HONEST, "leakyrelu", 9),
        (linear(RIGHT_LINEAR), "gemm_scale_leakyrelu", 10),
    ):
        power = verify(text, problem=problem).power
        assert power is not None
        assert (power.caught, power.total, power.slipped) == (total, total, [])


@pytest.mark.parametrize(
    ("body", "grade"),
    [
        (RIGHT_LINEAR, "fp32"),
        (
            "w = self.gemm.weight\nxh, wh = x.bfloat16().float(), w.bfloat16().float()\n"
            "xl, wl = (x - xh).bfloat16().float(), (w - wh).bfloat16().float()\n"
            "finite = xh.isfinite()\nxl, xf = (torch.where(finite, v, torch.zeros_like(v)) for v in (xl, xh))\n"
            "y = xh @ wh.T + xl @ wh.T + xf @ wl.T + self.gemm.bias\n"
            "return F.leaky_relu(y * self.multiplier, self.negative_slope)",
            "split",
        ),
    ],
)
def test_a_product_in_fp32_or_in_split_parts_passes_and_is_named(body: str, grade: str) -> None:
    report = verify(linear(body), problem="gemm_scale_leakyrelu")
    assert report.verdict is not None
    assert (report.verdict.outcome, report.arithmetic) == ("pass", grade), report.verdict.sentence
    if grade == "split":
        assert named_on_the_axis(report) == grade
    else:
        assert report.precision is None, "it is equal to PyTorch's own result, bit for bit"


def named_on_the_axis(report: Report) -> str:
    """The arithmetic in whose part of the axis the error of a report lies. Every bound is on it."""
    axis = report.precision
    assert axis is not None
    assert [bound.name for bound in axis.bounds] == ["fp32", "split", "TF32 or FP16", "BF16"]
    assert axis.reference_units <= axis.bounds[0].units
    assert report.verdict is not None
    assert (report.verdict.outcome == "pass") == (axis.units <= axis.passes_units)
    return next(bound.name for bound in axis.bounds if axis.units <= bound.units)


@pytest.mark.parametrize(("dtype", "grade"), [("float16", "TF32 or FP16"), ("bfloat16", "BF16")])
def test_a_product_in_coarser_arithmetic_fails_unless_it_is_allowed(dtype: str, grade: str) -> None:
    text = linear(
        f"y = (x.{'half' if dtype == 'float16' else dtype}().double() "
        f"@ self.gemm.weight.{'half' if dtype == 'float16' else dtype}().double().T).float() + self.gemm.bias\n"
        "return F.leaky_relu(y * self.multiplier, self.negative_slope)"
    )
    report = verify(text, problem="gemm_scale_leakyrelu")
    assert report.verdict is not None
    assert report.verdict.outcome == "fail"
    assert report.verdict.sentence.startswith(f"Wrong result: computed in {grade}: ")
    assert named_on_the_axis(report) == grade
    assert report.error_map is not None
    assert report.error_map.case == "as given"
    allowed = "fp16" if dtype == "float16" else "bf16"
    report = verify(text, problem="gemm_scale_leakyrelu", allow_arithmetic=allowed)
    assert report.verdict is not None
    assert (report.verdict.outcome, report.arithmetic) == ("pass", grade), report.verdict.sentence
    assert named_on_the_axis(report) == grade
    assert report.error_map is None or report.error_map.case not in ("as given", "normal")


def test_a_report_says_which_operators_of_pytorch_did_the_work() -> None:
    assert verify(forward("return torch.where(x > 0, x, x * s)")).candidate.operators == [
        "aten.gt.Scalar",
        "aten.mul.Tensor",
        "aten.where.self",
    ]
    assert verify(cuda_program(RIGHT_CUDA)).candidate.operators == ["aten.empty_like.default"]


# --- on a GPU -------------------------------------------------------------------------------------------------------
