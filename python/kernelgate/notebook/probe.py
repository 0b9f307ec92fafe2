"""What the front end asks of a kernel before anything else: which version answers, and what it finds here.

Answered in milliseconds: no torch is imported and CUDA is not touched; `nvidia-smi` tells of the GPU.
"""

from __future__ import annotations

import importlib.metadata
import platform
import shutil
import subprocess
from typing import Any

from kernelgate import __version__
from kernelgate.catalogue import operators
from kernelgate.notebook.sources import watch_cells

PROTOCOL = 1


class Answer:
    """A value that Jupyter sends as JSON."""

    def __init__(self, value: dict[str, Any]) -> None:
        self._value = value

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"application/json": self._value, "text/plain": f"kernelgate {__version__}"}


def handshake() -> Answer:
    """Version, device and tools of this kernel; `application/json` by `_repr_mimebundle_`."""
    watch_cells()  # a person who sees the panel may verify a cell that is run from now on
    return Answer(
        {
            "protocol": PROTOCOL,
            "version": __version__,
            "python": platform.python_version(),
            "torch": _torch_version(),
            "device": _device(),
            "compiler": _first_line("g++", "--version"),
            "nvcc": _last_line("nvcc", "--version"),
            "operators": list(operators()),
        }
    )


def _torch_version() -> str | None:
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        return None


def _output(*command: str) -> str | None:
    if shutil.which(command[0]) is None:
        return None
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=5, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def _first_line(*command: str) -> str | None:
    text = _output(*command)
    return text.split("\n")[0][:100] if text else None


def _last_line(*command: str) -> str | None:
    text = _output(*command)
    return text.split("\n")[-1][:100] if text else None


def _device() -> dict[str, Any]:
    text = _output(
        "nvidia-smi",
        "--query-gpu=name,memory.total,memory.used,driver_version",
        "--format=csv,noheader,nounits",
    )
    parts = [part.strip() for part in text.split("\n")[0].split(",")] if text else []
    if len(parts) == 4 and parts[1].isdecimal() and parts[2].isdecimal():
        return {
            "kind": "cuda",
            "name": parts[0][:100],
            "memory_total_bytes": int(parts[1]) << 20,
            "memory_used_bytes": int(parts[2]) << 20,
            "driver": parts[3][:40],
            "why": None,
        }
    nothing = {"memory_total_bytes": None, "memory_used_bytes": None, "driver": None}
    from kernelgate.emulator import supported

    why = supported()
    if why is None:
        return {"kind": "emulated", "name": "emulation on the CPU", "why": None, **nothing}
    return {"kind": "none", "name": "no device", "why": why[:400], **nothing}
