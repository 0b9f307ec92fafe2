"""What a report says of problems and options that cannot be used as they are."""

from __future__ import annotations

import pytest

from kernelgate.cli.main import exit_status
from kernelgate.run import Limits, UsageError

from .candidates import PROGRAM, forward, verify

RIGHT = forward("return F.leaky_relu(x, s)")
PROSE = "Here is a kernel, as you asked.\nIt is fast.\n"


@pytest.mark.drawn
def test_a_reference_that_does_not_end_is_named_as_the_one_that_does_not() -> None:
    reference = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        while True: pass
def get_inputs():
    return [torch.ones(4)]
"""
    report = verify(
        RIGHT, problem=None, reference=reference, reference_label="mine.py", limits=Limits.of_run(2)
    )
    assert report.verdict is not None and report.failure is not None
    assert report.verdict.kind == "timeout"
    assert report.failure.what.startswith("The reference has not come to an end")


@pytest.mark.drawn
def test_a_reference_that_takes_the_time_is_named_and_not_the_program() -> None:
    reference = """
import time, torch
class Model(torch.nn.Module):
    def forward(self, x):
        time.sleep(0.5)
        return torch.nn.functional.leaky_relu(x, 0.01)
def get_inputs():
    return [torch.ones(4)]
"""
    report = verify(
        RIGHT, problem=None, reference=reference, reference_label="mine.py", limits=Limits.of_run(5)
    )
    assert report.verdict is not None and report.failure is not None
    assert (report.verdict.kind, report.verdict.outcome) == ("timeout", "unclear")
    assert "PyTorch's reference and the comparison" in report.verdict.sentence
    assert "reference and the comparison" in report.failure.what


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("returns", "does", "says"),
    [
        ("{'x': torch.ones(4)}", "return x", "get_inputs() returns a dict, not a list of arguments"),
        ("torch.ones(4)", "return x", "get_inputs() returns a tensor, not a list of arguments"),
        ("[torch.ones(4)]", "raise RuntimeError('boom')", "the reference raises RuntimeError: boom, line 5"),
        ("[torch.ones(4)]", "return x + self.gone", "the reference raises AttributeError: 'Model' object has no"),
        ("[]", "return 1", "the reference does not take its own inputs"),
    ],
)
def test_a_reference_that_is_wrong_has_words_of_its_own_and_no_remarks(returns: str, does: str, says: str) -> None:
    reference = f"""
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        {does}
def get_inputs():
    return {returns}
"""
    report = verify(RIGHT, problem=None, reference=reference, reference_label="mine.py")
    assert report.verdict is not None
    assert report.verdict.kind == "environment"
    assert report.verdict.sentence.startswith(f"Not run: {says}")
    assert not report.verdict.sentence.endswith(",")
    assert report.advice == []


def test_a_reference_from_the_same_answer_draws_a_warning() -> None:
    reference = f"{RIGHT}\nclass Model(nn.Module):\n    def forward(self, x):\n        return F.leaky_relu(x, 0.01)\n"
    reference += "def get_inputs():\n    return [torch.ones(4)]\n"
    report = verify(RIGHT, problem=None, reference=reference, reference_label="mine.py")
    assert any("same answer as the program" in advice.text for advice in report.advice), report.verdict
    assert not any("same answer" in advice.text for advice in verify(RIGHT).advice)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"problem": "leakyrelo"}, "There is no problem 'leakyrelo'."),
        (
            {"problem": "mine.py"},
            "There is no problem 'mine.py'. Give a reference of your own as --reference mine.py",
        ),
        ({"problem": None}, "No problem is named."),
        ({"reference": "x"}, "Two problems are named."),
        ({"device": "tpu"}, "There is no device 'tpu'."),
        ({"dtype": "int8"}, "There is no dtype 'int8'."),
        ({"contract": "both"}, "There is no contract 'both'."),
        ({"arch": "sm_8"}, "There is no architecture 'sm_8'."),
        ({"seed": -1}, "-1 is no seed."),
        ({"shape": (4,)}, "LeakyReLU has 2 sizes, not 1."),
        ({"sizes": {"dim": 0}}, "dim cannot be 0."),
    ],
)
def test_what_cannot_be_asked_is_refused_before_anything_runs(options: dict[str, object], says: str) -> None:
    with pytest.raises(UsageError) as refused:
        verify(PROGRAM, **options)
    assert str(refused.value).startswith(says)
    assert refused.value.next_step


@pytest.mark.parametrize(
    ("options", "sentence", "next_step"),
    [
        (
            {"sizes": {"width": 4}},
            "Not run: problem.py has no integer constant width",
            "Set one of its integers: batch_size, dim",
        ),
        (
            {"shape": (1 << 30, 1 << 30)},
            "Not run: problem.py does not fit into memory at these sizes",
            "Ask for smaller ones with --shape or --set",
        ),
        (
            {"problem": None, "reference": PROSE, "reference_label": "mine.py"},
            "Not run: mine.py is not valid Python: invalid syntax",
            "Correct the reference program",
        ),
        (
            {"problem": None, "reference": RIGHT, "reference_label": "mine.py"},
            "Not run: mine.py defines no Model",
            "Give a reference in the KernelBench form: Model, get_inputs() and get_init_inputs()",
        ),
        (
            {"device": "cuda:77"},
            "Not run: there is no device cuda:77",
            "Choose --device emulated to check without a GPU, or a kernel that has one",
        ),
    ],
)
def test_a_problem_that_cannot_be_posed_says_what_to_change(
    options: dict[str, object], sentence: str, next_step: str
) -> None:
    report = verify(RIGHT, **options)
    assert report.verdict is not None and report.failure is not None
    assert (report.verdict.sentence, exit_status(report)) == (sentence, 2)
    assert report.failure.next_step == next_step


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            'ValueError("no fourth one")',
            "Not run: the reference raised ValueError while constructing Model: no fourth one",
        ),
        # Judged at a smaller size instead, where this one has memory enough.
        ('RuntimeError("not enough memory: you tried to allocate 1 TB")', "Correct in emulation"),
    ],
)
def test_a_reference_that_fails_after_it_has_been_used_is_no_mistake_of_ours(
    error: str, sentence: str
) -> None:
    reference = f"""
import torch
class Model(torch.nn.Module):
    made = 0
    def __init__(self):
        super().__init__()
        self.bias = torch.nn.Parameter(torch.zeros(8))
        Model.made += 1
        if Model.made == 4:
            raise {error}
    def forward(self, x):
        return torch.nn.functional.leaky_relu(x + self.bias, 0.01)
def get_inputs():
    return [torch.randn(4, 8)]
"""
    candidate = reference.partition("def get_inputs")[0].replace("Model", "ModelNew").replace("== 4", "== 0")
    report = verify(candidate, problem=None, reference=reference, reference_label="mine.py")
    assert report.verdict is not None
    assert report.verdict.sentence.startswith(sentence)
