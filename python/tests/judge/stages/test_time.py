"""The time and profile stages: where there is no GPU they say so; on one, true speeds only. Real processes."""

from __future__ import annotations

import pytest

from judge.candidates import RIGHT_CUDA, cuda_program, forward, verify
from kernelgate.cli.main import exit_status
from kernelgate.report import Report
from kernelgate.report.measured import Timed, Timing

HONEST = forward("return F.leaky_relu(x, s)")
SMALL = (1024, 4096)


def benchmark(text: str, **options: object) -> Report:
    options.setdefault("shape", SMALL)
    return verify(text, device="cuda", verb=options.pop("verb", "benchmark"), budget_s=3.0, **options)


def timing(report: Report) -> Timing:
    assert report.timing is not None, report.verdict
    return report.timing


def row(report: Report, role: str, phase: str = "forward", cache_state: str = "cold") -> Timed:
    key = (role, phase, cache_state)
    return next(r for r in timing(report).rows if (r.role, r.phase, r.cache_state) == key)


def test_in_emulation_nothing_is_timed_and_the_report_says_so() -> None:
    report = verify(HONEST, verb="benchmark")
    assert report.verdict is not None
    assert report.verdict.sentence == "Correct in emulation; timing not measured"
    assert exit_status(report) == 0
    assert timing(report).note == "emulation says nothing about speed"
    assert (timing(report).rows, timing(report).speeds, timing(report).limit) == ([], [], None)
    assert {stage.name: stage.state for stage in report.stages}["time"] == "not run"
    assert [(fact.question, fact.measured) for fact in report.facts] == [("Correct?", True), ("Faster?", False)]


def test_a_profile_in_emulation_names_both_stages_that_were_not_run() -> None:
    report = verify(HONEST, verb="profile")
    states = {stage.name: stage.state for stage in report.stages}
    assert (states["time"], states["profile"]) == ("not run", "not run")


@pytest.mark.gpu
def test_the_reference_against_itself_is_the_same() -> None:
    report = benchmark(HONEST)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert timing(report).speeds[0].verdict in ("SAME", "UNCLEAR"), timing(report).speeds[0]
    assert all(clock.agrees for clock in timing(report).clocks), timing(report).clocks
    assert timing(report).verified >= 1
    assert {r.phase for r in timing(report).rows} == {"forward", "backward", "training step"}
    assert row(report, "candidate").n >= 3


@pytest.mark.gpu
def test_twice_the_work_is_slower() -> None:
    report = benchmark(forward("F.leaky_relu(x, s)\nreturn F.leaky_relu(x, s)"))
    assert report.verdict is not None
    told = (timing(report).note, timing(report).speeds, timing(report).clocks)
    assert "slower than PyTorch eager" in report.verdict.sentence, told
    assert row(report, "candidate").median_s > 1.5 * row(report, "reference").median_s


@pytest.mark.gpu
def test_a_result_that_is_kept_after_many_calls_is_no_speed() -> None:
    text = forward(
        "self.calls = getattr(self, 'calls', 0) + 1\n"
        "last = getattr(self, 'last', None)\n"
        "if self.calls > 150 and last is not None and last.shape == x.shape:\n    return last\n"
        "self.last = F.leaky_relu(x, s)\nreturn self.last"
    )
    report = benchmark(text)
    assert report.verdict is not None
    assert report.verdict.outcome == "fail", report.verdict.sentence
    assert all(speed.verdict != "FASTER" for speed in (report.timing.speeds if report.timing else []))


@pytest.mark.gpu
def test_what_is_wrong_after_thousands_of_calls_only_is_found_at_the_end() -> None:
    text = forward(
        "self.calls = getattr(self, 'calls', 0) + 1\n"
        "return F.leaky_relu(x, s) if self.calls < 4000 else x * 1"
    )
    report = benchmark(text)
    assert report.verdict is not None
    assert report.verdict.outcome == "fail", report.verdict.sentence


KEEPS_ITS_GRADIENT = """
class Keeping(torch.autograd.Function):
    calls, kept = 0, {}

    @staticmethod
    def forward(ctx, x, s):
        ctx.save_for_backward(x)
        ctx.s = s
        return F.leaky_relu(x, s)

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        Keeping.calls += 1
        if Keeping.calls > 200 and x.shape in Keeping.kept:
            return Keeping.kept[x.shape], None
        Keeping.kept[x.shape] = torch.where(x > 0, g, g * ctx.s)
        return Keeping.kept[x.shape], None
"""


@pytest.mark.gpu
def test_a_gradient_that_is_kept_after_many_calls_is_no_speed() -> None:
    program = forward("return Keeping.apply(x, s)").replace("class ModelNew", KEEPS_ITS_GRADIENT + "\n\nclass ModelNew")
    report = benchmark(program)
    assert report.verdict is not None
    assert report.verdict.sentence.startswith("Wrong gradient"), report.verdict.sentence


@pytest.mark.gpu
def test_an_empty_result_after_many_calls_is_an_impossible_time_or_a_wrong_one() -> None:
    text = forward(
        "self.calls = getattr(self, 'calls', 0) + 1\n"
        "return torch.empty_like(x) if self.calls > 150 else F.leaky_relu(x, s)"
    )
    report = benchmark(text)
    assert report.verdict is not None
    assert report.verdict.sentence.startswith(("Impossible time", "Wrong result")), report.verdict.sentence


@pytest.mark.gpu
def test_clocks_that_are_made_to_lie_give_no_speed() -> None:
    text = forward(
        "self.calls = getattr(self, 'calls', 0) + 1\n"
        "if self.calls == 600:\n"
        "    import kernelgate.timing.clocks as clocks\n"
        "    real = torch.cuda.Event.elapsed_time\n"
        "    torch.cuda.Event.elapsed_time = lambda a, b: real(a, b) * 0.5\n"
        "return F.leaky_relu(x, s)"
    )
    report = benchmark(text)
    assert all(speed.verdict != "FASTER" for speed in timing(report).speeds), timing(report).speeds


@pytest.mark.gpu
def test_a_profile_lists_each_kernel_with_its_resources() -> None:
    report = benchmark(cuda_program(RIGHT_CUDA), verb="profile", against=("eager", "compile"))
    assert report.profile is not None, report.verdict
    (own,) = [k for k in report.profile.kernels if (k.program, k.phase) == ("this kernel", "forward")]
    assert own.name.startswith("leaky(")
    assert (own.block, own.spill_bytes, own.occupancy) == ([256, 1, 1], 0, 1.0)
    assert any(bar.kind == "kernel" and bar.program == "PyTorch eager" for bar in report.profile.timeline)
    assert any(built.name.startswith("leaky(") for built in report.profile.builds)
    assert {r.program for r in timing(report).rows} == {"this kernel", "PyTorch eager", "torch.compile"}
    assert report.profile.counters_note or any(c.name == "DRAM bytes" for c in own.counters)
