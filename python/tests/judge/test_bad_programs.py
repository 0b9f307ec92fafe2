"""What a report says of programs that cannot be judged as they are: what happened, where, and one next step."""

from __future__ import annotations

import pytest

from kernelgate.cli.main import exit_status
from kernelgate.report.text import as_text
from kernelgate.run import Limits

from .candidates import forward, verify

RIGHT = forward("return F.leaky_relu(x, s)")
PROSE = "Here is a kernel, as you asked.\nIt is fast.\n"
NO_MODEL_NEW = RIGHT.replace("ModelNew", "Fast")
CUDNN = """
import torch.nn as nn
from torch.utils.cpp_extension import load_inline
SOURCE = r'''
#include <cudnn.h>
void f() { cudnnHandle_t handle; cudnnCreate(&handle); }
'''
ext = load_inline(name="needs_cudnn", cpp_sources="", cuda_sources=SOURCE, functions=[])
class ModelNew(nn.Module):
    pass
"""
FAILED_CHECK = """
import torch.nn as nn
from torch.utils.cpp_extension import load_inline
SOURCE = r'''
#include <torch/extension.h>
torch::Tensor f(torch::Tensor x) {
  TORCH_CHECK(x.dim() == 9, "x has too few dimensions");
  return x;
}
'''
DECLARED = "torch::Tensor f(torch::Tensor x);"
ext = load_inline(name="checks", cpp_sources=DECLARED, cuda_sources=SOURCE, functions=["f"])
class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
    def forward(self, x):
        return ext.f(x)
"""
NOT_COMPILED = FAILED_CHECK.replace("return x;", "return missing;")
OF_FILES = """
import torch
from torch.utils.cpp_extension import load

ext = load(
    name="m",
    sources=["kernels/scan.cpp", "kernels/scan.cu"],
)

class ModelNew(torch.nn.Module):
    def forward(self, x):
        return ext.f(x)
"""
FAULTS = {
    "builds files that are not there": (
        OF_FILES,
        (
            "build",
            "Does not run: there is no file scan.cpp",
            5,
            "Put the source into the program as a text, and build it by load_inline",
        ),
    ),
    "raises": (
        forward("raise ValueError('boom')"),
        (
            "wrong",
            'Raises ValueError while calling ModelNew on case "as given": boom',
            13,
            "Correct this line",
        ),
    ),
    "raises what cannot be printed": (
        forward("class Odd(Exception):\n    def __str__(self):\n        raise self\nraise Odd"),
        ("wrong", 'Raises Odd while calling ModelNew on case "as given"', 16, "Correct this line"),
    ),
    "never ends its calls": (
        forward("return self.forward(x)"),
        ("wrong", "Raises RecursionError while calling", 13, "End the recursion"),
    ),
    "leaves by sys.exit": (
        forward("import sys\nsys.exit(0)"),
        (
            "wrong",
            'Raises SystemExit while calling ModelNew on case "as given": 0',
            14,
            "Remove the call that exits",
        ),
    ),
    "leaves at import": (
        f"import sys\nsys.exit()\n{RIGHT}",
        ("build", "Does not run: the program ended its process", 2, "Remove the call that exits"),
    ),
    "leaves by os._exit": (
        forward("import os\nos._exit(0)"),
        ("fault", "Ended its process while calling ModelNew", None, "Remove the call that exits: os._exit"),
    ),
    "aborts": (
        forward("import os\nos.abort()"),
        (
            "fault",
            'Crashed while calling ModelNew on case "as given": an abort in native code',
            None,
            "Look for abort(), a false assert",
        ),
    ),
    "returns a tensor on another device": (
        forward("return F.leaky_relu(x, s).to('meta')"),
        (
            "wrong",
            "Wrong result: ModelNew returns a tensor on meta instead of a tensor",
            None,
            "Return one tensor, dense and on the device of the input",
        ),
    ),
    "returns what it copied to the CPU": (
        forward("return F.leaky_relu(x, s).cpu()"),
        (
            "wrong",
            "Wrong result: ModelNew returns a tensor on cpu instead of a tensor",
            13,
            "Return the tensor itself, without .cpu()",
        ),
    ),
    "forgets .cuda()": (
        forward("return F.leaky_relu(x * torch.ones(3072), s)"),
        (
            "wrong",
            'Raises RuntimeError while calling ModelNew on case "as given": Expected all tensors to be on the same '
            "device, but found at least two devices, cuda:0 and cpu!",
            13,
            "Bring it to the device of the input: x.cuda(), or make it with device=input.device",
        ),
    ),
    "keeps a tensor that is no buffer": (
        RIGHT.replace("super().__init__()", "super().__init__()\n        self.ones = torch.ones(3072)").replace(
            "return F.leaky_relu(x", "return F.leaky_relu(x * self.ones"
        ),
        ("wrong", "Raises RuntimeError while calling ModelNew", 14, "Bring it to the device of the input"),
    ),
    "returns another layout": (
        forward("return F.leaky_relu(x, s).to_sparse()"),
        (
            "wrong",
            "Wrong result: ModelNew returns a tensor of layout sparse_coo instead",
            None,
            "Return one tensor, dense",
        ),
    ),
    "returns nothing": (
        forward("return None"),
        ("wrong", "Wrong result: ModelNew returns None instead of a tensor", None, "Return one tensor"),
    ),
    "returns another dtype": (
        forward("return F.leaky_relu(x, s).half()"),
        (
            "wrong",
            "Wrong result: the result is float16 instead of float32",
            13,
            "Return the result in float32",
        ),
    ),
    "returns another shape": (
        forward("return F.leaky_relu(x, s)[:1]"),
        (
            "wrong",
            "Wrong result: the result has shape 1x3072 instead of 64x3072",
            None,
            "Return the result in the shape 64x3072",
        ),
    ),
    "works in place": (
        forward("return F.leaky_relu_(x, s)"),
        ("wrong", "Wrong result: it changes its input in place", None, "Write the result to a tensor"),
    ),
    "returns wrong values": (
        forward("return x"),
        ("wrong", "Wrong result: negative inputs are returned unchanged", None, "Fix the program for"),
    ),
    "constructor with other parameters": (
        RIGHT.replace("negative_slope: float = 0.01", "slope, size"),
        (
            "build",
            "Does not run: TypeError while constructing ModelNew",
            7,
            "Give ModelNew the constructor of Model",
        ),
    ),
    "constructor raises": (
        RIGHT.replace("super().__init__()", "raise ValueError('no')"),
        ("build", "Does not run: ValueError while constructing ModelNew: no", 8, "Correct this line"),
    ),
    "no module": (
        "class ModelNew:\n    pass",
        (
            "build",
            "Does not run: TypeError while constructing ModelNew: ModelNew() gives ModelNew",
            1,
            "Derive it",
        ),
    ),
    "not Python": (
        PROSE,
        ("read", "Cannot be read: not valid Python: invalid syntax", 1, "Correct this line"),
    ),
    "no ModelNew": (
        NO_MODEL_NEW,
        (
            "read",
            "Cannot be read: the program defines Fast, but no ModelNew",
            6,
            "Add ModelNew = Fast below it",
        ),
    ),
    "empty": (
        "",
        ("read", "Cannot be read: there is no program: the text is empty", None, "Define class ModelNew"),
    ),
    "imports what is not there": (
        f"import no_such_package_here\n{RIGHT}",
        ("environment", "Not run: the package no_such_package_here is not installed", 1, "Replace the import"),
    ),
}


