"""The first question of the front end to a kernel: which version answers, and what it finds here.

Answered in milliseconds: it imports no torch and does not touch CUDA; `nvidia-smi` describes the GPU.
"""

from __future__ import annotations

import contextlib
import os
import platform
import subprocess
import threading
from typing import Any

from kernelgate import safe_path
from kernelgate.catalogue import operators
from kernelgate.emulator import supported
from kernelgate.machine import gpus, output_of, version_of
from kernelgate.messages.job import cache_folder
from kernelgate.notebook.sources import watch_cells
from kernelgate.version import __version__

PROTOCOL = 1
_ahead: list[subprocess.Popen[bytes]] = []  # the last one


class Answer:
    """A value that Jupyter sends as JSON."""

    def __init__(self, value: dict[str, Any]) -> None:
        self._value = value

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, Any]:
        return {"application/json": self._value, "text/plain": f"kernelgate {__version__}"}


def handshake() -> Answer:
    """Version, device and tools of this kernel; `application/json` by `_repr_mimebundle_`."""
    watch_cells()  # a person who sees the panel may verify a cell that is run from now on
    _build_ahead()
    return Answer(
        {
            "protocol": PROTOCOL,
            "version": __version__,
            "python": platform.python_version(),
            "torch": version_of("torch"),
            "device": _device(),
            "compiler": _first_line("g++", "--version"),
            "nvcc": _last_line("nvcc", "--version"),
            "operators": list(operators()),
            # Kernel Gateway and Enterprise Gateway set it.
            "gateway": "KERNEL_GATEWAY" in os.environ,
        }
    )


def _build_ahead() -> None:
    """Begins to build what emulation needs for any program, in a process of this kernel's that yields to all others:
    on two cores it takes half a minute, which the first verdict would wait for."""
    if supported() is not None or (_ahead and _ahead[-1].poll() is None):
        return
    command = safe_path.command(safe_path.running("kernelgate.emulator.build.ahead"), str(cache_folder()))
    nothing = subprocess.DEVNULL
    with contextlib.suppress(OSError):
        _ahead[:] = [
            subprocess.Popen(command, env=safe_path.environment(), stdin=nothing, stdout=nothing, stderr=nothing)
        ]
        threading.Thread(target=_ahead[0].wait, daemon=True).start()  # nothing of it is left when it has ended


def _first_line(*command: str) -> str | None:
    text = output_of(*command)
    return text.split("\n")[0][:100] if text else None


def _last_line(*command: str) -> str | None:
    text = output_of(*command)
    return text.split("\n")[-1][:100] if text else None


def _device() -> dict[str, Any]:
    there = gpus()
    if there:
        return {
            "kind": "cuda",
            "name": there[0].name[:100],
            "memory_total_bytes": there[0].memory_total_bytes,
            "memory_used_bytes": there[0].memory_used_bytes,
            "driver": there[0].driver[:40],
            "why": None,
        }
    nothing = {"memory_total_bytes": None, "memory_used_bytes": None, "driver": None}
    why = supported()
    if why is None:
        return {"kind": "emulated", "name": "emulation on the CPU", "why": None, **nothing}
    return {"kind": "none", "name": "no device", "why": why[:400], **nothing}
