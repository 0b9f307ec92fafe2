"""What the process that asks for a run takes upon itself."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

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


def test_a_run_imports_no_torch_into_the_process_that_asks_for_it_and_says_that_it_waits_for_another_to() -> None:
    done = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["pass", "False", "Importing PyTorch, once in a kernel"]


@pytest.mark.parametrize("text", ["", "\0", "import torch\n"])
def test_a_text_that_holds_no_program_is_refused_before_a_process_is_started(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "FORK_SERVER", ("-c", "raise SystemExit('was started')"))
    client.end_idle(keep=0)
    report = verify(text)
    assert report.verdict is not None
    assert report.verdict.kind == "read"
    assert report.verdict.sentence.startswith("Cannot be read: ")


def _children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def test_a_judge_that_is_killed_is_said_to_have_run_out_of_memory_and_no_report_is_asked_for() -> None:
    def kill_the_judge(report: Report) -> None:
        if any(stage.state == "running" for stage in report.stages):
            for fork_server in _children(os.getpid()):
                for judge in _children(fork_server):
                    os.kill(judge, signal.SIGKILL)

    job = Job(run=new_run_id(), text=forward("return x"), label="p", problem="leakyrelu", device="emulated")
    report = run(job, kill_the_judge)
    assert report.verdict is not None and report.failure is not None
    assert report.verdict.outcome == "not run"
    assert report.verdict.sentence.endswith("most likely as memory ran out")
    assert "--shape" in report.failure.next_step


def test_compilers_are_found_in_a_kernel_that_has_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PATH")
    assert shutil.which("g++", path=client._environment("")["PATH"])


def test_a_seed_repeats_a_run_to_the_bit() -> None:
    text = forward("return F.leaky_relu(x, 0.011)")
    first = verify(text)
    again, other = verify(text, seed=int(first.seed)), verify(text)
    assert again.cases == first.cases
    assert other.cases != first.cases
