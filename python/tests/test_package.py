"""The package as it is installed: importing it is light, and its wheel holds both sides, ready for JupyterLab."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from kernelgate.version import __version__

ROOT = Path(__file__).parents[2]

sys.path.append(str(ROOT / "scripts"))
import front_end  # noqa: E402

EXTENSION = "kernelgate-{}.data/data/share/jupyter/labextensions/jupyterlab-kernelgate/"
HEAVY = {"torch", "numpy", "IPython", "msgspec", "asyncio", "subprocess"}


def _modules_after(code: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\nimport sys, json; print(json.dumps(list(sys.modules)))"],
        cwd=ROOT / "python",
        capture_output=True,
        text=True,
        check=True,
    )
    return {name.split(".")[0] for name in json.loads(done.stdout)}


def test_importing_the_package_imports_nothing_heavy() -> None:
    bare = _modules_after("")
    assert (_modules_after("import kernelgate") - bare) & HEAVY == set()


def test_the_kernel_side_asks_for_no_torch_no_numpy_and_no_ipython_of_its_own() -> None:
    loaded = _modules_after("import kernelgate.notebook, kernelgate.cli.main; kernelgate.handshake()")
    assert loaded & {"torch", "numpy", "IPython"} == set()


@pytest.mark.skipif(
    not (ROOT / "python/kernelgate/labextension/package.json").is_file(), reason="the extension is not built"
)
def test_the_wheel_holds_both_sides_and_needs_no_torch(tmp_path: Path) -> None:
    offline = ["--no-index", "--no-build-isolation", "--no-deps", "--disable-pip-version-check", "--quiet"]
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", *offline, "--wheel-dir", str(tmp_path), str(ROOT)],
        check=True,
        capture_output=True,
        timeout=300,
    )
    (wheel,) = tmp_path.glob("*.whl")
    version = wheel.name.split("-")[1]
    assert version == __version__
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = Parser().parsestr(archive.read(f"kernelgate-{version}.dist-info/METADATA").decode())
        commands = archive.read(f"kernelgate-{version}.dist-info/entry_points.txt").decode()
        extension = EXTENSION.format(version)
        built = json.loads(archive.read(f"{extension}package.json"))
        manager = json.loads(archive.read(f"{extension}install.json"))
    sources = {
        path.relative_to(ROOT / "python").as_posix() for path in (ROOT / "python/kernelgate").rglob("*.py")
    }
    assert sources - names == set()
    for made in (
        "catalogue/leakyrelu/operator.json",
        "emulator/include/cuda_runtime.h",
        "report/report.schema.json",
    ):
        assert f"kernelgate/{made}" in names
    assert extension + built["jupyterlab"]["_build"]["load"] in names
    assert not any(name.startswith(("kernelgate/labextension", "kernelgate/tests")) for name in names)
    assert manager["packageName"] == "kernelgate"
    assert "kernelgate = kernelgate.cli.main:main" in commands
    needs = metadata.get_all("Requires-Dist")
    of_torch = ["numpy; extra == 'torch'", "torch>=2.4; extra == 'torch'"]
    assert sorted(need for need in needs or [] if "torch" in need) == of_torch
    assert [need for need in needs or [] if "extra" not in need] == ["msgspec>=0.19"]


@pytest.mark.parametrize(
    ("installed", "says"), [({}, "npm is missing"), ({"npm": "", "node": "echo v18.2.0"}, "this is Node v18.2.0")]
)
def test_a_build_without_node_20_says_so_before_it_begins(
    installed: dict[str, str], says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in installed.items():
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match=f"Node 20 or newer and its npm; {says}"):
        front_end.build("wheel", "standard")
