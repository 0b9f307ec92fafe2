"""Times `verify` from start to verdict, and keeps the reports: python bench/verify.py OUT [--runs N] [--commit ID].

Each program is verified once to fill the build cache, then N times. OUT/verify.json holds the split of every run;
OUT/<name>.txt and OUT/<name>.json the last report.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path

from environment import environment

from kernelgate.catalogue import operators
from kernelgate.report.as_json import as_json
from kernelgate.report.text import as_text
from kernelgate.run import Job, new_run_id, run


def measured(name: str, text: str, problem: str, device: str, runs: int, out: Path) -> dict[str, object]:
    rows = []
    sentences: set[str] = set()
    for _ in range(runs + 1):
        job = Job(run=new_run_id(), text=text, label=f"{name}.py", problem=problem, device=device)
        started = time.perf_counter()
        report = run(job)
        wall = time.perf_counter() - started
        assert report.verdict is not None
        sentences.add(report.verdict.sentence)
        stages = {stage.name: round(stage.seconds or 0.0, 3) for stage in report.stages}
        rows.append({"wall_s": round(wall, 3), **stages})
    (out / f"{name}.txt").write_text(as_text(report) + "\n", encoding="utf-8")
    (out / f"{name}.json").write_text(as_json(report) + "\n", encoding="utf-8")
    assert len(sentences) == 1, sentences  # runs that ended otherwise are not one sample
    walls = [row["wall_s"] for row in rows[1:]]
    return {
        "program": name,
        "shape": report.problem.shape,
        "device": report.device.name,
        "verdict": sentences.pop(),
        "first": rows[0],
        "n": runs,
        "warm_median_s": round(statistics.median(walls), 3),
        "warm_spread_s": [min(walls), max(walls)],
        "warm": rows[1:],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--commit")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--programs", type=Path, help="a folder with 004-1.py, to be verified as well")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    jobs = [("leakyrelu", operators()["leakyrelu"].program_text or "", "leakyrelu")]
    if args.programs:
        jobs.append(("004-1", (args.programs / "004-1.py").read_text(), "gemm_scale_leakyrelu"))
    rows = [measured(*job, args.device, args.runs, args.out) for job in jobs]
    result = {"environment": environment(args.commit), "results": rows}
    (args.out / "verify.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        print(row["program"], row["shape"], row["verdict"], row["warm_median_s"], row["warm_spread_s"])


if __name__ == "__main__":
    main()
