"""The programs that emulation calls right, by the real compiler and on a real device: python bench/programs.py OUT
[--only NAME ...] [--jobs N] [--sanitize] [--limit SECONDS] [--commit ID].

Each program of python/tests/emulator/programs is built by PyTorch's own load_inline, which needs nvcc and no GPU
(TORCH_CUDA_ARCH_LIST says for which architecture, where there is none). On a GPU it also runs, and its result is held
against PyTorch's, as the tests do in emulation; `--sanitize` has compute-sanitizer's four tools watch it as well.
OUT/programs.json holds a row for each; what is not done after `--limit` seconds is left out and said to be.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "python"), str(HERE.parents[1] / "python" / "tests" / "emulator")]

from correct import PROGRAMS, differences, tensors  # noqa: E402
from environment import environment  # noqa: E402

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SANITIZER = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
_LIMIT_S = 240.0
_SUMMARY = re.compile(r"(?:ERROR|RACECHECK) SUMMARY: (\d+)")


# --- one program, in a process of its own -----------------------------------------------------------------------------


def child(name: str, out: Path) -> None:
    """Builds a program and, on a GPU, runs it; what was seen goes to `out`."""
    import torch

    program: dict[str, Any] = {"__name__": "candidate"}
    began = time.monotonic()
    exec(compile(PROGRAMS[name].read_text(), str(PROGRAMS[name]), "exec"), program)
    seen: dict[str, Any] = {"built_s": round(time.monotonic() - began, 1), "wrong": None}
    if torch.cuda.is_available():
        torch.manual_seed(5)
        inputs = program["get_inputs"]()
        reference = program["Model"](*program["get_init_inputs"]())
        expected = tensors(reference(*[x.clone() for x in inputs]))
        torch.manual_seed(7)
        model = program["ModelNew"](*program["get_init_inputs"]())
        model.load_state_dict(reference.state_dict())
        found = tensors(model.cuda()(*[x.cuda() for x in inputs]))
        torch.cuda.synchronize()
        seen["wrong"] = differences(name, found, expected)
    out.write_text(json.dumps(seen))


# --- starting them ----------------------------------------------------------------------------------------------------


class Runs:
    def __init__(self, scratch: Path, limit_s: float) -> None:
        self._scratch = scratch
        self._deadline = time.monotonic() + limit_s

    def plain(self, name: str) -> dict[str, Any]:
        out = self._scratch / f"{name}.json"
        ended = self._start(name, out, (), {})
        row: dict[str, Any] = {"program": name}
        if ended is None:
            return {**row, "says": "not run, or killed at the limit"}
        if ended.returncode or not out.exists():
            return {**row, "says": _error(ended.stdout)}
        return {**row, **json.loads(out.read_text()), "says": ""}

    def sanitized(self, job: tuple[str, str]) -> dict[str, Any]:
        name, tool = job
        prefix = (SANITIZER, "--tool", tool, "--print-limit", "5", "--target-processes", "application-only")
        # Each tensor an allocation of its own, or memcheck sees the allocator's blocks alone.
        ended = self._start(
            name, self._scratch / f"{name}-{tool}.json", prefix, {"PYTORCH_NO_CUDA_MEMORY_CACHING": "1"}
        )
        row: dict[str, Any] = {"program": name, "tool": tool}
        if ended is None:
            return {**row, "errors": None, "says": "not run, or killed at the limit"}
        counts = [int(count) for count in _SUMMARY.findall(ended.stdout)]
        told = [line for line in ended.stdout.splitlines() if line.startswith("=========")]
        return {**row, "errors": max(counts, default=None), "says": "\n".join(told[:12])[:1500]}

    def _start(
        self, name: str, out: Path, prefix: tuple[str, ...], variables: dict[str, str]
    ) -> subprocess.CompletedProcess[str] | None:
        left = self._deadline - time.monotonic()
        if left < 1:
            return None
        command = [*prefix, sys.executable, str(HERE), str(out), "--child", name]
        kept = str(self._scratch / "extensions")
        try:
            return subprocess.run(
                command,
                env={**os.environ, "TORCH_EXTENSIONS_DIR": kept, "MAX_JOBS": "2", **variables},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=min(left, _LIMIT_S),
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None


def _error(log: str) -> str:
    """The first lines that name an error, of a compiler's or Python's."""
    lines = [line for line in log.splitlines() if "rror" in line and not line.startswith("FAILED")]
    return "\n".join(lines[:5])[:1500] or log[-500:]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="+", choices=PROGRAMS, default=list(PROGRAMS))
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 2) - 1))
    parser.add_argument("--sanitize", action="store_true")
    parser.add_argument("--limit", type=float, default=7200.0)
    parser.add_argument("--commit")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return child(args.child, args.out)

    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(args.jobs) as pool:
        runs = Runs(Path(scratch), args.limit)
        rows = []
        for row in pool.map(runs.plain, args.only):
            rows.append(row)
            print(row, flush=True)
        built = [row["program"] for row in rows if "built_s" in row]
        watched = (
            list(pool.map(runs.sanitized, [(n, t) for n in built for t in TOOLS])) if args.sanitize else []
        )
    report = {"environment": environment(args.commit), "programs": rows, "sanitizer": watched}
    (args.out / "programs.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    right = [row for row in rows if row.get("wrong") == []]
    dirty = [(row["program"], row["tool"]) for row in watched if row["errors"]]
    print(
        f"{len(built)} of {len(rows)} build; {len(right)} give PyTorch's values on a device"
        + (f"; compute-sanitizer finds something in {dirty or 'none'}" if watched else "")
    )


if __name__ == "__main__":
    main()
