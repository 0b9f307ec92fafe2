"""What kernels cost in memory, counted in emulation and by ncu: python bench/costs.py OUT [--device cuda]
[--commit ID].

The kernels are those of python/tests/emulator/costset.py. Counted is a whole launch: sectors and requests of global
loads and stores, and the passes over the banks of shared memory that conflicts add. With `--device cuda` the same
kernels, built by nvcc, run under ncu. OUT/costs.json holds all figures, OUT/costs.md a table of both. No figure is a
time.
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

Counts = dict[str, dict[str, float]]
"""By kernel and quantity."""

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


def extension() -> object:
    from torch.utils.cpp_extension import load_inline

    cpp, cuda = program()
    return load_inline("costs", cpp, cuda, functions=[cost.name for cost in COSTS])


def emulated() -> Counts:
    """In this process, for good."""
    from kernelgate.emulator import decode_costs, install

    found: Counts = {}
    with tempfile.TemporaryDirectory() as cache:
        emulation = install(cache=Path(cache), fault_fd=2, examine=True)
        with emulation.active(), emulation.guarded():
            built = extension()
            x = torch.randn(N, device="cuda")
            for cost in COSTS:
                emulation.count_costs(True)
                getattr(built, cost.name)(x)
                counts = dict.fromkeys(METRICS.values(), 0.0)
                for line in decode_costs(emulation.cost_lines()):
                    if line.space == "global" and line.access != "atomic":
                        counts[f"{line.access} sectors"] += line.sectors
                        counts[f"{line.access} requests"] += line.requests
                    elif line.space == "shared" and line.access != "atomic":
                        counts[f"shared {line.access} conflicts"] += line.passes - line.least_passes
                found[cost.name] = counts
    return found


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
    names = "|".join(f"{cost.name}" for cost in COSTS)
    command += ["--kernel-name", f"regex:^({names})$", "--metrics", ",".join(METRICS)]
    command += [sys.executable, str(HERE / "costs.py"), "--child", "cuda", "-"]
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
    counted: Counts = json.loads(counts.read_text(encoding="utf-8"))
    counts.unlink()
    by_ncu = measured() if args.device == "cuda" else {}
    result = {"environment": environment(args.commit), "n": N, "emulation": counted, "ncu": by_ncu}
    (args.out / "costs.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    (args.out / "costs.md").write_text(markdown(counted, by_ncu), encoding="utf-8")
    print(markdown(counted, by_ncu))
    return None


if __name__ == "__main__":
    main()
