"""Many candidates at once: python bench/evaluate.py OUT [--count 200] [--device emulated|cuda] [--at-once 1 2 4]
[--kills N] [--commit ID].

The candidates are right, wrong, crashing, hanging and not compiling, and no two are the same text. They are judged one
after another by single runs, and then by `kernelgate evaluate` with so many runs at once; each time with a build cache
of its own, which holds what emulation itself needs and nothing else. With --kills the last evaluation is killed with
SIGKILL so often, at random moments, and started again. OUT/evaluate.json has candidates a minute, and whether each
verdict is that of the single run.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from environment import environment, machine

from kernelgate.evaluation.found import asked_in
from kernelgate.run import run

TORCH = """import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):  # {number}
    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        {body}
"""
CUDA = """import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

SOURCE = r'''
#include <torch/extension.h>
#include <c10/cuda/CUDAStream.h>

// {number}
__global__ void leaky(const float* x, float* y, long n, float slope) {{
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  {body}
}}

torch::Tensor leaky_forward(torch::Tensor x, double slope) {{
  auto dense = x.contiguous();
  auto y = torch::empty_like(dense);
  long n = dense.numel();
  if (n > 0)
    leaky<<<(n + 255) / 256, 256, 0, c10::cuda::getCurrentCUDAStream()>>>(
        dense.data_ptr<float>(), y.data_ptr<float>(), n, (float)slope);
  return y;
}}
'''
extension = load_inline(
    name="leaky", cpp_sources="torch::Tensor leaky_forward(torch::Tensor x, double slope);",
    cuda_sources=SOURCE, functions=["leaky_forward"],
)


class ModelNew(nn.Module):
    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return extension.leaky_forward(x, self.negative_slope)
"""
KINDS = (
    ("right", CUDA, "if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i];"),
    ("right", TORCH, "return F.leaky_relu(x, self.negative_slope)"),
    ("wrong", CUDA, "if (i < n) y[i] = x[i] > 0 ? x[i] : slope * x[i] * 1.1f;"),
    ("wrong", TORCH, "return F.relu(x)"),
    ("out-of-bounds", CUDA, "if (i < n) y[i + 4096] = x[i];"),
    ("no-compile", CUDA, "if (i < n) y[i] = x[j];"),
    ("no-compile", CUDA, "if (i < n) y[i] = x[i]"),
    ("crash", TORCH, "import os; os.kill(os.getpid(), 11)"),
)
HANG = ("hang", TORCH, "while True: pass")


def write_jobs(folder: Path, count: int, device: str) -> Path:
    """A list of jobs; one in twenty hangs, and may take 10 s."""
    lines = []
    for number in range(count):
        kind, form, body = HANG if number % 20 == 19 else KINDS[number % len(KINDS)]
        options: dict[str, Any] = {"device": device, "shape": "64x96"}
        options |= {"timeout": 10} if kind == "hang" else {}
        text = form.format(number=number, body=body)
        lines.append(
            {"name": f"{number}-{kind}", "candidate": text, "problem": "leakyrelu", "options": options}
        )
    path = folder / "jobs.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


def fresh_cache(folder: Path, device: str) -> None:
    """From here on builds go to a new cache, in which one other program has been built."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    os.environ["KERNELGATE_CACHE"] = str(folder.resolve())
    program = folder / "first.py"
    program.write_text(CUDA.format(number=-1, body=KINDS[0][2]))
    words = ["verify", str(program), "--problem", "leakyrelu", "--shape", "64x96", "--device", device]
    subprocess.run([sys.executable, "-m", "kernelgate.cli", *words], stdout=subprocess.DEVNULL, check=True)


def one_by_one(jobs: Path) -> dict[str, str]:
    """The verdict of each, by single runs one after another."""
    verdicts = {}
    for asked in asked_in([str(jobs)], {}):
        assert asked.job is not None, asked.error
        verdict = run(asked.job).verdict
        assert verdict is not None
        verdicts[asked.name] = f"{verdict.outcome}/{verdict.kind}"
    return verdicts


def at_once(jobs: Path, results: Path, slots: int, kills: int = 0) -> None:
    """An evaluation in a process of its own, killed so often."""
    words = ["evaluate", str(jobs), "--jobs", str(slots), "--results", str(results)]
    command = [sys.executable, "-m", "kernelgate.cli", *words]
    for _ in range(kills):
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=random.uniform(5, 40))
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def verdicts_in(results: Path) -> tuple[dict[str, str], int]:
    """The verdicts by name, and how many rows were written twice."""
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    found = {
        row["name"]: "{outcome}/{kind}".format(**row["report"]["verdict"])
        if row.get("report")
        else row["error"]
        for row in rows
    }
    return found, sum(count - 1 for count in Counter(row["key"] for row in rows).values())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--device", default="emulated")
    parser.add_argument("--at-once", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--commit")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    cache = options.out / "cache"
    jobs = write_jobs(options.out, options.count, options.device)
    fresh_cache(cache, options.device)
    began = time.perf_counter()
    single = one_by_one(jobs)
    rows = [{"how": "one after another", "seconds": time.perf_counter() - began}]
    runs = [(slots, 0) for slots in options.at_once]
    runs += [(options.at_once[-1], options.kills)] if options.kills else []
    for slots, kills in runs:
        results = options.out / f"results-{slots}-{kills}.jsonl"
        results.unlink(missing_ok=True)
        fresh_cache(cache, options.device)
        began = time.perf_counter()
        at_once(jobs, results, slots, kills)
        seconds = time.perf_counter() - began
        found, twice = verdicts_in(results)
        other = {
            name: [verdict, found.get(name)] for name, verdict in single.items() if found.get(name) != verdict
        }
        how = f"{slots} at once" + (f", killed {kills} times" if kills else "")
        rows.append({"how": how, "seconds": seconds, "other_verdicts": other, "judged_twice": twice})
    for row in rows:
        row["per_minute"] = round(60 * options.count / row["seconds"], 1)
        figures = f"{row['seconds']:8.1f} s {row['per_minute']:8.1f} a minute"
        print(f"{row['how']:28} {figures}  {row.get('other_verdicts', '')}")
    head = {"environment": {**environment(options.commit), **machine()}, "device": options.device}
    kinds = dict(Counter(single.values()))
    text = json.dumps({**head, "count": options.count, "verdicts": kinds, "rows": rows}, indent=1)
    (options.out / "evaluate.json").write_text(text + "\n")


if __name__ == "__main__":
    main()
