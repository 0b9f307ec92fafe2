"""Whether an honest program passes for any problem: python bench/kernelbench.py CHECKOUT OUT [--device emulated|cuda]
[--at-once N] [--gpus N] [--levels 1 2 3] [--only PATTERN ...] [--every N] [--limit-s S] [--within-s S]
[--contract problem|drop-in] [--commit ID].

CHECKOUT is a checkout of KernelBench (github.com/ScalingIntelligence/KernelBench), whose text is no part of this
repository. For each of its problems the reference itself, renamed to `ModelNew`, is the candidate: whatever is not a
pass is a mistake of ours, or a reason outside of us, such as a package that is missing. OUT/kernelbench.json holds a
row for each problem; it is written anew after each, so that a run that is cut short leaves what it has, and the same
command goes on from there. The processors and the GPUs are dealt out evenly among N runs at once. No run uses the
processors of another, and each uses one GPU.
The levels are judged in the order that is given: the slow ones first leave no long one to wait for at the end.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import math
import os
import re
import statistics
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from environment import environment, machine, output_of

from kernelgate.report import Report
from kernelgate.run import Job, Limits, new_run_id, run


def problems(options: argparse.Namespace) -> dict[str, str]:
    """The text of each problem by its name, "level1/1_Square_matrix_multiplication_", in the order of the numbers."""
    found: dict[str, str] = {}
    for level in options.levels:
        files = (options.checkout / "KernelBench" / f"level{level}").glob("*.py")
        for file in sorted(files, key=lambda file: int(file.name.partition("_")[0])):
            name = f"level{level}/{file.stem}"
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in options.only):
                found[name] = file.read_text(encoding="utf-8")
    return {name: found[name] for name in list(found)[:: options.every]}


def renamed(reference: str) -> str:
    """The reference as a candidate: `Model` is called `ModelNew`."""
    return re.sub(r"\bModel\b", "ModelNew", reference)


def judged(
    name: str, reference: str, candidate: str, options: argparse.Namespace
) -> tuple[Report, dict[str, Any]]:
    """The report of one run, and its row."""
    job = Job(
        run=new_run_id(),
        text=candidate,
        label="candidate.py",
        reference=reference,
        reference_label=f"{name.partition('/')[2]}.py",
        device=options.device,
        contract=options.contract,
        limits=Limits.of_run(options.limit_s),
    )
    started = time.perf_counter()
    load = round(os.getloadavg()[0], 1)
    report = run(job)
    seconds = time.perf_counter() - started
    assert report.verdict is not None
    row: dict[str, Any] = {
        "problem": name,
        "outcome": report.verdict.outcome,
        "kind": report.verdict.kind,
        "seconds": round(seconds, 2),
        "load": load,
        "shape": report.problem.shape,
        "full_shape": report.problem.full_shape,
        "sentence": report.verdict.sentence,
        "what": report.failure.what if report.failure is not None else "",
        "cases": dict(Counter(case.outcome for case in report.cases)),
    }
    return report, row


def row_of(name: str, reference: str, options: argparse.Namespace) -> dict[str, Any]:
    return judged(name, reference, renamed(reference), options)[1]


def at_once(
    call: Callable[..., Any], arguments: Sequence[tuple[Any, ...]], options: argparse.Namespace
) -> Iterator[Any]:
    """The results of the calls as they end, which is not their order. None begins after `within_s`."""
    context = get_context("spawn")
    shares: Any = context.Queue()
    for number, share in enumerate(shares_of(sorted(os.sched_getaffinity(0)), options.at_once)):
        shares.put((share, number % options.gpus))
    ends = time.monotonic() + options.within_s
    with ProcessPoolExecutor(options.at_once, context, _keep_to_share, (shares,)) as pool:
        runs = [pool.submit(_until, ends, call, some) for some in arguments]
        for done in as_completed(runs):
            if (result := done.result()) is not None:
                yield result


def _until(ends: float, call: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """The monotonic clock is the same in all processes."""
    return call(*arguments) if time.monotonic() < ends else None


def shares_of(processors: Sequence[int], count: int) -> list[list[int]]:
    """Neighbours, which may be the two threads of one core, stay together; one processor may serve several."""
    each = max(1, len(processors) // count)
    return [[processors[(number * each + i) % len(processors)] for i in range(each)] for number in range(count)]


def _keep_to_share(shares: Any) -> None:
    """What this process starts keeps to it as well."""
    share, gpu = shares.get()
    os.sched_setaffinity(0, share)
    os.environ.setdefault("CUDA_VISIBLE_DEVICES", str(gpu))
    os.environ.setdefault("OMP_NUM_THREADS", str(len(share)))


def earlier(file: Path, begins: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a run with the same settings that was cut short."""
    if not file.exists():
        return []
    result = json.loads(file.read_text(encoding="utf-8"))
    return list(result["results"]) if all(result.get(name) == value for name, value in begins.items()) else []


