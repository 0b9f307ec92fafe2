"""What a kernel does to its device costs its own run only: memory that this process holds there stays as it is."""

from __future__ import annotations

import pytest
from judge.candidates import cuda_program, forward

from kernelgate.run import Limits

from .conftest import Check, Survived
from .test_interrupts import at_first_call, interrupt_at, run_with_reports
from .traces import Place

pytestmark = pytest.mark.gpu

# One source for all of them, so that it is built once: the argument says what goes wrong.
BODY = """
    int what = (int)slope;
    if (what == 1) y[i + (1L << 40)] = 0;
    if (what == 2) *(volatile int*)nullptr = 1;
    if (what == 3) *(volatile float*)((char*)y + 1) = 0;
    if (what == 4) __trap();
    if (what == 5) while (*(volatile const float*)x == x[0] || i >= 0) {}
    if (i < n) y[i] = x[i];
"""
PROGRAM = cuda_program(BODY).replace(
    "long n = dense.numel();", "long n = dense.numel(); if (slope == 6) cudaDeviceReset();"
)


def kernel_that(what: int, then: str = "") -> str:
    """A candidate whose kernel does that; `then` is a line that follows the launch."""
    call = "return ext.leaky_forward(x, self.negative_slope)"
    assert call in PROGRAM
    return PROGRAM.replace(call, f"y = ext.leaky_forward(x, {what})\n        {then}\n        return y")


FAULTS = {
    "write far outside": (kernel_that(1), "fault"),
    "null pointer": (kernel_that(2), "fault"),
    "misaligned": (kernel_that(3), "fault"),
    "trap": (kernel_that(4), "fault"),
    "a kernel that never ends": (kernel_that(5), "timeout"),
    "exit while a kernel runs": (kernel_that(5, "import os; os._exit(0)"), "fault"),
    "segmentation fault while a kernel runs": (
        kernel_that(5, "import ctypes; ctypes.string_at(0)"),
        "fault",
    ),
    "memory piece by piece": (
        forward(
            "kept = []\nwhile True:\n    kept.append(torch.empty(1 << 30, dtype=torch.uint8, device=x.device))"
        ),
        "fault",
    ),
    "memory at once": (forward("torch.empty(1 << 45, dtype=torch.uint8, device=x.device)"), "fault"),
}


@pytest.mark.parametrize(("text", "kind"), FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_on_the_device(fault: Check, text: str, kind: str) -> None:
    report = fault(text, device="cuda", limits=Limits(call_s=10))
    assert report.verdict is not None
    assert report.verdict.kind == kind, report.verdict


def test_a_device_that_is_reset(fault: Check) -> None:
    report = fault(kernel_that(6), device="cuda", limits=Limits(call_s=10))
    assert report.verdict is not None and report.verdict.outcome == "fail", report.verdict


def test_a_thread_that_goes_on_launching(fault: Check) -> None:
    body = "import threading\ndef work():\n    while True:\n        x.sin_()\n"
    body += "threading.Thread(target=work).start()\nreturn F.leaky_relu(x, s)"
    report = fault(forward(body), device="cuda", limits=Limits(call_s=10))
    assert report.verdict is not None and report.verdict.outcome == "fail", report.verdict


def test_an_interrupt_while_a_kernel_runs(place: Place, survived: Survived) -> None:
    report = run_with_reports(place, kernel_that(5), interrupt_at(at_first_call), device="cuda")
    assert report.verdict is not None and report.verdict.kind == "cancelled", report.verdict
    survived("cuda")


def test_confinement_leaves_the_driver_whole(check: Check) -> None:
    report = check(cuda_program("if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];"), device="cuda")
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert "limits" in report.environment.confinement
