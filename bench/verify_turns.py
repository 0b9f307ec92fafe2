"""A warm quick run now beside an earlier commit's: python bench/verify_turns.py CHECKOUT OUT [--turns N] [--runs N]
[--device DEVICE] [--programs FOLDER] [--now ID] [--earlier ID].

CHECKOUT is a work tree of the earlier commit, as `git worktree add` makes one. The same texts are verified by both, in
turns, each turn in a process of its own, in which a first run fills the build cache and N more are timed, from the
start of `verify` to its verdict. FOLDER may hold 004-1.py, a program for the product. OUT/verify-turns.json holds every
turn, with the stages of its last run, and the median of each program over all of its runs.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PYTORCH = """import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.nn.functional.leaky_relu(x, negative_slope=self.negative_slope)
"""
# Runs in each tree with that tree's own package, hence as text. The pause lets the fork server prepare its next worker.
CHILD = """
import json, sys, time
from pathlib import Path
tree, texts, runs, device = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
sys.path.insert(0, str(Path(tree) / "python"))
from kernelgate.run import Job, new_run_id, run

def main():
    for name, (text, problem) in json.loads(Path(texts).read_text()).items():
        walls, verdicts = [], set()
        for _ in range(runs + 1):
            job = Job(run=new_run_id(), text=text, label=f"{name}.py", problem=problem, device=device)
            started = time.perf_counter()
            report = run(job)
            walls.append(round(time.perf_counter() - started, 3))
            verdicts.add(f"{report.verdict.outcome}: {report.verdict.sentence}")
            time.sleep(1.0)
        row = {"program": name, "shape": str(report.problem.shape), "device": report.device.name}
        row["stages"] = {stage.name: round(stage.seconds, 3) for stage in report.stages if stage.seconds}
        print(json.dumps({**row, "verdicts": sorted(verdicts), "first_s": walls[0], "warm_s": walls[1:]}), flush=True)

if __name__ == "__main__":
    main()
"""


def texts(checkout: Path, programs: Path | None) -> dict[str, tuple[str, str]]:
    """What is verified and for which problem: the earlier commit's LeakyReLU, since both take it."""
    question = "from kernelgate.catalogue import operators as all; print(all()['leakyrelu'].program_text)"
    command = [sys.executable, "-c", question]
    path = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(checkout / "python"), os.environ.get("PYTHONPATH", "")]),
    }
    ours = subprocess.run(command, capture_output=True, text=True, check=True, env=path).stdout
    found = {"leakyrelu": (ours, "leakyrelu"), "PyTorch's own": (PYTORCH, "leakyrelu")}
    if programs is not None:
        found["004-1"] = ((programs / "004-1.py").read_text(encoding="utf-8"), "gemm_scale_leakyrelu")
    return found


def turn(tree: Path, file: Path, runs: int, device: str) -> dict[str, Any]:
    command = [sys.executable, "-c", CHILD, str(tree), str(file), str(runs), device]
    path = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tree / "python"), os.environ.get("PYTHONPATH", "")]),
    }
    rows = []
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, cwd=tempfile.gettempdir(), env=path
    ) as child:
        assert child.stdout is not None
        for line in child.stdout:
            print(f"{tree.name}: {line.rstrip()}", file=sys.stderr, flush=True)
            rows.append(json.loads(line))
    if child.returncode != 0:
        sys.exit(f"The runs of {tree} ended with status {child.returncode}")
    return {"load": round(os.getloadavg()[0], 1), "rows": rows}


def medians(turns: list[dict[str, Any]]) -> dict[str, float]:
    warm: dict[str, list[float]] = {}
    for each in turns:
        for row in each["rows"]:
            warm.setdefault(row["program"], []).extend(row["warm_s"])
    return {name: round(statistics.median(samples), 3) for name, samples in warm.items()}


def main() -> None:
    from environment import environment, machine, output_of

    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--now", help="this commit, where this tree is no git checkout")
    parser.add_argument("--earlier", help="the same of CHECKOUT")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    turns: dict[str, list[dict[str, Any]]] = {"earlier": [], "now": []}
    earlier = args.earlier or output_of("git", "-C", str(args.checkout), "rev-parse", "HEAD")
    head = {"environment": {**environment(args.now), **machine()}, "earlier": earlier, "runs": args.runs}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.json"
        file.write_text(json.dumps(texts(args.checkout, args.programs)), encoding="utf-8")
        for k in range(args.turns):
            for which in ("earlier", "now") if k % 2 == 0 else ("now", "earlier"):
                tree = args.checkout if which == "earlier" else ROOT
                turns[which].append(turn(tree.resolve(), file, args.runs, args.device))
            median = {name: medians(some) for name, some in turns.items()}
            ratio = {name: round(s / median["earlier"][name], 3) for name, s in median["now"].items()}
            text = json.dumps({**head, "median_s": median, "times_as_long": ratio, "turns": turns}, indent=1)
            (args.out / "verify-turns.json").write_text(text + "\n", encoding="utf-8")
    print(json.dumps({**median, "times as long": ratio}, indent=1))


if __name__ == "__main__":
    main()
