"""Times `verify` from start to verdict, and keeps the reports: python bench/verify.py OUT [--runs N] [--commit ID].

Each program is verified once to fill the build cache, then N times. OUT/verify.json holds the split of every run, and
where the time of a warm one goes, step by step; OUT/<name>.txt and OUT/<name>.json the last report.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import statistics
import tempfile
import time
from pathlib import Path

from environment import environment, machine

from kernelgate.catalogue import operators
from kernelgate.report.as_json import as_json
from kernelgate.report.text import as_text
from kernelgate.run import Job, client, new_run_id, run

_LEAST_SHARE = 0.005  # of a run, that a step takes to be listed
_BETWEEN_RUNS_S = 1.0  # so that the fork server is not in the midst of an import


def with_steps(file: Path) -> None:
    """From now on judges write their steps into a file."""
    _judge, *others = client.ROLES
    client.ROLES = ("verify_steps:judge_with_steps", *others)
    path = [str(Path(__file__).parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    os.environ.update(KERNELGATE_STEPS=str(file), PYTHONPATH=os.pathsep.join(path))


def shares(file: Path, runs: int) -> dict[str, float]:
    """The share that each step has of a run, of the last so many runs; the median."""
    lines = file.read_text(encoding="utf-8").splitlines()[-runs:]
    found: dict[str, list[float]] = collections.defaultdict(list)
    for line in lines:
        rows = json.loads(line)
        whole = sum(seconds for _words, seconds in rows)
        of_run: collections.Counter[str] = collections.Counter()
        for words, seconds in rows:
            of_run[_step(words)] += seconds
        for step, seconds in of_run.items():
            found[step].append(seconds / whole)
    medians = {step: round(statistics.median(each), 3) for step, each in found.items()}
    return {step: share for step, share in medians.items() if share >= _LEAST_SHARE}


def _step(words: str) -> str:
    """Cases together, apart from the one in a worker of its own; builds by no name, which holds a digest."""
    if words.startswith("Compiling ") and "kernels" not in words:
        return "finding what is built, and what follows"
    return "cases" if words.startswith("Case") and "another size" not in words else words or "the rest"


def measured(
    name: str, text: str, problem: str, device: str, runs: int, out: Path, steps: Path
) -> dict[str, object]:
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
        time.sleep(_BETWEEN_RUNS_S)
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
        "shares": shares(steps, runs),
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
    names = ("leakyrelu", "scale_leakyrelu")
    jobs = [(name, operators()[name].program_text or "", name) for name in names]
    if args.programs:
        jobs.append(("004-1", (args.programs / "004-1.py").read_text(), "gemm_scale_leakyrelu"))
    with tempfile.TemporaryDirectory() as folder:
        steps = Path(folder) / "steps"
        with_steps(steps)
        rows = [measured(*job, args.device, args.runs, args.out, steps) for job in jobs]
    result = {"environment": {**environment(args.commit), **machine()}, "results": rows}
    (args.out / "verify.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    for row in rows:
        print(row["program"], row["shape"], row["verdict"], row["warm_median_s"], row["warm_spread_s"])


if __name__ == "__main__":
    main()
