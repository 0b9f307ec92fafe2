"""Seconds of KernelBench's own check of one program: python bench/peer.py CHECKOUT PROBLEM CANDIDATE.

CHECKOUT is one of KernelBench (github.com/ScalingIntelligence/KernelBench). Its `eval_kernel_against_ref` runs with
five correctness trials, as its scripts have it, without times, and with an empty folder for builds; PyTorch is imported
and the device is there before the clock starts. It prints JSON: seconds, and what KernelBench found.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import time
import types
from pathlib import Path

TRIALS = 5


def main() -> None:
    checkout, problem, candidate = map(Path, sys.argv[1:])
    for name, has in (("openai", "OpenAI"), ("litellm", "completion")):  # what asks models is not called here
        sys.modules[name] = types.ModuleType(name)
        setattr(sys.modules[name], has, None)
    sys.path.insert(0, str(checkout / "src"))
    import torch
    from kernelbench.eval import eval_kernel_against_ref

    torch.zeros(1, device="cuda")
    texts = [file.read_text(encoding="utf-8") for file in (problem, candidate)]
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(sys.stderr):
        os.environ["TORCH_EXTENSIONS_DIR"] = folder
        backend = "triton" if "@triton.jit" in texts[1] else "cuda"
        asked = {"num_correct_trials": TRIALS, "build_dir": folder, "backend": backend}
        started = time.perf_counter()
        found = eval_kernel_against_ref(*texts, **asked, device=torch.device("cuda:0"))
        seconds = time.perf_counter() - started
    row = {
        "seconds": round(seconds, 2),
        "compiled": found and found.compiled,
        "correct": found and found.correctness,
    }
    print(json.dumps(row))


if __name__ == "__main__":
    main()
