"""What kernels cost in memory, counted in emulation and by ncu: python bench/costs.py OUT [--device cuda]
[--commit ID].

The kernels are those of python/tests/emulator/costset.py. Counted is a whole launch: sectors and requests of global
loads and stores, and the passes over the banks of shared memory that conflicts add. With `--device cuda` the same
kernels, built by nvcc, run under ncu, once for the launch and once for each line. OUT/costs.json holds all figures,
OUT/costs.md a table of both and the line of each kernel that loses most, OUT/lines.csv what ncu printed of the lines.
No figure is a time.
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
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "python" / "tests" / "emulator")]

import torch  # noqa: E402
from costset import COSTS, N, program  # noqa: E402
from environment import environment  # noqa: E402

from kernelgate.emulator.costs import LineCost  # noqa: E402
from kernelgate.report.cost_words import SECTOR_BYTES  # noqa: E402

Counts = dict[str, dict[str, float]]
"""By kernel and quantity."""

Lines = dict[str, dict[str, dict[str, float]]]
"""By kernel, line of the program (as text, for JSON) and quantity."""

_GLOBAL = "pipe_lsu_mem_global_op"
METRICS = {
    f"l1tex__t_sectors_{_GLOBAL}_ld.sum": "load sectors",
    f"l1tex__t_requests_{_GLOBAL}_ld.sum": "load requests",
    f"l1tex__t_sectors_{_GLOBAL}_st.sum": "store sectors",
    f"l1tex__t_requests_{_GLOBAL}_st.sum": "store requests",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum": "shared load conflicts",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum": "shared store conflicts",
}
NCU_LIMIT_S = 200
# Columns of ncu's page of the source. "in vain": beyond what the same bytes would need.
_COLUMNS = {
    "l2 theoretical sectors global": "sectors",
    "l2 theoretical sectors global excessive": "sectors in vain",
    "l1 wavefronts shared": "passes",
    "l1 wavefronts shared excessive": "passes in vain",
}


def extension() -> object:
    from torch.utils.cpp_extension import load_inline

    cpp, cuda = program()
    return load_inline("costs", cpp, cuda, functions=[cost.name for cost in COSTS], extra_cuda_cflags=["-lineinfo"])


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
                of_kernel = decode_costs(emulation.cost_lines())
                lines[cost.name] = by_line(of_kernel)
                for line in of_kernel:
                    if line.space == "global" and line.access != "atomic":
                        counts[f"{line.access} sectors"] += line.sectors
                        counts[f"{line.access} requests"] += line.requests
                    elif line.space == "shared" and line.access != "atomic":
                        counts[f"shared {line.access} conflicts"] += line.passes - line.least_passes
                found[cost.name] = counts
    return found, lines


def by_line(costs: Sequence[LineCost]) -> dict[str, dict[str, float]]:
    """In ncu's quantities: a request for whole sectors is never in vain, nor a pass that no conflict has added."""
    found: dict[str, dict[str, float]] = {}
    for one in costs:
        least = one.asked_bytes / SECTOR_BYTES
        here = found.setdefault(str(one.line), dict.fromkeys(_COLUMNS.values(), 0.0))
        if one.space == "global":
            here["sectors"] += one.sectors
            here["sectors in vain"] += max(0.0, one.sectors - max(least, one.requests))
        else:
            here["passes"] += one.passes
            here["passes in vain"] += one.passes - one.least_passes
    return found


def on_device() -> None:
    """Each kernel once, for ncu to count."""
    built = extension()
    x = torch.randn(N, device="cuda")
    for cost in COSTS:
        getattr(built, cost.name)(x)
    torch.cuda.synchronize()


def ncu(*arguments: str, limit_s: float = NCU_LIMIT_S) -> subprocess.CompletedProcess[str]:
    from kernelgate.tools.cuobjdump import tool

    path = tool("ncu")
    if path is None:
        raise RuntimeError("ncu of the CUDA toolkit is not installed here")
    return subprocess.run(
        [path, *arguments], capture_output=True, text=True, timeout=limit_s, check=False, errors="replace"
    )


def of_all_kernels() -> list[str]:
    """The arguments of ncu for this file's kernels, and this file as its command."""
    names = "|".join(f"{cost.name}" for cost in COSTS)
    kernels = ["--kernel-name-base", "function", "--kernel-name", f"regex:^({names})$"]
    return [*kernels, sys.executable, str(HERE / "costs.py"), "--child", "cuda", "-"]


