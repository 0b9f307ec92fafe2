"""The elementwise operators: python bench/operators.py OUT [--only PART ...] [--quick] [--budget S] [--commit ID].

    full       at the problem's own size, against eager PyTorch and torch.compile: forward, backward, training step,
               share of the device copy, memory
    sizes      forward from 1 to 2^31 elements, three dtypes, contiguous and strided: the ratio to eager PyTorch
    builds     the program's own load_inline: cold, and again in another process
    resources  registers, shared memory, spills and occupancy of every kernel for sm_80; needs NVRTC and no GPU

Times are those of the verb `benchmark`: only of programs that its check has passed, in turn with the reference.
OUT/operators.json holds every figure, OUT/operators.md the tables; a part that is not run keeps its place empty.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from environment import environment

from kernelgate.catalogue import operators
from kernelgate.judge import Job, new_run_id, run
from kernelgate.nvrtc.opinion import used_by
from kernelgate.profile.occupancy import occupancy
from kernelgate.report import Report

ROOT = Path(__file__).parents[1]
OPERATORS = ("leakyrelu", "scale_leakyrelu")
DTYPES = ("float32", "float16", "bfloat16")
# Elements: every power of two or so, and odd numbers between them.
SIZES = sorted({1, 3, 129, 1027, 100_003, 33_333_333, *(1 << n for n in range(8, 32))})
QUICK_SIZES = (1, 1027, 1 << 16, 1 << 20, 1 << 24, 1 << 28)
BUILDS = 3
STRIDED = """{head}

def get_inputs():
    return [torch.rand(batch_size, 2 * dim)[:, ::2]]
