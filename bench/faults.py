"""Whether a run names each planted fault at its line: python bench/faults.py OUT [--device emulated|cuda] [--at-once N]
[--gpus N] [--twins] [--every N] [--only PATTERN ...] [--limit-s S] [--within-s S] [--commit ID].

Each case of python/tests/emulator/faultset is launched beside a result that is right, by a program of its own, and
judged by `verify` as it is. With `--twins` so is the same kernel without the fault. OUT/faults.json holds a row for
each: the verdict, and whether a line of the fault is named. It is written anew after each.
"""

from __future__ import annotations

import argparse
import fnmatch
import math
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from environment import environment, machine
from kernelbench import at_once, judged, write

sys.path.append(str(Path(__file__).parents[1] / "python" / "tests" / "emulator"))
from faultset import ALL, FAMILIES
from faultset.case import Case, program

from kernelgate.report import Finding, Report

_PROBLEM = """import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + 1


def get_inputs():
    return [torch.randn({n})]


def get_init_inputs():
    return []
"""
_CANDIDATE = """import torch
from torch.utils.cpp_extension import load_inline

SOURCE = r'''{source}'''
extension = load_inline(
    name="{name}", cpp_sources="{cpp}", cuda_sources=SOURCE, functions=["{name}"], extra_cuda_cflags={flags}
)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        extension.{name}(x.clone())
        return x + 1
"""
_HOPPER = ["-gencode=arch=compute_90a,code=sm_90a"]


def candidate(case: Case, *, fixed: bool) -> str:
    cpp, source = program([case], fixed=fixed)
    flags = _HOPPER if case in FAMILIES["hopper"] else []
    return _CANDIDATE.format(name=case.name, cpp=cpp, source=source, flags=flags)


def row_of(number: int, fixed: bool, options: argparse.Namespace) -> dict[str, Any]:
    case = ALL[number]
    text = candidate(case, fixed=fixed)
    report, row = judged(f"faults/{case.name}", _PROBLEM.format(n=case.n), text, options)
    kept = {name: row[name] for name in ("outcome", "kind", "seconds", "sentence", "what")}
    row = {"case": case.name, "twin": fixed, "uncertain": case.uncertain, **kept}
    row["findings"] = [f"{one.kind}: {one.sentence}" for one in findings_of(report)]
    return row if fixed else {**row, "named": bool(set(case.marked(text)) & lines_of(report))}


def findings_of(report: Report) -> list[Finding]:
    return [one for check in (report.memory_check, report.sanitizer) if check is not None for one in check.findings]


def lines_of(report: Report) -> set[int]:
    """The lines that its faults name."""
    lines = {line for one in findings_of(report) for line in (one.where and one.where.line, one.other_line)}
    if report.failure is not None and report.failure.where is not None:
        lines.add(report.failure.where.line)
    return {line for line in lines if line is not None}


def summary(rows: Sequence[dict[str, Any]]) -> str:
    faults, twins = ([row for row in rows if row["twin"] is twin] for twin in (False, True))
    named = sum(row["named"] for row in faults)
    lines = [f"{named} of {len(faults)} faults are named at their line; {dict(Counter(r['outcome'] for r in faults))}"]
    lines += [f"{row['case']}: {row['sentence']}; {row['findings']}" for row in faults if not row["named"]]
    if twins:
        lines.append(f"of {len(twins)} twins {sum(row['outcome'] == 'pass' for row in twins)} pass")
    lines += [f"twin of {row['case']}: {row['sentence']}" for row in twins if row["outcome"] != "pass"]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", default="emulated")
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--gpus", type=int, default=1, help="that are here")
    parser.add_argument("--twins", action="store_true")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=["*"], help="patterns of names")
    parser.add_argument("--limit-s", type=float, default=100.0, help="of one run")
    parser.add_argument("--within-s", type=float, default=math.inf, help="no run begins later than that")
    parser.add_argument("--commit")
    options = parser.parse_args()
    options.contract = "problem"
    options.out.mkdir(parents=True, exist_ok=True)
    numbers = [n for n, case in enumerate(ALL) if any(fnmatch.fnmatchcase(case.name, one) for one in options.only)]
    asked = [(n, fixed, options) for n in numbers[:: options.every] for fixed in ([False, True][: 1 + options.twins])]
    begins = {"environment": {**environment(options.commit), **machine()}, "device": options.device}
    rows: list[dict[str, Any]] = []
    for row in at_once(row_of, asked, options):
        rows.append(row)
        print(f"{row['case']}{' (twin)' * row['twin']}: {row['sentence']}", flush=True)
        write(options.out / "faults.json", begins, sorted(rows, key=lambda row: (row["case"], row["twin"])))
    print(summary(rows))


if __name__ == "__main__":
    main()
