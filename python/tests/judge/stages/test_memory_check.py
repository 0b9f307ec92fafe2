"""The memory check of a run in emulation: what it adds to a verdict, and when it stays out of the way."""

from __future__ import annotations

import re

import pytest

from judge.candidates import forward, verify
from judge.examined import MISSING_BARRIER, OFF_BY_ONE, RESULT, RIGHT, UNWRITTEN, leaky, line_of
from kernelgate.emulator import supported
from kernelgate.report.text import as_text
from kernelgate.run import Limits

pytestmark = [
    pytest.mark.skipif(supported() is not None, reason=f"no emulation here: {supported()}"),
    pytest.mark.drawn,
]


def test_a_right_program_is_examined_and_nothing_is_found():
    report = verify(leaky(RIGHT))
    assert report.verdict.outcome == "pass"
    found = report.memory_check
    assert (found.tool, found.state, found.findings) == ("emulation", "clean", [])
    assert re.fullmatch(r"on 64x3072, \d{4} and \d+x\d+", found.note)


def test_a_memory_check_leaves_the_build_and_the_output_of_the_run_as_they_are():
    once = "        if not hasattr(torch, 'called'):\n            torch.called = print('called')\n        return module"
    text = leaky(RIGHT).replace("        return module", once)
    with_it, without = verify(text), verify(text, examine=False)
    assert with_it.memory_check is not None
    assert with_it.output == without.output != ""
    assert with_it.build.extensions == without.build.extensions


def test_a_program_without_a_kernel_is_not_examined():
    assert verify(forward("return F.leaky_relu(x, s)")).memory_check is None


def test_a_memory_check_can_be_left_out():
    report = verify(leaky(UNWRITTEN), examine=False)
    assert report.memory_check is None and report.failure.where.line is None


def test_a_race_behind_a_wrong_result_is_its_explanation():
    text = leaky(MISSING_BARRIER)
    report = verify(text)
    store, load = line_of(text, "s[t ^ 32] ="), line_of(text, "float v = s[t]")
    assert report.verdict.sentence.startswith("Wrong result; data race: two threads write and read `s[")
    assert f"lines {store} and {load}" in report.verdict.sentence
    assert "elements differ" in report.failure.what
    assert report.failure.where.line in (store, load)
    assert report.failure.next_step.startswith("Put __syncthreads() between the two")


def test_an_index_that_overflows_is_the_next_step_of_an_access_out_of_bounds():
    body = (
        "  int far = (t + 1) * 1103515245;\n  int key = far % 64;\n"
        "  float v = i < n ? x[i] : 0;\n  if (key < 0 && i < n) v = x[key * 4096];\n" + RESULT
    )
    text = leaky(body)
    report = verify(text)
    assert report.verdict.sentence.startswith("Illegal memory access: ")
    assert report.failure.where.line == line_of(text, "v = x[key * 4096]")
    line = line_of(text, "int far =")
    assert report.failure.next_step == f"The computation in line {line} overflows 32 bits: make the index an int64_t"


def test_an_access_out_of_bounds_without_an_overflow_keeps_its_next_step():
    text = leaky("  float v = i < n ? x[i - 4096] : 0;\n" + RESULT)
    report = verify(text)
    assert report.verdict.sentence.startswith("Illegal memory access: ")
    assert "overflows" not in report.failure.next_step
    assert report.memory_check is None


def test_a_race_fails_a_program_whose_values_are_right():
    body = (
        "  __shared__ int count;\n  if (t == 0) count = 0;\n  __syncthreads();\n  count += 1;\n"
        "  __syncthreads();\n  float v = i < n ? x[i] : 0;\n  if (count < 0) v = 0;\n" + RESULT
    )
    text = leaky(body)
    report = verify(text)
    line = line_of(text, "count += 1")
    assert (report.verdict.outcome, report.verdict.kind) == ("fail", "fault")
    assert report.verdict.sentence == (
        f"Data race: two threads write and read `count` without a barrier between, line {line}"
    )
    assert report.failure.where.line == line
    assert all(case.outcome == "pass" for case in report.cases if case.contract == "problem")


