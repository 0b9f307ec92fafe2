"""Emulation against a GPU on the fault set: python bench/agreement.py OUT [--commit ID] [--limit SECONDS]
[--only CASE ...].

Every program of python/tests/emulator/faultset runs in emulation (examined), on the device as it is, and under
compute-sanitizer, with PyTorch's caching allocator and without. Its twin without the fault runs on both, and their
results are compared bit for bit. OUT/agreement.json holds all of it, OUT/agreement.md a table.
The extensions are built with PyTorch's own load_inline, one a family and side by side. Each program runs in a process
of its own, because a fault may take it along; what is not done after `--limit` seconds is left out and said to be.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "python" / "tests" / "emulator")]

from environment import environment  # noqa: E402
from faultset import ALL, FAMILIES  # noqa: E402
from faultset.case import Case, program  # noqa: E402

from kernelgate.tools import compute_sanitizer  # noqa: E402

TOOLS = {
    "bounds": ("memcheck",),
    "host": ("memcheck", "initcheck"),
    "unwritten": ("initcheck",),
    "races": ("racecheck",),
    "waiting": ("synccheck", "memcheck"),
    "hopper": ("racecheck", "synccheck", "memcheck"),
}
CASE_LIMIT_S = 120
LINE = re.compile(r"cuda\.cu:(\d+)")
FLAGS = ["-lineinfo"]
FLAGS_OF = {"hopper": ["-gencode=arch=compute_90a,code=sm_90a"]}  # an H100 or H200
_NOT_RUN = "not run"


# --- one program, in a process of its own -----------------------------------------------------------------------------


def sources(family: str, fixed: bool) -> tuple[str, str]:
    cpp, cuda = program(FAMILIES[family], fixed=fixed)
    return cpp, '#line 1 "cuda.cu"\n' + cuda  # PyTorch puts lines in front


def extension(family: str, fixed: bool, cache: Path) -> Any:
    from kernelgate.build.cuda import build, cached_load_inline
    from kernelgate.sandbox.confined_process import apart

    def compiling(folder: Path, work: Callable[[], None]) -> None:
        apart(folder, work, None)

    cpp, cuda = sources(family, fixed)
    load = cached_load_inline(cache, None, lambda _facts: None, lambda what: build(what, cache, compiling))
    names = [case.name for case in FAMILIES[family]]
    return load(f"faults_{family}", cpp, cuda, functions=names, extra_cuda_cflags=[*FLAGS, *FLAGS_OF.get(family, [])])


def drawn(case: Case) -> Any:
    import torch

    torch.manual_seed(1)
    return torch.randn(case.n).cuda()


def child(family: str, name: str, fixed: bool, cache: Path, out: Path) -> None:
    """Builds the family, or calls one of its programs and keeps the result."""
    import torch

    built = extension(family, fixed, cache)
    if name:
        case = next(case for case in FAMILIES[family] if case.name == name)
        result = getattr(built, name)(drawn(case))
        torch.cuda.synchronize()
        torch.save(result.cpu(), out)


# --- starting them ----------------------------------------------------------------------------------------------------


class Runs:
    def __init__(self, cache: Path, scratch: Path, limit_s: float) -> None:
        self._cache = cache
        self._scratch = scratch
        self._deadline = time.monotonic() + limit_s

    @property
    def left_s(self) -> float:
        return self._deadline - time.monotonic()

    def build(self, job: tuple[str, bool]) -> str:
        family, fixed = job
        done = self._child(family, "", fixed, (), {}, self.left_s)
        return "" if done is not None and done.returncode == 0 else _log(done)

    def device(self, job: tuple[Case, bool]) -> dict[str, Any]:
        """How one program ends on the device; `result` is the file of its tensor."""
        case, fixed = job
        out = self._scratch / f"{case.name}-{fixed}.pt"
        done = self._child(_family(case), case.name, fixed, (), {}, CASE_LIMIT_S / 2, out)
        if done is None:
            return {"ends": "killed at the limit" if self.left_s > 1 else _NOT_RUN}
        if done.returncode == 0:
            return {"ends": "returns", "result": str(out)}
        if done.returncode < 0:
            return {"ends": f"signal {-done.returncode}"}
        errors = re.findall(r"CUDA error: ([^\n]+)|(\w*Error: [^\n]+)", done.stdout)
        return {"ends": next((a or b for a, b in errors[::-1]), f"exit {done.returncode}")[:200]}

    def sanitized(self, job: tuple[Case, str, bool]) -> dict[str, Any]:
        """What one tool says of one program."""
        case, tool, caching = job
        prefix, variables = compute_sanitizer.watched_by(tool), {} if caching else compute_sanitizer.WITHOUT_CACHING
        row: dict[str, Any] = {"case": case.name, "tool": tool, "caching": caching}
        done = self._child(_family(case), case.name, False, prefix, variables, CASE_LIMIT_S)
        if done is None:
            return {**row, "says": "not run, or killed at the limit", "errors": None, "lines": []}
        text = done.stdout
        marked = set(case.marked(sources(_family(case), False)[1]))
        offset = 1  # the #line directive
        lines = sorted({int(n) for n in LINE.findall(text)})
        reports = compute_sanitizer.reports_in(text)
        return {
            **row,
            "errors": compute_sanitizer.errors_in(text),
            "says": reports[0].partition("\n")[0][:200] if reports else "",
            "lines": lines,
            "at_its_line": bool({n - offset for n in marked} & set(lines)),
        }

    def _child(
        self,
        family: str,
        name: str,
        fixed: bool,
        prefix: Iterable[str],
        variables: dict[str, str],
        limit_s: float,
        out: Path | None = None,
    ) -> subprocess.CompletedProcess[str] | None:
        limit_s = min(limit_s, self.left_s)
        if limit_s <= 1:
            return None
        command = [
            *prefix,
            sys.executable,
            __file__,
            str(out or os.devnull),
            *("--child", family, "--case", name, "--cache", str(self._cache)),
            *(["--fixed"] if fixed else []),
        ]
        try:
            return subprocess.run(
                command,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                errors="replace",
                timeout=limit_s,
                env={**os.environ, **variables},
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None


def _family(case: Case) -> str:
    return next(name for name, cases in FAMILIES.items() if case in cases)


def _log(done: subprocess.CompletedProcess[str] | None) -> str:
    return "not finished within the limit" if done is None else done.stdout[-4000:]


# --- emulation --------------------------------------------------------------------------------------------------------


def emulated(case: Case, cache: Path) -> dict[str, Any]:
    """What a memory check says of a program, and the result of its twin."""
    from support import in_worker, load_inline

    from kernelgate.judge.findings import faults

    family = _family(case)
    names = [each.name for each in FAMILIES[family]]

    def body(fixed: bool) -> Any:
        def run(emulation: Any) -> Any:
            cpp, cuda = program(FAMILIES[family], fixed=fixed)
            with emulation.active(), emulation.guarded():
                built = load_inline(f"faults_{family}", cpp, cuda, functions=names)
                return getattr(built, case.name)(drawn(case)).clone()

        return run

    found = in_worker(cache, body(False), examine=True, launch_limit_s=2.0)
    lines = [line.decode() for line in found.findings]
    told = faults(lines)[0] if lines else found.fault
    marked = case.marked(program(FAMILIES[family])[1])
    twin = in_worker(cache, body(True))
    return {
        "kind": told.kind if told is not None else None,
        "text": told.text if told is not None else found.error,
        "right": told is not None
        and told.kind == case.kind
        and {told.line, told.other_line} - {None} == set(marked),
        "twin": twin.value,
    }


# --- the table --------------------------------------------------------------------------------------------------------


def rows(
    cases: Iterable[Case],
    on_device: dict[tuple[str, bool], dict[str, Any]],
    said: list[dict[str, Any]],
    cache: Path,
) -> list[dict[str, Any]]:
    import torch
    from support import same_bits

    table = []
    for case in cases:
        emulation = emulated(case, cache)
        twin_emulated = emulation.pop("twin")
        faulty, twin = on_device[case.name, False], on_device[case.name, True]
        results = [torch.load(each["result"]) if "result" in each else None for each in (faulty, twin)]
        ends = faulty["ends"]
        if results[0] is not None and results[1] is not None:
            ends = "right values" if same_bits(results[0], results[1]) else "wrong values"
        same = None
        if results[1] is not None and twin_emulated is not None:
            same = same_bits(results[1], twin_emulated)
        of_this = [{k: v for k, v in row.items() if k != "case"} for row in said if row["case"] == case.name]
        table.append(
            {
                "case": case.name,
                "family": _family(case),
                "kind": case.kind,
                "emulation": emulation,
                "device": ends,
                "twin_on_device": twin["ends"],
                "twin_same_bits": same,
                "sanitizer": of_this,
            }
        )
    return table


def found_by(row: dict[str, Any], caching: bool) -> str:
    tools = [each for each in row["sanitizer"] if each["caching"] == caching]
    found = [
        f"{each['tool']}{', line' if each.get('at_its_line') else ''}" for each in tools if each["errors"]
    ]
    if found:
        return "; ".join(found)
    return "nothing" if any(each["errors"] == 0 for each in tools) else "not run"


def markdown(table: list[dict[str, Any]]) -> str:
    lines = [
        "| fault | memory check | on the device | compute-sanitizer | without caching | twin, same bits |",
        "|---|---|---|---|---|---|",
    ]
    for row in table:
        cells = [
            row["case"].replace("_", " "),
            "named, at its line" if row["emulation"]["right"] else f"{row['emulation']['kind']}",
            row["device"],
            found_by(row, True),
            found_by(row, False),
            {True: "yes", False: "no", None: "unknown"}[row["twin_same_bits"]],
        ]
        lines.append("| " + " | ".join(cell.replace("|", "/") for cell in cells) + " |")
    count = len(table)
    named = sum(row["emulation"]["right"] for row in table)
    seen = sum(row["device"] not in ("right values", _NOT_RUN) for row in table)
    by_tool = [sum("," in found_by(row, caching) for row in table) for caching in (True, False)]
    lines += [
        "",
        f"Named at its line: {named} of {count} by the memory check, {by_tool[0]} by compute-sanitizer, "
        f"{by_tool[1]} by it without PyTorch's caching allocator. The device's own result shows {seen} of {count}.",
    ]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--commit")
    parser.add_argument("--limit", type=float, default=480.0)
    parser.add_argument("--only", nargs="+", choices=[case.name for case in ALL], metavar="CASE")
    parser.add_argument("--jobs", type=int, default=max(2, (os.cpu_count() or 4) - 2))
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--case", help=argparse.SUPPRESS)
    parser.add_argument("--fixed", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--cache", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        return child(args.child, args.case, args.fixed, args.cache, args.out)

    args.out.mkdir(parents=True, exist_ok=True)
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(args.jobs) as pool:
        runs = Runs(Path(scratch) / "cache", Path(scratch), args.limit)
        chosen = [case for case in ALL if not args.only or case.name in args.only]
        families = [family for family in FAMILIES if any(_family(case) == family for case in chosen)]
        builds = [(family, fixed) for family in families for fixed in (False, True)]
        logs = dict(zip(builds, pool.map(runs.build, builds), strict=True))
        built_s = time.monotonic() - started
        pairs = [(case, fixed) for case in chosen for fixed in (False, True)]
        ended = dict(zip([(c.name, m) for c, m in pairs], pool.map(runs.device, pairs), strict=True))
        checks = [
            (case, tool, caching)
            for caching in (False, True)
            for case in chosen
            for tool in TOOLS[_family(case)]
            if case.kind not in ("endless", "waits") and (caching or tool in ("memcheck", "initcheck"))
        ]
        said = list(pool.map(runs.sanitized, checks)) if compute_sanitizer.path() is not None else []
        device_s = time.monotonic() - started
        table = rows(chosen, ended, said, Path(scratch) / "emulated")
    report = {
        "environment": environment(args.commit),
        "built_s": round(built_s, 1),
        "device_s": round(device_s, 1),
        "all_s": round(time.monotonic() - started, 1),
        "failed_builds": {f"{family}, fixed={fixed}": log for (family, fixed), log in logs.items() if log},
        "programs": table,
    }
    (args.out / "agreement.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    (args.out / "agreement.md").write_text(markdown(table), encoding="utf-8")
    print((args.out / "agreement.md").read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
