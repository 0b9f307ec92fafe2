"""A kernel that goes wrong is reported with line, block and thread; what cannot trap leaves poison."""

from __future__ import annotations

import math

import pytest
import torch
from support import in_worker, load_one_to_one

from kernelgate.emulator import POISON_U16, Emulation, decode_fault

pytestmark = pytest.mark.drawn

INDEX = (
    "__global__ void k(const float* x, float* y, int n) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
)


def run_guarded(cache, kernel, n=1000, side="end", **launch):
    def body(emulation: Emulation) -> torch.Tensor:
        with emulation.active(), emulation.guarded(side):
            x = torch.ones(n, device="cuda")
            return load_one_to_one(kernel, **launch).f(x).clone(), [f.text for f in emulation.overwritten()]

    return in_worker(cache, body)


def test_a_write_past_the_end_is_reported_to_the_byte(cache):
    outcome = run_guarded(cache, INDEX + "  y[i] = 2; }")
    fault = outcome.fault
    assert outcome.status == 139
    assert (fault.kind, fault.access, fault.kernel) == ("out_of_bounds", "write", "k")
    assert (fault.unit, fault.line) == ("cuda.cu", 5)
    assert (fault.block, fault.thread) == ((3, 0, 0), (232, 0, 0))
    assert (fault.region, fault.region_bytes, fault.offset_bytes) == ("tensor", 4000, 4000)
    assert fault.text == (
        "Kernel k, block (3, 0, 0), thread (232, 0, 0), cuda.cu line 5: "
        "write just past the end of `y`, a tensor of 4000 bytes."
    )


def test_a_read_past_the_end_is_reported(cache):
    fault = run_guarded(cache, INDEX + "  if (i < n)\n    y[i] = x[i + 1]; }").fault
    assert (fault.kind, fault.access, fault.line) == ("out_of_bounds", "read", 6)
    assert (fault.block, fault.thread, fault.offset_bytes) == ((3, 0, 0), (231, 0, 0), 4000)


def test_a_read_before_the_start_is_reported_when_the_start_is_guarded(cache):
    fault = run_guarded(cache, INDEX + "  if (i < n) y[i] = x[i - 1]; }", side="start").fault
    assert (fault.kind, fault.line, fault.thread, fault.offset_bytes) == ("out_of_bounds", 5, (0, 0, 0), -4)


def test_a_write_into_the_slack_before_the_guard_page_is_found_afterwards(cache):
    _, texts = run_guarded(cache, INDEX + "  if (i <= n) y[i] = 2; }", n=1001).result()
    assert texts == ["Something wrote just past the end of a tensor of 4004 bytes."]


def test_an_element_never_written_is_left_as_poison(cache):
    y, _ = run_guarded(cache, INDEX + "  if (i < n - 1) y[i] = x[i]; }").result()
    assert torch.equal(y[:-1], torch.ones(999))
    assert math.isnan(y[-1].item())
    assert y[-1:].view(torch.uint16).tolist() == [POISON_U16, POISON_U16]


def test_a_shared_array_overrun_is_reported(cache):
    kernel = (
        INDEX
        + "  __shared__ float s[256]; s[threadIdx.x] = x[i % n]; __syncthreads();\n"
        + "  y[i % n] = s[threadIdx.x + 1]; }"
    )
    fault = run_guarded(cache, kernel).fault
    assert (fault.region, fault.region_bytes, fault.offset_bytes, fault.line) == ("__shared__ array", 1024, 1024, 6)
    assert fault.thread == (255, 0, 0)


def test_dynamic_shared_memory_that_the_launch_forgot_is_reported(cache):
    fault = run_guarded(cache, INDEX + "  extern __shared__ float s[];\n  s[threadIdx.x] = x[i]; }").fault
    assert (fault.region, fault.access, fault.line) == ("dynamic __shared__ array", "write", 6)


def test_uninitialised_shared_memory_is_poison_in_every_block(cache):
    kernel = (
        INDEX
        + "  __shared__ float s[256]; if (threadIdx.x) s[threadIdx.x] = 1; __syncthreads();\n"
        + "  if (i < n) y[i] = s[threadIdx.x]; }"
    )
    y, _ = run_guarded(cache, kernel, n=512).result()
    assert torch.isnan(y).nonzero().flatten().tolist() == [0, 256]


def test_a_local_variable_that_nothing_sets_is_no_zero(cache):
    y, _ = run_guarded(cache, INDEX + "  float sum; sum += x[i % n]; if (i < n) y[i] = sum; }", n=256).result()
    assert not (y.abs() < 1e30).any()


def test_a_thread_has_as_much_local_memory_as_on_a_gpu(cache):
    filled = "  volatile float big[100000];\n  for (int k = 0; k < 100000; k += 7) big[k] = k;\n"
    statement = filled + "  if (i < n) y[i] = big[7 * i]; }"
    y, _ = run_guarded(cache, INDEX + statement, n=256).result()
    assert y.tolist() == [7.0 * i for i in range(256)]


@pytest.mark.parametrize(
    ("statement", "kind"),
    [
        ("if (n) x = nullptr; y[i] = x[i];", "null"),
        ("y[i] = x[(int)x[i] / (n - 1000)];", "division_by_zero"),
        ("volatile float big[262144]; big[i] = 1; y[i] = big[i];", "stack_overflow"),
        ("if (i < n) y[i] = x[(long)i * 400000000];", "out_of_bounds"),
        (
            "if (i < 9) reinterpret_cast<float4*>(y)[i] = *reinterpret_cast<const float4*>(x + 1);",
            "misaligned",
        ),
        ("if (i < 9) y[i] = reinterpret_cast<const float2*>(x + 3)->y;", "misaligned"),
    ],
)
def test_other_traps_are_named_with_their_line(cache, statement, kind):
    outcome = run_guarded(cache, INDEX + f"  {statement} }}")
    assert (outcome.fault.kind, outcome.fault.unit) == (kind, "cuda.cu")
    assert outcome.fault.line in (3, 5)
    assert outcome.fault.thread is not None


