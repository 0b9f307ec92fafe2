"""Many candidates at once: python bench/evaluate.py OUT [--count 200] [--device emulated|cuda] [--cuda-share 0.1]
[--engines processes dask ...] [--at-once 2] [--kills 10] [--commit ID].

The candidates (bench/mixed.py) are judged one after another by single runs, and then by an evaluation on each engine
(bench/engines.py) with so many runs at once; each time with a build cache of its own, which holds what emulation itself
needs and nothing else. With --kills each engine has a second evaluation, in which processes are killed with SIGKILL at
random moments: the evaluation itself, a worker of the engine, a judge or what it started. Whenever the evaluation has
ended, or has given no row for 180 s, the same command is run again, until each candidate has its verdict.
OUT/evaluate.json has candidates a minute, whether each verdict is that of the single run, and what was killed; it is
written anew after each engine.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from engines import ENGINES
from environment import environment, machine
from mixed import FIRST, write_jobs

from kernelgate.evaluation.found import asked_in
from kernelgate.run import run

SILENT_S = 180.0
MARK = "KERNELGATE_BENCH"
OF_RAY = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_raylet_start_wait_time_s": "170"}


def first_cache(folder: Path, device: str) -> None:
    """A build cache in which one other program has been built."""
    folder.mkdir(parents=True, exist_ok=True)
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


def one_by_one(jobs: Path) -> dict[str, str]:
    """The verdict of each, by single runs one after another."""
    verdicts = {}
    for asked in asked_in([str(jobs)], {}):
        assert asked.job is not None, asked.error
        verdict = run(asked.job).verdict
        assert verdict is not None
        verdicts[asked.name] = f"{verdict.outcome}/{verdict.kind}"
    return verdicts


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    command: str


class Evaluation:
    """An evaluation in processes of its own, and its rows on the disk."""

    def __init__(self, engine: str, jobs: Path, results: Path, slots: int) -> None:
        self._mark = secrets.token_hex(8)
        script = Path(__file__).with_name("engines.py")
        self._command = [sys.executable, str(script), engine, str(jobs), str(results), "--slots", str(slots)]
        self._results = results
        self._log = results.with_suffix(".log").open("w")
        self.starts = 0
        self.left_behind: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self.starts += 1
        environment = {**os.environ, MARK: self._mark, **OF_RAY}
        self.process = subprocess.Popen(
            self._command, env=environment, stdout=subprocess.DEVNULL, stderr=self._log
        )

    def begin_again(self) -> None:
        """After its end, once what it started is gone; what is left after 30 s is killed, and noted."""
        deadline = time.monotonic() + 30
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.2)
        for process in left:
            self.left_behind.append(process.command[:120])
            kill(process.pid)
        self._begin()

    def processes(self) -> list[Process]:
        """Those with the mark in their environment that still run."""
        found = []
        for path in Path("/proc").glob("[0-9]*"):
            try:
                if self._mark.encode() not in (path / "environ").read_bytes():
                    continue
                state, parent = (path / "stat").read_text().rpartition(")")[2].split()[:2]
                command = (path / "cmdline").read_text().replace("\0", " ")
            except OSError:  # it has ended meanwhile
                continue
            if state != "Z":
                found.append(Process(int(path.name), int(parent), command))
        return found

    def kill_one(self) -> str:
        """Kills the evaluation, a worker of the engine, or a process of a run; which of them."""
        running = self.processes()
        servers = [one for one in running if "processes.fork_server" in one.command]
        pids = {one.pid for one in servers}
        victims = [("the evaluation", self.process.pid)]
        victims += [
            ("a worker", one.parent) for one in servers if one.parent not in pids | {self.process.pid, 1}
        ]
        victims += [("a fork server", one.pid) for one in servers if one.parent not in pids]
        victims += [("a process of a run", one.pid) for one in servers if one.parent in pids]
        kind = random.choice(sorted({kind for kind, _ in victims}))
        kill(random.choice([pid for one, pid in victims if one == kind]))
        return kind

    def rows(self) -> list[dict[str, Any]]:
        lines = self._results.read_bytes().split(b"\n")[:-1] if self._results.exists() else []
        return [json.loads(line) for line in lines]

    def follow(self, count: int, kills: int) -> list[str]:
        """Until each of `count` has a verdict; what was killed."""
        killed: list[str] = []
        next_kill = time.monotonic() + random.uniform(2, 14)
        rows, last_row = 0, time.monotonic()
        while True:
            if len(self.rows()) > rows:
                rows, last_row = len(self.rows()), time.monotonic()
            if len(killed) < kills and time.monotonic() >= next_kill and self.process.poll() is None:
                killed.append(self.kill_one())
                next_kill = time.monotonic() + random.uniform(2, 14)
            if time.monotonic() - last_row > SILENT_S:
                killed.append("the evaluation, which was silent")
                kill(self.process.pid)
                last_row = time.monotonic()
            if self.process.poll() is not None:
                if len(verdicts_of(self.rows())) == count or self.starts > kills + 5:
                    return killed
                self.begin_again()
            time.sleep(0.2)


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def verdicts_of(rows: list[dict[str, Any]]) -> dict[str, str]:
    """The verdicts by name; of a row without one, nothing."""
    reports = {row["name"]: row["report"]["verdict"] for row in rows if row.get("report")}
    return {
        name: "{outcome}/{kind}".format(**verdict)
        for name, verdict in reports.items()
        if verdict["kind"] not in ("internal", "cancelled", "environment")
    }


def evaluated(engine: str, jobs: Path, single: dict[str, str], slots: int, kills: int) -> dict[str, Any]:
    """One evaluation as a row of the results."""
    results = jobs.parent / f"results-{engine}-{slots}-{kills}.jsonl"
    results.unlink(missing_ok=True)
    began = time.perf_counter()
    evaluation = Evaluation(engine, jobs, results, slots)
    killed = evaluation.follow(len(single), kills)
    seconds = time.perf_counter() - began
    rows = evaluation.rows()
    found = verdicts_of(rows)
    judged = Counter(row["name"] for row in rows if verdicts_of([row]))
    return {
        "engine": engine,
        "version": ""
        if engine == "processes"
        else importlib.metadata.version(engine.replace("dask", "distributed")),
        "at_once": slots,
        "seconds": round(seconds, 1),
        "verdicts": len(found),
        "other_verdicts": {
            name: [verdict, found.get(name)] for name, verdict in single.items() if found.get(name) != verdict
        },
        "judged_twice": [name for name, times in judged.items() if times > 1],
        "killed": killed,
        "starts": evaluation.starts,
        "left_behind": evaluation.left_behind,
        "rows_of_two_attempts": sum(row["attempts"] > 1 for row in rows),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--device", default="emulated")
    parser.add_argument("--cuda-share", type=float, default=0.1)
    parser.add_argument("--engines", nargs="+", default=["processes"], choices=["processes", *ENGINES])
    parser.add_argument("--at-once", type=int, nargs="+", default=[2])
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument(
        "--killed-only", action="store_true", help="without the evaluation that nobody disturbs"
    )
    parser.add_argument("--commit")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    cache = options.out / "cache"
    jobs = write_jobs(options.out, options.count, options.device, options.cuda_share)
    first_cache(options.out / "first", options.device)
    use_cache(cache, options.out / "first")
    began = time.perf_counter()
    single = one_by_one(jobs)
    rows: list[dict[str, Any]] = [
        {"engine": "none, one after another", "seconds": round(time.perf_counter() - began, 1)}
    ]
    head = {"environment": {**environment(options.commit), **machine()}, "device": options.device}
    head |= {"count": options.count, "verdicts": dict(Counter(single.values()))}
    runs = [(engine, slots, 0) for engine in options.engines for slots in options.at_once]
    runs = [] if options.killed_only else runs
    runs += [(engine, options.at_once[-1], options.kills) for engine in options.engines if options.kills]
    for run_of in [None, *runs]:
        if run_of is not None:
            engine, slots, kills = run_of
            use_cache(cache, options.out / "first")
            rows.append(evaluated(engine, jobs, single, slots, kills))
        row = rows[-1]
        row["per_minute"] = round(60 * options.count / row["seconds"], 1)
        print(json.dumps(row), flush=True)
        (options.out / "evaluate.json").write_text(json.dumps({**head, "rows": rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
