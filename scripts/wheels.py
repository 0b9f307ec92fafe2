"""Gathers the wheels that the built extension carries, for a kernel that reaches no package index.

In: the package's sources, and `requirements/bundled.txt`. Out: a folder, `.kernelgate/wheels` unless another is named,
with the package's wheel of the kernel's side, msgspec's wheels, and `manifest.json`, which lists them. webpack puts
them beside the scripts. The same sources make the same bytes.

msgspec is downloaded from whatever index pip is configured with. If that fails, the build goes on without it, and
says so: the cell that the extension inserts then needs msgspec in the kernel.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hatchling.builders.wheel import WheelBuilder
from hatchling.metadata.core import ProjectMetadata
from hatchling.plugin.manager import PluginManager

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # hatchling brings it

ROOT = Path(__file__).resolve().parents[1]
WHEELS = ROOT / ".kernelgate/wheels"
BUNDLED = ROOT / "requirements/bundled.txt"

PYTHONS = ("310", "311", "312", "313", "314")
MACHINES = ("x86_64", "aarch64")
PLATFORMS = ("manylinux2014", "manylinux_2_28")

# Any moment that a zip can hold: bytes must not hang on when they were built.
_EPOCH = "1580601600"
_TAGS = re.compile(r"-([\w.]+-[\w.]+-[\w.]+)\.whl$")
_COMPILED = re.compile(r"cp(\d+)-cp\1-manylinux\w*?_(x86_64|aarch64)\b")


def gather(folder: Path = WHEELS) -> list[dict[str, Any]]:
    """Fills the folder; what is there and right is not downloaded again. Gives what the manifest lists."""
    folder.mkdir(parents=True, exist_ok=True)
    pinned = _hashes()
    for old in folder.iterdir():
        if _sha256(old) not in pinned:
            old.unlink()
    present = {_sha256(file) for file in folder.iterdir()}
    if present != pinned and not _download(folder):
        print(
            "The extension is built without all of msgspec's wheels, as pip could not download them. The cell that "
            "sends the package to a kernel then needs msgspec in that kernel.",
            file=sys.stderr,
        )
    build_kernel_side(folder)
    listed = [_entry(file) for file in sorted(folder.glob("*.whl"))]
    (folder / "manifest.json").write_text(json.dumps(listed, indent=1) + "\n")
    return listed


def build_kernel_side(folder: Path) -> Path:
    """Builds the package's wheel without the front end: of pyproject.toml, less that hook and the shared files."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text())
    build = config["tool"]["hatch"]["build"]
    del build["hooks"]["jupyter-builder"], build["targets"]["wheel"]["shared-data"]
    build["targets"]["wheel"]["exclude"] = ["python/kernelgate/labextension", "__pycache__"]
    os.environ["SOURCE_DATE_EPOCH"] = _EPOCH
    plugins = PluginManager()
    metadata = ProjectMetadata(str(ROOT), plugins, config)
    builder = WheelBuilder(str(ROOT), plugin_manager=plugins, config=config, metadata=metadata)
    (built,) = builder.build(directory=str(folder), versions=["standard"])
    return Path(built)


def _hashes() -> set[str]:
    return set(re.findall(r"--hash=sha256:([0-9a-f]{64})", BUNDLED.read_text()))


def _download(folder: Path) -> bool:
    """Whether all of them came. The first that does not ends it: without network each would take its time to fail."""
    command = _pip()
    if command is None:
        return False
    words = ["download", "--quiet", "--disable-pip-version-check", "--retries=1", "--timeout=20", "--no-deps"]
    words += ["--only-binary=:all:", "--require-hashes", f"--requirement={BUNDLED}", f"--dest={folder}"]
    for machine in MACHINES:
        platforms = [f"--platform={platform}_{machine}" for platform in PLATFORMS]
        for python in PYTHONS:
            kind = [f"--python-version={python}", "--implementation=cp", f"--abi=cp{python}", *platforms]
            if subprocess.run([*command, *words, *kind], check=False).returncode:
                return False
    return True


def _pip() -> list[str] | None:
    """A build's own environment may be without pip; then one on the path serves."""
    if importlib.util.find_spec("pip") is not None:
        return [sys.executable, "-m", "pip"]
    found = shutil.which("pip") or shutil.which("pip3")
    return [found] if found else None


def _entry(file: Path) -> dict[str, Any]:
    """A wheel as the page reads it. `abi`: the kernel's, as Python calls its own (SOABI); null if any will do."""
    name, version = file.name.split("-")[:2]
    (tags,) = _TAGS.findall(file.name)
    data = file.read_bytes()
    return {
        "file": file.name,
        "name": name,
        "version": version,
        "bytes": len(data),
        "sha256": hashlib.sha256(data).hexdigest(),
        "tags": list(_single_tags(tags)),
        "abi": _abi(tags),
    }


def _single_tags(tags: str) -> Iterator[str]:
    python, abi, platforms = tags.split("-")
    return (f"{python}-{abi}-{platform}" for platform in platforms.split("."))


def _abi(tags: str) -> str | None:
    found = _COMPILED.match(tags)
    return f"cpython-{found[1]}-{found[2]}-linux-gnu" if found else None


def _sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


if __name__ == "__main__":
    gather(Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else WHEELS)