"""
BUILD = """
import sys, time
import torch
torch.ones(1, device="cuda")
scope = {"__name__": "program"}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), scope)
started = time.perf_counter()
scope["_extension"]()
print(time.perf_counter() - started)
"""

Row = dict[str, Any]


def benchmark(operator: str, budget_s: float, **options: Any) -> Report:
    text = operators()[operator].program_text
    assert text is not None
    return run(
        Job(
            run=new_run_id(),
            text=text,
            label=f"{operator}.py",
            verb="benchmark",
            budget_s=budget_s,
            **options,
        )
    )


def verdict(report: Report) -> str:
    return report.verdict.sentence if report.verdict is not None else "no verdict"


def full(budget_s: float, quick: bool) -> Iterator[Row]:
    for operator in OPERATORS:
        shape = (4096, 8192) if quick else None
        report = benchmark(operator, budget_s, problem=operator, shape=shape, against=("eager", "compile"))
        timing = report.timing
        row: Row = {"operator": operator, "shape": report.problem.shape, "verdict": verdict(report)}
        if timing is not None:
            medians = {f"{t.program}, {t.phase}, {t.circumstance}": t.median_s for t in timing.rows}
            row["median_s"] = medians
            row["speeds"] = [
                [s.program, s.phase, s.circumstance, s.ratio, s.low, s.high, s.verdict] for s in timing.speeds
            ]
            row["share"] = {
                f"{s.program}, {s.phase}": s.share for s in (timing.limit.shares if timing.limit else [])
            }
            row["memory"] = {m.program: [m.peak_bytes, m.kept_bytes] for m in timing.memory}
            row["note"] = timing.note
        yield row


def sizes(budget_s: float, quick: bool) -> Iterator[Row]:
    for operator in OPERATORS:
        # The problem up to its inputs, which are replaced by strided ones.
        head, tail = operators()[operator].problem_text.split("def get_inputs():")
        strided = (
            STRIDED.format(head=head) + "\n\ndef get_init_inputs():" + tail.split("def get_init_inputs():")[1]
        )
        for dtype in DTYPES[:1] if quick else DTYPES:
            for layout in ("contiguous", "strided"):
                for elements in QUICK_SIZES if quick else SIZES:
                    rows, columns = _matrix(elements)
                    what: Row = (
                        {"problem": operator, "shape": (rows, columns)}
                        if layout == "contiguous"
                        else {"reference": strided, "sizes": {"batch_size": rows, "dim": columns}}
                    )
                    report = benchmark(operator, budget_s, dtype=dtype, **what)
                    speeds = [
                        s for s in (report.timing.speeds if report.timing else []) if s.phase == "forward"
                    ]
                    yield {
                        "operator": operator,
                        "dtype": dtype,
                        "layout": layout,
                        "elements": elements,
                        "verdict": verdict(report),
                        **{s.circumstance: [s.ratio, s.low, s.high, s.band, s.verdict] for s in speeds},
                    }


def _matrix(elements: int) -> tuple[int, int]:
    """Rows and columns of so many elements, no row longer than 2^16 where that divides."""
    columns = elements
    while columns > 1 << 16 and columns % 2 == 0:
        columns //= 2
    return elements // columns, columns


def builds(budget_s: float, quick: bool) -> Iterator[Row]:
    for operator in OPERATORS:
        program = ROOT / f"python/kernelgate/catalogue/{operator}/model_new.py"
        cold, warm = [], []
        for _ in range(1 if quick else BUILDS):
            with tempfile.TemporaryDirectory() as folder:
                environ = {**os.environ, "TORCH_EXTENSIONS_DIR": folder}
                for times in (cold, warm):
                    command = [sys.executable, "-c", BUILD, str(program)]
                    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
                    times.append(float(done.stdout.splitlines()[-1]))
        yield {"operator": operator, "cold_s": cold, "warm_s": warm, "processors": os.cpu_count()}


def resources(budget_s: float, quick: bool) -> Iterator[Row]:
    sys.path.insert(0, str(ROOT / "python/tests"))
    from catalogue.programs import program
    from catalogue.test_elementwise import instances

    for operator in OPERATORS:
        found = program(operator)
        used = used_by(found.TYPES + found.KERNELS + instances(found), "sm_80")
        for taken in sorted(used, key=lambda one: one.name):
            name = taken.name
            kernel = re.match(r"_Z\d+([a-z_]+)I(f|d|6__half|13__nv_bfloat16)(Lb1)?", name)
            assert kernel is not None, name
            both = kernel[1] == "backward_both"
            dtype = {"f": "float", "d": "double", "6__half": "half", "13__nv_bfloat16": "bfloat16"}[kernel[2]]
            threads = found_constant(found.KERNELS, "kBothThreads" if both else "kThreads")
            shared = threads // 32 * (8 if dtype == "double" else 4) if both else 0
            room = occupancy("sm_80", threads, taken.registers, shared)
            assert room is not None
            yield {
                "operator": operator,
                "kernel": kernel[1] + (", with mask" if kernel[3] else ""),
                "dtype": dtype,
                "threads": threads,
                "registers": taken.registers,
                "shared_bytes": shared,
                "spilled_bytes": taken.spilled_bytes,
                "occupancy": room.share,
            }


def found_constant(source: str, name: str) -> int:
    found = re.search(rf"constexpr int {name} = (\d+);", source)
    assert found is not None
    return int(found[1])


PARTS: dict[str, Callable[[float, bool], Iterator[Row]]] = {
    "full": full,
    "sizes": sizes,
    "builds": builds,
    "resources": resources,
}


def as_markdown(results: Row) -> str:
    lines = [
        "# The elementwise operators",
        "",
        *(f"- {k}: {v}" for k, v in results["environment"].items()),
        "",
    ]
    for part, rows in results["parts"].items():
        lines += [f"## {part}", ""]
        if not rows:
            lines += ["not run", ""]
            continue
        if part == "sizes":
            rows = [_size_row(row) for row in rows]
        columns = list(dict.fromkeys(key for row in rows for key in row))
        lines += [f"| {' | '.join(columns)} |", f"|{' --- |' * len(columns)}"]
        lines += [f"| {' | '.join(_cell(row.get(c)) for c in columns)} |" for row in rows]
        lines.append("")
    return "\n".join(lines)


def _size_row(row: Row) -> Row:
    """The ratios of a size, with their interval."""
    return {k: f"{v[0]:.3f} ({v[1]:.3f} to {v[2]:.3f})" if isinstance(v, list) else v for k, v in row.items()}


def _cell(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list) and value and all(isinstance(v, float) for v in value):
        return f"median {statistics.median(value):.3g} of {len(value)}"
    if isinstance(value, dict):
        return "<br>".join(f"{k}: {_cell(v)}" for k, v in value.items())
    if isinstance(value, list):
        return "<br>".join(
            " ".join(_cell(v) for v in item) if isinstance(item, list) else _cell(item) for item in value
        )
    return str(value)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--quick", action="store_true", help="few sizes, one dtype, a smaller full size")
    parser.add_argument("--budget", type=float, default=5.0, help="seconds of timing a run")
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    results: Row = {"environment": environment(args.commit), "parts": {part: [] for part in PARTS}}
    for part in args.only:
        for row in PARTS[part](args.budget, args.quick):
            results["parts"][part].append(row)
            print(part, *(str(value)[:80] for value in row.values()), flush=True)
            # After every row: a run that is cut off keeps what it has.
            (args.out / "operators.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
            (args.out / "operators.md").write_text(as_markdown(results) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