@pytest.mark.drawn
@pytest.mark.parametrize(("text", "wanted"), FAULTS.values(), ids=FAULTS.keys())
def test_a_bad_program_gets_what_where_and_what_to_do(
    text: str, wanted: tuple[str, str, int | None, str]
) -> None:
    kind, sentence, line, next_step = wanted
    report = verify(text)
    assert report.verdict is not None and report.failure is not None
    assert (exit_status(report), report.verdict.kind) == (2 if kind == "environment" else 1, kind)
    assert report.verdict.sentence.replace("“", '"').replace("”", '"').startswith(sentence)
    assert report.failure.where is not None
    assert (report.failure.where.label, report.failure.where.line) == ("program.py", line)
    assert report.failure.next_step.startswith(next_step)
    shown = as_text(report)
    assert "Traceback" not in shown and "WHERE" in shown and ("NEXT" in shown or "FIX" in shown)


def test_a_wrong_result_shows_the_cases_that_were_not_run_and_the_stage_that_failed() -> None:
    report = verify(forward("return x"), seed=7)
    outcomes = [case.outcome for case in report.cases]
    assert outcomes[:2] == ["pass", "fail"] and set(outcomes[2:]) == {"not run"}
    assert [(stage.name, stage.state) for stage in report.stages] == [
        ("build", "passed"),
        ("check", "failed"),
    ]
    right = verify(RIGHT, seed=7)
    assert [(case.name, case.shape, case.dtype, case.layout) for case in report.cases] == [
        (case.name, case.shape, case.dtype, case.layout)
        for case in right.cases
        if case.name != "another size"  # drawn only for a program that is right so far
    ]


def test_a_first_case_that_goes_wrong_is_a_failed_check_of_a_program_that_built() -> None:
    for body in ("return x, x", "raise ValueError('boom')", "import os\nos._exit(0)"):
        report = verify(forward(body))
        outcomes = [case.outcome for case in report.cases]
        assert outcomes[0] == "fail" and set(outcomes[1:]) == {"not run"}, body
        assert [stage.state for stage in report.stages] == ["passed", "failed"], body


