"""What this machine has, found without importing torch or touching CUDA in this process.

Answers come from package metadata, `nvidia-smi`, the tools' own `--version`, and, where asked, from a process that
imports torch and ends.
"""

from __future__ import annotations

import contextlib
import importlib.metadata
import re
import shutil
import subprocess
from pathlib import Path

import msgspec

from kernelgate.json_decode import decoded
from kernelgate.safe_path import command, environment

_ASK_TORCH = """
import json, torch
from torch.utils import cpp_extension
found = torch.cuda.device_count() if torch.cuda.is_available() else 0
names = [torch.cuda.get_device_name(i) + ", sm_%d%d" % torch.cuda.get_device_capability(i) for i in range(found)]
print(json.dumps({"version": torch.__version__, "cuda": torch.version.cuda, "devices": names,
                  "cuda_home": cpp_extension.CUDA_HOME, "sms": torch.cuda.get_arch_list() if found else []}))
"""


class Gpu(msgspec.Struct, frozen=True):
    """A GPU as `nvidia-smi` reports it."""

    name: str
    memory_total_bytes: int
    memory_used_bytes: int
    driver: str


class Torch(msgspec.Struct, frozen=True):
    """PyTorch, as it answers when imported. `cuda`: what it was built for; None for a CPU build. `sms`: what it has
    kernels for, as "sm_90"; asked only if there is a GPU."""

    version: str
    cuda: str | None
    devices: list[str]
    cuda_home: str | None
    sms: list[str] = []


class NoTorch(msgspec.Struct, frozen=True):
    """Why PyTorch gave no answer. `unfinished`: it was still being imported, so nothing is known of it."""

    why: str
    unfinished: bool = False


def driver_cuda() -> str:
    """The newest CUDA that the driver knows, as `nvidia-smi` says; "" if it does not."""
    found = re.search(r"CUDA Version: (\d+\.\d+)", output_of("nvidia-smi") or "")
    return found[1] if found is not None else ""


def version_of(package: str) -> str | None:
    """The installed version of a Python package; None if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def available_bytes() -> int | None:
    """The host memory that is free; None if the system does not say."""
    with contextlib.suppress(OSError):
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    return None


def output_of(*command: str | Path, timeout_s: float = 5) -> str | None:
    """What a command prints; None if it is missing, fails or takes too long."""
    if shutil.which(command[0]) is None:
        return None
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=timeout_s, check=True, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None


def gpus() -> list[Gpu]:
    """The NVIDIA GPUs that the driver knows."""
    text = output_of(
        "nvidia-smi",
        "--query-gpu=name,memory.total,memory.used,driver_version",
        "--format=csv,noheader,nounits",
    )
    found = []
    for row in (text or "").split("\n"):
        parts = [part.strip() for part in row.split(",")]
        if len(parts) == 4 and parts[1].isdecimal() and parts[2].isdecimal():
            found.append(Gpu(parts[0], int(parts[1]) << 20, int(parts[2]) << 20, parts[3]))
    return found


def driver_version(version_file: Path = Path("/proc/driver/nvidia/version")) -> str:
    """The NVIDIA driver's version, as its module writes it into `version_file`; "" if there is none."""
    try:
        found = re.search(r"\b\d{3,}\.\d+(?:\.\d+)?\b", version_file.read_text(errors="replace"))
    except OSError:
        return ""
    return found[0] if found is not None else ""


def ask_torch(patience_s: float = 600) -> Torch | NoTorch:
    """PyTorch's own answers, from a separate process that takes seconds, and after an installation minutes."""
    try:
        done = subprocess.run(
            command(_ASK_TORCH),
            env=environment(),
            capture_output=True,
            text=True,
            timeout=patience_s,
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return NoTorch(f"importing it takes more than {patience_s:.3g} s", unfinished=True)
    except OSError as exc:
        return NoTorch(f"it could not be asked: {exc}")
    if done.returncode != 0:
        last = done.stderr.strip().rpartition("\n")[2]
        return NoTorch(last or f"importing it ends with status {done.returncode}")
    try:
        return decoded(done.stdout.strip().rpartition("\n")[2], Torch)
    except msgspec.MsgspecError as exc:
        return NoTorch(f"its answer cannot be read: {exc}")
