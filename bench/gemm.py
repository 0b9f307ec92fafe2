"""The product of the catalogue on a GPU: its values, then what it takes. python bench/gemm.py OUT [--quick]
[--only SECTION ...] [--variants NAME ...] [--commit ID].

Each section runs in a process of its own, so that a crash or a kernel that never ends costs that section only. It
prints one line a finding; OUT/gemm.json has every figure. Errors are forward errors: |y - y64| over the magnitude
summed, in units of 2^-24, the largest of all elements; `rel` is in the Frobenius norm. Times are medians of calls in
turn with PyTorch's (IEEE float32), by CUDA events, each after the L2 cache was flushed; `sustained` without.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch
from environment import environment
from gemm_times import times, variants
from gemm_values import KINDS, program, values
from gemm_variants import VARIANTS

SECTION_LIMIT_S = 300


def build_facts(_given: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """What each kernel takes of a multiprocessor, by NVRTC, which needs no GPU."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "python/tests"))
    from catalogue.test_gemm import device_source

    from kernelgate.nvrtc.compile_check import used_by
    from kernelgate.profiling.occupancy import occupancy

    module = program()
    for arch in ("sm_80", "sm_90a"):
        for taken in sorted(used_by(device_source(module, arch), arch), key=lambda one: one.name):
            found = re.match(r"_ZN7kernels\d+([a-z_]+?)(?:I((?:L[bi]\d+E)+)E|E)", taken.name)
            assert found is not None, taken.name
            given = [
                value if kind == "i" else ("false", "true")[int(value)]
                for kind, value in re.findall(r"L([bi])(\d+)E", found[2] or "")
            ]
            # As launch_mma and launch_wgmma ask for it: stages of a line of each row of both tiles.
            threads, shared = 256, taken.shared_bytes
            if found[1] == "multiply_mma":
                shared += int(given[0]) * 2 * 128 * 128
            elif found[1] == "multiply_wgmma":
                threads, shared = 384, shared + 4 * (128 + 256) * 128 + 1024
            room = occupancy(arch, threads, taken.registers, shared)
            yield {
                "arch": arch, "kernel": f"{found[1]}<{', '.join(given)}>" if given else found[1],
                "threads": threads, "registers": taken.registers, "spilled_bytes": taken.spilled_bytes,
                "shared_bytes": shared, "occupancy": room.share if room else 0.0,
            }  # fmt: skip


SECTIONS: dict[str, Callable[[argparse.Namespace], Iterator[dict[str, Any]]]] = {
    "values wgmma": lambda given: values("", given.quick),
    "values mma": lambda given: values("mma", given.quick),
    "times": times,
    "variants": variants,
    "build facts": build_facts,
}


def short(row: dict[str, Any]) -> str:
    def text(value: Any) -> str:
        if isinstance(value, float):
            return f"{value:.4g}"
        if isinstance(value, dict):
            return "{" + ", ".join(f"{k} {text(v)}" for k, v in value.items()) + "}"
        return str(value)

    return " | ".join(f"{key} {text(value)}" for key, value in row.items())


def run_section(name: str, given: argparse.Namespace) -> None:
    torch.backends.cuda.matmul.allow_tf32 = False
    rows = []
    for row in SECTIONS[name](given):
        rows.append(row)
        if row.get("wrong") or row.get("repeats") is False or "kind" not in row:
            print("  ", "WRONG" if row.get("wrong") else "", short(row), flush=True)
        (given.out / f"{name}.json").write_text(json.dumps(rows, indent=1))
    tried = [row for row in rows if "kind" in row]
    for kind in KINDS:
        of_kind = [row for row in tried if row["kind"] == kind]
        if of_kind:
            worst = max(of_kind, key=lambda row: row["units"] / max(row["eager"], 1e-9))
            big = [row for row in of_kind if row["shape"] == "1024x8192x8192"]
            line = f"   {kind}: {len(of_kind)} tried, worst {worst['units']:.3g} units, eager {worst['eager']:.3g}"
            line += f" ({worst['shape']})"
            line += f"; at most eager's for {sum(row['units'] <= row['eager'] for row in of_kind)} shapes"
            for row in big:
                line += f"; {row['shape']} {row['units']:.3g}/{row['eager']:.3g}"
                line += f" rel {row['rel']:.3g}/{row['eager_rel']:.3g}"
            print(line, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit")
    parser.add_argument("--quick", action="store_true", help="half of the shapes")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, default=list(SECTIONS))
    names = [variant.name for variant in VARIANTS]
    parser.add_argument("--variants", nargs="+", choices=names, default=names)
    parser.add_argument("--in-this-process", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    if given.in_this_process:
        run_section(given.only[0], given)
        return
    rows: dict[str, Any] = {"environment": environment(given.commit)}
    for name in given.only:
        start = time.perf_counter()
        print(f"{name}:", flush=True)
        command = [sys.executable, __file__, str(given.out), "--only", name, "--in-this-process"]
        command += ["--quick"] * given.quick + ["--variants", *given.variants]
        try:
            status = subprocess.run(command, timeout=SECTION_LIMIT_S).returncode
        except subprocess.TimeoutExpired:
            status = -1
            print("   WRONG: out of time")
        print(f"   {name}: status {status}, {time.perf_counter() - start:.0f} s", flush=True)
        part = given.out / f"{name}.json"
        if part.exists():
            rows[name] = json.loads(part.read_text())
            part.unlink()
    (given.out / "gemm.json").write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
