"""Whole reports of programs at full size: python bench/reports.py OUT [--only PART ...] [--budget S] [--commit ID].

    gates      `verify` by the contract drop-in: the catalogue's operators, the product on both of its paths
    profiles   `profile`: the catalogue's LeakyReLU, one with an element a thread, and a program of cuBLAS and a kernel
               of its own, 004-1 of ../shared/programs

OUT/NAME.json holds a report and OUT/NAME.txt its text; OUT/reports.json what became of each.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from environment import environment
from operators import COMPUTE_80, PRODUCT, program_text

from kernelgate.catalogue import operators
from kernelgate.report.as_json import as_json
from kernelgate.report.text import as_text
from kernelgate.run import Job, new_run_id, run

ROOT = Path(__file__).parents[1]


def job(name: str, text: str, problem: str, **options: Any) -> tuple[str, Job]:
    return name, Job(run=new_run_id(), text=text, label=f"{name}.py", problem=problem, **options)


def gates() -> Iterator[tuple[str, Job]]:
    for operator in operators():
        yield job(operator, program_text(operator), operator, contract="drop-in")
    assert COMPUTE_80[0] in program_text(PRODUCT)
    text = program_text(PRODUCT).replace(*COMPUTE_80)
    yield job(f"{PRODUCT}-compute_80", text, PRODUCT, contract="drop-in")


def profiles(budget_s: float) -> Iterator[tuple[str, Job]]:
    programs = {
        "leakyrelu-profile": (program_text("leakyrelu"), "leakyrelu"),
        "scalar-profile": ((ROOT / "bench/baselines/leakyrelu_scalar.py").read_text(encoding="utf-8"), "leakyrelu"),
    }
    real = ROOT.parent / "shared/programs/004-1.py"
    if real.is_file():
        programs["004-1-profile"] = (real.read_text(encoding="utf-8"), PRODUCT)
    for name, (text, problem) in programs.items():
        yield job(name, text, problem, verb="profile", budget_s=budget_s)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="+", choices=("gates", "profiles"), default=["gates", "profiles"])
    parser.add_argument("--budget", type=float, default=12.0, help="seconds of timing each program that is profiled")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rows: list[dict[str, object]] = []
    jobs = [*gates()] if "gates" in args.only else []
    jobs += profiles(args.budget) if "profiles" in args.only else []
    for name, one in jobs:
        one.device = args.device
        report = run(one)
        assert report.verdict is not None
        (args.out / f"{name}.json").write_text(as_json(report) + "\n", encoding="utf-8")
        (args.out / f"{name}.txt").write_text(as_text(report) + "\n", encoding="utf-8")
        rows.append(
            {
                "name": name,
                "verdict": report.verdict.sentence,
                "device": report.device.name,
                "shape": report.problem.shape,
                "cases": {case.name: case.outcome for case in report.cases},
                "gates": {gate.name: gate.outcome for gate in report.gates},
                "elapsed_s": report.elapsed_s,
            }
        )
        print(name, report.verdict.sentence, f"{report.elapsed_s:.1f} s", flush=True)
        kept = {"environment": environment(args.commit), "reports": rows}
        (args.out / "reports.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
