"""The programs that emulation calls right, by the real compiler and on a real device: python bench/programs.py OUT
[--only NAME ...] [--jobs N] [--sanitize] [--as-the-judge] [--limit SECONDS] [--commit ID].

Each program of python/tests/emulator/programs is built by PyTorch's own load_inline, which needs nvcc and no GPU
(TORCH_CUDA_ARCH_LIST says for which architecture, if there is none). On a GPU it also runs, and its result is held
against PyTorch's, as the tests do in emulation; `--sanitize` has compute-sanitizer's four tools watch it as well.
`--as-the-judge` builds as a judge's worker does, with an empty cache, and says which headers that took.
OUT/programs.json holds a row for each; what is not done after `--limit` seconds is left out and said to be.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve()
sys.path[:0] = [str(HERE.parents[1] / "python"), str(HERE.parents[1] / "python" / "tests" / "emulator")]

from correct import PROGRAMS, differences, tensors  # noqa: E402
from environment import environment  # noqa: E402

from kernelgate.tools.compute_sanitizer import (  # noqa: E402
    TOOLS,
    WITHOUT_CACHING,
    errors_in,
    reports_in,
    watched_by,
)

_LIMIT_S = 240.0
_TOGETHER = 10  # programs that a tool watches in one process
_MARK = "---- program "


# --- one program, in a process of its own -----------------------------------------------------------------------------


def child(names: list[str], out: Path, cache: Path | None) -> None:
    """Builds programs and, on a GPU, runs them; what was seen goes to `out`, and the name of each before its own
    messages."""
    seen = {}
    for name in names:
        print(f"{_MARK}{name}", flush=True)
        seen[name] = one_program(name, cache)
    out.write_text(json.dumps(seen))


def as_the_judge(cache: Path) -> list[str]:
    """From here on `load_inline` builds as in a judge's worker; by what, for each build."""
    from torch.utils import cpp_extension

    from kernelgate.compile.cuda import install_cached_load_inline
    from kernelgate.compile.cuda_library import build
    from kernelgate.messages.build_requests import CudaExtension
    from kernelgate.sandbox.confined_process import run_confined

    compilers: list[str] = []
    pytorchs = cpp_extension.load_inline

    def compiling(folder: Path, work: Callable[[], None]) -> None:
        def by_pytorch() -> None:
            cpp_extension.load_inline = pytorchs
            work()

        run_confined(folder, by_pytorch, None)

    def built(order: CudaExtension) -> Path:
        return build(order, cache, compiling)

    install_cached_load_inline(cache, None, lambda one: compilers.append(one.compiler), built)
    return compilers


def one_program(name: str, cache: Path | None) -> dict[str, Any]:
    import torch

    compilers = as_the_judge(cache) if cache is not None else []
    program: dict[str, Any] = {"__name__": "candidate"}
    began = time.monotonic()
    exec(compile(PROGRAMS[name].read_text(), str(PROGRAMS[name]), "exec"), program)
    seen: dict[str, Any] = {"built_s": round(time.monotonic() - began, 1), "wrong": None, "compilers": compilers}
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
    return seen


# --- starting them ----------------------------------------------------------------------------------------------------


class Runs:
    def __init__(self, scratch: Path, limit_s: float, cache: Path | None) -> None:
        self._scratch = scratch
        self._cache = [] if cache is None else ["--cache", str(cache)]
        self._deadline = time.monotonic() + limit_s

    def plain(self, name: str) -> dict[str, Any]:
        out = self._scratch / f"{name}.json"
        ended = self._start([name], out, (), {})
        row: dict[str, Any] = {"program": name}
        if ended is None:
            return {**row, "says": "not run, or killed at the limit"}
        if ended.returncode or not out.exists():
            return {**row, "says": _error(ended.stdout)}
        return {**row, **json.loads(out.read_text())[name], "says": ""}

    def sanitized(self, job: tuple[tuple[str, ...], str]) -> dict[str, Any]:
        """What one tool says of some programs, one after another in one process: importing PyTorch takes longer under
        the tool than they do."""
        names, tool = job
        out = self._scratch / f"{names[0]}-{tool}.json"
        ended = self._start(list(names), out, watched_by(tool, 50), WITHOUT_CACHING)
        row: dict[str, Any] = {"programs": names, "tool": tool}
        if ended is None:
            return {**row, "errors": None, "says": {}, "ends": "not run, or killed at the limit"}
        said = ended.stdout.split(_MARK)[1:]
        ends = "returns" if ended.returncode == 0 else _error(ended.stdout)
        return {
            **row,
            "errors": errors_in(ended.stdout),
            "says": dict(_named(part) for part in said),
            "ends": ends,
        }

    def _start(
        self, names: list[str], out: Path, prefix: tuple[str, ...], variables: dict[str, str]
    ) -> subprocess.CompletedProcess[str] | None:
        left = self._deadline - time.monotonic()
        if left < 1:
            return None
        command = [*prefix, sys.executable, str(HERE), str(out), *self._cache, "--child", *names]
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


def _named(part: str) -> tuple[str, str]:
    """A program's name, and what the tool said while it ran."""
    return part.partition("\n")[0], "\n".join(reports_in(part))[:1500]


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
    parser.add_argument("--as-the-judge", action="store_true")
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=float, default=7200.0)
    parser.add_argument("--commit")
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return child(args.child, args.out, args.cache)

    args.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(args.jobs) as pool:
        runs = Runs(Path(scratch), args.limit, Path(scratch) / "cache" if args.as_the_judge else None)
        rows = []
        for row in pool.map(runs.plain, args.only):
            rows.append(row)
            print(row, flush=True)
        built = [row["program"] for row in rows if "built_s" in row]
        some = [tuple(built[i : i + _TOGETHER]) for i in range(0, len(built), _TOGETHER)]
        watched = (
            list(pool.map(runs.sanitized, [(names, t) for names in some for t in TOOLS]))
            if args.sanitize
            else []
        )
    report = {"environment": environment(args.commit), "programs": rows, "sanitizer": watched}
    (args.out / "programs.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    right = [row for row in rows if row.get("wrong") == []]
    dirty = [
        (row["tool"], *(name for name, said in row["says"].items() if said))
        for row in watched
        if row["errors"]
    ]
    print(
        f"{len(built)} of {len(rows)} build; {len(right)} give PyTorch's values on a device"
        + (f"; compute-sanitizer finds something in {dirty or 'none'}" if watched else "")
    )


if __name__ == "__main__":
    main()
