"""The kernels of a built extension: registers, shared memory and spills, by the toolkit's cuobjdump; and a cubin as
SASS, the instructions of the GPU itself.

In: a library, or a cubin. Out: `Resources` for each kernel and architecture in it, or text; nothing if the tool is
missing.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

_TIMEOUT_S = 30
_ARCH = re.compile(r"arch = (sm_\w+)")
_FIELD = re.compile(r"\b(REG|STACK|SHARED|LOCAL):(\d+)")


@dataclass(frozen=True)
class Resources:
    """Of one kernel for one architecture. Bytes; `spill_bytes`: local memory a thread, the stack included."""

    kernel: str
    arch: str
    registers: int
    static_shared_bytes: int
    spill_bytes: int


def tool(name: str) -> str | None:
    """The path of a program of the CUDA toolkit; None if it is not installed."""
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    return shutil.which(name) or shutil.which(name, path=str(Path(home) / "bin"))


def base_name(kernel: str) -> str:
    """A kernel's own name, without its type, namespaces and parameters, which each tool writes differently."""
    plain = re.sub(r"\(anonymous namespace\)::|<unnamed>::", "", kernel.removeprefix("void "))
    return re.split(r"[<(]", plain, maxsplit=1)[0].strip().rsplit("::", 1)[-1]


def resources_of(library: Path) -> list[Resources]:
    """The resources of every kernel in a library; names are demangled where c++filt is there."""
    cuobjdump = tool("cuobjdump")
    if cuobjdump is None:
        return []
    text = _output([cuobjdump, "--dump-resource-usage", str(library)])
    return parsed(_demangled(text))


def parsed(text: str) -> list[Resources]:
    """What cuobjdump --dump-resource-usage printed."""
    found: list[Resources] = []
    arch, kernel = "", ""
    for line in text.splitlines():
        if (match := _ARCH.search(line)) is not None:
            arch = match[1]
        elif line.strip().startswith("Function "):
            kernel = line.strip().removeprefix("Function ").rstrip(":")
        elif "REG:" in line and kernel:
            fields = {name: int(value) for name, value in _FIELD.findall(line)}
            found.append(
                Resources(
                    kernel=kernel,
                    arch=arch,
                    registers=fields.get("REG", 0),
                    static_shared_bytes=fields.get("SHARED", 0),
                    spill_bytes=fields.get("STACK", 0) + fields.get("LOCAL", 0),
                )
            )
            kernel = ""
    return found


def _demangled(text: str) -> str:
    filter_names = shutil.which("c++filt") or tool("cu++filt")
    return _output([filter_names], text) if filter_names is not None else text


def _output(command: list[str], given: str = "") -> str:
    try:
        done = subprocess.run(
            command, input=given, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return given
    return done.stdout


_COMMANDS = (("nvdisasm", "--print-code"), ("cuobjdump", "--dump-sass"))


def sass(cubin: bytes) -> str:
    for name, option in _COMMANDS:
        program = tool(name)
        if program is None:
            continue
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "kernels.cubin"
            path.write_bytes(cubin)
            try:
                done = subprocess.run(
                    [program, option, str(path)], capture_output=True, timeout=_TIMEOUT_S, check=False
                )
            except (OSError, subprocess.TimeoutExpired):
                continue
        if done.returncode == 0:
            return done.stdout.decode(errors="replace")
    return ""
