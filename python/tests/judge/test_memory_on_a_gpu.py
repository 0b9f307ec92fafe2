"""On a GPU that others hold most of, a problem is judged at a size that fits, and nobody is blamed for it wrongly."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pytest
import torch

from kernelgate.report import Report

from .candidates import verify
from .memory_programs import AS_MUCH, GREEDY, LARGE, REFERENCE, THRIFTY

pytestmark = pytest.mark.gpu

GB = 10**9


@contextlib.contextmanager
def only(free_bytes: int) -> Iterator[None]:
    """This process holds the GPU's memory but for so much."""
    free, _total = torch.cuda.mem_get_info()
    if free < free_bytes:
        pytest.skip(f"needs {free_bytes / GB:.0f} GB of free device memory; {free / GB:.0f} GB are free")
    held = torch.empty(free - free_bytes, dtype=torch.uint8, device="cuda")
    try:
        yield
    finally:
        del held
        torch.cuda.empty_cache()


def judged(program: str, reference: str, **options: object) -> Report:
    return verify(
        program, problem=None, reference=reference, reference_label="mine.py", device="cuda", **options
    )


def test_what_is_counted_not_to_fit_is_scaled_and_the_report_says_who_holds_the_memory() -> None:
    with only(6 * GB):
        report = judged(THRIFTY, LARGE)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert report.problem.full_shape == "1073741824"
    assert report.scaled.startswith("from 1073741824, to fit into the device's memory: ")
    assert "GB are free; other processes hold" in report.scaled


@pytest.mark.parametrize("free", [10 * GB, 14 * GB])
@pytest.mark.parametrize("program", [THRIFTY, AS_MUCH], ids=["needs less", "needs as much"])
def test_what_was_not_counted_leads_to_a_smaller_size(program: str, free: int) -> None:
    with only(free):
        report = judged(program, REFERENCE)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert report.problem.full_shape == "131072"
    assert int(report.problem.shape) < 131072


def test_a_program_that_takes_far_more_than_the_reference_is_to_blame() -> None:
    report = judged(GREEDY, LARGE.replace("1 << 30", "1 << 20"))
    assert report.verdict is not None and report.failure is not None
    assert (report.verdict.outcome, report.verdict.kind) == ("fail", "fault")
    assert report.verdict.sentence.startswith("Out of device memory while calling ModelNew")
    assert "GB were free for the call; the reference takes" in report.failure.what


def test_memory_that_others_took_during_the_run_is_not_held_against_the_program() -> None:
    """As PyTorch words it in the worker, where others have filled the device since the judge looked."""
    full = (
        "CUDA out of memory. GPU 0 has a total capacity of 79.18 GiB of which 1.50 MiB is free. Of the allocated "
        "memory 2.00 MiB is allocated by PyTorch, and 1.00 MiB is reserved by PyTorch but unallocated."
    )
    program = THRIFTY.replace("return x * 2", f"raise torch.OutOfMemoryError({full!r})")
    report = judged(program, LARGE.replace("1 << 30", "1 << 20"))
    assert report.verdict is not None and report.verdict.outcome != "fail", report.verdict


def test_a_program_that_takes_as_much_as_the_reference_is_not_to_blame() -> None:
    """It holds its inputs and results in a process of its own, beside the judge's."""
    with only(27 * GB):
        report = judged(AS_MUCH, REFERENCE)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict


def test_where_next_to_nothing_is_free_no_mistake_is_ours_and_none_the_programs() -> None:
    with only(GB // 4):
        report = judged(THRIFTY, LARGE)
    assert report.verdict is not None and report.failure is not None
    assert (report.verdict.outcome, report.verdict.kind) == ("not run", "environment"), report.verdict
    assert "memory" in report.verdict.sentence


def test_a_gate_that_needs_more_memory_than_there_is_is_not_run_and_says_why() -> None:
    """The gradient of a chain keeps every link, where a call needs two at a time."""
    many = LARGE.replace("1 << 30", "1 << 27").replace(
        "return x * 2", "y = x\n        for _ in range(24):\n            y = y.sin()\n        return y"
    )
    program = many.replace("class Model(", "class ModelNew(").partition("def get_inputs")[0]
    with only(9 * GB):
        report = judged(program, many)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    held = [gate for gate in report.gates if gate.outcome not in ("pass", "not run")]
    assert held == []
    not_run = {gate.name: gate.message for gate in report.gates if gate.outcome == "not run"}
    assert "too little free memory" in not_run.get("gradient", "too little free memory"), not_run
