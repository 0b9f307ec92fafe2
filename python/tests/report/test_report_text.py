"""text/plain: few lines of 80 columns, whatever a report holds, each whole; below them the dearest lines of
a kernel.

Its words are in the golden files: test_goldens.py."""

import re

import msgspec
import pytest
from report_samples import NAMES, hostile, sample

from kernelgate.report import wording
from kernelgate.report.speed_words import faster_fact
from kernelgate.report.text import as_text
from kernelgate.report.types import Advice, Device, Fact, Mismatch, Power

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
    *("KEPT", "DONE", "POWER", "FAULTS", "BUILD", "SLOWER", "SAME", "PROFILED", "ERRORS", "PLACE", "FIRST"),
    # The one line without a word in capitals: what the rest of a benchmark found.
    *("precision", "build", "launches"),
)


def assert_fits(text, most=15):
    lines = text.split("\n")
    before_costs = next((n for n, line in enumerate(lines) if re.match(r"  (line \d|global|shared)", line)), len(lines))
    assert before_costs <= most, "14 lines, and an empty one before those of a kernel"
    assert len(lines) - before_costs <= 25
    assert text.isascii()
    for line in text.split("\n"):
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
    assert_fits(text, most=60)
    verdict = sample(name).verdict
    assert ("\nCORRECT" in text) == (verdict is not None and verdict.outcome == "pass")


def test_a_fix_too_long_for_a_line_is_whole_on_two():
    declaration = "torch::Tensor leaky_relu_cuda(torch::Tensor input, float negative_slope, bool inplace);"
    failure = msgspec.structs.replace(sample("build-failure").failure, fix=declaration)
    text = as_text(sample("build-failure", failure=failure))
    assert_fits(text)
    fix = text.partition("add this declaration to cpp_sources:\n")[2].partition("NOT RUN")[0]
    assert " ".join(fix.split()) == declaration


def test_a_candidate_without_a_cuda_kernel_says_so():
    for name in ("pass", "wrong-result"):
        candidate = msgspec.structs.replace(sample(name).candidate, cuda_kernels=[])
        assert "NOTE     contains no CUDA kernel" in as_text(sample(name, candidate=candidate))
        assert "no CUDA kernel" not in as_text(sample(name))
        of_a_macro = msgspec.structs.replace(candidate, launches=1)
        assert "no CUDA kernel" not in as_text(sample(name, candidate=of_a_macro))


@pytest.mark.parametrize("name", ["read-error", "cancelled"])
def test_a_program_that_may_not_have_been_read_is_not_said_to_hold_no_kernel(name):
    candidate = msgspec.structs.replace(sample(name).candidate, cuda_kernels=[])
    assert "no CUDA kernel" not in as_text(sample(name, candidate=candidate))


def test_a_check_that_let_something_pass_says_how_strong_it_was():
    text = as_text(sample("graded", power=Power(caught=9, total=10, slipped=["transposed"])))
    assert "\nPOWER    catches 9 of 10 mutants; misses: transposed\n" in text


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


def test_a_report_too_long_drops_its_notes_and_cuts_nothing():
    failure = msgspec.structs.replace(sample("wrong-result").failure, what="word " * 119 + "last", fix="a\nb\nc\nd")
    advice = [Advice(text="Something else about the program")] * 20
    text = as_text(sample("wrong-result", failure=failure, advice=advice))
    assert_fits(text, most=20)
    assert "FIX      multiply negative inputs by negative_slope:\n         a\n         ... and 3 more lines" in text
    assert "Something else" not in text and "last\n" in text


def test_two_values_stand_whole_on_a_line_of_their_own():
    text = as_text(sample("wrong-result"))
    assert "ERROR    in case \"normal\", 98,301 of 196,608 elements differ\n" in text
    assert "FIRST    [0, 1]: got -0.2934, expected -0.002934; input -0.2934\n" in text
    report = sample("wrong-result")
    wrong = next(case for case in report.cases if case.first is not None)
    wrong.first = Mismatch(index=f"{[123456789] * 6}", got="-0.839420378", expected="0.83919256925916672")
    assert "\n         got -0.839420378, expected 0.83919256925916672\n" in as_text(report)


def test_a_fix_that_only_removes_lines_is_a_sentence_without_code_below_it():
    failure = msgspec.structs.replace(sample("wrong-result").failure, next_step="Remove the import", fix="")
    lines = as_text(sample("wrong-result", failure=failure)).split("\n")
    at = lines.index("FIX      remove the import")
    assert lines[at + 1 : at + 2] != [""]


def test_a_place_of_another_case_than_the_failures_names_its_case():
    report = sample("wrong-result")
    assert "PLACE    wrong elements lie in all rows, all columns" in as_text(report)
    report.failure.case = "empty"
    assert 'PLACE    case "normal": wrong elements lie in all rows, all columns' in as_text(report)


def test_a_long_title_is_whole_and_so_is_the_device():
    report = sample("pass", title="A module with a very long name " * 4 + "at its end")
    assert_fits(as_text(report))
    assert "at its end emulation on the CPU CORRECT" in " ".join(as_text(report).split())


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


def test_without_a_gpus_compiler_the_text_says_why():
    code = msgspec.structs.replace(sample("problem-only").device_code, kernels=[])
    for build in code.builds:
        build.state, build.why = "not looked at", "NVRTC is not installed"
    words = " ".join(as_text(sample("problem-only", device_code=code)).split())
    assert "BUILD not looked at by a GPU's compiler: NVRTC is not installed" in words


def test_a_fault_that_is_no_failure_stands_in_a_line_of_its_own():
    raced = as_text(sample("pass", memory_check=sample("data-race").memory_check))
    assert "FAULTS   data race: two threads write and read `count`" in raced


def test_what_the_memory_check_found_is_said_beside_a_failure_that_is_another():
    found = sample("data-race").memory_check
    words = " ".join(as_text(sample("problem-only", memory_check=found)).split())
    assert "FAULTS data race: two threads write and read `count`" in words


def test_that_no_race_was_found_is_said_of_one_stream_where_a_program_makes_others():
    found = msgspec.structs.replace(sample("pass").memory_check, one_stream=False)
    assert "races within a stream, uninit" in wording.examined(sample("pass", memory_check=found))


def test_two_memory_checks_are_said_together_where_both_found_nothing():
    clean = sample("pass").memory_check
    by_tool = msgspec.structs.replace(clean, tool="compute-sanitizer")
    both = wording.examined(sample("pass", sanitizer=by_tool))
    assert both == (
        "none found: bounds, races, uninitialised reads "
        "(emulation on 64x3072 and 1027 and compute-sanitizer on 64x3072 and 1027)"
    )
    absent = msgspec.structs.replace(by_tool, state="not run", note="it is not installed here")
    told = wording.examined(sample("pass", sanitizer=absent))
    assert told == (
        "not examined by compute-sanitizer: it is not installed here; "
        "none found: bounds, races, uninitialised reads (emulation on 64x3072 and 1027)"
    )
