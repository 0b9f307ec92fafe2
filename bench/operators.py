"""The catalogue's operators: python bench/operators.py OUT [--only PART ...] [--operators NAME ...]
[--quick] [--budget S] [--commit ID].

    full       the elementwise operators at the problem's own size, against eager PyTorch and torch.compile: forward,
               backward, training step, share of the device copy, memory
    short      the short forms, in turn with the full ones: short over full, of the forward and the backward pass; 0.98
               is aimed at. Of all three operators, or of those that --operators names
    errors     of the product, full and short, and of eager PyTorch, from float64 on the same values: the largest, in
               units, and that of all together
    product    the product with 1 to 1024 rows: the split of the weight kept and made in each call, and built for
               compute_80; cold, sustained, and the training step
    baselines  other ways to the same: torch.compile with max-autotune, and for the product eager TF32, a Triton kernel
               in TF32, three FP16 products of cuBLAS; beside each the arithmetic that its error tells of
    sizes      LeakyReLU from 1 to 2^31 elements, three dtypes, contiguous and strided: the ratio to eager PyTorch
    builds     the program's own load_inline: cold, and again in another process; what each step of a cold one takes,
               and g++ with nothing but the includes of the C++ source
    resources  registers, shared memory, spills and occupancy of every kernel for sm_80; needs NVRTC and no GPU

Times are those of the verb `benchmark`: only of programs that its check has passed, in turn with the reference.
OUT/operators.json holds every figure, OUT/operators.md the tables; a part that is not run keeps its place empty.
"""

from __future__ import annotations

import argparse
import functools
import json
import os
import re
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from environment import environment
from forked import forked_from

from kernelgate.catalogue import operators
from kernelgate.nvrtc.compile_check import used_by
from kernelgate.profiling.occupancy import occupancy
from kernelgate.report import Report
from kernelgate.run import Job, new_run_id, run

ROOT = Path(__file__).parents[1]
PRODUCT = "gemm_scale_leakyrelu"
ELEMENTWISE = ("leakyrelu", "scale_leakyrelu")
SHORT = (*ELEMENTWISE, PRODUCT)
DTYPES = ("float32", "float16", "bfloat16")
BUILDS = 3
# Of the product: in words, the rows of x, and what is replaced in the program.
KEPT = ("keep_split = True", "keep_split = True")
EACH_CALL = ("keep_split = True", "keep_split = False")
COMPUTE_80 = ('os.environ.get("KERNELGATE_GEMM_PATH", "")', '"mma"')
PRODUCTS = (
    ("split kept", 1024, KEPT),
    ("split in each call", 1024, EACH_CALL),
    ("split kept", 128, KEPT),
    ("split kept", 16, KEPT),
    ("split kept", 1, KEPT),
    ("compute_80, split kept", 1024, COMPUTE_80),
    ("split in each call", 128, EACH_CALL),
)
FEATURES = 8192
BASELINES = ("eager_tf32", "triton_tf32", "three_fp16")
# A problem's text becomes a program whose forward call torch.compile has tuned.
TUNED = """

class ModelNew(Eager):
    forward = torch.compile(Eager.forward, mode="max-autotune-no-cudagraphs")
"""
SIZES_BUDGET_S = 100.0
FULL_BUDGET_S = 20.0  # in five, three rounds were done at the full size, and a ratio takes four
BUILD = """
import sys, time
import torch
torch.ones(1, device="cuda")
scope = {"__name__": "program"}
exec(compile(open(sys.argv[1]).read(), sys.argv[1], "exec"), scope)
started = time.perf_counter()
scope.get("_extension", scope.get("_operators"))()
print(time.perf_counter() - started)
"""

Row = dict[str, Any]


def program_text(operator: str) -> str:
    text = operators()[operator].program_text
    assert text is not None
    return text


def benchmark(operator: str, budget_s: float, text: str = "", **options: Any) -> Report:
    job = Job(
        run=new_run_id(),
        text=text or program_text(operator),
        label=f"{operator}.py",
        problem=operator,
        verb="benchmark",
        budget_s=budget_s,
        **options,
    )
    return run(job)


def verdict(report: Report) -> str:
    return report.verdict.sentence if report.verdict is not None else "no verdict"


def row_of(report: Report) -> Row:
    """What a table has of a benchmark."""
    row: Row = {"shape": report.problem.shape, "verdict": verdict(report)}
    if report.arithmetic:
        row["arithmetic"] = report.arithmetic
        units = [case.error_units for case in report.cases if case.error_units is not None]
        row["error_units"] = max(units, default=None)
        if (found := report.precision) is not None:
            row["precision"] = {"case": found.case, "units": found.units, "eager_units": found.reference_units}
    timing = report.timing
    if timing is None:
        return row
    row["median_s"] = {f"{t.program}, {t.phase}, {t.cache_state}": t.median_s for t in timing.rows}
    row["n"] = {f"{t.program}, {t.phase}, {t.cache_state}": t.n for t in timing.rows}
    row["speeds"] = [
        [s.program, s.phase, s.cache_state, s.ratio, s.low, s.high, s.verdict] for s in timing.speeds
    ]
    shares = timing.limit.shares if timing.limit else []
    row["share"] = {f"{s.program}, {s.phase}": s.share for s in shares}
    row["memory"] = {m.program: [m.peak_bytes, m.kept_bytes] for m in timing.memory}
    row["sm_clock_mhz"], row["power_w"] = timing.sm_clock_mhz, timing.power_w
    row["note"] = timing.note
    return row


