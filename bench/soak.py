"""Many runs of all kinds from one process: python bench/soak.py OUT [--runs N] [--device D] [--seed S] [--commit ID].

Memory, open descriptors and processes must stay as they are: of the process that asks, and of the fork server that
forks for it. OUT/soak.json holds them after every run, OUT/soak.txt what is printed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from environment import environment

from kernelgate.catalogue import operators
from kernelgate.processes.process_tree import descendants
from kernelgate.run import Job, Limits, new_run_id, run

HEADER = """
import ctypes, os, subprocess, sys, threading
import torch
import torch.nn as nn
import torch.nn.functional as F

class ModelNew(nn.Module):
    def __init__(self, negative_slope: float = 0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        """

RIGHT = "return F.leaky_relu(x, self.negative_slope)"

# What `forward` does, and which kinds of verdict that may have.
BODIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "right": (RIGHT, ("pass",)),
    "wrong": ("return x", ("wrong",)),
    "changes its input": ("return F.leaky_relu_(x, self.negative_slope)", ("wrong",)),
    "raises": ("raise ValueError('boom')", ("wrong",)),
    "crashes": ("ctypes.string_at(0)", ("fault",)),
    "exits": ("os._exit(1)", ("fault",)),
    "loops": ("while True: pass", ("timeout",)),
    "prints": (f"print('x' * 100_000); {RIGHT}", ("pass",)),
    "takes memory": ("kept = [bytearray(100_000_000) for _ in range(1000)]", ("fault",)),
    "closes descriptors": ("os.closerange(0, 4096)", ("fault",)),
    "leaves a process": (
        f"subprocess.Popen(['sleep', '600'], start_new_session=True); {RIGHT}",
        ("wrong", "pass"),
    ),
    "leaves a thread": (
        f"threading.Thread(target=threading.Event().wait).start(); {RIGHT}",
        ("wrong", "pass"),
    ),
}
SHAPE = (64, 3072)
# What a run may take. nvcc needs more than a candidate that runs in emulation.
MEMORY_BYTES = {"cuda": 6_000_000_000, "emulation": 1_500_000_000}


@dataclass(frozen=True)
class Row:
    """What there was when a run had ended. Bytes of `asking` and `warm` are resident memory."""

    program: str
    verdict: str
    seconds: float
    asking_bytes: int
    warm_bytes: int
    asking_descriptors: int
    warm_descriptors: int
    processes: int
    temporary: int
    sentence: str


def programs(device: str) -> dict[str, tuple[str, tuple[str, ...]]]:
    found = {name: (HEADER + body + "\n", kinds) for name, (body, kinds) in BODIES.items()}
    ours = operators()["leakyrelu"].program_text or ""
    found["our own"] = (ours, ("pass",))
    found["is no Python"] = ("Here is a kernel, as you asked.\n", ("read",))
    found["does not compile"] = (ours.replace("__global__", "__global__ unknown_type"), ("build",))
    if device.startswith("cuda"):
        body = "kept = []\n        while True: kept.append(torch.empty(1 << 32, dtype=torch.uint8, device=x.device))"
        found["takes device memory"] = (f"{HEADER}{body}\n", ("fault",))
        body = "return torch.empty(8, device=x.device)[torch.full((8,), 1 << 20, device=x.device)]"
        found["fails an assertion on the device"] = (f"{HEADER}{body}\n", ("fault",))
    return found


def resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def descriptors(pid: int) -> int:
    return len(list(Path(f"/proc/{pid}/fd").iterdir()))


def one_run(name: str, text: str, device: str) -> Row:
    started = time.perf_counter()
    report = run(
        Job(
            run=new_run_id(),
            text=text,
            label=f"{name}.py",
            problem="leakyrelu",
            device=device,
            shape=SHAPE,
            limits=Limits(
                call_s=6.0 if device.startswith("cuda") else 3.0,
                memory_bytes=MEMORY_BYTES["cuda" if device.startswith("cuda") else "emulation"],
            ),
        )
    )
    seconds = time.perf_counter() - started
    own = os.getpid()
    running = descendants(own, ())
    warm = running[0]
    return Row(
        program=name,
        verdict=report.verdict.kind if report.verdict is not None else "none",
        seconds=round(seconds, 3),
        asking_bytes=resident(own),
        warm_bytes=resident(warm),
        asking_descriptors=descriptors(own),
        warm_descriptors=descriptors(warm),
        processes=len(running),
        temporary=sum(1 for _ in Path(tempfile.gettempdir()).rglob("*")),
        sentence=report.verdict.sentence if report.verdict is not None else "",
    )


def summary(rows: list[Row], odd: list[str]) -> list[str]:
    """The figures as lines: each at the middle, at the end, and its largest."""
    half = rows[len(rows) // 2 :]
    lines = [
        f"{len(rows)} runs in {sum(row.seconds for row in rows):.0f} s, "
        f"median {statistics.median(row.seconds for row in rows):.2f} s; {len(odd)} verdicts not as expected"
    ]
    lines += [f"{'':26}{'run 10':>10}{'middle':>10}{'end':>10}{'most':>10}"]
    for name in ("asking_bytes", "warm_bytes"):
        shown = [getattr(row, name) / 1e6 for row in (rows[min(9, len(rows) - 1)], half[0], rows[-1])]
        shown.append(max(getattr(row, name) for row in rows) / 1e6)
        lines.append(
            f"{name.removesuffix('_bytes') + ' process, MB':26}" + "".join(f"{v:10.1f}" for v in shown)
        )
    for name in ("asking_descriptors", "warm_descriptors", "processes", "temporary"):
        counts = [getattr(row, name) for row in (rows[min(9, len(rows) - 1)], half[0], rows[-1])]
        counts.append(max(getattr(row, name) for row in rows))
        lines.append(f"{name.replace('_', ' '):26}" + "".join(f"{v:10}" for v in counts))
    return lines + odd


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--device", default="auto")
    parser.add_argument("--seed", type=int, default=1, help="of the order of the runs")
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    odd: list[str] = []
    facts = environment(args.commit)
    # A temporary folder of its own: what is in it then is ours.
    with tempfile.TemporaryDirectory() as temporary:
        tempfile.tempdir = os.environ["TMPDIR"] = temporary
        choice = programs(args.device)
        # What is built once a machine takes longer than a call of the soak may.
        run(
            Job(
                run=new_run_id(),
                text=choice["our own"][0],
                label="our own.py",
                problem="leakyrelu",
                device=args.device,
            )
        )
        names = [name for _ in range(args.runs // len(choice) + 1) for name in choice][: args.runs]
        random.Random(args.seed).shuffle(names)
        for number, name in enumerate(names, 1):
            text, kinds = choice[name]
            row = one_run(name, text, args.device)
            rows.append(row)
            if row.verdict not in kinds:
                odd.append(f"run {number}: {name}: {row.verdict}: {row.sentence}")
            if number % 20 == 0 or number == len(names):
                keep(rows, odd, facts, args.out)  # also if the rest is cut off
    print((args.out / "soak.txt").read_text(encoding="utf-8"), end="")


def keep(rows: list[Row], odd: list[str], facts: dict[str, str], out: Path) -> None:
    lines = summary(rows, odd)
    (out / "soak.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    result = {"environment": facts, "summary": lines, "runs": [asdict(row) for row in rows]}
    (out / "soak.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
