"""A speed in words: the same conclusion in the verdict's sentence, in the facts and in the rows."""

import msgspec
import pytest
from report_samples import sample

from kernelgate.report import speed_words
from kernelgate.report.measured import (
    Clock,
    Limit,
    LowerBound,
    MemoryUse,
    PeakRate,
    Share,
    Speed,
    SweepPoint,
    Timed,
    Timing,
)
from kernelgate.report.sections.profile import profile
from kernelgate.report.sections.sizes import sizes
from kernelgate.report.types import Fact

US = "this kernel"
EAGER = "PyTorch eager"


def timed(program, role, median_s, phase="forward"):
    spread = {"q1_s": median_s * 0.999, "q3_s": median_s * 1.001, "n": 100}
    return Timed(program=program, role=role, phase=phase, cache_state="cold", median_s=median_s, **spread)


def speed(ratio, low, high, verdict, program=US, phase="forward", **more):
    return Speed(
        program=program,
        phase=phase,
        cache_state="cold",
        ratio=ratio,
        low=low,
        high=high,
        band=1.003,
        verdict=verdict,
        **more,
    )


def timing(*speeds, rows=(), **more):
    both = [timed(US, "candidate", 0.003015), timed(EAGER, "reference", 0.003045)]
    return Timing(shape="4096x393216", rows=[*both, *rows], speeds=list(speeds), **more)


def limited(share, unit="B/s", name="device copy", vendor=False):
    return Limit(
        peak_rates=[PeakRate(name=name, unit=unit, rate=4.25e12, vendor=vendor)],
        lower_bounds=[LowerBound(phase="forward", bytes=12_900_000_000, flops=1, seconds=0.00303, peak=name)],
        shares=[Share(program=US, phase="forward", share=share, rate=4.27e12 * min(share, 1))],
    )


def clock(name, seconds, agrees=True):
    return Clock(program=US, name=name, seconds=seconds, agrees=agrees)


FASTER = speed(1.00995, 1.009, 1.011, "FASTER")
SLOWER = speed(1 / 1.61, 1 / 1.62, 1 / 1.6, "SLOWER")
SAME = speed(0.998, 0.997, 1.004, "SAME")
UNCLEAR = speed(1.02, 1 / 1.04, 1.09, "UNCLEAR")
OTHER = speed(3.48, 3.44, 3.52, None)


@pytest.mark.parametrize(
    ("one", "answer", "evidence"),
    [
        (FASTER, "Yes, 1.010x faster than PyTorch eager", "95% CI 1.009x to 1.011x"),
        (SLOWER, "No, 1.61x slower than PyTorch eager", "95% CI 1.60x to 1.62x"),
        (SAME, "No, 1.002x, same speed as PyTorch eager", "95% CI 1.003x slower to 1.004x faster"),
        (
            UNCLEAR,
            "Unclear: the times vary too much",
            "95% CI 1.04x slower to 1.09x faster against PyTorch eager",
        ),
        (
            speed(0.98, 0.96, 0.9975, "UNCLEAR"),
            "Unclear: the times vary too much",
            "95% CI 1.003x to 1.042x slower against PyTorch eager",
        ),
    ],
)
def test_faster_is_answered_with_its_reference_and_its_interval(one, answer, evidence):
    assert speed_words.faster_fact(timing(one)) == Fact(question="Faster?", answer=answer, evidence=evidence)


def test_clocks_that_disagree_are_named_with_what_they_read():
    clocks = [clock("device events", 0.00302), clock("wall slope", 0.00331, agrees=False)]
    fact = speed_words.faster_fact(timing(UNCLEAR, clocks=clocks))
    assert fact.answer == "Unclear: the clocks disagree"
    assert fact.evidence == "wall slope reads 3.31 ms, device events 3.02 ms"


@pytest.mark.parametrize(
    ("one", "step"),
    [
        (timing(UNCLEAR), "Benchmark it again with nothing else on the device, or for longer: --budget."),
        (
            timing(UNCLEAR, clocks=[clock("device events", 0.00302), clock("wall slope", 0.00331, agrees=False)]),
            "Benchmark it again with nothing else on the device, or at a size where a call takes longer: --set.",
        ),
        (timing(FASTER), ""),
    ],
)
def test_a_speed_that_is_unclear_says_what_to_do(one, step):
    assert speed_words.unclear_step(one) == step


def test_other_arithmetic_gets_no_verdict():
    one = timing(OTHER)
    fact = speed_words.faster_fact(one)
    assert (fact.answer, fact.measured) == ("Not compared", False)
    assert fact.evidence == "other arithmetic than PyTorch eager"
    assert speed_words.with_speed("Correct", one) == "Correct; speed not compared: other arithmetic"


def test_what_was_not_timed_says_why():
    one = Timing(shape="64x64", note="emulation says nothing about speed")
    for fact in (speed_words.faster_fact(one), speed_words.limit_fact(one)):
        assert (fact.answer, fact.evidence, fact.measured) == ("Not measured", one.note, False)
    assert speed_words.with_speed("Correct in emulation", one) == "Correct in emulation"


