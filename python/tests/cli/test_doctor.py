"""`kernelgate doctor`: what it finds is what a verification then finds, and whatever is missing has its next step."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from kernelgate.cli.main import main
from kernelgate.commands.doctor import diagnose

from .commands import PACKAGE, command, without_torch


@pytest.mark.drawn
def test_the_doctor_says_where_a_verification_runs_and_it_runs_there(
    capsys: pytest.CaptureFixture[str],
) -> None:
    status = main(["doctor", "--json"])
    diagnosis = json.loads(capsys.readouterr().out)
    assert (status, diagnosis["verifies_on"] in ("gpu", "emulation")) == (0, True)
    found = {finding["name"]: finding for finding in diagnosis["findings"]}
    assert list(found) == [
        "Python", "PyTorch", "GPU", "nvcc", "C++ compiler", "ninja", "Emulation", "NVRTC",
        *(["NVML"] if found["GPU"]["found"] else []), "Build cache", "JupyterLab",
    ]  # fmt: skip
    assert all(finding["found"] or finding["next_step"] for finding in found.values())
    assert found["PyTorch"]["found"] and found["GPU"]["found"] == (diagnosis["verifies_on"] == "gpu")


@pytest.mark.drawn
def test_a_missing_part_is_named_with_its_fix_on_lines_of_80_columns(tmp_path: Path) -> None:
    done = command("doctor", PATH=str(tmp_path), KERNELGATE_CACHE=str(tmp_path / "cache"))
    assert done.returncode == 2
    assert "MISSING  C++ compiler   no g++\n" in done.stdout
    assert "what to do     Install it: sudo apt install g++" in done.stdout
    assert done.stdout.endswith("RESULT   Nothing can be verified here: neither a GPU nor emulation works\n")
    assert "cache, 0 files, 0.0 MB" in " ".join(done.stdout.split())
    unbroken = str(tmp_path)
    assert all(len(line) <= 80 for line in done.stdout.splitlines() if unbroken not in line)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.drawn
def test_the_compiler_for_other_gpus_is_named_with_its_version_or_with_what_brings_it() -> None:
    told = """
import sys
from pathlib import Path
from kernelgate.commands.doctor import as_text, diagnose
if sys.argv[1:]:
    sys.path[:] = [path for path in sys.path if not Path(path, "nvidia").is_dir()]
print(as_text(diagnose()))
"""
    here, elsewhere = (
        subprocess.run(
            [sys.executable, "-c", told, *some],
            env={**os.environ, "PYTHONPATH": PACKAGE, "CUDA_HOME": "/nowhere"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for some in ([], ["elsewhere"])
    )
    assert re.search(r"OK       NVRTC          CUDA \d+\.\d+: programs are also compiled", here)
    assert "MISSING  NVRTC          NVRTC is not installed\n" in elsewhere
    assert "what to do     Install it: pip install 'kernelgate[nvrtc]'" in elsewhere


def test_without_pytorch_the_doctor_says_so_and_ends_with_2(tmp_path: Path) -> None:
    done = command("doctor", "--json", PYTHONPATH=without_torch(tmp_path))
    diagnosis = json.loads(done.stdout)
    assert (done.returncode, diagnosis["verifies_on"]) == (2, "nothing")
    torch = next(finding for finding in diagnosis["findings"] if finding["name"] == "PyTorch")
    assert (torch["found"], torch["says"]) == (False, "ModuleNotFoundError: No module named 'torch'")
    assert torch["next_step"] == "Install it where the kernel runs: pip install torch"


def test_a_pytorch_that_is_slow_to_import_is_not_to_be_installed() -> None:
    diagnosis = diagnose(patience_s=0.01)
    torch = next(finding for finding in diagnosis.findings if finding.name == "PyTorch")
    assert torch.says == "importing it takes more than 0.01 s"
    assert torch.next_step.startswith("Run kernelgate doctor again")
    assert diagnosis.sentence == "Nothing can be verified here: PyTorch was not yet imported"
