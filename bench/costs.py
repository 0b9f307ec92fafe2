"""What kernels cost in memory, counted in emulation and by ncu: python bench/costs.py OUT [--device cuda]
[--commit ID].

The kernels are those of python/tests/emulator/costset.py. Counted is a whole launch: sectors and requests of global
loads and stores, and the passes over the banks of shared memory that conflicts add. Of each kernel's lines those are
named that lose most: sectors of global memory, passes over shared memory. With `--device cuda` the same kernels, built
by nvcc, run under ncu. OUT/costs.json holds all figures, OUT/costs.md tables of both, OUT/source-page.csv the page of
ncu that its lines were read from. No figure is a time.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "python" / "tests" / "emulator")]

import torch  # noqa: E402
from costset import COSTS, N, program  # noqa: E402
from environment import environment  # noqa: E402

from kernelgate.repair.compiler_log import INCLUDES_BEFORE  # noqa: E402
from kernelgate.tools.ncu import page, record  # noqa: E402
from kernelgate.tools.ncu_lines import LineReading, parsed_lines  # noqa: E402

Counts = dict[str, dict[str, float]]
"""By kernel and quantity."""
Lines = dict[str, dict[str, dict[str, int]]]
"""By kernel, memory ("global", "shared") and line of the program: what it loses."""

_GLOBAL = "pipe_lsu_mem_global_op"
METRICS = {
    f"l1tex__t_sectors_{_GLOBAL}_ld.sum": "load sectors",
    f"l1tex__t_requests_{_GLOBAL}_ld.sum": "load requests",
    f"l1tex__t_sectors_{_GLOBAL}_st.sum": "store sectors",
    f"l1tex__t_requests_{_GLOBAL}_st.sum": "store requests",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "shared load conflicts",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "shared store conflicts",
}
NCU_LIMIT_S = 400
ONE_OF = "|".join(cost.name for cost in COSTS)
CHILD = [sys.executable, str(HERE / "costs.py"), "--child", "cuda", "-"]
LIKE_THE_WORST = 0.99  # a line that loses as much as this share of the worst is one of the worst


def extension() -> object:
    from torch.utils.cpp_extension import load_inline

    cpp, cuda = program()
    names = [cost.name for cost in COSTS]
    return load_inline("costs", cpp, cuda, functions=names, extra_cuda_cflags=["-lineinfo"])


def emulated() -> tuple[Counts, Lines]:
    """In this process, for good."""
    from kernelgate.emulator import decode_costs, install

    found: Counts = {}
    lines: Lines = {}
    with tempfile.TemporaryDirectory() as cache:
        emulation = install(cache=Path(cache), fault_fd=2, examine=True)
        with emulation.active(), emulation.guarded():
            built = extension()
            x = torch.randn(N, device="cuda")
            for cost in COSTS:
                emulation.count_costs(True)
                getattr(built, cost.name)(x)
                counts = dict.fromkeys(METRICS.values(), 0.0)
                counted = decode_costs(emulation.cost_lines())
                lines[cost.name] = {"global": {}, "shared": {}}
                for line in counted:
                    # A request moves a sector at least.
                    sectors = line.sectors - max(line.requests, -(-line.asked_bytes // 32))
                    lost = sectors if line.space == "global" else line.passes - line.least_passes
                    _add(lines[cost.name], line.space, line.line, max(0, lost))
                for line in counted:
                    if line.space == "global" and line.access != "atomic":
                        counts[f"{line.access} sectors"] += line.sectors
                        counts[f"{line.access} requests"] += line.requests
                    elif line.space == "shared" and line.access != "atomic":
                        counts[f"shared {line.access} conflicts"] += line.passes - line.least_passes
                found[cost.name] = counts
    return found, lines


def _add(lines: dict[str, dict[str, int]], space: str, line: int, lost: int) -> None:
    if lost:
        of_space = lines[space]
        of_space[str(line)] = of_space.get(str(line), 0) + lost


def on_device() -> None:
    """Each kernel once, for ncu to count."""
    built = extension()
    x = torch.randn(N, device="cuda")
    for cost in COSTS:
        getattr(built, cost.name)(x)
    torch.cuda.synchronize()


def measured() -> Counts:
    """By ncu, which runs this file again. Raises RuntimeError with its output where it counts nothing."""
    from kernelgate.tools.cuobjdump import tool

    ncu = tool("ncu")
    if ncu is None:
        raise RuntimeError("ncu of the CUDA toolkit is not installed here")
    command = [ncu, "--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "demangled"]
    command += ["--kernel-name", f"regex:^({ONE_OF})$", "--metrics", ",".join(METRICS), *CHILD]
    done = subprocess.run(command, capture_output=True, text=True, timeout=NCU_LIMIT_S, check=False)
    rows = list(csv.reader(row for row in done.stdout.splitlines() if row.startswith('"')))
    if not rows:
        raise RuntimeError(f"ncu counted nothing: {(done.stdout + done.stderr)[-2000:]}")
    head = rows[0]
    kernel = head.index("Kernel Name")
    found: Counts = {}
    for row in rows[1:]:
        name = next((c.name for c in COSTS if row[kernel].split("(")[0].endswith(f"::{c.name}")), None)
        if name is None:
            name = next((c.name for c in COSTS if row[kernel].split("(")[0] == c.name), None)
        if name is not None:
            found[name] = {
                METRICS[title]: float(row[head.index(title)].replace(",", ""))
                for title in METRICS
                if title in head and row[head.index(title)].replace(",", "").replace(".", "").isdigit()
            }
    return found


def measured_lines(out: Path) -> Lines:
    """By ncu at each line. Raises RuntimeError with what it said where it counted at none."""
    with tempfile.TemporaryDirectory() as folder:
        options = ["--kernel-name", f"regex:^({ONE_OF})$", *CHILD]
        report = record(options, dict(os.environ), Path(folder), NCU_LIMIT_S)
        if isinstance(report, str):
            raise RuntimeError(f"ncu counted at no line: {report}")
        text = page(report, "source", dict(os.environ))
    (out / "source-page.csv").write_text(text, encoding="utf-8")
    readings = parsed_lines(text)
    if not readings:
        raise RuntimeError(f"ncu counted at no line: {text[:2000]}")
    return lines_of(readings)


def lines_of(readings: Sequence[LineReading]) -> Lines:
    """A line belongs to the kernel whose text holds it, whatever ncu calls that kernel. Raises RuntimeError if the
    lines of ncu are not those of the program."""
    rows = program()[1].split("\n")
    found: Lines = {cost.name: {"global": {}, "shared": {}} for cost in COSTS}
    for reading in readings:
        line = reading.line - INCLUDES_BEFORE["cuda.cu"]
        if Path(reading.file).name != "cuda.cu" or not 1 <= line <= len(rows):
            continue
        if reading.text and reading.text.split() != rows[line - 1].split():
            raise RuntimeError(f"line {line}: ncu shows {reading.text!r}, the program has {rows[line - 1]!r}")
        begun = [row.split()[1] for row in rows[:line] if row.startswith("namespace ")]
        _add(found[begun[-1].removesuffix("_")], reading.space, line, reading.in_vain)
    return found


def worst(lost: dict[str, int]) -> list[str]:
    """The lines that lose most: one, or several that lose as much."""
    return sorted(line for line, count in lost.items() if count >= LIKE_THE_WORST * max(lost.values()))


@dataclass(frozen=True)
class Worst:
    """The worst lines of a kernel in one memory, counted and by ncu, with what each loses. None: ncu was not asked."""

    kernel: str
    memory: str
    counted: dict[str, int]
    ncu: dict[str, int] | None

    @property
    def same(self) -> str:
        return "" if self.ncu is None else "yes" if set(self.counted) == set(self.ncu) else "no"


def worst_lines(counted: Lines, by_ncu: Lines) -> list[Worst]:
    """Of kernels and memories where something is lost."""
    rows = program()[1].split("\n")

    def shown(lost: dict[str, int]) -> dict[str, int]:
        return {f"{line}: {rows[int(line) - 1].strip(' /!')}": lost[line] for line in worst(lost)}

    found = []
    for name, lines in counted.items():
        for memory, ours in lines.items():
            theirs = by_ncu[name][memory] if by_ncu else None
            if ours or theirs:
                found.append(Worst(name, memory, shown(ours), None if theirs is None else shown(theirs)))
    return found


def worst_markdown(rows: Sequence[Worst]) -> str:
    def shown(lost: dict[str, int] | None) -> str:
        return "" if lost is None else "; ".join(f"`{text}` {count:,}" for text, count in lost.items()) or "none"

    lines = ["| Kernel | Memory | Worst line, counted | Worst line, ncu | Same |", "|---|---|---|---|---|"]
    lines += [f"| {row.kernel} | {row.memory} | {shown(row.counted)} | {shown(row.ncu)} | {row.same} |" for row in rows]
    return "\n".join(lines) + "\n"


def markdown(counted: Counts, by_ncu: Counts) -> str:
    """Quantities that are not zero in both; where ncu was not asked, its column is empty."""
    lines = ["| Kernel | Quantity | Emulation | ncu | Difference |", "|---|---|---|---|---|"]
    for name, counts in counted.items():
        for what, ours in counts.items():
            theirs = by_ncu.get(name, {}).get(what)
            if not ours and not theirs:
                continue
            off = "" if theirs is None else f"{(ours - theirs) / theirs:+.1%}" if theirs else "only here"
            lines.append(
                f"| {name} | {what} | {ours:g} | {'' if theirs is None else f'{theirs:g}'} | {off} |"
            )
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--device", choices=("emulated", "cuda"), default="emulated")
    parser.add_argument("--commit")
    parser.add_argument("--child", choices=("cuda", "emulated"), help=argparse.SUPPRESS)
    args = parser.parse_args(arguments)
    if args.child == "cuda":
        return on_device()
    if args.child == "emulated":
        args.out.write_text(json.dumps(emulated()), encoding="utf-8")
        return None
    args.out.mkdir(parents=True, exist_ok=True)
    counts = args.out / "emulated.json"
    # A process of its own: emulation takes PyTorch's CUDA away for good.
    subprocess.run([sys.executable, __file__, "--child", "emulated", str(counts)], check=True, env=os.environ)
    counted, lines = json.loads(counts.read_text(encoding="utf-8"))
    counts.unlink()
    by_ncu = measured() if args.device == "cuda" else {}
    lines_by_ncu = measured_lines(args.out) if args.device == "cuda" else {}
    worst_of_each = worst_lines(lines, lines_by_ncu)
    result = {
        "environment": environment(args.commit),
        "n": N,
        "emulation": counted,
        "ncu": by_ncu,
        "lines": {"emulation": lines, "ncu": lines_by_ncu},
        "worst": [{**asdict(row), "same": row.same} for row in worst_of_each],
    }
    (args.out / "costs.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    tables = f"{markdown(counted, by_ncu)}\n{worst_markdown(worst_of_each)}"
    (args.out / "costs.md").write_text(tables, encoding="utf-8")
    print(tables)
    return None


if __name__ == "__main__":
    main()
