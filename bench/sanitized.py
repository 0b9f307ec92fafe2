"""The catalogue's operators under compute-sanitizer's four tools: python bench/sanitized.py OUT [--only PROGRAM ...]
[--tools TOOL ...] [--jobs N] [--commit ID].

Each program is built once as a cell would build it. Then its forward and backward run over sizes, types and layouts in
a process that a tool watches, the product on both of its paths. Beside them what PyTorch itself does where the product
leaves half types to it: what a tool says of that is not ours. OUT/sanitized.json holds what each tool counted and said.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "python"), str(HERE.parents[1] / "python" / "tests")]

from environment import environment  # noqa: E402

from kernelgate.tools.compute_sanitizer import (  # noqa: E402
    TOOLS,
    WITHOUT_CACHING,
    errors_in,
    reports_in,
    watched_by,
)

_LIMIT_S = 400.0


@dataclass(frozen=True)
class Watched:
    """A program, and what chooses its path; the control is no program of ours."""

    operator: str
    path: str = ""

    @property
    def name(self) -> str:
        return f"{self.operator} {self.path}".strip()


CONTROL = "pytorch"
WATCHED = (
    Watched("leakyrelu"),
    Watched("scale_leakyrelu"),
    Watched("gemm_scale_leakyrelu"),
    Watched("gemm_scale_leakyrelu", "mma"),
    Watched(CONTROL),
)
PRODUCTS = (
    (1, 33, 70),
    (5, 100, 257),
    (16, 31, 8),
    (17, 130, 96),
    (129, 300, 1000),
    (256, 256, 256),
    (300, 512, 64),
)


# --- one program, in a process of its own -----------------------------------------------------------------------------


def calls(operator: str) -> Iterator[tuple[Any, Any]]:
    """Modules, and inputs for each."""
    import torch
    from catalogue.programs import CASES, DTYPES, layouts, program, values
    from torch.nn.functional import leaky_relu

    if operator == CONTROL:
        for m, n, k in PRODUCTS:
            torch.manual_seed(m)
            linear = torch.nn.Linear(k, n).cuda().half()
            # The default argument: each function keeps its own layer.
            yield lambda x, linear=linear: leaky_relu(linear(x) * 2.0, 0.1), torch.randn(m, k).half().cuda()
        return
    if operator == "gemm_scale_leakyrelu":
        found = program(operator)
        for m, n, k in PRODUCTS:
            torch.manual_seed(m)
            module = found.ModelNew(k, n, 2.0, 0.1).cuda()
            yield module, torch.randn(m, k).cuda()
            yield module.half(), torch.randn(m, k).half().cuda()
        return
    case = next(case for case in CASES if case.operator == operator)
    module = case.module(0.1)
    for dtype in DTYPES:
        for x in layouts(dtype):
            yield module, x.cuda()
        for count in (1, 3, 1027, 100_003):
            yield module, values(count, dtype=dtype, device="cuda")


def child(operator: str) -> None:
    import torch

    count = 0
    for module, x in calls(operator):
        with torch.no_grad():
            module(x)
        given = x.detach().requires_grad_()
        result = module(given)
        result.backward(torch.ones_like(result))
        torch.cuda.synchronize()
        count += 1
    print(f"called {count} times", flush=True)


# --- starting them ----------------------------------------------------------------------------------------------------


def start(watched: Watched, folder: str, prefix: tuple[str, ...] = ()) -> dict[str, Any]:
    began = time.monotonic()
    variables = {"TORCH_EXTENSIONS_DIR": folder, "KERNELGATE_GEMM_PATH": watched.path, **WITHOUT_CACHING}
    try:
        done = subprocess.run(
            [*prefix, sys.executable, str(HERE), folder, "--child", watched.operator],
            env={**os.environ, **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_LIMIT_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"program": watched.name, "ends": f"ended after {_LIMIT_S:g} s", "errors": None}
    return {
        "program": watched.name,
        "ends": done.stdout[-1500:] if done.returncode else "returns",
        "called": [line for line in done.stdout.splitlines() if line.startswith("called ")],
        "errors": errors_in(done.stdout),
        "says": reports_in(done.stdout)[:20],
        "seconds": round(time.monotonic() - began, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="+", choices=[one.name for one in WATCHED])
    parser.add_argument("--tools", nargs="+", choices=TOOLS, default=list(TOOLS))
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) // 2))
    parser.add_argument("--commit")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return child(args.child)

    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(args.jobs) as pool:
        wanted = [one for one in WATCHED if args.only is None or one.name in args.only]
        folders = {one: f"{scratch}/{one.name.replace(' ', '-')}" for one in wanted}
        alone = list(pool.map(lambda one: start(one, folders[one]), wanted))
        tried = [(one, tool) for one in wanted for tool in args.tools]
        rows = list(
            pool.map(
                lambda each: {"tool": each[1], **start(each[0], folders[each[0]], watched_by(each[1], 20))},
                tried,
            )
        )
    report = {"environment": environment(args.commit), "alone": alone, "sanitizer": rows}
    (args.out / "sanitized.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    for row in (*alone, *rows):
        print({key: value for key, value in row.items() if value})


if __name__ == "__main__":
    main()
