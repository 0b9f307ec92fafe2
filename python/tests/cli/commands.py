"""The shell command in a process of its own, for what depends on the environment."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PACKAGE = str(Path(__file__).parents[2])
BLOCK_TORCH = """
import sys

class Block:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")

sys.meta_path.insert(0, Block())
"""


def command(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`kernelgate` with these words."""
    return subprocess.run(
        [sys.executable, "-m", "kernelgate.cli", *words],
        env={**os.environ, "PYTHONPATH": PACKAGE, **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )


def without_torch(folder: Path) -> str:
    """A PYTHONPATH on which torch cannot be imported, in this process and those that it starts."""
    (folder / "sitecustomize.py").write_text(BLOCK_TORCH)
    return os.pathsep.join([str(folder), PACKAGE])
