"""Programs in Triton are judged without a GPU: right ones pass, and a planted fault is told, with its line."""

from __future__ import annotations

import pytest

from kernelgate.report import Report, wording
from kernelgate.run import Limits

from .candidates import cuda_program, verify
from .triton_programs import ATTENTION, ELEMENTWISE, MATMUL, PROGRAMS, REDUCTION, SOFTMAX, Fault, Program

pytest.importorskip("triton", reason="Triton is not installed")

FAULTS = [(program, fault) for program in PROGRAMS for fault in program.faults]


def judged(program: Program, text: str = "", **options: object) -> Report:
    options |= {"problem": None, "reference": program.reference, "reference_label": "reference.py"}
    return verify(text or program.text, **options)


@pytest.mark.drawn
@pytest.mark.parametrize("program", PROGRAMS, ids=str)
def test_a_right_program_passes(program: Program) -> None:
    report = judged(program)
    assert report.verdict is not None and report.memory_check is not None
    assert report.verdict.outcome == "pass", report.verdict.sentence
    assert report.memory_check.state == "clean"
    assert report.device.name == "Triton's interpreter on the CPU"
    assert report.build is not None and report.build.compiler.startswith("Triton's interpreter")
    assert report.candidate.launches == 1 and report.candidate.kernels_matter


@pytest.mark.drawn(by="program.name")
@pytest.mark.parametrize(("program", "fault"), FAULTS, ids=[f"{one.name}: {fault.name}" for one, fault in FAULTS])
def test_a_planted_fault_is_told_with_its_line(program: Program, fault: Fault) -> None:
    text = program.text.replace(fault.right, fault.wrong)
    assert text != program.text
    report = judged(program, text)
    assert report.verdict is not None and report.failure is not None
    assert report.verdict.outcome == "fail", report.verdict.sentence
    assert fault.said.lower() in f"{report.verdict.sentence}. {report.failure.what}".lower()
    if fault.line:
        assert report.failure.where is not None and report.failure.where.line is not None
        assert fault.line in text.splitlines()[report.failure.where.line - 1]


def test_a_program_whose_kernels_never_run_is_told_so() -> None:
    launch = "gelu_kernel[(triton.cdiv(n, 256),)](x, y, n, BLOCK=256)"
    text = ELEMENTWISE.text.replace(launch, "y = torch.nn.functional.gelu(x)")
    report = judged(ELEMENTWISE, text)
    assert report.candidate.launches == 0
    assert wording.no_kernel(report).startswith(wording.NO_KERNEL_RAN)


def test_what_the_interpreter_does_not_know_is_not_run_with_its_line() -> None:
    asm = "y = tl.inline_asm_elementwise('neg.f32 $0, $1;', '=f,f', [x], tl.float32, True, 1)"
    text = ELEMENTWISE.text.replace("y = 0.5 * x * (1 + tl.erf(x * 0.7071067811865476))", asm)
    report = judged(ELEMENTWISE, text)
    assert report.verdict is not None and report.failure is not None and report.failure.where is not None
    assert report.verdict.kind == "refused" and "inline assembly" in report.verdict.sentence
    assert report.failure.where.line is not None
    assert "inline_asm" in text.splitlines()[report.failure.where.line - 1]


def test_and_between_masks_takes_both_as_the_compiler_has_it() -> None:
    masks = {
        "(m[:, None] < M) & (k[None, :] < left)": "m[:, None] < M and k[None, :] < left",
        "(k[:, None] < left) & (n[None, :] < N)": "not (k[:, None] >= left or n[None, :] >= N)",
    }
    text = MATMUL.text
    for one, other in masks.items():
        assert one in text
        text = text.replace(one, other)
    report = judged(MATMUL, text)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict.sentence
    chained = judged(MATMUL, MATMUL.text.replace("(k[None, :] < left)", "(0 <= k[None, :] < left)"))
    assert chained.verdict is not None and "multiple comparison" in chained.verdict.sentence


def test_a_product_in_tf32_is_offered_what_keeps_float32() -> None:
    report = judged(MATMUL, MATMUL.text.replace(', input_precision="ieee"', ""))
    assert report.verdict is not None and report.failure is not None
    assert "TF32" in report.verdict.sentence
    assert report.failure.fix is not None and 'input_precision="ieee")' in report.failure.fix


def test_a_function_that_triton_lacks_is_offered_from_libdevice() -> None:
    report = judged(ELEMENTWISE, ELEMENTWISE.text.replace("(1 + tl.erf(", "(tl.erfc(-"))
    assert report.failure is not None and report.failure.fix is not None
    assert "libdevice.erfc(-" in report.failure.fix and report.failure.fix.startswith("from triton")


def test_an_error_in_a_kernel_names_the_line_of_the_kernel() -> None:
    text = SOFTMAX.text.replace("e = tl.exp(x)", "e = tl.exp(x) + tl.arange(0, BLOCK * 2)")
    report = judged(SOFTMAX, text)
    assert report.verdict is not None and report.failure is not None and report.failure.where is not None
    assert report.verdict.outcome == "fail" and report.failure.where.line is not None
    assert "tl.arange(0, BLOCK * 2)" in text.splitlines()[report.failure.where.line - 1]
    assert "InterpreterError" not in report.verdict.sentence


def test_a_tensor_of_the_cpu_is_refused_as_triton_refuses_it() -> None:
    text = ATTENTION.text.replace("o = torch.empty_like(q)", "o = torch.empty(q.shape)")
    report = judged(ATTENTION, text)
    assert report.verdict is not None and report.verdict.outcome == "fail"
    assert "cpu tensor?" in report.verdict.sentence


@pytest.mark.drawn
def test_a_program_that_waits_for_another_is_not_run() -> None:
    waits = "while tl.atomic_cas(total_ptr, 1.0, 2.0) == 0.0:\n        pass"
    text = REDUCTION.text.replace("tl.atomic_add(total_ptr, tl.sum(x, axis=0))", waits)
    report = judged(REDUCTION, text, limits=Limits(call_s=2, examine_s=20))
    assert report.verdict is not None and report.failure is not None and report.failure.where is not None
    assert report.verdict.kind == "refused" and "cannot schedule" in report.verdict.sentence
    assert report.failure.where.line == text[: text.index("while")].count("\n") + 1


@pytest.mark.drawn
def test_each_configuration_is_run_where_that_is_asked_for() -> None:
    text = MATMUL.text.replace("(k[None, :] < left)", "(k[None, :] < left + BK - 16)")  # right where BK is 16
    report = judged(MATMUL, text, thorough=True)
    assert report.verdict is not None and report.failure is not None and report.failure.where is not None
    assert report.verdict.kind == "fault" and "of `a_ptr`" in report.verdict.sentence
    assert "a = tl.load" in text.splitlines()[(report.failure.where.line or 0) - 1]


@pytest.mark.drawn
def test_triton_beside_cuda_is_judged() -> None:
    kernel = ELEMENTWISE.text.partition("class ModelNew")[0]
    report = verify(kernel + cuda_program("if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];"))
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict.sentence
    assert report.device.name == "emulation and Triton's interpreter on the CPU"
