"""What a report says of a run that ended before its verdict, by the words of PyTorch and of the driver."""

from __future__ import annotations

import pytest

from kernelgate.judge.endings import failures
from kernelgate.judge.endings.run_ended import NotJudged, OutOfMemory
from kernelgate.judge.run.run_clock import RunClock
from kernelgate.messages.failures import Raised
from kernelgate.report import Failure
from kernelgate.torch_errors import memory_left

ADVICE = "\nCUDA kernel errors might be asynchronously reported, such as an illegal memory access"


@pytest.mark.parametrize(
    ("kind", "message", "sentence"),
    [
        ("OutOfMemoryError", "CUDA out of memory. Tried to allocate 4 GiB", "Out of device memory while calling"),
        # The driver's own words, where nothing is left even for a kernel's code.
        ("AcceleratorError", "CUDA error: out of memory" + ADVICE, "Out of device memory while calling"),
        # PyTorch's allocator, which cannot say who holds the memory, in a confined process.
        (
            "RuntimeError",
            "NVML_SUCCESS == DriverAPI::get()->nvmlInit_v2_() INTERNAL ASSERT FAILED at "
            '"/pytorch/c10/cuda/CUDACachingAllocator.cpp":1135, please report a bug to PyTorch. ',
            "Out of device memory while calling",
        ),
        ("AcceleratorError", "CUDA error: an illegal memory access was encountered", "Illegal memory access: "),
        ("AcceleratorError", "CUDA error: misaligned address" + ADVICE, "Misaligned memory access: "),
    ],
)
def test_what_the_device_refuses_is_a_fault_and_no_wrong_result(kind: str, message: str, sentence: str) -> None:
    failure = Failure(stage="check", what="It raised", next_step="Fix it")
    end = failures.raised(Raised(kind, message, []), failure, "check", "calling ModelNew")
    assert (end.kind, end.sentence.startswith(sentence)) == ("fault", True), end.sentence
    assert isinstance(end, OutOfMemory) == sentence.startswith("Out of")


@pytest.mark.parametrize("words", ["unknown error", "uncorrectable ECC error encountered"])
def test_a_failure_of_the_gpu_is_neither_the_programs_fault_nor_a_mistake_of_ours(words: str) -> None:
    message = f"CUDA error: {words}{ADVICE}"
    failure = Failure(stage="check", what="It raised", next_step="Fix it")
    in_worker = failures.raised(Raised("AcceleratorError", message, []), failure, "check", "calling ModelNew")
    in_judge = failures.internal(RuntimeError(message))
    for end in (in_worker, in_judge):
        assert isinstance(end, NotJudged)
        assert (end.kind, end.sentence) == ("environment", f"Not run: the GPU failed: {words}")


def test_an_error_that_a_kernel_causes_is_no_failure_of_the_gpu() -> None:
    assert failures.gpu_failed("CUDA error: an illegal memory access was encountered" + ADVICE) is None
    assert failures.internal(ValueError("unknown error")).kind == "internal"


FULL = (
    "CUDA out of memory. Tried to allocate 256.00 MiB. GPU 0 has a total capacity of 79.18 GiB of which 119.50 MiB is "
    "free. Process 1448 has 18.27 GiB memory in use. Process 1593 has 712.00 MiB memory in use. Of the allocated "
    "memory 1.50 GiB is allocated by PyTorch, and 512.00 KiB is reserved by PyTorch but unallocated. If reserved"
)


@pytest.mark.parametrize(
    ("message", "room"),
    [
        (FULL, int(119.5 * 2**20) + 3 * 2**29 + 2**19),
        (FULL.replace("119.50 MiB", "0 bytes"), 3 * 2**29 + 2**19),
        (FULL.partition(". Of the")[0], 7),  # only a part of it
        ("CUDA error: out of memory", 7),
        *((FULL.replace("119.50", number), 7) for number in ("1.1.9", ".", "9" * 400)),
    ],
)
def test_pytorch_says_how_much_memory_was_left_when_others_hold_it(message: str, room: int) -> None:
    failure = Failure(stage="check", what="It raised", next_step="Fix it")
    end = failures.raised(Raised("OutOfMemoryError", message, []), failure, "check", "calling ModelNew")
    assert isinstance(end, OutOfMemory)
    assert (memory_left(end.words) or 7) == room


@pytest.mark.parametrize(
    ("program_s", "compiling_s", "next_step"), [(0.5, 9.0, "compiling took most of it"), (9.0, 0.5, "a loop that")]
)
def test_a_loop_is_not_blamed_where_compiling_took_the_time(
    program_s: float, compiling_s: float, next_step: str
) -> None:
    clock = RunClock(0.0)
    clock.begin()
    clock.spent(program_s, compiling_s)
    end = failures.run_timed_out(clock, "build", "compiling the program")
    assert end.failure is not None
    assert next_step in end.failure.next_step
