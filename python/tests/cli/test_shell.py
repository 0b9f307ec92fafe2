"""The command behaves as a shell expects: help, pipes, completion, and no option that is ignored in silence."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernelgate.cli.main import SHELLS, main
from kernelgate.commands import terminal
from kernelgate.commands.options import undone
from kernelgate.commands.terminal import Progress
from kernelgate.messages.first_report import first_report
from kernelgate.messages.job import Job
from kernelgate.report import Stage
from kernelgate.report.measured import Timing

from .commands import PACKAGE, command

REPORT = first_report(Job(run="r", text="", label="mine.py", problem="leakyrelu"))
REPORT.stages[1] = Stage(name="check", state="running", done=9, total=15)


def test_the_command_alone_prints_its_help_and_a_first_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 0
    out = capsys.readouterr().out
    assert out.startswith("usage: kernelgate") and out.endswith("Begin with: kernelgate doctor\n")


@pytest.mark.parametrize("verb", ["verify", "benchmark", "profile", "fix", "watch"])
def test_help_is_in_groups_and_ends_with_two_examples(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([verb, "--help"])
    out = capsys.readouterr().out
    titles = [line for line in out.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert titles[1:4] == ["what:", "against what:", "how:"]
    assert out.count(f"  kernelgate {verb} ") == 2


def test_a_closed_pipe_ends_it_without_a_word() -> None:
    environment = {**os.environ, "PYTHONPATH": PACKAGE}
    words = [sys.executable, "-m", "kernelgate.cli", "show", "gemm_scale_leakyrelu"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("--problem leakyreluu", "There is no problem 'leakyreluu'. Did you mean leakyrelu?"),
        ("--problem leakyrelu --dtype fp32", "There is no dtype 'fp32'. Did you mean float32?"),
        ("--problem leakyrelu --dtype bf16", "There is no dtype 'bf16'. Did you mean bfloat16?"),
        ("--problem leakyrelu --contract dropin", "There is no contract 'dropin'. Did you mean drop-in?"),
        ("--reference torch.nn.GELU() --input 64,768", "64,768 is read as 2 inputs of one size each. Write 64x768"),
    ],
)
def test_what_was_nearly_right_is_said(
    words: str, says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "mine.py"
    program.write_text("class ModelNew: pass")
    assert main(["verify", str(program), *words.split()]) == 2
    assert capsys.readouterr().err.startswith(f"kernelgate: {says}")


def test_a_notebook_is_no_program(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notebook = tmp_path / "out.ipynb"
    notebook.write_text('{"cells": []}')
    assert main(["verify", str(notebook), "--problem", "leakyrelu"]) == 2
    assert "out.ipynb is a notebook. Verify a cell of it in JupyterLab, or save" in capsys.readouterr().err


@pytest.mark.drawn
def test_a_cache_that_cannot_be_written_is_named_with_the_variable_that_moves_it(tmp_path: Path) -> None:
    cache = tmp_path / "file"
    cache.write_text("no folder")
    program = tmp_path / "mine.py"
    program.write_text(command("show", "leakyrelu", "--form", "short").stdout)
    done = command("verify", str(program), "--problem", "leakyrelu", KERNELGATE_CACHE=str(cache))
    assert done.returncode == 2
    words = " ".join(done.stdout.split())
    assert "NOT RUN the build cache" in words and "cannot be written" in words and "set KERNELGATE_CACHE" in words
    assert "NOTE" not in words


def test_options_of_a_run_that_takes_no_times_are_named() -> None:
    written = {"trace": "trace.json", "against": "eager,compile", "sweep": True, "dtype": "float32"}
    REPORT.timing = Timing(shape="4", note="emulation says nothing about speed")
    assert undone(written, REPORT) == [
        "trace.json is not written: nothing was timed, as emulation says nothing about speed",
        "--against and --sweep did nothing: nothing was timed, as emulation says nothing about speed",
    ]
    assert undone({"dtype": "float32"}, REPORT) == []


@pytest.mark.drawn
def test_a_file_that_was_asked_for_and_is_not_written_is_status_2(tmp_path: Path) -> None:
    program = tmp_path / "mine.py"
    program.write_text(
        "import torch.nn as nn\nclass ModelNew(nn.LeakyReLU):\n    def __init__(self, slope=0.01):\n"
        "        super().__init__(slope)\n"
    )
    trace = tmp_path / "trace.json"
    words = ("profile", str(program), "--problem", "leakyrelu", "--device", "emulated", "--trace", str(trace))
    done = command(*words)
    assert done.returncode == 2 and not trace.exists(), done.stdout
    assert f"kernelgate: {trace} is not written: nothing was timed" in done.stderr


def test_where_there_is_no_terminal_progress_is_a_line_every_ten_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(terminal.time, "monotonic", lambda: now[0])
    monkeypatch.setattr(sys, "stderr", err := io.StringIO())
    progress = Progress()
    progress.show(REPORT)
    for now[0] in (101.0, 105.0, 110.5, 111.0, 119.0, 121.0):
        progress.tick()
    assert err.getvalue() == "checking, 9 of 15, 10 s\nchecking, 9 of 15, 21 s\n"


@pytest.mark.parametrize("shell", SHELLS)
def test_a_shell_completes_verbs_options_and_their_values(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("shtab")
    assert main(["completion", shell]) == 0
    out = capsys.readouterr().out
    assert all(word in out for word in ("benchmark", "allow-arithmetic", "bfloat16", "gemm_scale_leakyrelu"))


def test_a_shell_that_is_not_known_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", "fsh"]) == 2
    assert "There is no completion for 'fsh'. Did you mean fish?" in capsys.readouterr().err
