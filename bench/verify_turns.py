"""A warm quick run now beside an earlier commit's: python bench/verify_turns.py CHECKOUT OUT [--turns N] [--runs N]
[--device DEVICE] [--programs FOLDER] [--wild FOLDER] [--now ID] [--earlier ID].

CHECKOUT is a work tree of the earlier commit, as `git worktree add` makes one. The same texts are verified by both, in
turns, each turn in a process of its own, in which a first run fills the build cache and N more are timed, from the
start of `verify` to its verdict. FOLDER may hold 004-1.py, a program for the product; one for `--wild`
is as for wild.py, and all of it is verified. A machine that others use as well shows a change by the seconds of a
processor, which count the fork server and all that it started. OUT/verify-turns.json holds every
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
import json, os, sys, time
from pathlib import Path
tree, texts, runs, device = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
sys.path.insert(0, str(Path(tree) / "python"))
from kernelgate.run import Job, new_run_id, run

def processor_s():
    of_all = {}
    for file in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = file.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        of_all[int(file.parent.name)] = int(fields[1]), sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    ours, more = set(), {os.getpid()}
    while more:
        ours |= more
        more = {pid for pid, (parent, _) in of_all.items() if parent in ours} - ours
    return sum(of_all[pid][1] for pid in ours)

def main():
    for name, (text, problem, reference) in json.loads(Path(texts).read_text()).items():
        walls, firsts, processor, verdicts = [], [], [], set()
        for _ in range(runs + 1):
            given = {"problem": problem} if problem else {"reference": reference, "reference_label": "problem.py"}
            job = Job(run=new_run_id(), text=text, label=f"{name}.py", device=device, **given)
            first = []
            def look(report):
                if not first and any(case.own and case.outcome == "pass" for case in report.cases):
                    first.append(time.perf_counter() - started)
            before, started = processor_s(), time.perf_counter()
            report = run(job, look)
            walls.append(round(time.perf_counter() - started, 3))
            firsts.append(round(first[0], 3) if first else walls[-1])
            verdicts.add(f"{report.verdict.outcome}: {report.verdict.sentence}")
            time.sleep(1.0)
            processor.append(round(processor_s() - before, 2))
        row = {"program": name, "shape": str(report.problem.shape), "device": report.device.name}
        row["stages"] = {stage.name: round(stage.seconds, 3) for stage in report.stages if stage.seconds}
        print(json.dumps({**row, "verdicts": sorted(verdicts), "first_s": walls[0], "warm_s": walls[1:],
                          "warm_first_verdict_s": firsts[1:], "warm_processor_s": processor[1:]}), flush=True)

if __name__ == "__main__":
    main()
"""


def texts(checkout: Path, programs: Path | None, wild: Path | None) -> dict[str, tuple[str, str, str]]:
    """What is verified, and for which problem or reference: the earlier commit's LeakyReLU, since both take it."""
    question = "from kernelgate.catalogue import operators as all; print(all()['leakyrelu'].program_text)"
    command = [sys.executable, "-c", question]
    path = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(checkout / "python"), os.environ.get("PYTHONPATH", "")]),
    }
    ours = subprocess.run(command, capture_output=True, text=True, check=True, env=path).stdout
    found = {"leakyrelu": (ours, "leakyrelu", ""), "PyTorch's own": (PYTORCH, "leakyrelu", "")}
    if programs is not None:
        found["004-1"] = ((programs / "004-1.py").read_text(encoding="utf-8"), "gemm_scale_leakyrelu", "")
    for file in sorted(wild.glob("*/candidate.py")) if wild is not None else ():
        reference = file.with_name("problem.py").read_text(encoding="utf-8")
        found[file.parent.name] = (file.read_text(encoding="utf-8"), "", reference)
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


def medians(turns: list[dict[str, Any]], what: str) -> dict[str, float]:
    warm: dict[str, list[float]] = {}
    for each in turns:
        for row in each["rows"]:
            warm.setdefault(row["program"], []).extend(row[what])
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
    parser.add_argument("--wild", type=Path)
    parser.add_argument("--now", help="this commit, where this tree is no git checkout")
    parser.add_argument("--earlier", help="the same of CHECKOUT")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    turns: dict[str, list[dict[str, Any]]] = {"earlier": [], "now": []}
    earlier = args.earlier or output_of("git", "-C", str(args.checkout), "rev-parse", "HEAD")
    head = {"environment": {**environment(args.now), **machine()}, "earlier": earlier, "runs": args.runs}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "texts.json"
        file.write_text(json.dumps(texts(args.checkout, args.programs, args.wild)), encoding="utf-8")
        for k in range(args.turns):
            for which in ("earlier", "now") if k % 2 == 0 else ("now", "earlier"):
                tree = args.checkout if which == "earlier" else ROOT
                turns[which].append(turn(tree.resolve(), file, args.runs, args.device))
            found: dict[str, Any] = {}
            for what in ("warm_s", "warm_first_verdict_s", "warm_processor_s"):
                found[what] = median = {name: medians(some, what) for name, some in turns.items()}
                ratio = {name: round(s / median["earlier"][name], 3) for name, s in median["now"].items()}
                median["times_as_long"] = ratio
            text = json.dumps({**head, "medians": found, "turns": turns}, indent=1)
            (args.out / "verify-turns.json").write_text(text + "\n", encoding="utf-8")
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
