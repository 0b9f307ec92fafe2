"""text/plain: 12 lines of 80 columns that tell a newcomer what happened and what to do."""

import msgspec
import pytest
from report_samples import NAMES, hostile, sample

from kernelgate.report import wording
from kernelgate.report.speed_words import faster_fact
from kernelgate.report.text import as_text
from kernelgate.report.types import Advice, Device, Fact, Power

WORDS = (
    *(
        "KernelGate",
        "CORRECT",
        "FAILED",
        "UNCLEAR",
        "TIMED OUT",
        "CANCELLED",
        "NOT RUN",
        "NO VERDICT",
        "RUNNING",
    ),
    *("WHERE", "ERROR", "REASON", "FIX", "NEXT", "DROP-IN", "SCALED", "TIMING", "FASTER", "LIMIT", "NOTE"),
    *("KEPT", "DONE", "POWER", "FAULTS", "BUILD", "SLOWER", "SAME", "PROFILED"),
    # The one line without a word in capitals: what the rest of a benchmark found.
    *("precision", "build", "launches"),
)


def assert_fits(text):
    lines = text.split("\n")
    assert len(lines) <= 12
    assert text.isascii()
    for line in lines:
        assert len(line) <= 80
        assert line == line.rstrip()
        assert line.isprintable()
        assert not line or line.startswith((*(f"{word} " for word in WORDS), " "))


@pytest.mark.parametrize("name", NAMES)
def test_every_report_fits(name):
    assert_fits(as_text(sample(name)))


@pytest.mark.parametrize("name", NAMES)
def test_hostile_texts_fit_and_start_no_line(name):
    text = as_text(hostile(name))
    assert_fits(text)
    verdict = sample(name).verdict
    assert ("\nCORRECT" in text) == (verdict is not None and verdict.outcome == "pass")


def test_a_pass_in_emulation():
    assert as_text(sample("pass")) == (
        "KernelGate  LeakyReLU 64x3072 float32  emulation on the CPU\n"
        "CORRECT  bitwise equal to PyTorch: 15 of 15 cases, 3 of 3 gates\n"
        "FAULTS   none found: bounds, races, uninitialised reads (emulation)\n"
        "SCALED   from 4096x393216, to run on the CPU\n"
        "TIMING   not measured: emulation says nothing about speed"
    )


def test_a_failed_build_says_where_and_how_to_mend_it():
    assert as_text(sample("build-failure")) == (
        "KernelGate  LeakyReLU  cell [4]\n"
        "FAILED   does not compile: cpp_sources declares no leaky_relu_cuda\n"
        "WHERE    cell [4], line 40\n"
        '         40 |     cpp_sources="",\n'
        "ERROR    'leaky_relu_cuda' was not declared in this scope\n"
        "FIX      add this declaration to cpp_sources:\n"
        "         torch::Tensor leaky_relu_cuda(torch::Tensor x, float negative_slope);\n"
        "NOT RUN  check"
    )


def test_a_fix_too_long_for_a_line_is_whole_on_two():
    declaration = "torch::Tensor leaky_relu_cuda(torch::Tensor input, float negative_slope, bool inplace);"
    failure = msgspec.structs.replace(sample("build-failure").failure, fix=declaration)
    text = as_text(sample("build-failure", failure=failure))
    assert_fits(text)
    fix = text.partition("add this declaration to cpp_sources:\n")[2].partition("NOT RUN")[0]
    assert " ".join(fix.split()) == declaration


def test_a_wrong_result_names_the_first_wrong_element_and_advises():
    text = as_text(sample("wrong-result"))
    assert "FAILED   wrong result: negative inputs are returned unchanged\n" in text
    assert "         [0, 1]: got -0.2934, expected -0.002934\n" in text
    assert "NEXT     multiply negative inputs by negative_slope\n" in text
    assert "FIX" not in text


def test_right_for_the_problem_only_says_that_it_is_no_drop_in():
    text = as_text(sample("problem-only"))
    assert "\nCORRECT  for this problem only, bitwise equal: 5 of 5 cases, beyond it 9 of 10,\n" in text
    assert "\nDROP-IN  no: wrong on strided input\nREASON   case" in text


def test_a_fault_beyond_the_problem_stands_with_its_line_and_what_to_do():
    text = as_text(sample("fault-beyond"))
    assert text.split("\n")[1:8] == [
        "CORRECT  for this problem only, bitwise equal: 5 of 5 cases, beyond it 1 of 10,",
        "         7 of 8 gates",
        "DROP-IN  no: illegal memory access on odd sizes, zero-dimensional input and 2",
        "         more",
        "WHERE    cell [4], line 9",
        "         9 |   y[i] = x[i] > 0 ? x[i] : s * x[i];",
        "REASON   illegal memory access: read 0 bytes past the end of `x`, a tensor of",
    ]
    assert "\nNEXT     check the index against the size of what it reads or writes\n" in text


