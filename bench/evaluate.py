"""Many candidates at once: python bench/evaluate.py OUT [--count 200] [--device emulated|cuda] [--cuda-share 0.1]
[--public FOLDER] [--engines processes dask ...] [--at-once 2] [--kills 10] [--killed-only] [--loop N] [--loop-only]
[--limit S] [--commit ID].

The candidates (bench/mixed.py) are judged by single runs, the first `--loop` of them one after another (all, if not
given), the others each by a run of its own, as many side by side as `--at-once` says at most; with `--loop-only` these
are left out, and so are their verdicts in what is compared. Then an evaluation judges all on each engine
(bench/engines.py), with so many runs at once; each time with a build cache of its own, which holds what emulation
itself needs and nothing else. With `--kills` each engine has a second evaluation, in which processes are killed with
SIGKILL at random moments: the evaluation itself, a worker of the engine, a judge or what it started. Whenever the
evaluation has ended, or has given no row for 180 s, the same command is run again, until each candidate has its
verdict.

OUT/single.jsonl has the verdicts of single runs; a later command with the same OUT goes on from it. OUT/evaluate.json
has candidates a minute, whether each verdict is that of the single run, what was killed, and on a GPU how much of the
time it was judging. It is written anew after each part, and keeps the rows of earlier commands. After `--limit`
seconds, or at an interrupt, the part that runs is ended and written as it is. The exit status is 0 if all verdicts
are equal.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from engines import ENGINES
from environment import environment, machine
from evaluation_process import Evaluation
from gpu_watch import GpuWatch
from mixed import FIRST, write_jobs

from kernelgate.evaluation.asked import Asked
from kernelgate.evaluation.found import asked_in
from kernelgate.run import run

LOOP = "none, one after another"


def first_cache(folder: Path, device: str) -> None:
    """A build cache in which one other program has been built."""
    if (folder / "first.py").exists():
        return
    folder.mkdir(parents=True)
    use_cache(folder)
    program = folder / "first.py"
    program.write_text(FIRST)
    words = ["verify", str(program), "--problem", "leakyrelu", "--shape", "64x96", "--device", device]
    subprocess.run([sys.executable, "-m", "kernelgate.cli", *words], stdout=subprocess.DEVNULL, check=True)


def use_cache(folder: Path, copy_of: Path | None = None) -> None:
    """From here on builds go there."""
    if copy_of is not None:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(copy_of, folder, symlinks=True)
    os.environ["KERNELGATE_CACHE"] = str(folder.resolve())


def judged_alone(asked: Asked) -> tuple[str, float]:
    """Verdict and seconds of a run of its own."""
    assert asked.job is not None, asked.error
    began = time.perf_counter()
    verdict = run(asked.job).verdict
    assert verdict is not None
    return f"{verdict.outcome}/{verdict.kind}", time.perf_counter() - began


@dataclass
class Singles:
    """The verdicts of single runs, in a file of which a later command knows. `loop`: how many one after another;
    `beside`: how many of the others side by side, 0 for none."""

    path: Path
    loop: int
    beside: int
    verdicts: dict[str, str] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        for line in self.path.read_text().splitlines() if self.path.exists() else []:
            self._know(**json.loads(line))

    def _know(self, name: str, verdict: str, seconds: float, alone: bool) -> None:
        self.verdicts[name] = verdict
        self.seconds += [seconds] if alone else []

    def _add(self, name: str, verdict: str, seconds: float, alone: bool) -> None:
        row = {"name": name, "verdict": verdict, "seconds": round(seconds, 2), "alone": alone}
        with self.path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        self._know(**row)
        if len(self.verdicts) % 10 == 0:
            print(f"single runs: {len(self.verdicts)}", flush=True)

    def judge(self, jobs: Path, deadline: float) -> bool:
        """Those that are missing. False if time is up."""
        missing = [asked for asked in asked_in([str(jobs)], {}) if asked.name not in self.verdicts]
        alone = missing[: max(0, self.loop - len(self.seconds))]
        for asked in alone:
            if time.monotonic() > deadline:
                return False
            self._add(asked.name, *judged_alone(asked), alone=True)

        def one(asked: Asked) -> tuple[str, tuple[str, float] | None]:
            return asked.name, None if time.monotonic() > deadline else judged_alone(asked)

        with ThreadPoolExecutor(max(1, self.beside)) as pool:
            for name, found in pool.map(one, missing[len(alone) :] if self.beside else []):
                if found is not None:
                    self._add(name, *found, alone=False)
        return time.monotonic() <= deadline

    def row(self) -> dict[str, Any]:
        return {
            "engine": LOOP,
            "at_once": 1,
            "judged": len(self.seconds),
            "seconds": round(sum(self.seconds), 1),
        }


def verdicts_of(rows: list[dict[str, Any]]) -> dict[str, str]:
    """The verdicts by name; of a row without one, nothing."""
    reports = {row["name"]: row["report"]["verdict"] for row in rows if row.get("report")}
    return {
        name: "{outcome}/{kind}".format(**verdict)
        for name, verdict in reports.items()
        if verdict["kind"] not in ("internal", "cancelled", "environment")
    }


def evaluated(
    engine: str, jobs: Path, single: dict[str, str], slots: int, kills: int, deadline: float
) -> dict[str, Any]:
    """One evaluation as a row of the results. `single`: the verdicts of single runs, as far as there are any."""
    count = len(jobs.read_text().splitlines())
    results = jobs.parent / f"results-{engine}-{slots}-{kills}.jsonl"
    results.unlink(missing_ok=True)
    began = time.perf_counter()
    evaluation = Evaluation(engine, jobs, results, slots)
    try:
        with GpuWatch() as watch:
            whole = evaluation.follow(lambda rows: len(verdicts_of(rows)) == count, count, kills, deadline)
    except KeyboardInterrupt:
        whole = False
        evaluation.end()
    seconds = time.perf_counter() - began
    rows = evaluation.rows()
    found = verdicts_of(rows)
    judged = Counter(row["name"] for row in rows if verdicts_of([row]))
    return {
        "engine": engine,
        "version": version_of(engine),
        "at_once": slots,
        "kills": kills,
        "whole": whole,
        "seconds": round(seconds, 1),
        "judged": len(found),
        "compared": sum(name in single for name in found),
        "other_verdicts": {name: [single[name], of] for name, of in found.items() if of != single.get(name, of)},
        "outcomes": dict(Counter(f"{name.rpartition('-')[2]}: {of}" for name, of in found.items())),
        "judged_twice": [name for name, times in judged.items() if times > 1],
        "killed": evaluation.killed,
        "starts": evaluation.starts,
        "left_by_engine": evaluation.left_by_engine,
        "left_behind": evaluation.left_behind,
        "rows_of_several_attempts": sum(row["attempts"] > 1 for row in rows),
        "gpu": watch.found,
    }


def version_of(engine: str) -> str:
    return "" if engine == "processes" else importlib.metadata.version(engine.replace("dask", "distributed"))


def options_of_the_command() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--device", default="emulated")
    parser.add_argument("--cuda-share", type=float, default=0.1)
    parser.add_argument("--public", type=Path, help="a folder of bench/wild_folder.py")
    parser.add_argument("--engines", nargs="*", default=["processes"], choices=["processes", *ENGINES])
    parser.add_argument("--at-once", type=int, nargs="+", default=[2])
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--killed-only", action="store_true", help="without an evaluation that nobody disturbs")
    parser.add_argument("--loop", type=int, help="so many single runs one after another; all if not given")
    parser.add_argument("--loop-only", action="store_true", help="no other single runs than these")
    parser.add_argument("--limit", type=float, default=float("inf"), help="seconds in all")
    parser.add_argument("--commit")
    return parser.parse_args()


class Results:
    """OUT/evaluate.json, with the rows of earlier commands that asked the same."""

    def __init__(self, path: Path, head: dict[str, Any]) -> None:
        self._path = path
        self.head = head
        self.rows: list[dict[str, Any]] = []
        if path.exists():
            there = json.loads(path.read_text())
            if all(there[name] == head[name] for name in ("device", "count", "cuda_share", "public", "gpus")):
                self.rows = there["rows"]

    def add(self, row: dict[str, Any]) -> None:
        row["per_minute"] = round(60 * row["judged"] / row["seconds"], 1) if row["seconds"] else None

        def part(one: dict[str, Any]) -> tuple[Any, ...]:
            return one["engine"], one["at_once"], one.get("kills", 0)

        self.rows = [one for one in self.rows if part(one) != part(row)] + [row]
        print(json.dumps(row), flush=True)
        self._path.write_text(json.dumps({**self.head, "rows": self.rows}, indent=1) + "\n")

    def differences(self) -> list[str]:
        """In words: each part that is not whole, and each verdict that is not that of the single run."""
        found = []
        for row in self.rows:
            if row["engine"] == LOOP:
                continue
            part = f"{row['engine']}, {row['at_once']} at once, {row['kills']} kills"
            found += [] if row["whole"] else [f"{part}: cut off with {row['judged']} verdicts"]
            found += [f"{part}: {name} is {of[1]}, alone {of[0]}" for name, of in row["other_verdicts"].items()]
            found += [f"{part}: {name} was judged twice" for name in row["judged_twice"]]
            found += [f"{part}: left behind: {command}" for command in row["left_behind"]]
        return found


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


def main() -> int:
    deadline = time.monotonic()
    options = options_of_the_command()
    deadline += options.limit
    signal.signal(signal.SIGTERM, interrupted)  # as `timeout` sends
    options.out.mkdir(parents=True, exist_ok=True)
    jobs = write_jobs(options.out, options.count, options.device, options.cuda_share, options.public)
    asked = {"device": options.device, "count": options.count, "cuda_share": options.cuda_share}
    asked |= {"public": options.public is not None, "gpus": torch.cuda.device_count()}
    results = Results(
        options.out / "evaluate.json", {"environment": {**environment(options.commit), **machine()}, **asked}
    )
    with contextlib.suppress(KeyboardInterrupt):
        first_cache(options.out / "first", options.device)
        use_cache(options.out / "cache", options.out / "first")
        loop = options.count if options.loop is None else options.loop
        beside = 0 if options.loop_only else max(options.at_once)
        singles = Singles(options.out / "single.jsonl", loop, beside)
        whole = singles.judge(jobs, deadline)
        results.head["verdicts"] = dict(Counter(singles.verdicts.values()))
        results.add(singles.row())
        if not whole:
            print(f"Cut off with {len(singles.verdicts)} single runs", flush=True)
            return 1
        runs = [(engine, slots, 0) for engine in options.engines for slots in options.at_once]
        runs = [] if options.killed_only else runs
        runs += [(engine, options.at_once[-1], options.kills) for engine in options.engines if options.kills]
        for engine, slots, kills in runs:
            if time.monotonic() > deadline:
                break
            use_cache(options.out / "cache", options.out / "first")
            results.add(evaluated(engine, jobs, singles.verdicts, slots, kills, deadline))
            if not results.rows[-1]["whole"]:
                break
    differences = results.differences()
    print("\n".join(differences) or "All verdicts are those of single runs", flush=True)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
