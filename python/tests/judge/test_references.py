"""References as people write them: for a GPU, with prints, with packages that are not here; and what is ours to say."""

from __future__ import annotations

import pytest

from kernelgate.report import Report
from kernelgate.run import Limits

from .candidates import verify

REFERENCE = """
import torch
import torch.nn as nn
{first}
class Model(nn.Module):
    def __init__(self, features):
        super().__init__()
        {made}
        self.linear = nn.Linear(features, 16)

    def forward(self, x):
        {before}
        return self.linear(x)

def get_inputs():
    return [torch.randn(8, 24){moved}]

def get_init_inputs():
    return [24]
"""


def reference(first: str = "", made: str = "pass", before: str = "pass", moved: str = "") -> str:
    return REFERENCE.format(first=first, made=made, before=before, moved=moved)


CANDIDATE = reference().replace("Model(", "ModelNew(")


def judged(text: str, candidate: str = CANDIDATE, **options: object) -> Report:
    return verify(candidate, problem=None, reference=text, reference_label="reference.py", **options)


@pytest.mark.drawn
@pytest.mark.parametrize(
    "text",
    [
        reference(moved=".cuda()"),
        reference(moved=".to('cuda')"),
        reference(first="DEVICE = torch.device('cuda')", before="x = x.to(DEVICE) + torch.zeros(1, device='cuda')"),
        reference(made="self.cuda()", before="x = x.cuda()"),
        reference(first="print('importing')", made="print('constructing')", before="print('called', x.shape)"),
    ],
    ids=["inputs.cuda()", "inputs.to('cuda')", "forward by name", "module.cuda()", "prints"],
)
def test_a_reference_written_for_a_gpu_or_that_prints_is_understood_in_emulation(text: str) -> None:
    report = judged(text)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict


def test_a_package_that_is_not_installed_is_named_with_the_command_that_installs_it() -> None:
    report = judged(reference(first="\n\nfrom surely_not_installed.parts import thing\n"))
    assert report.verdict is not None and report.failure is not None and report.failure.where is not None
    assert report.verdict.outcome == "not run"
    assert report.verdict.sentence == "Not run: the reference needs surely_not_installed, which is not installed"
    assert "pip install surely_not_installed" in report.failure.next_step
    assert report.failure.where.line == 6


def test_a_reference_that_exits_is_no_mistake_of_ours() -> None:
    report = judged(reference(first="raise SystemExit(3)"))
    assert report.verdict is not None and report.verdict.kind == "environment"


def test_a_reference_that_needs_more_memory_than_there_is_is_not_run() -> None:
    report = judged(reference(made="self.w = nn.Parameter(torch.empty(1 << 20, 1 << 20))"))
    assert report.verdict is not None and report.verdict.outcome == "not run"
    assert report.verdict.sentence == "Not run: it needs more memory than there is"


@pytest.mark.drawn
def test_a_slow_reference_is_not_blamed_on_the_program() -> None:
    slow = reference(first="import time", before="time.sleep(1)")
    report = judged(slow, limits=Limits.of_run(4))
    assert report.verdict is not None and report.verdict.kind == "timeout"
    assert report.failure is not None and "reference" in report.failure.what.lower()


MANY = """
import torch
import torch.nn as nn

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.weights = nn.ParameterList([nn.Parameter(torch.randn(8)) for _ in range(300)])

    def forward(self, x):
        return sum(x * weight for weight in self.weights)

def get_inputs():
    return [torch.randn(4, 8)]

def get_init_inputs():
    return []
"""


@pytest.mark.drawn
def test_a_module_of_300_tensors_is_judged() -> None:
    text = MANY.replace("Model(", "ModelNew(")
    report = judged(MANY, text)
    assert report.verdict is not None and report.verdict.outcome == "pass"
    missing = judged(MANY, text.replace("in self.weights)", "in self.weights[:299])"))
    assert missing.verdict is not None and missing.verdict.outcome == "fail"


@pytest.mark.drawn
def test_a_function_that_a_constructor_makes_of_its_parts_has_their_parameters() -> None:
    made = "m = nn.Linear(features, features); self.first = m; self.apply_first = lambda x: m(x)"
    text = reference(made=made, before="x = self.apply_first(x)")
    report = judged(text, text.replace("Model(", "ModelNew("))
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict


@pytest.mark.drawn
def test_a_reference_is_judged_by_what_it_computes_whether_it_is_compiled_or_not() -> None:
    reference = (
        "import torch, torch.nn as nn\n"
        "class Model(nn.Module):\n"
        "    @torch.compile(fullgraph=True)\n"
        "    def forward(self, x): return torch.softmax(x, -1) * 2\n"
        "def get_inputs(): return [torch.randn(8, 40)]\n"
    )
    program = (
        "import torch, torch.nn as nn\n"
        "class ModelNew(nn.Module):\n"
        "    def forward(self, x): return torch.softmax(x, -1) * {}\n"
    )
    outcomes = []
    for factor in (2, 2.02):
        report = verify(program.format(factor), problem=None, reference=reference)
        assert report.verdict is not None
        outcomes.append(report.verdict.outcome)
    assert outcomes == ["pass", "fail"]