def test_an_unwritten_read_that_cannot_matter_is_reported_and_decides_nothing():
    body = (
        "  __shared__ float s[256];\n  float unused = s[t];\n  float v = i < n ? x[i] : 0;\n"
        "  if (unused == 12345.f && n < 0) v = 0;\n" + RESULT
    )
    report = verify(leaky(body))
    assert report.verdict.outcome == "pass"
    (found,) = report.memory_check.findings
    assert (found.kind, found.certain) == ("uninitialised", False)


def test_an_unwritten_read_that_nan_hides_fails():
    body = (
        "  __shared__ float s[256];\n  if (t) s[t] = -1e30f;\n  __syncthreads();\n"
        "  float v = i < n ? x[i] : 0;\n  if (fmaxf(s[t], -1e30f) > -1e30f) v = 7;\n" + RESULT
    )
    report = verify(leaky(body))
    assert (report.verdict.outcome, report.verdict.kind) == ("fail", "fault")
    assert report.verdict.sentence.startswith("Uninitialised read: read of `s[0]`, which nothing has written")


@pytest.mark.parametrize(
    ("body", "sentence", "code"),
    [
        (OFF_BY_ONE, "Illegal memory access: read just past the end of `x`", "x[i + 1]"),
        (
            "  if (t < 128) {\n    __syncthreads();\n  } else {\n    __syncthreads();  // too\n  }\n" + RIGHT,
            "Barrier misused: threads of one block wait at different __syncthreads()",
            "    __syncthreads();  // too",
        ),
    ],
)
def test_a_fault_that_ends_a_call_has_its_line_of_the_program(body, sentence, code):
    text = leaky(body)
    report = verify(text)
    assert (report.verdict.outcome, report.verdict.kind) == ("fail", "fault")
    assert report.verdict.sentence.startswith(sentence)
    line = line_of(text, code)
    assert line in (report.failure.where.line, line_of(text, code)) and f"{line}" in report.verdict.sentence
    assert "Kernel leaky, block" in report.failure.what


@pytest.mark.parametrize("examine", [None, False], ids=["examined", "not examined"])
def test_a_kernel_that_gets_memory_of_the_cpu_has_its_line_and_what_to_do(examine):
    text = leaky(RIGHT).replace("torch::empty_like(x)", "torch::empty(x.sizes())")
    report = verify(text, examine=examine)
    assert (report.verdict.outcome, report.verdict.kind) == ("fail", "fault")
    line = line_of(text, "y[i] = v > 0")
    assert report.verdict.sentence == (
        f"Illegal memory access: write of host memory, `y`, in a kernel, line {line}"
    )
    assert (report.failure.where.line, "device=input.device" in report.failure.next_step) == (line, True)


def test_a_failed_launch_that_no_one_looked_at_is_the_explanation():
    text = leaky(RIGHT).replace("(n + 255) / 256, 256", "1, 2048")
    text = text.replace("C10_CUDA_KERNEL_LAUNCH_CHECK();", "")
    report = verify(text)
    assert report.verdict.outcome == "fail"
    assert report.verdict.sentence.startswith("Failed launch: kernel leaky asks for blocks of 2048 threads")
    assert report.failure.where.line == line_of(text, "1, 2048")


def test_a_launch_of_no_blocks_is_said_of_the_empty_input_and_not_of_the_next_one():
    text = leaky(RIGHT).replace("C10_CUDA_KERNEL_LAUNCH_CHECK();", "")
    report = verify(text.replace("if (n > 0)", "if (true)"))
    assert {case.name for case in report.cases if "asks for a grid of no blocks" in case.message} == {"empty"}


