"""What lies beside a program: the program and its reference may import it, and nothing of ours does."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from agents.conversation import answers_of
from cli.commands import PACKAGE
from judge.candidates import forward, verify
from notebook.kernels import kernel

from kernelgate.run import client

SMALL = ["--device", "emulated", "--shape", "8x64"]
NAMES = ["json.py", "kernelgate.py", "kernelgate/__init__.py", "msgspec.py", "sitecustomize.py", "torch.py"]
SHADOWS = "json.py, kernelgate, msgspec.py, sitecustomize.py, torch.py"
RIGHT = forward("return F.leaky_relu(x, s)")
WRONG = forward("return torch.zeros_like(x)")
# As pip writes it: the first entry of the path is the script's folder.
SCRIPT = "import sys\nfrom kernelgate.cli.main import main\nsys.exit(main())\n"
# As the front end does when a notebook is opened, before anybody can import the wrong one (src/kernel/silent.ts).
OPENED = """
import os, sys
path = sys.path
sys.path = [one for one in path if one not in ("", os.getcwd())]
import kernelgate
sys.path = path
"""
HELPER = "import torch\nFACTOR = 0.01\n"
REFERENCE = """
import torch
import torch.nn as nn
from helpers import FACTOR

class Model(nn.Module):
    def forward(self, x):
        import json, more_helpers
        return x * FACTOR * more_helpers.ONE

def get_inputs():
    return [torch.randn(8, 64)]
"""
NEEDS_A_HELPER = """
import torch.nn as nn
from more_helpers import ONE
import helpers

class ModelNew(nn.Module):
    def forward(self, x):
        return x * helpers.FACTOR * ONE
"""


@pytest.fixture
def forged(tmp_path: Path) -> Path:
    """A folder with a file of each name, which says by a file named `taken` who imports it, and two programs."""
    folder = tmp_path / "theirs"
    (folder / "kernelgate").mkdir(parents=True)
    for name in NAMES:
        (folder / name).write_text(f"open({str(folder / 'taken')!r}, 'a').write({name!r})\n")
    (folder / "programs").mkdir()
    (folder / "programs" / "right.py").write_text(RIGHT)
    (folder / "programs" / "wrong.py").write_text(WRONG)
    return folder


def shell(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    script = folder.parent / "bin" / "kernelgate"
    script.parent.mkdir()
    script.write_text(SCRIPT)
    return subprocess.run(
        [sys.executable, str(script), *words],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": PACKAGE},
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_a_shell_judges_without_them_and_names_them(forged: Path) -> None:
    done = shell(forged, "verify", "programs/wrong.py", "--problem", "leakyrelu", *SMALL)
    assert done.stdout.split()[0] == "KernelGate" and "FAILED" in done.stdout, done
    assert SHADOWS in " ".join(done.stdout.split())
    assert not (forged / "taken").exists()


def test_evaluate_judges_without_them(forged: Path, tmp_path: Path) -> None:
    words = ["programs", "--problem", "leakyrelu", *SMALL, "--results", str(tmp_path / "results.jsonl")]
    done = shell(forged, "evaluate", *words)
    right, wrong = (next(one for one in done.stdout.splitlines() if name in one) for name in ("right.py", "wrong.py"))
    assert "correct" in right and "correct" not in wrong and "1 pass, 1 fail" in done.stdout, done
    assert not (forged / "taken").exists()


def test_the_tools_judge_without_them(forged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("mcp.client.stdio")
    monkeypatch.chdir(forged)
    right, wrong = answers_of(RIGHT, WRONG)
    assert (right["outcome"], wrong["outcome"]) == ("pass", "fail")
    assert not (forged / "taken").exists()


def test_a_notebook_judges_without_them(forged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(forged)
    with kernel() as started:
        assert started.run(f"{OPENED}\n%load_ext kernelgate").status == "ok"
        wrong, right = (
            started.run(f"%%kernelgate verify leakyrelu {' '.join(SMALL)}\n{text}") for text in (WRONG, RIGHT)
        )
    assert (wrong.report["verdict"]["outcome"], right.report["verdict"]["outcome"]) == ("fail", "pass")
    assert right.status == "ok" and SHADOWS in right.report["advice"][0]["text"]
    assert not (forged / "taken").exists()


@pytest.mark.parametrize("entry", ["", ".", "theirs", "HERE"])
def test_no_process_of_ours_looks_in_the_folder_that_a_path_leads_to(
    entry: str, forged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(forged)
    for name in ("PYTHONPATH", "PATH", "LD_LIBRARY_PATH"):
        monkeypatch.setenv(name, os.pathsep.join([entry.replace("HERE", str(forged)), "/usr/bin"]))
    found = client._environment()
    assert found["PYTHONPATH"] == os.pathsep.join([PACKAGE, "/usr/bin"])
    assert all(map(os.path.isabs, (found["PATH"] + os.pathsep + found["LD_LIBRARY_PATH"]).split(os.pathsep)))


def test_program_and_reference_import_what_lies_beside_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "helpers.py").write_text(HELPER)
    (tmp_path / "more_helpers.py").write_text("import helpers\nONE = helpers.FACTOR / 0.01\n")
    monkeypatch.chdir(tmp_path)
    report = verify(NEEDS_A_HELPER, problem=None, reference=REFERENCE)
    assert report.verdict is not None and report.verdict.outcome == "pass", report
    assert not any("names of modules" in advice.text for advice in report.advice)


def test_a_package_that_is_missing_is_not_found_beside_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "helpers.py").write_text("import importlib\nassert importlib.import_module('missing_one').HERE\n")
    (tmp_path / "missing_one.py").write_text("HERE = True\n")
    code = f"""
from kernelgate.program.folder import open_to_program
import sys, types, importlib
open_to_program({str(tmp_path)!r})
library = types.ModuleType("library")
asks = "def ask():\\n    import missing_one\\n"
exec(compile(asks, "/lib/library.py", "exec"), vars(library))
try:
    library.ask()
except ModuleNotFoundError:
    print("missing")
exec(compile("import helpers", "<program>", "exec"), {{"__name__": "program"}})
print("helped")
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["missing", "helped"]
