"""Operators of other packages: found by their entry point, read without an import, and no danger to ours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.drawn

ROOT = Path(__file__).parents[3]
OPERATOR = json.loads(
    (ROOT / "examples/operator-extension/kernelgate_squared_relu/squared_relu/operator.json").read_text()
)
ASK = """
import sys
from kernelgate.catalogue import operators
found = operators()
assert not any(name.startswith("brings_") for name in sys.modules)
print(*found, "|", *(one.problem_text for one in found.values() if one.id not in sys.argv[1:]))
"""
OURS = ("leakyrelu", "scale_leakyrelu", "gemm_scale_leakyrelu")


def install(site: Path, package: str, manifest: dict[str, object], folder: str) -> None:
    """As pip would: the package, and the entry point among what is known of it. Importing it fails."""
    operator = site / package / folder
    operator.mkdir(parents=True)
    (site / package / "__init__.py").write_text("raise RuntimeError('this package was imported')")
    (operator / "operator.json").write_text(json.dumps(manifest))
    (operator / "problem.py").write_text(f"# of {package}")
    known = site / f"{package}-1.0.dist-info"
    known.mkdir()
    (known / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (known / "entry_points.txt").write_text(f"[kernelgate.operators]\nany = {package}\n")


def ask(folder: Path, *path: Path) -> tuple[list[str], str, str]:
    """The operators' ids, what the problems of others say, and what was said of those left out."""
    done = subprocess.run(
        [sys.executable, "-c", ASK, *OURS],
        cwd=folder,
        env={"PYTHONPATH": ":".join(map(str, (ROOT / "python", *path)))},
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    ids, _, problems = done.stdout.partition("|")
    return ids.split(), problems.strip(), done.stderr


def test_an_installed_package_adds_its_operator_behind_ours(tmp_path: Path) -> None:
    install(tmp_path / "site", "brings_one", {**OPERATOR, "order": 0}, "squared_relu")
    ids, problems, said = ask(tmp_path, tmp_path / "site")
    assert ids == [*OURS, "squared_relu"]
    assert problems == "# of brings_one"
    assert said == ""


def test_one_that_cannot_be_read_or_takes_the_name_of_another_is_left_out_and_named(tmp_path: Path) -> None:
    site = tmp_path / "site"
    install(site, "brings_ours", {**OPERATOR, "id": "leakyrelu"}, "leakyrelu")
    install(site, "brings_a_magic", {**OPERATOR, "magic": "leakyrelu_cuda"}, "squared_relu")
    install(site, "brings_nonsense", {"id": 7}, "nonsense")
    install(site, "brings_one", {**OPERATOR, "id": "another"}, "another")
    ids, problems, said = ask(tmp_path, site)
    assert ids == [*OURS, "another"]
    assert problems == "# of brings_one"
    for name in ("brings_ours", "brings_a_magic", "brings_nonsense"):
        assert f"leaves out the operator of {site / name}" in said


def test_a_folder_that_python_is_started_in_adds_none(tmp_path: Path) -> None:
    install(tmp_path, "brings_one", OPERATOR, "squared_relu")
    ids, problems, said = ask(tmp_path, tmp_path)
    assert (ids, problems, said) == ([*OURS], "", "")
