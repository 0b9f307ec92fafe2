"""Builds JupyterLab's extension where pip builds the package: npm, asked for first, and nothing left behind by it.

In: what hatch-jupyter-builder gives a build function. Out: the extension's files in python/kernelgate/labextension.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatch_jupyter_builder import npm_builder

_NODE = 20
_MODULES = Path("node_modules")


def build(target_name: str, version: str, **options: Any) -> None:
    """Raises RuntimeError if Node is missing or too old."""
    _require_node()
    kept = _MODULES.exists() or version == "editable"
    npm_builder(target_name, version, **options)
    if not kept:  # 800 MB, of which nothing is used again
        shutil.rmtree(_MODULES, ignore_errors=True)


def _require_node() -> None:
    found = shutil.which("node") if shutil.which("npm") is not None else None
    words = subprocess.run([found, "--version"], capture_output=True, text=True).stdout if found else ""
    major = re.match(r"v(\d+)\.", words)
    if major is None or int(major[1]) < _NODE:
        have = f"this is Node {words.strip()}" if major is not None else "npm is missing"
        raise RuntimeError(
            f"The extension for JupyterLab is built with Node {_NODE} or newer and its npm; {have}. "
            "Install it from https://nodejs.org, or install a built wheel of KernelGate."
        )
