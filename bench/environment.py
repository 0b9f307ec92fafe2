"""What a result was measured with: GPU, driver, versions, commit. Every file under bench/results/ begins with it."""

from __future__ import annotations

import platform
import subprocess
from pathlib import Path


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def environment(commit: str | None) -> dict[str, str]:
    """As strings, for a JSON file. `commit`: what the tree was made from, where it is no git checkout."""
    import torch

    gpus = _output("nvidia-smi", "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader")
    nvcc = _output("nvcc", "--version").splitlines()
    return {
        "commit": commit or _output("git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"),
        "gpu": gpus,
        "torch": torch.__version__,
        "cuda": torch.version.cuda or "none",
        "nvcc": nvcc[-1] if nvcc else "none",
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
    }
