"""Operators from expressions: python bench/expressions.py OUT [--device DEVICE] [--only NAME ...] [--quick]
[--verdicts] [--commit ID].

Twenty operators of kernelgate.operator, those of python/tests/program/expressions.py: each must pass as a drop-in. On
a GPU each is then timed against eager PyTorch at ten sizes; `--verdicts` judges only, and so does `--device emulated`,
at a small size. The aims are 0.97 of eager's speed at every size, and 1.5 times it where eager needs two kernels or
more. OUT/expressions.json holds a row for each operator and size.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/tests/program")]

from environment import environment  # noqa: E402
from expressions import EXPRESSIONS  # noqa: E402

import kernelgate  # noqa: E402
from kernelgate.report import Report  # noqa: E402
from kernelgate.run import Job, new_run_id, run  # noqa: E402

SIZES = (
    "1000", "64x1024", "1003x1001", "1024x4096", "4096x4096", "4096x16384", "8192x16384", "4096x65536", "4096x131072",
    "4096x393216",
)  # fmt: skip
QUICK_SIZES = ("64x1024", "4096x16384")
BUDGET_S = 4.0


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


def timed_rows(name: str, sizes: tuple[str, ...], device: str) -> Iterator[dict[str, Any]]:
    for size in sizes:
        report = judged(name, size, "benchmark", device)
        timing = report.timing
        speeds = [] if timing is None else timing.speeds
        yield {
            "operator": name,
            "size": size,
            "outcome": report.verdict.outcome if report.verdict is not None else "none",
            "speeds": [[s.phase, s.cache_state, s.ratio, s.low, s.high, s.verdict] for s in speeds],
        }


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--only", nargs="*", default=list(EXPRESSIONS))
    parser.add_argument("--quick", action="store_true", help="two sizes instead of ten")
    parser.add_argument("--verdicts", action="store_true", help="judge only")
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    verdicts, times = list[dict[str, Any]](), list[dict[str, Any]]()
    for name in args.only:
        size = "64x3072" if args.device == "emulated" else "4096x4096"
        verdicts.append(verdict_row(name, judged(name, size, "verify", args.device)))
        print(json.dumps(verdicts[-1]), flush=True)
        if args.device != "emulated" and not args.verdicts:
            for row in timed_rows(name, QUICK_SIZES if args.quick else SIZES, args.device):
                times.append(row)
                print(json.dumps(row), flush=True)
        whole = {"environment": environment(args.commit), "verdicts": verdicts, "times": times}
        (args.out / "expressions.json").write_text(json.dumps(whole, indent=1) + "\n")
    return int(any(row["outcome"] != "pass" for row in verdicts))


if __name__ == "__main__":
    sys.exit(main())
