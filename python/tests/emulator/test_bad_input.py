"""Input that no one should send, and machines that give way: each ends in a clear word, and leaves the cache whole."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time

import pytest
import torch
from support import in_worker, load_one_to_one, one_to_one

from kernelgate.cuda_source.launches import rewrite_launches
from kernelgate.cuda_source.preprocessor import without_dropped_lines
from kernelgate.emulator import CompileFailed, Refused, build_extension
from kernelgate.emulator.translate.ptx import rewrite_ptx
from kernelgate.emulator.translate.refusals import refuse_uncovered
from kernelgate.emulator.translate.shared import rewrite_shared

pytestmark = pytest.mark.drawn

MAIN = "torch::Tensor f(torch::Tensor x);"
COPY = one_to_one(
    "__global__ void k(const float* x, float* y, int n) {\n  y[threadIdx.x % n] = x[threadIdx.x % n]; }"
)

BROKEN = {
    "an open comment": "/* k<<<1, 2>>>(x);",
    "an open string": 'auto s = "k<<<1, 2>>>(x);\n',
    "an open raw string": 'auto s = R"x(k<<<1, 2>>>(x);',
    "a raw string without its parenthesis": 'auto s = R"x',
    "an open character": "char c = '",
    "a backslash at the end": "#define A \\",
    "brackets that do not match": "k<<<1, 2>>>(x]); }}}} ((((",
    "a launch and nothing else": "<<<",
    "the end of a launch": ">>>(",
    "asm and nothing else": "asm volatile(",
    "asm without strings": "asm(1, 2);",
    "asm with open operands": 'asm("mov.u32 %0, %1;" : "=r"(a',
    "shared and nothing else": "__shared__",
    "shared without a name": "__shared__ ;",
    "conditions without an end": "#if (\n#elif\n#else\n#else\n#endif\n#endif\n#if",
    "bytes that are no text": "\x00\x01\x7f __shared__ \x00 <<< \ufffd",
    "deep nesting": "(" * 50_000 + "k<<<1, 2>>>(x);",
    "deep conditions": "#if " + "(" * 5_000 + "1\na\n#endif",
    "a million characters": "__global__ void k(float* y) { " + "y[0] += 1.0f;\n" * 75_000 + "}",
    "a million brackets": "<" * 200_000 + ">" * 200_000,
}


@pytest.mark.parametrize("case", BROKEN)
def test_a_source_that_cannot_be_read_is_refused_or_left_to_the_compiler(case):
    try:
        source = without_dropped_lines(BROKEN[case])
        refuse_uncovered(source, "cuda.cu")
        rewrite_launches(rewrite_shared(rewrite_ptx(source)))
    except Refused as refused:
        assert refused.line is not None


@pytest.mark.parametrize("case", ["an open comment", "an open raw string", "brackets that do not match"])
def test_a_broken_source_is_an_error_of_the_build(cache, case):
    with pytest.raises((Refused, CompileFailed)):
        build_extension("broken", MAIN, COPY + BROKEN[case], ["f"], cache=cache)


def test_a_grid_beyond_the_limits_is_cudas_error(cache):
    kernel = "__global__ void k(const float* x, float* y, int n) {}"
    launch = "k<<<dim3(1u << 31, 512), 1>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);"

    def body(emulation):
        with emulation.active():
            load_one_to_one(kernel, launch=launch).f(torch.ones(4))

    assert "invalid configuration argument" in (in_worker(cache, body).error or "")


@pytest.mark.parametrize("statement", ["y[0] = 1;", ""], ids=["written", "empty"])
def test_more_blocks_than_emulation_can_run_are_refused_before_they_run(cache, statement):
    source = f"__global__ void k(const float* x, float* y, int n) {{ {statement} }}"
    launch = "k<<<dim3(1u << 30, 1u << 10), 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);"

    def body(emulation):
        with emulation.active():
            load_one_to_one(source, launch=launch).f(torch.ones(4))

    fault = in_worker(cache, body, launch_limit_s=30.0).fault
    assert (fault.kind, fault.kernel, fault.unit, fault.line) == ("grid", "k", "cuda.cu", 4)
    assert f"{1 << 40} blocks of 256 threads, more than emulation can run" in fault.text


def test_recursion_without_an_end_is_reported_as_a_stack_overflow(cache):
    kernel = (
        "__device__ float deeper(const float* x, int n) { volatile float kept[16]; kept[n % 16] = x[0];\n"
        "  return deeper(x, n + 1) + kept[n % 16]; }\n"
        "__global__ void k(const float* x, float* y, int n) { y[0] = deeper(x, 0); }"
    )

    def body(emulation):
        with emulation.active():
            load_one_to_one(kernel).f(torch.ones(4))

    fault = in_worker(cache, body).fault
    assert fault is not None and fault.kind == "stack_overflow"


def test_a_full_disk_is_reported_with_what_to_do(cache):
    def body(emulation):
        sys.dont_write_bytecode = True  # half of it would fit
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        with emulation.active():
            load_one_to_one(
                "// " + "long " * 2000 + "\n__global__ void k(const float* x, float* y, int n) {}"
            )

    error = in_worker(cache, body).error or ""
    assert error.startswith("ToolchainMissing: no room for a build in") and "free some space" in error


def test_a_build_that_was_killed_leaves_nothing_that_is_taken_for_a_library(tmp_path, cache):
    code = (
        "import sys; from pathlib import Path; from kernelgate.emulator import build_extension\n"
        f"build_extension('program', {MAIN!r}, {COPY!r}, ['f'], cache=Path(sys.argv[1]))"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    builder = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], env=environment, start_new_session=True
    )
    deadline = time.monotonic() + 30
    while not any(tmp_path.glob("building-*/*/*.cpp")) and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(builder.pid, signal.SIGKILL)
    builder.wait()
    assert not list(tmp_path.glob("*.so"))
    assert not build_extension("program", MAIN, COPY, ["f"], cache=tmp_path).cached
    assert build_extension("program", MAIN, COPY, ["f"], cache=tmp_path).cached
