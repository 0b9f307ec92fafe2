"""Adding an operator is adding a folder: a made-up fourth one shows up everywhere, in a copy of the project."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.drawn

ROOT = Path(__file__).parents[3]
MADE_UP = {
    "id": "absolute",
    "name": "Absolute",
    "replaces": "torch.abs",
    "summary": "y = |x|, made up for a test.",
    "magic": "absolute_cuda",
    "values": "exact",
    "parameters": [],
    "shape": ["n"],
    "emulated_shape": [64],
}
PROBLEM = """import torch
import torch.nn as nn
n = 1024
class Model(nn.Module):
    def forward(self, x):
        return torch.abs(x)
def get_inputs():
    return [torch.randn(n)]
def get_init_inputs():
    return []
"""
PROGRAM = PROBLEM.replace("class Model", "class ModelNew").replace("torch.abs(x)", "x.abs()")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the Python package and of what is made from it, with one folder more."""
    leave = shutil.ignore_patterns("__pycache__", "labextension")
    shutil.copytree(ROOT / "python/kernelgate", tmp_path / "python/kernelgate", ignore=leave)
    for beside in ("scripts", "schema", "catalogue-src"):
        shutil.copytree(ROOT / beside, tmp_path / beside)
    shutil.copy(ROOT / "package.json", tmp_path)
    folder = tmp_path / "python/kernelgate/catalogue/absolute"
    folder.mkdir()
    (folder / "operator.json").write_text(json.dumps(MADE_UP))
    (folder / "problem.py").write_text(PROBLEM)
    (folder / "model_new.py").write_text(PROGRAM)
    return tmp_path


def python(project: Path, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, *arguments], cwd=project / "python", capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_package_the_command_and_the_magics_know_it(project: Path) -> None:
    code = """
from kernelgate.catalogue import operators
from kernelgate.notebook.magics import magics
operator = operators()["absolute"]
assert operator.program_text is not None and "class ModelNew" in operator.program_text
print(*operators(), *(name for name in magics(None) if name == operator.magic))
"""
    names = python(project, "-c", code).split()
    assert names[-1] == "absolute_cuda"
    assert names[0] == "leakyrelu" and names[-2] == "absolute"  # what names no order comes last
    assert {"leakyrelu", "scale_leakyrelu", "gemm_scale_leakyrelu"} < set(names)
    listed = python(project, "-m", "kernelgate.cli", "list")
    assert "%%absolute_cuda" in listed and MADE_UP["summary"] in listed
    assert "class ModelNew" in python(project, "-m", "kernelgate.cli", "show", "absolute")


def test_a_program_is_verified_against_it(project: Path) -> None:
    program = project / "python/kernelgate/catalogue/absolute/model_new.py"
    options = ("--problem", "absolute", "--device", "emulated", "--json")
    report = json.loads(python(project, "-m", "kernelgate.cli", "verify", str(program), *options))
    assert report["verdict"]["outcome"] == "pass"
    assert report["problem"]["shape"] == "64"


needs_node = pytest.mark.skipif(
    shutil.which("node") is None or not (ROOT / "node_modules").is_dir(),
    reason="there is no node, or its packages are not installed",
)


def generated(project: Path) -> subprocess.CompletedProcess[str]:
    """What scripts/generate.mjs does in that copy."""
    (project / "node_modules").symlink_to(ROOT / "node_modules")
    (project / "src/catalogue").mkdir(parents=True)
    return subprocess.run(["node", "scripts/generate.mjs"], cwd=project, capture_output=True, text=True, timeout=120)


@needs_node
def test_the_bundle_of_the_front_end_is_made_with_it(project: Path) -> None:
    done = generated(project)
    assert done.returncode == 0, done.stderr
    made = (project / "src/catalogue/operators.ts").read_text()
    assert "catalogue/absolute/operator.json" in made and "catalogue/absolute/model_new.py" in made
    settings = json.loads((project / "schema/plugin.json").read_text())
    submenu = settings["jupyter.lab.menus"]["main"][0]["items"][-1]["submenu"]["items"]
    inserted = [item["args"]["operator"] for item in submenu if item.get("command") == "kernelgate:insert"]
    assert inserted[0] == "leakyrelu" and inserted[-1] == "absolute"
    [button] = [one for one in settings["jupyter.lab.toolbars"]["Notebook"] if "operator" in one.get("args", {})]
    assert (button["args"], button["label"]) == ({"operator": "leakyrelu"}, "Insert optimized LeakyReLU")


@needs_node
def test_no_bundle_is_made_without_the_programs_that_have_sources(project: Path) -> None:
    (project / "python/kernelgate/catalogue/leakyrelu/model_new.py").unlink()
    done = generated(project)
    assert done.returncode != 0
    assert "no programs of leakyrelu" in done.stderr and "scripts/catalogue.py" in done.stderr
    assert not (project / "src/catalogue/operators.ts").exists()
