"""Operators from expressions: python bench/expressions.py OUT [--device DEVICE] [--only NAME ...]
[--sizes N ...] [--runs N] [--verdicts | --times] [--at-once N] [--within-s S] [--commit ID].

Twenty operators of kernelgate.operator, those of python/tests/program/expressions.py: each must pass as a drop-in, N
judged at a time. On a GPU each is then timed against eager PyTorch at ten sizes, one at a time. `--verdicts` judges
only, and so does `--device emulated`, at a small size; `--times` times only, in so many runs of each. The aims are
0.97 of eager's speed at every size, and 1.5 times it where eager needs two kernels or more. OUT/expressions.json holds
a row for each operator, run and size: the ratio to eager with its interval, cold and one after another. If a kernel
takes a few microseconds, runs differ by more than their intervals: take the median of several.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/tests/program")]

from environment import environment  # noqa: E402
from expressions import EXPRESSIONS  # noqa: E402
from forked import forked_from  # noqa: E402

import kernelgate  # noqa: E402
from kernelgate.report import Report  # noqa: E402
from kernelgate.run import Job, new_run_id, run  # noqa: E402

# Elements.
# The verification of a larger one, in double precision, does not fit into 80 GB.
SIZES = (1000, 1 << 16, 1 << 18, 1003 * 1001, 1 << 22, 1 << 24, 1 << 25, 1 << 26, 1 << 27, 1 << 28)
BUDGET_S = 60.0


def judged(name: str, size: str, verb: str, device: str) -> Report:
    expression, parameters = EXPRESSIONS[name]
    made = kernelgate.operator(expression, size=size, **parameters)
    job = Job(
        run=new_run_id(),
        text=made.program,
        label=f"{name}.py",
        reference=made.problem,
        verb=verb,  # type: ignore[arg-type]
        device=device,
        contract="drop-in" if verb == "verify" else "problem",
        budget_s=BUDGET_S,
    )
    return run(job)


def verdict_row(name: str, report: Report) -> dict[str, Any]:
    verdict = report.verdict
    failed = [gate.name for gate in report.gates if gate.outcome not in ("pass", "not run")]
    return {
        "operator": name,
        "outcome": verdict.outcome if verdict is not None else "none",
        "sentence": verdict.sentence if verdict is not None else "",
        "gates_failed": failed,
        "kept": kernelgate.operator(EXPRESSIONS[name][0], **EXPRESSIONS[name][1]).kept,
    }


def timed_rows(
    names: Sequence[str], sizes: Sequence[int], device: str, within_s: float, runs: int
) -> Iterator[dict[str, Any]]:
    """All sizes of an operator in one run, of which the results are verified as always. One fork server serves all
    runs, so that PyTorch is imported once. None begins later than `within_s`."""
    ends = time.monotonic() + within_s
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "sizes"
        words = " ".join(str(size) for size in sizes)
        os.environ |= {"SIZES_FILE": str(file), "SIZES_LAYOUT": "contiguous", "SIZES_ELEMENTS": words}
        with forked_from("sized.py"):
            for name, number in itertools.product(names, range(runs)):
                if time.monotonic() > ends:
                    return
                file.write_text("", encoding="utf-8")
                report = judged(name, "64x1024", "benchmark", device)
                lines = file.read_text(encoding="utf-8").splitlines()
                verdict = report.verdict
                if not lines:
                    yield {"operator": name, "run": number, "verdict": "none" if verdict is None else verdict.sentence}
                for line in lines:
                    yield {"operator": name, "run": number, **json.loads(line)}


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--only", nargs="*", default=list(EXPRESSIONS))
    parser.add_argument("--sizes", nargs="+", type=int, default=SIZES, help="in elements")
    parser.add_argument("--runs", type=int, default=1, help="in which each is timed")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--verdicts", action="store_true", help="judge only")
    what.add_argument("--times", action="store_true", help="time only")
    parser.add_argument("--at-once", type=int, default=1, help="that are judged beside each other")
    parser.add_argument(
        "--within-s", type=float, default=math.inf, help="no operator is timed later than that"
    )
    parser.add_argument("--commit")
    return parser


def main() -> int:
    args = arguments().parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    whole: dict[str, Any] = {"environment": environment(args.commit), "verdicts": [], "times": []}

    def note(kind: str, row: dict[str, Any]) -> None:
        """Written after each, so that a run that is cut short leaves what it has."""
        whole[kind].append(row)
        print(json.dumps(row), flush=True)
        (args.out / "expressions.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")

    size = "64x3072" if args.device == "emulated" else "4096x4096"
    if not args.times:
        with ThreadPoolExecutor(args.at_once) as pool:
            for row in pool.map(
                lambda name: verdict_row(name, judged(name, size, "verify", args.device)), args.only
            ):
                note("verdicts", row)
    if not args.verdicts and args.device != "emulated":
        for row in timed_rows(args.only, args.sizes, args.device, args.within_s, args.runs):
            note("times", row)
    return int(any(row["outcome"] != "pass" for row in whole["verdicts"]))


if __name__ == "__main__":
    sys.exit(main())