def write(file: Path, begins: dict[str, Any], rows: Sequence[dict[str, Any]]) -> None:
    """Whole, or not at all."""
    beside = file.with_suffix(".new")
    beside.write_text(json.dumps({**begins, "n": len(rows), "results": rows}, indent=1) + "\n", encoding="utf-8")
    beside.replace(file)


def summary(rows: Sequence[dict[str, Any]]) -> str:
    """A table, a line a level, and what did not pass."""
    lines = [
        f"{'':10} {'n':>4} {'pass':>5} {'fail':>5} {'not run':>8} {'mistake':>8}  seconds: median, p90, most"
    ]
    levels = sorted({row["problem"].partition("/")[0] for row in rows})
    for level in [*levels, "all"]:
        some = [row for row in rows if level in ("all", row["problem"].partition("/")[0])]
        kinds = Counter(row["kind"] for row in some)
        outcomes = Counter(row["outcome"] for row in some)
        seconds = sorted(row["seconds"] for row in some)
        lines.append(
            f"{level:10} {len(some):4} {outcomes['pass']:5} {outcomes['fail']:5} "
            f"{len(some) - outcomes['pass'] - outcomes['fail'] - kinds['internal']:8} {kinds['internal']:8}  "
            f"{statistics.median(seconds):.1f}, {seconds[int(0.9 * (len(seconds) - 1))]:.1f}, {seconds[-1]:.1f}"
        )
    for row in rows:
        if row["outcome"] != "pass":
            lines.append(
                f"{row['problem']} ({row['shape']}, {row['seconds']} s): {row['sentence']} | {row['what']}"
            )
    return "\n".join(lines)


def arguments(words: str | None) -> argparse.ArgumentParser:
    """What this bench and the one of wrong programs take."""
    parser = argparse.ArgumentParser(description=words)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="emulated")
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--gpus", type=int, default=1, help="that are here")
    parser.add_argument("--levels", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--only", nargs="+", default=["*"], help="patterns such as 'level1/4?_*'")
    parser.add_argument("--every", type=int, default=1, help="each so many-th problem")
    parser.add_argument("--limit-s", type=float, default=300.0, help="of one run")
    parser.add_argument("--within-s", type=float, default=math.inf, help="no run begins later than that")
    parser.add_argument("--contract", default="problem")
    parser.add_argument("--commit")
    return parser


def commit_of(checkout: Path) -> str:
    """Of a folder that is a checkout itself; a plain folder within another one has none."""
    top = output_of("git", "-C", str(checkout), "rev-parse", "--show-toplevel")
    if top == "unknown" or not checkout.samefile(top):
        return "unknown"
    return output_of("git", "-C", str(checkout), "rev-parse", "HEAD")


def head(options: argparse.Namespace) -> dict[str, Any]:
    """What a result file begins with."""
    return {
        "environment": {**environment(options.commit), **machine()},
        "kernelbench": commit_of(options.checkout),
        "device": options.device,
        "contract": options.contract,
        "at_once": options.at_once,
        "gpus": options.gpus,
        "processors_each": len(shares_of(sorted(os.sched_getaffinity(0)), options.at_once)[0]),
        "limit_s": options.limit_s,
    }


def main() -> None:
    options = arguments(__doc__).parse_args()
    found = problems(options)
    if not found:
        raise SystemExit(f"{options.checkout} has no such problem: give a checkout of KernelBench")
    options.out.mkdir(parents=True, exist_ok=True)
    file = options.out / "kernelbench.json"
    names = list(found)
    begins = head(options)
    rows = [row for row in earlier(file, begins) if row["problem"] in found]
    judged_before = {row["problem"] for row in rows}
    left = [(name, text, options) for name, text in found.items() if name not in judged_before]
    for row in at_once(row_of, left, options):
        rows.append(row)
        rows.sort(key=lambda row: names.index(row["problem"]))
        print(f"{row['problem']}: {row['outcome']} in {row['seconds']} s ({row['shape']})", flush=True)
        write(file, begins, rows)
    print(summary(rows))


if __name__ == "__main__":
    main()
