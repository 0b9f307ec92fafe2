"""What the process that asks for a run takes upon itself."""

import shutil
import subprocess
import sys

import msgspec
import pytest
from judge.candidates import forward, verify

from kernelgate.report import Report
from kernelgate.run import Job, client, new_run_id, run

SCRIPT = """
import sys
from kernelgate.catalogue import operators
from kernelgate.run import Job, new_run_id, run
text = operators()["leakyrelu"].program_text
said = []
job = Job(run=new_run_id(), text=text, label="p", problem="leakyrelu", device="emulated")
report = run(job, lambda report: said.append(report.progress))
print(report.verdict.outcome, "torch" in sys.modules, said[0], sep="\\n")
"""


@pytest.mark.drawn
def test_a_run_imports_no_torch_into_the_process_that_asks_for_it_and_says_that_it_waits_for_another_to() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["pass", "False", "Importing PyTorch, once in a kernel"]


@pytest.mark.parametrize("text", ["", "\0", "import torch\n"])
def test_a_text_that_holds_no_program_is_refused_before_a_process_is_started(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "FORK_SERVER", (sys.executable, "-c", "raise SystemExit('was started')"))
    client.end_idle(keep=0)
    report = verify(text)
    assert report.verdict is not None
    assert report.verdict.kind == "read"
    assert report.verdict.sentence.startswith("Cannot be read: ")


def test_compilers_are_found_in_a_kernel_that_has_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATH")
    assert shutil.which("g++", path=client._environment()["PATH"])


@pytest.mark.drawn
@pytest.mark.parametrize(("result", "said"), [("F.leaky_relu(x, s)", True), ("x + 1", False)])
def test_the_first_verdict_is_said_as_soon_as_the_problems_own_inputs_are_compared(result: str, said: bool) -> None:
    running: list[Report] = []
    text = forward(f"return {result}")
    job = Job(run=new_run_id(), text=text, label="p", problem="leakyrelu", device="emulated", shape=(4, 8))
    run(job, lambda report: running.append(msgspec.structs.replace(report)))
    first = [report for report in running if report.doing.startswith("right on the problem's own inputs")]
    assert bool(first) == said
    assert all(any(case.own and case.outcome == "pass" for case in report.cases) for report in first)


@pytest.mark.drawn
def test_a_seed_repeats_a_run_to_the_bit() -> None:
    text = forward("return F.leaky_relu(x, 0.011)")
    first = verify(text)
    again, other = verify(text, seed=int(first.seed)), verify(text)
    assert again.cases == first.cases
    assert other.cases != first.cases