def test_a_loop_that_does_not_end_has_its_line():
    text = leaky("  for (int j = i; j < n; j -= j % 2)\n    y[j] = x[j];  // for ever\n}")
    report = verify(text, limits=Limits(call_s=3, examine_s=8))
    assert (report.verdict.outcome, report.verdict.kind) == ("unclear", "timeout")
    assert report.verdict.sentence.startswith("Timed out after 3 s while calling ModelNew")
    assert report.failure.where.line in (line_of(text, "j -= j % 2"), line_of(text, "// for ever"))
    assert "is still running in line" in report.failure.what


def test_blocks_that_wait_for_a_later_one_are_no_failure():
    body = "  if (blockIdx.x + 1 < gridDim.x)\n    while (flag == 0) {\n    }\n  else flag = 1;\n" + RIGHT
    text = leaky(body, before="__device__ volatile int flag;\n")
    report = verify(text, limits=Limits(call_s=3))
    assert (report.verdict.outcome, report.verdict.kind) == ("not run", "refused")
    assert "emulation cannot schedule" in report.verdict.sentence
    assert report.failure.where.line == line_of(text, "while (flag == 0)")


def test_more_blocks_than_emulation_can_run_are_no_failure():
    text = leaky(RIGHT).replace("<<<(n + 255) / 256, 256>>>", "<<<dim3(1 << 20, 1 << 12), 256>>>")
    report = verify(text)
    assert (report.verdict.outcome, report.verdict.kind) == ("not run", "refused")
    assert f"{1 << 32} blocks of 256 threads" in report.failure.what
    assert report.failure.where.line == line_of(text, "<<<")


def test_a_memory_check_that_takes_too_long_is_cut_short_and_says_so():
    report = verify(leaky(RIGHT), limits=Limits(examine_s=0.01))
    assert report.verdict.outcome == "pass"
    assert (report.memory_check.state, report.memory_check.note) == ("cut short", "cut short after 0.01 s")


ROW_PROBLEM = """import torch

rows = 16
columns = 64


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.where(x > 0, x, 0.5 * x) + x.sum() * 0


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
"""
IN_FOURS = """__global__ void leaky(const float* x, float* y, float slope, int n) {
  int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= n) return;
  float4 v = *(const float4*)(x + i);
  v.x = v.x > 0 ? v.x : slope * v.x; v.y = v.y > 0 ? v.y : slope * v.y;
  v.z = v.z > 0 ? v.z : slope * v.z; v.w = v.w > 0 ? v.w : slope * v.w;
  *(float4*)(y + i) = v;
}"""


def test_a_vector_that_only_another_size_lets_reach_past_the_end_is_named_with_its_line():
    text = leaky("", kernel=IN_FOURS).replace("negative_slope=0.01", "negative_slope=0.5")
    of_one_size = ROW_PROBLEM.replace("return", "assert x.shape == (rows, columns)\n        return", 1)
    report = verify(text, problem=None, reference=of_one_size, reference_label="reference.py")
    assert report.verdict.outcome == "pass"
    found = {(one.kind, one.contract, one.where.line) for one in report.memory_check.findings}
    beyond = [("out_of_bounds", "drop-in", line_of(text, code)) for code in ("float4 v =", "(float4*)(y + i) =")]
    assert found == set(beyond)
    other = next(case for case in report.cases if case.name == "another size")
    assert other.outcome == "fail" and other.shape in report.memory_check.note


_POOL = "static cudaStream_t side = c10::cuda::getStreamFromPool();"
ON_ITS_OWN_STREAM = (
    leaky(RIGHT, "#include <c10/cuda/CUDAStream.h>\n")
    .replace("  leaky<<<", f"  {_POOL}\n  leaky<<<")
    .replace("/ 256, 256>>>", "/ 256, 256, 0, side>>>")
)


def test_a_result_that_a_stream_of_the_programs_own_still_computes_fails_it():
    report = verify(ON_ITS_OWN_STREAM)
    line = line_of(ON_ITS_OWN_STREAM, "y[i] = v > 0")
    assert (report.verdict.outcome, report.verdict.kind) == ("fail", "fault")
    assert report.verdict.sentence.startswith("Data race: the same tensor is written on one stream and read by ")
    assert report.failure.where.line == line
    assert report.failure.next_step.startswith("Let the second stream wait for the first")
    assert report.failure.fix is None