def full(budget_s: float, quick: bool) -> Iterator[Row]:
    for operator in ELEMENTWISE:
        shape = (4096, 8192) if quick else None
        seconds = budget_s if quick else max(budget_s, FULL_BUDGET_S)
        report = benchmark(operator, seconds, shape=shape, against=("eager", "compile"))
        yield {"operator": operator, **row_of(report)}


def short(budget_s: float, quick: bool, chosen: Sequence[str] = SHORT) -> Iterator[Row]:
    for operator in chosen:
        shape = (4096, 8192) if quick and operator != PRODUCT else None
        taken: dict[str, dict[str, list[float]]] = {"full": {}, "short": {}}
        for form in ("full", "short", "short", "full"):  # so that a drift of the clock favours neither
            text = operators()[operator].form_text(form)
            assert text is not None
            row = row_of(benchmark(operator, budget_s, text, shape=shape, against=("eager",)))
            for what, seconds in row.get("median_s", {}).items():
                if what.startswith("this kernel, "):
                    taken[form].setdefault(what.removeprefix("this kernel, "), []).append(seconds)
            yield {"operator": operator, "form": form, **row}
        speeds = {
            what: statistics.median(times) / statistics.median(taken["short"][what])
            for what, times in taken["full"].items()
            if what in taken["short"]
        }
        yield {"operator": operator, "form": "short over full", "speeds": speeds}


def errors(budget_s: float, quick: bool) -> Iterator[Row]:
    import torch
    from gemm_values import MULTIPLIER, SLOPE, drawn, eager
    from gemm_values import errors as errors_of

    rows = 1024
    for kind in ("randn", "rand", "positive", "outliers"):
        x, weight, bias = drawn(kind, rows, FEATURES, FEATURES)
        found = {"eager": errors_of(eager(x, weight, bias), x, weight, bias)}
        for form in ("full", "short"):
            scope: dict[str, Any] = {"__name__": "program"}
            exec(compile(operators()[PRODUCT].form_text(form) or "", form, "exec"), scope)
            module = scope["ModelNew"](FEATURES, FEATURES, MULTIPLIER, SLOPE).cuda()
            with torch.no_grad():
                for parameter, value in zip(module.parameters(), (weight, bias), strict=True):
                    parameter.copy_(value)
                found[form] = errors_of(module(x), x, weight, bias)
        yield {
            "operator": PRODUCT,
            "shape": f"{rows}x{FEATURES}x{FEATURES}",
            "values": kind,
            "largest_units": {name: units for name, (units, _relative, _special) in found.items()},
            "relative": {name: relative for name, (_units, relative, _special) in found.items()},
        }


def product(budget_s: float, quick: bool) -> Iterator[Row]:
    with forked_from("sustained.py"):
        for name, rows, replaced in PRODUCTS[: 1 if quick else None]:
            text = program_text(PRODUCT)
            assert replaced[0] in text
            report = benchmark(
                PRODUCT,
                budget_s,
                text.replace(*replaced),
                shape=(rows, FEATURES, FEATURES),
                against=("eager", "compile") if replaced is KEPT and rows == 1024 else ("eager",),
            )
            yield {"program": name, "rows": rows, **row_of(report)}


def baselines(budget_s: float, quick: bool) -> Iterator[Row]:
    with forked_from("sustained.py"):
        for name in BASELINES:
            text = (ROOT / f"bench/baselines/{name}.py").read_text(encoding="utf-8")
            report = benchmark(PRODUCT, budget_s, text, allow_arithmetic="tf32")
            yield {"operator": PRODUCT, "program": name, **row_of(report)}
    for operator in ELEMENTWISE:
        text = operators()[operator].problem_text.replace("class Model(", "class Eager(") + TUNED
        shape = (4096, 8192) if quick else None
        report = benchmark(operator, budget_s, text, shape=shape, against=("eager",))
        yield {"operator": operator, "program": "max-autotune", **row_of(report)}


