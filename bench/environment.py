"""What a result was measured with: GPU, driver, versions, commit. Every file under bench/results/ begins with it."""

from __future__ import annotations

import os
import platform
import subprocess
from pathlib import Path


def output_of(*command: str) -> str:
    """What a command prints; "unknown" if it cannot be run."""
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def environment(commit: str | None) -> dict[str, str]:
    """As strings, for a JSON file. `commit`: what the tree was made from, if it is no git checkout."""
    import torch

    gpus = output_of("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    nvcc = output_of("nvcc", "--version").splitlines()
    return {
        "commit": commit or output_of("git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"),
        "gpu": gpus,
        "torch": torch.__version__,
        "cuda": torch.version.cuda or "none",
        "nvcc": nvcc[-1] if nvcc else "none",
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }


def machine() -> dict[str, str]:
    """The processors, for what is measured in emulation."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    name = next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "unknown"
    )
    return {"processor": name, "processors": str(os.cpu_count() or 0)}
