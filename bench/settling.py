"""What disturbs a timed call: python bench/settling.py OUT [--commit ID].

    freed    memory freed by this process or another one is cleared by the driver in the background: calls after it
    places   the result in many places of one allocation, and the same place as often
    launch   what the host does within a call, before it launches: with the device held back meanwhile, and without

LeakyReLU of 2 GiB by PyTorch. OUT/settling.json holds medians in seconds: of every 20 calls in a row, or of a place.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

import torch
from environment import environment

from kernelgate.timing.clocks import Flush, settle, single_calls

ELEMENTS = 1 << 29
GIB = 1 << 30
FREED_GIB = (0, 2, 8, 32)
FROM_CALL_TO_CALL = 20
PLACES = 40
HOST_WORK_S = (0.0, 20e-6, 50e-6, 100e-6, 200e-6, 500e-6, 2e-3)
# Another process, which allocates and frees when told to by a line.
NEIGHBOUR = """
import sys, torch
for line in sys.stdin:
    memory = torch.zeros(int(line) << 30, dtype=torch.int8, device="cuda")
    torch.cuda.synchronize()
    print("taken", flush=True)
    sys.stdin.readline()
    del memory
    torch.cuda.empty_cache()
    print("freed", flush=True)
"""

Call = Callable[[], Any]


def timed(call: Call, calls: int, flush: Flush) -> list[float]:
    launch_s = settle(call, 0, flush)
    return single_calls(call, calls, before=None, flush=flush, keep=-1, as_seen=torch.clone, launch_s=launch_s).each_s


def in_a_row(samples: list[float]) -> list[float]:
    return [median(samples[i : i + FROM_CALL_TO_CALL]) for i in range(0, len(samples), FROM_CALL_TO_CALL)]


def after_freeing(call: Call, flush: Flush) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    neighbour = subprocess.Popen(
        [sys.executable, "-c", NEIGHBOUR], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert neighbour.stdin is not None and neighbour.stdout is not None

    def tell(word: str) -> None:
        print(word, file=neighbour.stdin, flush=True)
        neighbour.stdout.readline()

    for size in FREED_GIB:
        memory = torch.zeros(size << 30, dtype=torch.int8, device="cuda")
        settle(call, 0.3, flush)
        del memory
        torch.cuda.empty_cache()
        rows.append({"by": "this process", "GiB": size, "median_s": in_a_row(timed(call, 200, flush))})
        tell(str(size))
        settle(call, 0.3, flush)
        tell("free")
        rows.append({"by": "another", "GiB": size, "median_s": in_a_row(timed(call, 200, flush))})
    neighbour.stdin.close()
    neighbour.wait()
    return rows


def places(x: torch.Tensor, flush: Flush) -> dict[str, list[float]]:
    memory = torch.empty(4 * ELEMENTS + 8 * GIB, dtype=torch.int8, device="cuda")
    random.seed(1)
    found: dict[str, list[float]] = {"one place": [], "many places": []}
    for name, medians in found.items():
        for _ in range(PLACES):
            start = random.randrange(8 * GIB) // 256 * 256 if name == "many places" else 0
            y = memory[start : start + 4 * ELEMENTS].view(torch.float32)
            call = by(x, y)
            medians.append(median(timed(call, 15, flush)))
    return found


def launches(call: Call, flush: Flush) -> list[dict[str, float]]:
    rows = []
    for seconds in HOST_WORK_S:

        def slow(seconds: float = seconds) -> None:
            until = time.perf_counter() + seconds
            while time.perf_counter() < until:
                pass
            call()

        each = []
        for _ in range(40):
            first, last = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            flush()
            torch.cuda.synchronize()
            first.record()
            slow()
            last.record()
            torch.cuda.synchronize()
            each.append(first.elapsed_time(last) * 1e-3)
        held = median(timed(slow, 40, flush))
        rows.append({"host_s": seconds, "held_back_s": held, "not_held_back_s": median(each)})
    return rows


def by(x: torch.Tensor, y: torch.Tensor) -> Call:
    return lambda: torch._C._nn.leaky_relu(x, 0.01, out=y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    device = torch.device("cuda")
    flush = Flush(2 * torch.cuda.get_device_properties(device).L2_cache_size, device)
    x = torch.randn(ELEMENTS, device=device)
    call = by(x, torch.empty_like(x))
    settle(call, 0.5, flush)
    result = {"environment": environment(args.commit), "elements": ELEMENTS}
    result |= {"launch": launches(call, flush), "freed": after_freeing(call, flush), "places": places(x, flush)}
    (args.out / "settling.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result))


if __name__ == "__main__":
    main()