def test_vectors_of_eight_floats_are_aligned_whatever_the_size(cache):
    kernel = (
        "struct alignas(32) Eight { float value[8]; };\n"
        + INDEX
        + "  if (i < n / 8) reinterpret_cast<Eight*>(y)[i] = reinterpret_cast<const Eight*>(x)[i];\n"
        + "  else if (i < n / 8 + n % 8) y[i + n / 8 * 7] = x[i + n / 8 * 7]; }"
    )
    y, texts = run_guarded(cache, kernel, n=1003).result()
    assert torch.equal(y, torch.ones(1003)) and texts == []


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (
            INDEX
            + "  if (threadIdx.x < 128) {\n    __syncthreads();\n  } else {\n    __syncthreads();\n"
            + "  } y[i % n] = 1; }",
            ["different __syncthreads()", "lines 6 and 8"],
        ),
        (
            INDEX + "  float v = 1;\n  if (threadIdx.x % 32 < 16) v = __shfl_down_sync(0xffffffffu, v, 8);\n"
            "  else __syncthreads();\n  y[i % n] = v; }",
            ["deadlock at a warp primitive", "line 6", "mask 0xffffffff", "__syncthreads(), line 7"],
        ),
        (
            INDEX + "  if (threadIdx.x == 1) __syncwarp(1u); y[i % n] = 1; }",
            ["not in its own mask", "line 5"],
        ),
    ],
)
def test_threads_that_wait_for_ever_are_an_error_with_lines(cache, kernel, words):
    error = run_guarded(cache, kernel).error
    assert error.startswith("RuntimeError: kernel k, block (0,0,0)")
    assert all(word in error for word in words)


@pytest.mark.parametrize(
    ("launch", "error", "detail"),
    [
        ("k<<<1, 2048>>>(nullptr, nullptr, n);", "invalid configuration argument", "2048 threads"),
        ("k<<<0, 32>>>(nullptr, nullptr, n);", "invalid configuration argument", "a grid of no blocks"),
        (
            "k<<<1, 32, 65536>>>(nullptr, nullptr, n);",
            "invalid argument",
            "65536 bytes of dynamic shared memory",
        ),
    ],
)
def test_a_launch_beyond_the_limits_gives_cudas_error(cache, launch, error, detail):
    said = run_guarded(cache, INDEX + "}", launch=launch).error
    assert said.startswith(f"RuntimeError: CUDA error: {error}\n")
    assert detail in said and "cuda.cu line 6" in said


def test_a_kernel_that_declares_more_shared_memory_than_a_block_has_is_an_error(cache):
    arrays = "__shared__ float a[64][64], b[64][80]; a[0][threadIdx.x] = b[0][threadIdx.x] = 0;"
    run_guarded(cache, f"{INDEX} {arrays} }}").result()
    error = run_guarded(cache, f"{INDEX} {arrays.replace('80', '192')} }}").error
    assert "kernel k asks for 65536 bytes of static shared memory; the limit is 49152" in error


def test_a_launch_error_that_no_one_checks_is_kept(cache):
    def body(emulation: Emulation) -> tuple[str | None, str | None]:
        with emulation.active():
            load_one_to_one(INDEX + "}", launch="k<<<1, 2048>>>(nullptr, nullptr, n); return y;").f(
                torch.ones(4)
            )
        return emulation.unchecked_launch_error(), emulation.unchecked_launch_error()

    first, second = in_worker(cache, body).result()
    assert "2048 threads" in first and second is None


def test_work_goes_on_after_a_failed_launch(cache):
    def body(emulation: Emulation) -> bool:
        kernel = (
            INDEX
            + "  if (n == 5 && threadIdx.x == 0) __syncthreads(); __syncwarp(); if (i < n) y[i] = 2 * x[i]; }"
        )
        bad = INDEX + "  if (threadIdx.x == 0) __syncwarp(); else __syncthreads(); y[i] = 0; }"
        with emulation.active():
            good, failing = load_one_to_one(kernel), load_one_to_one(bad)
            for _ in range(3):
                try:
                    failing.f(torch.ones(64))
                except RuntimeError:
                    pass
                else:
                    return False
            return torch.equal(good.f(torch.ones(300)), torch.full((300,), 2.0))

    assert in_worker(cache, body).result()


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"\xff\xfe",
        b"{",
        b"[]",
        b'{"kind":1}',
        b'{"kind":"made up"}',
        b'{"kind":"null","block":[1]}',
        b"x" * 100_000,
    ],
)
def test_garbage_becomes_an_unknown_fault(line):
    assert decode_fault(line).kind == "unknown"


def test_host_code_that_recurses_without_end_has_no_stack_left(cache):
    deeper = "int deeper(int n) { volatile char kept[999]; kept[0] = n; return deeper(n + 1) + kept[0]; }\n"
    fault = run_guarded(cache, deeper + INDEX + "  if (i < n) y[i] = x[i]; }", launch="n += deeper(n);").fault
    assert (fault.kind, fault.kernel, fault.line) == ("stack_overflow", None, 3)
    assert fault.text == (
        "Host code, cuda.cu line 3: its stack overflows: recursion too deep, or local arrays too large."
    )


def test_a_library_that_is_none_is_not_looked_up():
    fault = decode_fault(b'{"kind":"null","access":"read","library":"/etc/passwd","library_offset":12}')
    assert (fault.kind, fault.unit, fault.line) == ("null", None, None)
    assert fault.text == "Host code: read through a null pointer."
