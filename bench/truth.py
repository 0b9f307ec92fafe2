"""Whether verdicts on speed are true: python bench/truth.py OUT [--seconds S] [--budget S] [--commit ID]
[--only PART ...] [--programs NAME ...].

(a) programs against themselves must be neither faster nor slower; (b) programs slowed down by 2 % must be seen to be;
(c) medians must agree with what ncu counts; (d) programs of python/tests/attacks that cheat the clock get no speed.
OUT/truth.json holds every verdict, OUT/truth.txt what is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "tests"))

from attacks.corpus import ATTACKS, programs
from environment import environment
from forked import forked_from

from kernelgate.judge import Job, new_run_id, run
from kernelgate.report import Report

EAGER = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
"""
# The same work, and 2 % of it once more.
SLOWED = EAGER.replace(
    "        return F.leaky_relu(x, self.negative_slope)",
    "        F.leaky_relu(x[: x.shape[0] // 50], self.negative_slope)\n"
    "        return F.leaky_relu(x, self.negative_slope)",
)
PRODUCT = """
import torch
import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, multiplier, negative_slope):
        super().__init__()
        self.gemm = nn.Linear(in_features, out_features)
        self.multiplier = multiplier
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(self.gemm(x) * self.multiplier, self.negative_slope)
"""
# Name, problem, program, shape.
AGAINST_ITSELF = [
    ("launch-bound", "leakyrelu", EAGER, (64, 256)),
    ("4 MB", "leakyrelu", EAGER, (1024, 1024)),
    ("67 MB", "leakyrelu", EAGER, (4096, 4096)),
    ("0.5 GB", "leakyrelu", EAGER, (4096, 32768)),
    ("2 GB", "leakyrelu", EAGER, (4096, 131072)),
    ("product", "gemm_scale_leakyrelu", PRODUCT, None),
]
SLOWED_DOWN = [("2 GB, 2 % slower", "leakyrelu", SLOWED, (5000, 107520))]
# Of the corpus: those that want a time for work that is done elsewhere, earlier, later or never.
CLOCK_CLASSES = (1, 2, 4, 5, 6, 9, 16, 17, 18)
PARTS = ("verdicts", "ncu", "cheats")


def job_of(problem: str, text: str, shape: tuple[int, ...] | None, budget_s: float = 4.0) -> Job:
    return Job(
        run=new_run_id(),
        text=text,
        label="program.py",
        problem=problem,
        shape=shape,
        device="cuda",
        verb="benchmark",
        budget_s=budget_s,
    )


def verdicts(
    problem: str, text: str, shape: tuple[int, ...] | None, seconds: float
) -> list[dict[str, float]]:
    """Many verdicts on one comparison, from two passages, each with processes of its own."""
    file = Path(os.environ["TRUTH_FILE"])
    file.write_text("")
    for _ in range(2):
        report = run(job_of(problem, text, shape, budget_s=seconds / 2))
        assert report.verdict is not None
        if report.verdict.outcome == "fail" or report.verdict.kind == "internal":
            print(report.verdict.sentence, report.failure)
    return [json.loads(line) for line in file.read_text().splitlines()]


def told(name: str, rows: list[dict[str, float]]) -> str:
    counts = Counter(str(row["verdict"]) for row in rows)
    ratios = sorted(row["ratio"] for row in rows)
    if not ratios:
        return f"{name:20} no verdict"
    spread = f"{ratios[0]:.4f} to {ratios[-1]:.4f}, middle {ratios[len(ratios) // 2]:.4f}"
    words = ", ".join(f"{counts[word]} {word}" for word in ("FASTER", "SLOWER", "SAME", "UNCLEAR"))
    return f"{name:20} {len(rows):4} verdicts: {words}; ratios {spread}; {rows[0]['median_s'] * 1e6:.4g} us"


def cheats() -> list[dict[str, object]]:
    """What a benchmark says of programs that are written to cheat."""
    rows: list[dict[str, object]] = []
    for program in programs(ATTACKS):
        if (
            program.number not in CLOCK_CLASSES
            or program.problem != "leakyrelu"
            or program.devices == ("emulated",)
        ):
            continue
        report: Report = run(job_of("leakyrelu", program.text, (1024, 4096), budget_s=2.0))
        assert report.verdict is not None
        speeds = report.timing.speeds if report.timing is not None else []
        rows.append(
            {
                "program": program.name,
                "verdict": report.verdict.sentence,
                "fastest": max((speed.ratio for speed in speeds if speed.verdict == "FASTER"), default=None),
            }
        )
        print(rows[-1], flush=True)
    return rows


def against_ncu(problem: str, text: str, shape: tuple[int, ...] | None) -> dict[str, object]:
    """The median of the device events beside what ncu counts for the kernels of one call."""
    job = job_of(problem, text, shape)
    job.verb = "profile"
    report = run(job)
    if report.timing is None or report.profile is None:
        return {"problem": problem, "note": report.verdict.sentence if report.verdict else ""}
    row = next(r for r in report.timing.rows if r.role == "candidate" and r.circumstance == "cold")
    counted = sum(
        counter.value * facts.calls
        for facts in report.profile.kernels
        for counter in facts.counters
        if counter.name == "duration"
    )
    return {
        "problem": problem,
        "shape": report.problem.shape,
        "median_s": row.median_s,
        "ncu_s": counted,
        "ratio": row.median_s / counted if counted else None,
        "note": report.profile.counters_note,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, default=160.0, help="for each program against itself")
    parser.add_argument("--budget", type=float, default=1.0, help="seconds for each verdict")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    names = [name for name, *_rest in (*AGAINST_ITSELF, *SLOWED_DOWN)]
    parser.add_argument("--programs", nargs="+", choices=names, default=names, help="of the verdicts")
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    result: dict[str, object] = {"environment": environment(args.commit), "budget_s": args.budget}
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    def keep() -> None:
        (args.out / "truth.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        (args.out / "truth.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

    began = time.monotonic()
    if "verdicts" in args.only:
        same: dict[str, list[dict[str, float]]] = {}
        slowed: dict[str, list[dict[str, float]]] = {}
        result |= {"against itself": same, "slowed down": slowed}
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TRUTH_FILE"] = str(Path(folder) / "verdicts")
            os.environ["TRUTH_BUDGET_S"] = str(args.budget)
            with forked_from("repeated.py"):
                for found, tried in ((same, AGAINST_ITSELF), (slowed, SLOWED_DOWN)):
                    for name, problem, text, shape in (each for each in tried if each[0] in args.programs):
                        found[name] = verdicts(problem, text, shape, args.seconds)
                        say(told(name, found[name]))
                        keep()
        wrong = sum(row["verdict"] in ("FASTER", "SLOWER") for rows in same.values() for row in rows)
        say(f"(a) FASTER or SLOWER: {wrong} of {sum(map(len, same.values()))}")
        slower = [row["verdict"] == "SLOWER" for rows in slowed.values() for row in rows]
        say(f"(b) SLOWER: {sum(slower)} of {len(slower)}")
    if "ncu" in args.only:
        result["ncu"] = [
            against_ncu(problem, text, shape)
            for name, problem, text, shape in AGAINST_ITSELF
            if name in ("2 GB", "product")
        ]
        say(f"(c) {result['ncu']}")
        keep()
    if "cheats" in args.only:
        result["cheats"] = rows = cheats()
        sped = sum(row["fastest"] is not None for row in rows)
        say(f"(d) a speed for {sped} of {len(rows)} programs that cheat")
    say(f"{time.monotonic() - began:.0f} s")
    keep()


if __name__ == "__main__":
    main()
