"""How long a verdict takes on programs of others: python bench/wild_times.py FOLDER OUT [--device emulated|cuda]
[--share N] [--seed N] [--only PATTERN ...] [--limit-s S] [--within-s S] [--peer CHECKOUT] [--commit ID].

FOLDER is as for wild.py; N of its programs with the label "right" are drawn by the seed. Each is judged three times,
one run at a time: cold, with an empty build cache but for the emulator's own libraries; changed, where a kernel has one
more statement; and warm, the first text again. The fork server serves before the first run. OUT/wild_times.json holds
the seconds to the first verdict (the problem's own inputs are compared) and to the last word, and the steps of the warm
run in order of size. With `--peer`, a checkout of KernelBench, its own check of the program stands beside it.
"""

from __future__ import annotations

import argparse
import collections
import json
import math
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from environment import environment, machine
from kernelbench import write
from verify import with_steps
from wild import arguments, programs

from kernelgate.report import Report
from kernelgate.run import Job, Limits, new_run_id, run

_KEPT = ("runtime-*", "facade-*", "allocator-*")  # made once in a machine's life
_MOST_STEPS = 8
_BEFORE = "import torch\nclass Model(torch.nn.Module):\n    def forward(self, x): return x + 1\n"
_BEFORE += "def get_inputs(): return [torch.ones(3)]\ndef get_init_inputs(): return []\n"


def timed(name: str, text: str, options: argparse.Namespace, cache: Path) -> dict[str, Any]:
    """One run: its sentence, and the seconds to its first and its last word."""
    started = time.perf_counter()
    first = math.nan

    def look(report: Report) -> None:
        nonlocal first
        if math.isnan(first) and any(case.own and case.outcome == "pass" for case in report.cases):
            first = time.perf_counter() - started

    job = Job(
        run=new_run_id(),
        text=text,
        label="candidate.py",
        reference=(options.folder / name / "problem.py").read_text(encoding="utf-8"),
        reference_label="problem.py",
        device=options.device,
        limits=Limits.of_run(options.limit_s),
        cache=str(cache),
    )
    report = run(job, look)
    last = time.perf_counter() - started
    assert report.verdict is not None
    return {
        "first_s": round(last if math.isnan(first) else first, 2),
        "last_s": round(last, 2),
        "sentence": report.verdict.sentence,
    }


def changed(text: str) -> str:
    """The program with one more statement in its first kernel, which changes no value."""
    more = r"\1 int kernelgate_changed = 0; (void)kernelgate_changed;"
    return re.sub(r"(__global__[^;{]*?\)\s*\{)", more, text, count=1)


def row_of(name: str, options: argparse.Namespace, steps: Path, cache: Path) -> dict[str, Any]:
    text = (options.folder / name / "candidate.py").read_text(encoding="utf-8")
    _empty(cache)
    row: dict[str, Any] = {"problem": name}
    for kind, program in (("cold", text), ("changed", changed(text)), ("warm", text)):
        row[kind] = timed(name, program, options, cache)
    row["steps_s"] = largest_steps(steps)
    return row if options.peer is None else {**row, "peer": peer(options.folder / name, options)}


def peer(folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """What KernelBench's own check says of it, and its seconds."""
    script = str(Path(__file__).with_name("peer.py"))
    command = [
        sys.executable,
        script,
        str(options.peer),
        str(folder / "problem.py"),
        str(folder / "candidate.py"),
    ]
    try:
        ended = subprocess.run(command, capture_output=True, text=True, timeout=options.limit_s)
    except subprocess.TimeoutExpired:
        return {"seconds": options.limit_s, "why": "cut off"}
    lines = ended.stdout.splitlines()
    return json.loads(lines[-1]) if ended.returncode == 0 else {"why": ended.stderr[-300:]}


def _empty(cache: Path) -> None:
    """Of all but the emulator's own libraries."""
    kept = {path for pattern in _KEPT for path in cache.glob(pattern)}
    for path in set(cache.iterdir()) - kept:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def largest_steps(steps: Path) -> dict[str, float]:
    """Of the last run, in seconds."""
    lines = steps.read_text(encoding="utf-8").splitlines()
    total: collections.Counter[str] = collections.Counter()
    for words, seconds in json.loads(lines[-1]) if lines else []:
        total[words] += seconds
    return {words: round(seconds, 2) for words, seconds in total.most_common(_MOST_STEPS)}


def summary(rows: Sequence[dict[str, Any]]) -> str:
    lines = []
    for kind in ("cold", "changed", "warm"):
        for what in ("first_s", "last_s"):
            seconds = sorted(row[kind][what] for row in rows)
            nine_tenths = seconds[int(0.9 * (len(seconds) - 1))]
            lines.append(
                f"{kind:8} {what:8} median {statistics.median(seconds):6.2f}  p90 {nine_tenths:6.2f}  "
                f"most {seconds[-1]:6.2f}"
            )
    return "\n".join([f"n = {len(rows)}", *lines])


def main() -> None:
    options = arguments(__doc__)
    drawn = [name for name, label in programs(options).items() if label == "right"]
    options.out.mkdir(parents=True, exist_ok=True)
    begins = {"environment": {**environment(options.commit), **machine()}, "device": options.device}
    rows: list[dict[str, Any]] = []
    ends = time.monotonic() + options.within_s
    with tempfile.TemporaryDirectory() as folder:
        steps, cache = Path(folder) / "steps", Path(folder) / "cache"
        cache.mkdir()
        with_steps(steps)
        own = Job(run=new_run_id(), text=_BEFORE.replace("Model(", "ModelNew("), label="p.py", reference=_BEFORE)
        run(own)  # starts the fork server
        for name in drawn:
            if time.monotonic() > ends:
                break
            rows.append(row_of(name, options, steps, cache))
            print(json.dumps(rows[-1]), flush=True)
            write(options.out / "wild_times.json", begins, rows)
    print(summary(rows))


if __name__ == "__main__":
    main()