@pytest.mark.drawn
def test_a_stage_that_was_cut_off_has_stopped_and_one_that_cannot_be_run_here_was_not_run() -> None:
    slow = forward("import time\nif (x < 0).all():\n    time.sleep(60)\nreturn F.leaky_relu(x, s)")
    stopped = verify(slow, limits=Limits(run_s=8))
    assert [stage.state for stage in stopped.stages] == ["passed", "stopped"]
    outcomes = [case.outcome for case in stopped.cases]
    assert outcomes[:2] == ["pass"] * 2 and set(outcomes[2:]) == {"not run"}
    assert [stage.state for stage in verify(CUDNN).stages] == ["not run", "not run"]


def test_a_program_that_cannot_be_read_has_come_to_no_device() -> None:
    assert verify(PROSE).device.name == "no device"


@pytest.mark.drawn
def test_a_program_that_eats_memory_is_ended_at_the_limit() -> None:
    text = forward("kept = []\nwhile True:\n    kept.append(bytearray(100_000_000))")
    report = verify(text, limits=Limits(memory_bytes=2_000_000_000))
    assert report.verdict is not None and report.failure is not None
    assert (report.verdict.kind, exit_status(report)) == ("fault", 1)
    assert report.verdict.sentence.startswith("Took too much memory while calling ModelNew")
    assert "of 2.0 GB allowed" in report.failure.what


def test_a_loop_at_import_ends_at_the_limit_of_the_run_as_a_timeout() -> None:
    report = verify(f"while True: pass\n{RIGHT}", limits=Limits.of_run(3))
    assert report.verdict is not None and report.failure is not None
    assert (report.verdict.kind, exit_status(report)) == ("timeout", 3)
    assert report.verdict.sentence == "Timed out after 3 s while importing the program"
    assert "--timeout" in report.failure.next_step


def test_compiling_with_pytorch_is_not_run_in_emulation() -> None:
    text = forward("return torch.compile(F.leaky_relu)(x, s)")
    report = verify(text)
    assert report.verdict is not None and report.failure is not None and report.failure.where is not None
    assert (report.verdict.kind, report.verdict.outcome) == ("refused", "not run")
    assert report.failure.where.line is not None
    assert "torch.compile(" in text.splitlines()[report.failure.where.line - 1]


@pytest.mark.drawn
def test_a_program_that_forks_answers_once_and_is_seen_to_leave_a_process_behind() -> None:
    report = verify(forward("import os\nos.fork()\nreturn F.leaky_relu(x, s)"), contract="drop-in")
    assert report.verdict is not None and report.failure is not None
    assert report.verdict.sentence == "Wrong result: its work is not finished when the caller's stream is"
    assert "a child process" in report.failure.what


def test_what_emulation_does_not_cover_is_no_verdict_and_names_the_line() -> None:
    report = verify(CUDNN)
    assert report.verdict is not None and report.failure is not None and report.failure.where is not None
    assert (report.verdict.kind, exit_status(report)) == ("refused", 2)
    assert report.verdict.sentence == "Not run: emulation does not cover cuDNN"
    assert report.failure.where.line == 6
    assert report.failure.next_step == "Run it on a kernel with a GPU"


def test_an_operator_that_pytorch_has_for_gpus_only_is_no_mistake_of_a_program_in_emulation() -> None:
    text = forward("h = x.half()\ntorch.mm(h[:1], h[:1].t(), out_dtype=torch.float32)\nreturn F.leaky_relu(x, s)")
    report = verify(text)
    assert report.verdict is not None and report.failure is not None and report.failure.where is not None
    assert (report.verdict.kind, exit_status(report)) == ("refused", 2)
    assert report.verdict.sentence == (
        "Not run: emulation does not cover PyTorch's operator mm.dtype, which has no form for the CPU"
    )
    assert "torch.mm" in text.splitlines()[report.failure.where.line - 1]


@pytest.mark.drawn
def test_a_check_that_fails_in_cpp_is_shown_at_its_own_line() -> None:
    report = verify(FAILED_CHECK)
    assert report.failure is not None and report.failure.where is not None
    assert "x has too few dimensions" in report.failure.what
    assert "TORCH_CHECK" in FAILED_CHECK.splitlines()[report.failure.where.line - 1]
    assert "Meet the condition on this line" in report.failure.next_step


def test_a_text_of_100_mb_is_refused_without_being_read() -> None:
    report = verify("# " + "x" * 100_000_000)
    assert report.verdict is not None and report.failure is not None
    assert (report.verdict.kind, exit_status(report)) == ("read", 1)
    assert report.failure.what == "The program has 100,000,002 characters; at most 1,000,000 are read"
