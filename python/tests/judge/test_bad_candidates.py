"""A candidate that misbehaves costs its own run only, and the report says what it did."""

from __future__ import annotations

import pytest

from kernelgate.cli.main import exit_status
from kernelgate.run import Limits

from .candidates import RIGHT_CUDA, cuda_program, forward, verify


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("body", "status", "kind", "words"),
    [
        ("import os\nos._exit(3)", 1, "fault", "Ended its process"),
        ("import ctypes\nctypes.string_at(0)", 1, "fault", "null pointer"),
        ("while True:\n    pass", 3, "timeout", "Timed out after 3 s"),
        ("raise ValueError('boom')", 1, "wrong", "boom"),
        ("print('x' * 5_000_000)\nreturn F.leaky_relu(x, s)", 0, "pass", "Correct"),
    ],
)
def test_a_bad_candidate_ends_its_own_run_and_the_next_one_works(
    body: str, status: int, kind: str, words: str
) -> None:
    report = verify(forward(body), limits=Limits(build_s=4, call_s=3))
    assert report.verdict is not None
    assert (exit_status(report), report.verdict.kind) == (status, kind)
    assert words in report.verdict.sentence
    assert len(report.output) <= 20000

    after = verify(forward("return F.leaky_relu(x, s)"))
    assert after.verdict is not None and after.verdict.outcome == "pass"


@pytest.mark.drawn
def test_what_pytorch_cannot_ask_in_a_confined_process_is_not_in_the_programs_output() -> None:
    says = "import warnings\nfor words in ('Can\\'t initialize NVML', 'of its own'):\n    warnings.warn(words)"
    report = verify(forward(f"{says}\nreturn F.leaky_relu(x, s)"))
    assert "of its own" in report.output and "NVML" not in report.output


@pytest.mark.drawn
def test_a_result_computed_from_shared_memory_that_nobody_wrote_is_not_called_unwritten() -> None:
    report = verify(cuda_program("__shared__ float s[1024]; if (i < n) y[i] = x[i] + s[threadIdx.x];"))
    assert report.verdict is not None and report.verdict.outcome == "fail"
    assert report.verdict.sentence.startswith("Wrong result; uninitialised read")


@pytest.mark.drawn
def test_a_kernel_that_ignores_strides_is_correct_for_the_problem_but_no_drop_in() -> None:
    text = cuda_program(RIGHT_CUDA).replace("auto dense = x.contiguous();", "auto dense = x;")
    text = text.replace(
        "torch::empty_like(dense);", "torch::empty_like(dense, at::MemoryFormat::Contiguous);"
    )
    report = verify(text)
    assert report.verdict is not None
    assert report.verdict.sentence.endswith("not a drop-in: wrong on strided input"), report.verdict.sentence
    assert report.verdict.outcome == "pass"
    strict = verify(text, contract="drop-in")
    assert strict.verdict is not None and strict.verdict.outcome == "fail"


@pytest.mark.drawn
def test_a_program_that_swallows_nan_is_correct_for_a_problem_without_any() -> None:
    text = forward("return torch.nan_to_num(F.leaky_relu(x, s), 0.0, float('inf'), float('-inf'))")
    report = verify(text)
    assert report.verdict is not None
    assert report.verdict.sentence == "Correct for this problem; not a drop-in: NaN is not passed on"
    failed = {case.message for case in report.cases if case.outcome == "fail"}
    assert failed == {"NaN inputs give 0 instead of NaN"}
    strict = verify(text, contract="drop-in")
    assert strict.verdict is not None and strict.verdict.outcome == "fail"


@pytest.mark.drawn
def test_a_program_that_refuses_strides_is_correct_for_the_problem_but_no_drop_in() -> None:
    text = forward("if not x.is_contiguous():\n    raise RuntimeError('no')\nreturn F.leaky_relu(x, s)")
    report = verify(text)
    assert report.verdict is not None
    assert report.verdict.outcome == "pass"
    assert report.verdict.sentence.startswith(
        "Correct for this problem; not a drop-in: does not support strided input"
    )
    strict = verify(text, contract="drop-in")
    assert strict.verdict is not None and strict.verdict.outcome == "fail"


def test_a_failure_of_the_worker_itself_is_not_blamed_on_the_candidate() -> None:
    """The candidate stands in for a mistake of ours: it breaks the worker, where no candidate's code runs."""
    broken = forward(
        "import kernelgate.worker.worker as ours\n"
        "def answer(self, request, descriptors): raise RuntimeError('a mistake of ours')\n"
        "ours.Worker.answer = answer\n"
        "return F.leaky_relu(x, s)"
    )
    report = verify(broken)
    assert report.verdict is not None and report.failure is not None
    assert report.verdict.sentence == "Not judged: KernelGate made a mistake"
    assert report.failure.what == "RuntimeError: a mistake of ours" and "answer" in report.failure.log


def test_an_exit_of_the_candidate_is_its_own_whatever_its_status() -> None:
    report = verify(forward("import os; os._exit(70)"))
    assert report.verdict is not None and report.verdict.outcome == "fail"
    assert report.verdict.sentence.startswith("Ended its process while calling ModelNew")


def test_of_a_program_that_changes_a_function_of_python_the_step_says_so() -> None:
    report = verify(forward("import builtins\nbuiltins.len = lambda value: 3\nreturn F.leaky_relu(x, s)"))
    assert report.verdict is not None and report.verdict.outcome == "fail"
    assert report.failure is not None and "Python's own functions" in report.failure.next_step