def test_a_candidate_without_a_cuda_kernel_says_so():
    for name in ("pass", "wrong-result"):
        candidate = msgspec.structs.replace(sample(name).candidate, cuda_kernels=[])
        assert "NOTE     contains no CUDA kernel" in as_text(sample(name, candidate=candidate))
        assert "no CUDA kernel" not in as_text(sample(name))


@pytest.mark.parametrize("name", ["read-error", "cancelled"])
def test_a_program_that_may_not_have_been_read_is_not_said_to_hold_no_kernel(name):
    candidate = msgspec.structs.replace(sample(name).candidate, cuda_kernels=[])
    assert "no CUDA kernel" not in as_text(sample(name, candidate=candidate))


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("timed-out", ["TIMED OUT  after 60 s while checking", "KEPT       build (900 ms), 9 of 15 checks"]),
        ("cancelled", ["CANCELLED  while checking: no verdict"]),
        (
            "refused",
            ["NOT RUN  emulation does not cover tensor core instructions", "WHERE    cell [9], line 88"],
        ),
        ("environment", ["NOT RUN  no C++ compiler is in this kernel's environment"]),
        ("internal", ["NO VERDICT  KernelGate failed: no verdict"]),
        ("read-error", ["ERROR    SyntaxError: '(' was never closed"]),
        ("memory-fault", ["FAILED   illegal memory access: a thread reads past the end of the input"]),
        ("running", ['RUNNING  checking, 9 of 15, case "strided slice"', "DONE     build (900 ms)"]),
        (
            "weak",
            [
                "UNCLEAR  this check catches 5 of 7 mutants",
                "POWER    misses: one element wrong, the sign flipped",
            ],
        ),
        ("cuda-pass", ["KernelGate  LeakyReLU 4096x393216 float32  NVIDIA H200"]),
    ],
)
def test_each_state_has_its_words(name, lines):
    assert set(lines) <= set(as_text(sample(name)).split("\n"))


def test_a_graded_pass_says_its_arithmetic_and_nothing_of_a_check_that_caught_all():
    assert as_text(sample("graded", advice=[])) == (
        "KernelGate  Gemm, multiply, LeakyReLU 32x256 float32  emulation on the CPU\n"
        "CORRECT  for this problem only, at fp32 accuracy: 5 of 5 cases, beyond it 6 of\n"
        "         9, 10 of 13 gates\n"
        "DROP-IN  no: does not support half input, bfloat16 input and double input\n"
        "SCALED   from 1024x8192, to run on the CPU\n"
        "TIMING   not measured: emulation says nothing about speed"
    )


def test_a_check_that_let_something_pass_says_how_strong_it_was():
    text = as_text(sample("graded", power=Power(caught=9, total=10, slipped=["transposed"])))
    assert "\nPOWER    catches 9 of 10 mutants; misses: transposed\n" in text


def test_a_weak_check_says_once_what_it_let_pass():
    text = as_text(sample("weak"))
    assert text.count("the sign flipped") == 1
    assert text.count("5 of 7") == 1


def test_a_run_that_has_come_to_no_device_yet_names_the_cell():
    device = Device(kind="none", name="no device")
    assert as_text(sample("running", device=device)).split("\n")[0].endswith("  cell [4]")


def test_measured_facts_are_shown_with_their_evidence():
    facts = [
        Fact(question="Correct?", answer="Yes, bitwise equal", evidence="16 of 16 cases"),
        Fact(
            question="Faster?",
            answer="Yes, 1.010x faster than PyTorch eager",
            evidence="95% CI 1.009x to 1.011x",
        ),
        Fact(question="Limit?", answer="100% of device copy, 4.27 TB/s", evidence="device copy: 4.25 TB/s"),
    ]
    text = as_text(sample("cuda-pass", facts=facts))
    assert "\nFASTER   1.010x faster than PyTorch eager (95% CI 1.009x to 1.011x)\n" in text
    assert "\nLIMIT    100% of device copy, 4.27 TB/s (device copy: 4.25 TB/s)\n" in text


def test_a_report_too_long_drops_its_notes_and_keeps_the_next_step():
    failure = msgspec.structs.replace(sample("wrong-result").failure, what="word " * 120, fix="a\nb\nc\nd")
    advice = [Advice(text="Something else about the program")] * 20
    text = as_text(sample("wrong-result", failure=failure, advice=advice))
    assert_fits(text)
    assert (
        "FIX      multiply negative inputs by negative_slope:\n         a\n         ... and 3 more lines"
        in text
    )
    assert " ...\n" in text


def test_a_long_title_leaves_the_device_in_sight():
    header = as_text(sample("pass", title="A module with a very long name " * 8)).split("\n")[0]
    assert len(header) <= 80
    assert header.endswith("...  emulation on the CPU")