def measured() -> Counts:
    """By ncu, which runs this file again. Raises RuntimeError with its output where it counts nothing."""
    page = ["--csv", "--page", "raw", "--print-units", "base", "--print-kernel-base", "demangled"]
    done = ncu(*page, "--metrics", ",".join(METRICS), *of_all_kernels())
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


def measured_lines(out: Path) -> tuple[Lines, str]:
    """ncu's page of the source, of all kernels, and why it is not there; what ncu printed is kept beside the result."""
    with tempfile.TemporaryDirectory() as folder:
        report = f"{folder}/costs.ncu-rep"
        try:
            done = ncu("--section", "SourceCounters", "--import-source", "yes", "-o", report, *of_all_kernels())
            if not Path(report).exists():
                return {}, (done.stdout + done.stderr)[-1000:]
            page = ["--page", "source", "--csv", "--print-source", "cuda", "--print-units", "base"]
            shown = ncu("--import", report, *page)
        except subprocess.TimeoutExpired as late:
            return {}, f"ncu did not end within {late.timeout:g} s"
    (out / "lines.csv").write_text(shown.stdout, encoding="utf-8")
    found = lines_of_page(shown.stdout)
    return found, "" if found else f"no line with figures: {(shown.stderr or shown.stdout)[-500:]}"


def lines_of_page(page: str) -> Lines:
    """A table a kernel and file, with a row for each line: its number, its text, and the figures."""
    cuda = program()[1].split("\n")
    kernel_of = {}
    for cost in COSTS:
        first = program()[1].count("\n", 0, program()[1].index(cost.source())) + 1
        kernel_of |= dict.fromkeys(range(first, first + cost.source().count("\n")), cost.name)
    found: Lines = {}
    head: list[str] = []
    for row in csv.reader(page.splitlines()):
        names = [name.strip().lower() for name in row]
        if "source" in names and any(name in names for name in _COLUMNS):
            head = names
            continue
        if len(row) != len(head) or not head:
            continue
        number = row[head.index("#")] if "#" in head else ""
        line = place(number, row[head.index("source")], cuda)
        counts = {what: number_of(row[head.index(name)]) for name, what in _COLUMNS.items() if name in head}
        if line in kernel_of and any(counts.values()):
            here = found.setdefault(kernel_of[line], {}).setdefault(str(line), dict.fromkeys(counts, 0.0))
            found[kernel_of[line]][str(line)] = {what: here[what] + value for what, value in counts.items()}
    return found


def place(number: str, text: str, cuda: Sequence[str]) -> int | None:
    """The line of the program: PyTorch's build puts a few lines in front of it."""
    if not number.strip().isdigit():
        return None
    for before in range(12):
        line = int(number) - before
        if 1 <= line <= len(cuda) and text.strip() and cuda[line - 1].strip() == text.strip():
            return line
    return None


def number_of(text: str) -> float:
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return 0.0


def worst_lines(lines: dict[str, dict[str, float]]) -> list[int]:
    """The line that moves or passes most in vain; several where they lose the same."""
    in_vain = ("sectors in vain", "passes in vain")
    lost = {int(line): sum(counts.get(what, 0.0) for what in in_vain) for line, counts in lines.items()}
    most = max(lost.values(), default=0.0)
    return sorted(line for line in lost if lost[line] > 0 and lost[line] >= 0.99 * most)


def markdown_of_lines(counted: Lines, by_ncu: Lines) -> str:
    rows = ["| Kernel | Worst line in emulation | by ncu | Its text |", "|---|---|---|---|"]
    cuda = program()[1].split("\n")
    for name, lines in counted.items():
        ours, theirs = (
            ", ".join(map(str, worst_lines(of))) or "none" for of in (lines, by_ncu.get(name, {}))
        )
        texts = [cuda[line - 1].split("//!")[0].strip().replace("|", "/") for line in worst_lines(lines)]
        shown = ", ".join(f"`{text}`" for text in texts)
        rows.append(f"| {name} | {ours} | {theirs if by_ncu else ''} | {shown} |")
    return "\n".join(rows) + "\n"


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
    ncu_lines, why = measured_lines(args.out) if args.device == "cuda" else ({}, "")
    result = {"environment": environment(args.commit), "n": N, "emulation": counted, "ncu": by_ncu}
    result |= {"lines": {"emulation": lines, "ncu": ncu_lines, "why_none": why}}
    (args.out / "costs.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    tables = markdown(counted, by_ncu) + "\n" + markdown_of_lines(lines, ncu_lines)
    (args.out / "costs.md").write_text(tables, encoding="utf-8")
    print(tables)
    return None


if __name__ == "__main__":
    main()
