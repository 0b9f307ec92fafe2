"""The wheels that the built extension carries: the package's own without its front end, and msgspec's as pinned."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

sys.path.append(str(ROOT / "scripts"))
import wheels  # noqa: E402


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """What the script leaves where pip reaches no index, and what it says."""
    folder = tmp_path_factory.mktemp("wheels")
    (folder / "msgspec-0.1.0-py3-none-any.whl").write_bytes(b"of an earlier build")
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts/wheels.py"), str(folder)],
        env={**os.environ, "PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": str(folder)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return folder, done.stderr


def test_without_network_the_build_goes_on_and_says_what_is_missing(built: tuple[Path, str]) -> None:
    folder, said = built
    assert "without all of msgspec's wheels" in said
    (entry,) = json.loads((folder / "manifest.json").read_text())
    data = (folder / entry["file"]).read_bytes()
    assert sorted(file.name for file in folder.iterdir()) == [entry["file"], "manifest.json"]
    assert (entry["name"], entry["abi"], entry["tags"]) == ("kernelgate", None, ["py3-none-any"])
    assert (entry["bytes"], entry["sha256"]) == (len(data), hashlib.sha256(data).hexdigest())


def test_it_holds_the_kernels_side_and_nothing_of_the_front_end(built: tuple[Path, str]) -> None:
    (wheel,) = built[0].glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    sources = {path.relative_to(ROOT / "python").as_posix() for path in (ROOT / "python/kernelgate").rglob("*.py")}
    assert sources - names == set()
    assert [name for name in names if re.search(r"labextension|__pycache__|\.data/", name)] == []


def test_the_same_sources_make_the_same_bytes(built: tuple[Path, str], tmp_path: Path) -> None:
    (wheel,) = built[0].glob("*.whl")
    assert wheels.build_kernel_side(tmp_path).read_bytes() == wheel.read_bytes()


def test_each_python_and_machine_has_a_hash_of_the_version_that_the_tests_use() -> None:
    text = wheels.BUNDLED.read_text()
    assert len(re.findall("--hash=sha256:", text)) == len(wheels.PYTHONS) * len(wheels.MACHINES)
    (version,) = re.findall(r"^msgspec==\S+", text, re.MULTILINE)
    assert version in (ROOT / "requirements/dev.txt").read_text().splitlines()


def test_a_compiled_wheel_is_listed_by_the_python_that_it_is_for() -> None:
    assert wheels._abi("cp311-cp311-manylinux2014_x86_64.manylinux_2_28_x86_64") == "cpython-311-x86_64-linux-gnu"
    assert wheels._abi("cp314-cp314-manylinux_2_28_aarch64") == "cpython-314-aarch64-linux-gnu"
    assert wheels._abi("cp314-cp314t-manylinux_2_28_aarch64") is None
    assert wheels._abi("cp314-cp314-musllinux_1_2_x86_64") is None