def test_a_budget_too_small_for_a_ratio_differs_from_a_reference_that_was_not_timed():
    few = speed_words.faster_fact(timing(note="the device lowered its clock"))
    assert few.answer == "Not measured" and not few.measured
    assert few.evidence.startswith("too few rounds in turn") and few.evidence.endswith("lowered its clock")
    alone = Timing(
        shape="64x64", rows=[timed(US, "candidate", 0.003)], note="PyTorch eager was left out: no memory"
    )
    assert speed_words.faster_fact(alone).evidence == alone.note


@pytest.mark.parametrize(
    ("one", "answer", "evidence"),
    [
        (limited(1.005), "100% of device copy, 4.27 TB/s", "device copy: 4.25 TB/s"),
        (
            limited(0.53, "FLOP/s", "FP16", vendor=True),
            "53% of the vendor's FP16, 2.26 TFLOP/s",
            "the vendor's FP16: 4.25 TFLOP/s",
        ),
    ],
)
def test_the_limit_is_named_with_what_the_device_reached(one, answer, evidence):
    fact = speed_words.limit_fact(timing(FASTER, limit=one))
    assert (fact.answer, fact.evidence, fact.measured) == (answer, evidence, True)


def test_a_program_that_needs_less_than_was_counted_is_not_at_a_limit():
    one = timing(FASTER, limit=limited(13.0))
    fact = speed_words.limit_fact(one)
    assert not fact.measured and fact.evidence.startswith("it is faster than the work that was counted")
    assert speed_words.with_speed("Correct", one) == "Correct, 1.01x faster than PyTorch eager"


@pytest.mark.parametrize(
    ("one", "sentence"),
    [
        (timing(FASTER), "Correct, 1.01x faster than PyTorch eager"),
        (timing(FASTER, limit=limited(1.0)), "Correct, 1.01x faster, and at the device's memory limit"),
        (
            timing(FASTER, rows=[timed(US, "candidate", 0.0062, "training step")], limit=limited(1.0)),
            "Correct, 1.01x faster forward, and at the device's memory limit",
        ),
        (timing(FASTER, limit=limited(0.6)), "Correct, 1.01x faster than PyTorch eager"),
        (
            timing(FASTER, limit=limited(0.99, "FLOP/s", "FP16")),
            "Correct, 1.01x faster, and at the device's FP16 limit",
        ),
        (timing(speed(1.004, 1.0035, 1.0045, "FASTER")), "Correct, 1.004x faster than PyTorch eager"),
        (timing(SLOWER), "Correct, but 1.61x slower than PyTorch eager"),
        (timing(SAME), "Correct, same speed as PyTorch eager"),
        (timing(UNCLEAR), "Correct; speed unclear: the times vary too much"),
    ],
)
def test_the_verdict_ends_in_its_speed(one, sentence):
    assert speed_words.with_speed("Correct", one) == sentence


def test_rows_stand_in_one_unit_with_other_arithmetic_last():
    others = [timed("TF32", "other", 0.0004), timed("torch.compile", "other", 0.003037)]
    speeds = [FASTER, speed(1.003, 1.002, 1.004, "SAME", "torch.compile"), speed(7.6, 7.5, 7.7, None, "TF32")]
    found = speed_words.rows(timing(*speeds, rows=others), "forward")
    assert [(row.program, row.time, row.against) for row in found] == [
        ("this kernel", "3.015 ms", "1.010x faster"),
        ("torch.compile", "3.037 ms", "1.003x, same"),
        ("PyTorch eager", "3.045 ms", "reference"),
        ("TF32", "0.4000 ms", "other arithmetic"),
    ]


def test_the_training_step_says_what_is_kept_for_it():
    steps = [
        timed(US, "candidate", 0.00622, "training step"),
        timed(EAGER, "reference", 0.00745, "training step"),
    ]
    one = timing(
        FASTER,
        speed(1.198, 1.19, 1.205, "FASTER", phase="training step"),
        rows=steps,
        memory=[
            MemoryUse(program=US, peak_bytes=0, kept_bytes=201_326_592),
            MemoryUse(program=EAGER, peak_bytes=0, kept_bytes=6_442_450_944),
        ],
    )
    assert speed_words.training(one) == ("6.22 ms", "1.20x faster")
    assert speed_words.kept_words(one) == "1/32 activation memory"
    assert speed_words.training(timing(FASTER)) is None


def test_sizes_that_lose_are_named():
    points = [
        SweepPoint(
            shape=shape,
            elements=1,
            candidate_s=1,
            reference_s=1,
            ratio=1,
            low=1,
            high=1,
            verdict=verdict,
        )
        for shape, verdict in (("64x64", "SLOWER"), ("128x128", "SAME"), ("256x256", "SLOWER"))
    ]
    report = msgspec.structs.replace(sample("pass"), timing=timing(FASTER, sweep=points))
    section = sizes(report)
    assert section is not None
    assert section.conclusion == "slower at 64x64, 256x256; faster at 0 of 3 sizes"


def test_the_launches_of_a_profiled_cell_are_counted():
    section = profile(sample("cell-profile-gpu"))
    assert section is not None and section.conclusion == "launches 51"
    on_cpu = sample("cell-profile")
    section = profile(on_cpu)
    assert section is not None and on_cpu.profile is not None and section.conclusion == on_cpu.profile.note