def test_a_stream_of_the_programs_own_that_is_waited_for_is_right():
    text = ON_ITS_OWN_STREAM.replace("  return y;", "  cudaStreamSynchronize(side);\n  return y;")
    report = verify(text)
    assert (report.verdict.outcome, report.memory_check.state) == ("pass", "clean")
    assert "races within a stream" not in as_text(report)


@pytest.mark.parametrize("cast", ["const_cast<float*>(x)[i] = 2 * v;", "((float*)x)[i] = 2 * v;"], ids=["C++", "C"])
def test_a_write_through_a_cast_const_is_named_with_its_line(cast):
    text = leaky(f"  float v = i < n ? x[i] : 0;\n  if (i < n)\n    {cast}\n" + RESULT)
    report = verify(text)
    assert report.verdict.sentence.startswith("Wrong result: it changes its input in place")
    assert report.failure.where.line == line_of(text, cast)
    assert "a kernel writes to `x[0]`" in report.failure.what


def test_a_write_into_an_input_is_no_finding_where_the_reference_writes_to_it():
    reference = """
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.mul_(2)


def get_inputs():
    return [torch.randn(8, 100)]


def get_init_inputs():
    return []
"""
    kernel = "__global__ void leaky(float* x, float* y, float slope, int n) {\n"
    kernel += "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) x[i] *= 2;\n}"
    text = leaky("", kernel=kernel).replace("  return y;", "  return x;").replace("x.contiguous()", "x")
    report = verify(text, problem=None, reference=reference, reference_label="reference.py")
    assert (report.verdict.outcome, report.memory_check.state) == ("pass", "clean"), report.verdict.sentence


_CONSTANT = "__constant__ float table[4];\n"
FAILED_CALLS = {
    "a copy to a symbol that is smaller": (
        "float h[8] = {};\n  C10_CUDA_CHECK(cudaMemcpyToSymbol(table, h, sizeof h));",
        "cudaMemcpyToSymbol gives “invalid argument”",
    ),
    "the same, seen only behind the launch": (
        "float h[8] = {};\n  cudaMemcpyToSymbol(table, h, sizeof h);",
        "cudaMemcpyToSymbol gives “invalid argument”",
    ),
    "more shared memory than there is": (
        "C10_CUDA_CHECK(cudaFuncSetAttribute(leaky, cudaFuncAttributeMaxDynamicSharedMemorySize, 400000));",
        "cudaFuncSetAttribute gives “invalid argument”",
    ),
    "a device that is not there": (
        "C10_CUDA_CHECK(cudaSetDevice(3));",
        "cudaSetDevice gives “invalid device ordinal”",
    ),
    "rows longer than their pitch": (
        "C10_CUDA_CHECK(cudaMemcpy2D(y.data_ptr(), 4, x.data_ptr(), 4, 8, 1, cudaMemcpyDeviceToDevice));",
        "cudaMemcpy2D gives “invalid argument”",
    ),
}


@pytest.mark.parametrize(("call", "says"), FAILED_CALLS.values(), ids=FAILED_CALLS.keys())
def test_a_call_of_cuda_that_fails_is_named_with_its_line(call, says):
    text = leaky(RIGHT, _CONSTANT).replace("  int n =", f"  {call}\n  int n =")
    report = verify(text)
    line = line_of(text, call.split("\n")[-1])
    assert report.verdict.sentence == f"Failed CUDA call: {says}, line {line}"
    assert report.failure.where.line == line


def test_a_call_of_cuda_that_fails_and_is_answered_is_right():
    call = "if (cudaFuncSetAttribute(leaky, cudaFuncAttributeMaxDynamicSharedMemorySize, 400000)) cudaGetLastError();"
    report = verify(leaky(RIGHT).replace("  int n =", f"  {call}\n  int n ="))
    assert (report.verdict.outcome, report.memory_check.state) == ("pass", "clean"), report.verdict.sentence
