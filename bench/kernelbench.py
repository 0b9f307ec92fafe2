"""Whether an honest program passes for any problem: python bench/kernelbench.py CHECKOUT OUT [--device emulated|cuda]
[--jobs N] [--levels 1 2 3] [--only PATTERN ...] [--limit-s S] [--contract problem|drop-in] [--commit ID].

CHECKOUT is a checkout of KernelBench (github.com/ScalingIntelligence/KernelBench), whose text is no part of this
repository. For each of its problems the reference itself, renamed to `ModelNew`, is the candidate: whatever is not a
pass is a mistake of ours, or a reason outside of us, such as a package that is missing. OUT/kernelbench.json holds a
row for each problem; it is written anew after each, so that a run that is cut short leaves what it has.
"""

from __future__ import annotations

import argparse
import fnmatch
import json
import os
import re
import statistics
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from environment import environment, machine, output_of

from kernelgate.report import Report
from kernelgate.run import Job, Limits, new_run_id, run


def problems(checkout: Path, levels: Sequence[int], patterns: Sequence[str]) -> dict[str, str]:
    """The text of each problem by its name, "level1/1_Square_matrix_multiplication_", in the order of the numbers."""
    found: dict[str, str] = {}
    for level in levels:
        files = (checkout / "KernelBench" / f"level{level}").glob("*.py")
        for file in sorted(files, key=lambda file: int(file.name.partition("_")[0])):
            name = f"level{level}/{file.stem}"
            if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns):
                found[name] = file.read_text(encoding="utf-8")
    return found


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
    report = run(job)
    seconds = time.perf_counter() - started
    assert report.verdict is not None
    row: dict[str, Any] = {
        "problem": name,
        "outcome": report.verdict.outcome,
        "kind": report.verdict.kind,
        "seconds": round(seconds, 2),
        "shape": report.problem.shape,
        "full_shape": report.problem.full_shape,
        "sentence": report.verdict.sentence,
        "what": report.failure.what if report.failure is not None else "",
        "cases": dict(Counter(case.outcome for case in report.cases)),
    }
    return report, row


def rows_of(found: dict[str, str], options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """As they end, which is not their order."""
    with ThreadPoolExecutor(options.jobs) as pool:
        runs = [pool.submit(judged, name, text, renamed(text), options) for name, text in found.items()]
        for done in as_completed(runs):
            yield done.result()[1]


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


def share_processors(jobs: int) -> None:
    """Each of so many runs at a time gets its part of the processors, in the processes that start from here."""
    os.environ.setdefault("OMP_NUM_THREADS", str(max(1, (os.cpu_count() or 1) // jobs)))


def arguments(words: str | None) -> argparse.ArgumentParser:
    """What this bench and the one of wrong programs take."""
    parser = argparse.ArgumentParser(description=words)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="emulated")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--levels", type=int, nargs="+", default=[1, 2, 3])
    parser.add_argument("--only", nargs="+", default=["*"], help="patterns such as 'level1/4?_*'")
    parser.add_argument("--limit-s", type=float, default=300.0)
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
        "jobs": options.jobs,
        "limit_s": options.limit_s,
    }


def main() -> None:
    options = arguments(__doc__).parse_args()
    found = problems(options.checkout, options.levels, options.only)
    if not found:
        raise SystemExit(f"{options.checkout} has no such problem: give a checkout of KernelBench")
    share_processors(options.jobs)
    options.out.mkdir(parents=True, exist_ok=True)
    names = list(found)
    begins = head(options)
    rows: list[dict[str, Any]] = []
    for row in rows_of(found, options):
        rows.append(row)
        rows.sort(key=lambda row: names.index(row["problem"]))
        print(f"{row['problem']}: {row['outcome']} in {row['seconds']} s ({row['shape']})", flush=True)
        result = {**begins, "n": len(rows), "results": rows}
        (options.out / "kernelbench.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(summary(rows))


if __name__ == "__main__":
    main()
