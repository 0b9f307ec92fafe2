"""On a GPU, a memory check has compute-sanitizer look at the program's kernels too, where emulation could not."""

from __future__ import annotations

import pytest

from judge.candidates import verify
from judge.examined import MISSING_BARRIER, RESULT, RIGHT, leaky, line_of
from kernelgate.tools import compute_sanitizer

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(compute_sanitizer.path() is None, reason=compute_sanitizer.MISSING),
]

# Emulation refuses a program that reads a clock by PTX, so that all that is found was found on the device.
UNCOVERED = '__device__ int now() { int t; asm volatile("mov.u32 %0, %%clock;" : "=r"(t)); return t; }\n'
READ_PAST_THE_END = (
    "  float v = i < n ? x[i] : 0;\n  if (i < n && x[i + 1] == 1e30f) v += 1;\n" + RESULT
)
WAITING_APART = "  if (t < 100) __syncthreads();\n" + RIGHT
FAR_AWAY = "  if (i < n) y[i + (1L << 40)] = x[0];\n}"


def examined(body: str):
    return verify(leaky(body, UNCOVERED), device="cuda", shape=(64, 3072), examine=True)


def test_nothing_is_found_in_a_right_program_and_the_report_says_what_looked():
    report = examined(RIGHT)
    assert report.verdict.outcome == "pass", report.verdict.sentence
    assert report.memory_check.state == "not run"
    assert (report.sanitizer.tool, report.sanitizer.state) == ("compute-sanitizer", "clean")
    assert report.sanitizer.note == "memcheck, racecheck, initcheck, synccheck on 64x3072"


def test_a_program_that_emulation_can_run_is_examined_by_both():
    report = verify(leaky(RIGHT), device="cuda", shape=(64, 3072), examine=True)
    assert (report.memory_check.state, report.sanitizer.state) == ("clean", "clean")


@pytest.mark.parametrize(
    ("body", "kind", "sentence", "code"),
    [
        (READ_PAST_THE_END, "out_of_bounds", "Illegal memory access: read just past the end", "x[i + 1]"),
        (WAITING_APART, "barrier", "Barrier misused: ", "if (t < 100) __syncthreads()"),
    ],
)
def test_a_fault_fails_a_program_whose_values_are_right(body, kind, sentence, code):
    report = examined(body)
    assert (report.verdict.outcome, report.verdict.kind) == ("fail", "fault"), report.verdict.sentence
    assert report.verdict.sentence.startswith(sentence)
    assert report.failure.where.line == line_of(leaky(body, UNCOVERED), code)
    assert "Kernel leaky" in report.failure.what
    assert report.sanitizer.findings[0].kind == kind


def test_a_race_is_named_with_both_of_its_lines():
    report = examined(MISSING_BARRIER)
    text = leaky(MISSING_BARRIER, UNCOVERED)
    races = [found for found in report.sanitizer.findings if found.kind == "race"]
    lines = {line_of(text, "s[t ^ 32] ="), line_of(text, "float v = s[t]")}
    assert report.verdict.outcome == "fail", report.verdict.sentence
    assert {races[0].where.line, races[0].other_line} == lines


def test_a_call_that_the_device_ended_gets_its_line():
    report = examined(FAR_AWAY)
    assert (report.verdict.outcome, report.verdict.kind) == ("fail", "fault"), report.verdict.sentence
    assert report.failure.where.line == line_of(leaky(FAR_AWAY, UNCOVERED), "y[i + (1L << 40)]")
    assert "Illegal memory access: write" in report.failure.what
    assert "Invalid __global__ write of size 4 bytes" in report.failure.log