def test_a_benchmark_names_its_speed_its_limit_and_every_program():
    assert as_text(sample("profile", advice=[], verdict=_without_support("profile"))) == (
        "KernelGate  LeakyReLU 4096x393216 float32  NVIDIA H200\n"
        "CORRECT  bitwise equal to PyTorch: 15 of 15 cases, 16 of 16 gates\n"
        "FASTER   1.011x faster than PyTorch eager (95% CI 1.009x to 1.011x)\n"
        "LIMIT    100% of device copy, 4.28 TB/s (device copy: 4.24 TB/s)\n"
        "\n"
        "  this kernel    3.01 ms  1.011x faster\n"
        "  PyTorch eager  3.05 ms  reference\n"
        "  training step  6.50 ms  1.15x faster, 1/32 activation memory\n"
        "precision exact (0 u)  build load_inline 2.63 ms  launches 1  spills 0 B"
    )


@pytest.mark.parametrize(
    ("name", "lines"),
    [
        ("benchmark", ["  this kernel    36.80 us  1.000x, same", "  torch.compile  36.90 us  1.001x, same"]),
        ("cell-profile", ["KernelGate  cell [3]  the CPU", "   281 us  4x  aten::uniform_"]),
        (
            "cell-profile-gpu",
            [
                "PROFILED  51 kernel launches, 570 us of 889 ms, at most 91.4 MB of device memory",
                "  45.2 us  3x  Kernel2<cutlass_80_simt_sgemm_64x64_8x5_tn_align1>(cutlass_80 ...",
                "  and 9 more",
            ],
        ),
        (
            "slower",
            [
                "SLOWER   1.592x slower than PyTorch eager (95% CI 1.590x to 1.595x)",
                "  this kernel    4.85 ms  1.59x slower",
            ],
        ),
        (
            "unclear",
            [
                "UNCLEAR  the clocks disagree (device trace span reads 9.04 us, device events",
                "  this kernel    4.51 us  1.04x, unclear",
            ],
        ),
        ("other-arithmetic", ["  PyTorch eager, TF32  0.370 ms  other arithmetic"]),
        ("sweep", ["  PyTorch eager  3.040 ms  reference"]),
    ],
)
def test_each_speed_has_its_words(name, lines):
    assert set(lines) <= set(as_text(sample(name)).split("\n"))


def test_a_speed_that_is_the_same_is_no_gain():
    timing = sample("profile").timing
    speeds = [msgspec.structs.replace(one, verdict="SAME") for one in timing.speeds]
    timing = msgspec.structs.replace(timing, speeds=speeds)
    text = as_text(sample("profile", timing=timing, facts=[faster_fact(timing)]))
    assert "\nSAME     1.011x, same speed as PyTorch eager (95% CI 1.009x to 1.011x faster)\n" in text
    assert "FASTER" not in text


def test_the_programs_give_way_where_there_is_more_to_say():
    verdict = msgspec.structs.replace(sample("benchmark").verdict, obstacle="so " * 60)
    problem = msgspec.structs.replace(sample("benchmark").problem, full_shape="9x9")
    text = as_text(sample("benchmark", verdict=verdict, problem=problem))
    assert_fits(text)
    assert "\nDROP-IN  no: so so" in text
    assert "  this kernel    36.80 us" in text


def _without_support(name):
    return msgspec.structs.replace(sample(name).verdict, support=[])


def test_what_a_gpus_compiler_says_is_told_and_that_nothing_of_it_was_run():
    report = sample("problem-only")
    told = " ".join(as_text(report).split())
    assert "BUILD compiles for the A100 (sm_80) and the H100 (sm_90), not run there; sm_80: 10 registers" in told
    code = msgspec.structs.replace(report.device_code, kernels=[])
    for build in code.builds:
        build.state, build.why = "not looked at", "NVRTC is not installed"
    told = " ".join(as_text(sample("problem-only", device_code=code)).split())
    assert "BUILD not looked at by a GPU's compiler: NVRTC is not installed" in told


def test_an_examination_is_told_where_nothing_failed():
    told = "FAULTS   none found: bounds, races, uninitialised reads (emulation)"
    assert told in as_text(sample("pass"))
    assert "FAULTS" not in as_text(sample("data-race"))
    raced = as_text(sample("pass", examination=sample("data-race").examination))
    assert "FAULTS   data race: two threads write and read `count`" in raced


def test_two_examinations_are_told_together_where_both_found_nothing():
    clean = sample("pass").examination
    by_tool = msgspec.structs.replace(clean, tool="compute-sanitizer")
    both = wording.examined(sample("pass", sanitizer=by_tool))
    assert both == "none found: bounds, races, uninitialised reads (emulation and compute-sanitizer)"
    absent = msgspec.structs.replace(by_tool, state="not run", note="it is not installed here")
    told = wording.examined(sample("pass", sanitizer=absent))
    assert told == (
        "not examined by compute-sanitizer: it is not installed here; "
        "none found: bounds, races, uninitialised reads (emulation)"
    )


def test_the_fault_behind_a_wrong_result_is_told_with_its_line():
    text = as_text(sample("data-race"))
    assert "WHERE    lost.py, line 13\n         13 |   count += 1;" in text
    assert "ERROR    data race: two threads write and read `count` without a barrier" in text
