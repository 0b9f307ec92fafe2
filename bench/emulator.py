"""Times emulation, builds and kernels: python bench/emulator.py OUT [--runs N] [--commit ID].

The programs are those of python/tests/emulator/programs, at larger shapes. A build is cold in an empty cache, then
cached. A kernel's rate is that of the whole call of ModelNew, all cores, median of N; `of_torch` is PyTorch's rate on
the same CPU over it. OUT/emulator.json holds every sample. Rates serve to choose shapes for a check, and nothing else.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from environment import environment

from kernelgate.emulator import Built, Emulation, install

PROGRAMS = Path(__file__).parents[1] / "python" / "tests" / "emulator" / "programs"
# What it is, the program, its ModelNew's arguments, its inputs, the elements that a call works on.
KERNELS: list[tuple[str, str, list[Any], Callable[[], list[torch.Tensor]], int]] = [
    ("element-wise, scalar", "relu_scalar", [], lambda: [torch.randn(1 << 22)], 1 << 22),
    ("element-wise, float4", "leaky_relu_float4", [], lambda: [torch.randn(1 << 22)], 1 << 22),
    ("sum, shared tree", "sum_shared_tree", [], lambda: [torch.randn(1 << 20)], 1 << 20),
    ("softmax, warp shuffles", "softmax_online_warp", [], lambda: [torch.randn(1024, 1024)], 1 << 20),
    ("layernorm", "layernorm_welford", [768], lambda: [torch.randn(256, 768)], 256 * 768),
    ("product 128, tiles", "matmul_tiled", [], lambda: [torch.randn(128, 128)] * 2, 128**3),
    ("product 256, tiles", "matmul_tiled", [], lambda: [torch.randn(256, 256)] * 2, 256**3),
    ("product 256, register tiles", "matmul_register_tiles", [], lambda: [torch.randn(256, 256)] * 2, 256**3),
    ("product 64, tensor cores", "wmma_half", [], lambda: [torch.randn(64, 64).half()] * 2, 64**3),
]


def load(emulation: Emulation, name: str) -> dict[str, Any]:
    program: dict[str, Any] = {"__name__": "candidate"}
    path = PROGRAMS / f"{name}.py"
    with emulation.active():
        exec(compile(path.read_text(), str(path), "exec"), program)
    return program


def median_s(call: Callable[[], object], runs: int) -> tuple[float, list[float]]:
    call()
    samples = []
    for _ in range(runs):
        started = time.perf_counter()
        call()
        samples.append(time.perf_counter() - started)
    return statistics.median(samples), samples


def kernel_row(
    emulation: Emulation,
    what: str,
    name: str,
    arguments: list[Any],
    inputs: list[torch.Tensor],
    elements: int,
    runs: int,
) -> dict[str, object]:
    program = load(emulation, name)
    reference = program["Model"](*arguments)
    expected = reference(*inputs)
    with emulation.active(), emulation.guarded():
        model = program["ModelNew"](*arguments)
        model.load_state_dict(reference.state_dict())
        model = model.cuda()
        on_device = [x.clone().cuda() for x in inputs]
        ours, samples = median_s(lambda: model(*on_device), runs)
        found = model(*on_device)
    torch.testing.assert_close(
        found.float(), expected.float(), rtol=1e-3, atol=1e-3
    )  # nothing unverified is timed
    torchs, _ = median_s(lambda: reference(*inputs), runs)
    return {
        "kernel": what,
        "program": name,
        "elements": elements,
        "median_ms": round(ours * 1e3, 3),
        "samples_ms": [round(s * 1e3, 3) for s in samples],
        "elements_per_s": round(elements / ours),
        "of_torch": round(ours / torchs, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    load_at_start = os.getloadavg()[0]
    builds: list[Built] = []
    with tempfile.TemporaryDirectory() as cache:
        started = time.perf_counter()
        emulation = install(cache=Path(cache), fault_fd=2, on_build=builds.append)
        runtime_s = time.perf_counter() - started
        for name in sorted({name for _, name, *_ in KERNELS}) * 2:
            load(emulation, name)
        cold = [built.seconds for built in builds if not built.cached]
        cached = [built.seconds for built in builds if built.cached]
        kernels = [
            kernel_row(emulation, what, name, arguments, make(), elements, args.runs)
            for what, name, arguments, make, elements in KERNELS
        ]
    result = {
        "environment": environment(args.commit),
        "load_at_start": load_at_start,  # above 0 somebody else was at work too
        "runtime_built_s": round(runtime_s, 3),
        "cold_build_median_s": round(statistics.median(cold), 3),
        "cold_builds_s": [round(s, 3) for s in cold],
        "cached_build_median_s": round(statistics.median(cached), 4),
        "cores": len(os.sched_getaffinity(0)),
        "n": args.runs,
        "kernels": kernels,
    }
    (args.out / "emulator.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"cold {result['cold_build_median_s']} s, cached {result['cached_build_median_s']} s")
    for row in kernels:
        print(
            row["kernel"],
            row["median_ms"],
            "ms",
            row["elements_per_s"],
            "a second;",
            row["of_torch"],
            "x torch",
        )


if __name__ == "__main__":
    main()