def sizes(budget_s: float, quick: bool) -> Iterator[Row]:
    for layout in ("strided", "contiguous"):  # the one that takes longer first, as time on a lent GPU may end
        for dtype in reversed(DTYPES):
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "sizes"
                file.touch()
                os.environ |= {"SIZES_FILE": str(file), "SIZES_LAYOUT": layout, "SIZES_QUICK": "1" * quick}
                with forked_from("sized.py"):
                    report = benchmark("leakyrelu", SIZES_BUDGET_S, shape=(64, 1024), dtype=dtype)
                rows = [json.loads(line) for line in file.read_text().splitlines()]
            if not rows:
                yield {"dtype": dtype, "layout": layout, "verdict": verdict(report)}
            for row in rows:
                yield {"dtype": dtype, "layout": layout, **row}


def builds(budget_s: float, quick: bool) -> Iterator[Row]:
    for operator in (*ELEMENTWISE, PRODUCT):
        program = ROOT / f"python/kernelgate/catalogue/{operator}/model_new.py"
        cold, warm, headers = [], [], []
        steps: dict[str, list[float]] = {}
        for _ in range(1 if quick else BUILDS):
            with tempfile.TemporaryDirectory() as folder:
                environ = {**os.environ, "TORCH_EXTENSIONS_DIR": folder}
                for times in (cold, warm):
                    command = [sys.executable, "-c", BUILD, str(program)]
                    done = subprocess.run(command, env=environ, capture_output=True, text=True, check=True)
                    times.append(float(done.stdout.splitlines()[-1]))
                [made] = Path(folder).iterdir()
                for step, seconds in _steps(made):
                    steps.setdefault(step, []).append(seconds)
                headers.append(_headers_s(made))
        yield {
            "operator": operator,
            "cold_s": cold,
            "warm_s": warm,
            "steps_s": steps,
            "headers_s": headers,
            "processors": os.cpu_count(),
        }


def _steps(made: Path) -> Iterator[tuple[str, float]]:
    """From ninja's own log: what ended in that folder, and after how many seconds."""
    for line in (made / ".ninja_log").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            began_ms, ended_ms, _, target, _ = line.split("\t")
            yield "library" if target.endswith(".so") else target, (int(ended_ms) - int(began_ms)) / 1000


def _headers_s(made: Path) -> float:
    """Seconds of the same g++, by the command of that build, for the preprocessor's lines of the C++ source."""
    source = made / "main.cpp"
    lines = [line for line in source.read_text(encoding="utf-8").splitlines() if line.startswith("#")]
    (made / "headers.cpp").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ninja = ["ninja", "-C", str(made), "-t", "commands", "main.o"]
    commands = subprocess.run(ninja, capture_output=True, text=True, check=True).stdout
    command = [word.replace("main.", "headers.") for word in shlex.split(commands.splitlines()[-1])]
    began = time.perf_counter()
    subprocess.run(command, cwd=made, check=True)
    return time.perf_counter() - began


def resources(budget_s: float, quick: bool) -> Iterator[Row]:
    sys.path.insert(0, str(ROOT / "python/tests"))
    from catalogue.programs import program
    from catalogue.test_elementwise import instances

    for operator in ELEMENTWISE:
        found = program(operator)
        used = used_by(found.TYPES + found.KERNELS + instances(found), "sm_80")
        for taken in sorted(used, key=lambda one: one.name):
            name = taken.name
            kernel = re.match(r"_Z\d+([a-z_]+)I(f|d|6__half|13__nv_bfloat16)(?:Lb([01])E)?([jm])?E", name)
            assert kernel is not None, name
            both = kernel[1] == "backward_both"
            dtype = {"f": "float", "d": "double", "6__half": "half", "13__nv_bfloat16": "bfloat16"}[kernel[2]]
            threads = found_constant(found.KERNELS, "kBothThreads" if both else "kThreads")
            shared = threads // 32 * (8 if dtype == "double" else 4) if both else 0
            room = occupancy("sm_80", threads, taken.registers, shared)
            assert room is not None
            yield {
                "operator": operator,
                "kernel": kernel[1] + ", with mask" * (kernel[3] == "1") + ", places beyond 2^31" * (kernel[4] == "m"),
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
    "short": short,
    "errors": errors,
    "product": product,
    "baselines": baselines,
    "sizes": sizes,
    "builds": builds,
    "resources": resources,
}


def as_markdown(results: Row) -> str:
    lines = [
        "# The operators",
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
    parser.add_argument("--operators", nargs="+", choices=SHORT, default=SHORT, help="of the part short")
    parser.add_argument("--quick", action="store_true", help="few sizes, one dtype, a smaller full size")
    parser.add_argument("--budget", type=float, default=5.0, help="seconds of timing a run")
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    results: Row = {"environment": environment(args.commit), "parts": {part: [] for part in PARTS}}
    parts = PARTS | {"short": functools.partial(short, chosen=args.operators)}
    for part in args.only:
        for row in parts[part](args.budget, args.quick):
            results["parts"][part].append(row)
            print(part, *(str(value)[:80] for value in row.values()), flush=True)
            # After every row: a run that is cut off keeps what it has.
            (args.out / "operators.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
            (args.out / "operators.md").write_text(as_markdown(results) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
