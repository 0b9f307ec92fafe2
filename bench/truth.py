"""Whether verdicts on speed are true: python bench/truth.py OUT [--seconds S] [--budget S] [--commit ID]
[--only PART ...] [--programs NAME ...].

(a) programs against themselves must be neither faster nor slower; (b) programs slowed down by 2 % must be seen to be;
(c) medians must agree with what ncu counts; (d) programs of python/tests/attacks that cheat the clock get no speed.
OUT/truth.json holds every verdict, OUT/truth.txt what is printed. Unless it is told otherwise, (a) has some 1,000
verdicts, in a quarter of an hour.
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
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "tests"))

from attacks.corpus import ATTACKS, programs
from environment import environment
from forked import forked_from

from kernelgate.report import Report
from kernelgate.run import Job, new_run_id, run

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


class Tried(NamedTuple):
    """A program that is timed against the reference for `seconds`, in verdicts of `budget_s`."""

    name: str
    problem: str
    text: str
    shape: tuple[int, ...] | None
    seconds: float
    budget_s: float


AGAINST_ITSELF = [
    Tried("launch-bound", "leakyrelu", EAGER, (64, 256), 125.0, 0.5),
    Tried("4 MB", "leakyrelu", EAGER, (1024, 1024), 125.0, 0.5),
    Tried("67 MB", "leakyrelu", EAGER, (4096, 4096), 125.0, 0.5),
    Tried("0.5 GB", "leakyrelu", EAGER, (4096, 32768), 190.0, 0.5),
    Tried("2 GB", "leakyrelu", EAGER, (4096, 131072), 150.0, 1.0),
    Tried("product", "gemm_scale_leakyrelu", PRODUCT, None, 150.0, 1.0),
]
SLOWED_DOWN = [Tried("2 GB, 2 % slower", "leakyrelu", SLOWED, (5000, 107520), 75.0, 1.0)]
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


def verdicts(tried: Tried) -> list[dict[str, float]]:
    """Many verdicts on one comparison, from two passages, each with processes of its own."""
    file = Path(os.environ["TRUTH_FILE"])
    file.write_text(f"{json.dumps({'budget_s': tried.budget_s})}\n")
    for _ in range(2):
        report = run(job_of(tried.problem, tried.text, tried.shape, budget_s=tried.seconds / 2))
        assert report.verdict is not None
        if report.verdict.outcome == "fail" or report.verdict.kind == "internal":
            print(report.verdict.sentence, report.failure)
    return [json.loads(line) for line in file.read_text().splitlines()[1:]]


def summary_of(name: str, rows: list[dict[str, float]]) -> str:
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


def against_ncu(tried: Tried) -> dict[str, object]:
    """The median of the device events beside what ncu counts for the kernels of one call."""
    job = job_of(tried.problem, tried.text, tried.shape)
    job.verb = "profile"
    report = run(job)
    if report.timing is None or report.profile is None:
        return {"problem": tried.problem, "note": report.verdict.sentence if report.verdict else ""}
    row = next(r for r in report.timing.rows if r.role == "candidate" and r.cache_state == "cold")
    counted = sum(
        counter.value * facts.calls
        for facts in report.profile.kernels
        for counter in facts.counters
        if counter.name == "duration"
    )
    return {
        "problem": tried.problem,
        "shape": report.problem.shape,
        "median_s": row.median_s,
        "ncu_s": counted,
        "ratio": row.median_s / counted if counted else None,
        "note": report.profile.counters_note,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seconds", type=float, help="of timing each program")
    parser.add_argument("--budget", type=float, help="seconds for each verdict")
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    names = [tried.name for tried in AGAINST_ITSELF + SLOWED_DOWN]
    parser.add_argument("--programs", nargs="+", choices=names, default=names, help="of the verdicts")
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    result: dict[str, object] = {"environment": environment(args.commit)}
    lines: list[str] = []

    def say(line: str) -> None:
        lines.append(line)
        print(line, flush=True)

    def keep() -> None:
        (args.out / "truth.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
        (args.out / "truth.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def chosen(listed: list[Tried]) -> list[Tried]:
        asked = [tried for tried in listed if tried.name in args.programs]
        return [
            tried._replace(seconds=args.seconds or tried.seconds, budget_s=args.budget or tried.budget_s)
            for tried in asked
        ]

    began = time.monotonic()
    if "verdicts" in args.only:
        same: dict[str, list[dict[str, float]]] = {}
        slowed: dict[str, list[dict[str, float]]] = {}
        result |= {"against itself": same, "slowed down": slowed}
        result["budget_s"] = {tried.name: tried.budget_s for tried in chosen(AGAINST_ITSELF + SLOWED_DOWN)}
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TRUTH_FILE"] = str(Path(folder) / "verdicts")
            with forked_from("repeated.py"):
                for found, listed in ((same, AGAINST_ITSELF), (slowed, SLOWED_DOWN)):
                    for tried in chosen(listed):
                        found[tried.name] = verdicts(tried)
                        say(summary_of(tried.name, found[tried.name]))
                        keep()
        wrong = sum(row["verdict"] in ("FASTER", "SLOWER") for rows in same.values() for row in rows)
        say(f"(a) FASTER or SLOWER: {wrong} of {sum(map(len, same.values()))}")
        slower = [row["verdict"] == "SLOWER" for rows in slowed.values() for row in rows]
        say(f"(b) SLOWER: {sum(slower)} of {len(slower)}")
    if "ncu" in args.only:
        result["ncu"] = [against_ncu(tried) for tried in AGAINST_ITSELF if tried.name in ("2 GB", "product")]
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
