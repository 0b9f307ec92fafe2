"""Emulation against a GPU on the fault set: python bench/agreement.py OUT [--commit ID] [--limit SECONDS]
[--only CASE ... | --since AGREEMENT.json].

Every program of python/tests/emulator/faultset runs in emulation (examined), on the device as it is, and under
compute-sanitizer, with PyTorch's caching allocator and without. Its twin without the fault runs on both, and their
results are compared bit for bit. OUT/agreement.json holds all of it, OUT/agreement.md a table.
The extensions are built with PyTorch's own load_inline, one a family and side by side. Each program runs in a process
of its own, because a fault may take it along; what is not done after `--limit` seconds is left out and said to be.
With `--since`, only the cases that an earlier result lacks run; the others' rows are that result's.
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
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "python" / "tests" / "emulator")]

from agreement_programs import family_of, log_of, result_of, sources, status_of  # noqa: E402
from environment import environment  # noqa: E402
from faultset import ALL, FAMILIES  # noqa: E402
from faultset.case import Case  # noqa: E402

from kernelgate.tools import compute_sanitizer  # noqa: E402

TOOLS_OF_KIND = {
    "race": ("racecheck",),
    "guard": ("racecheck",),
    "uninitialised": ("initcheck",),
    "barrier": ("synccheck",),
    "left_barrier": ("synccheck",),
    "deadlock": ("synccheck",),
    "mask": ("synccheck", "memcheck"),
    "absent_lane": ("synccheck",),
}
TOOLS_OF_FAMILY = {"hopper": ("racecheck", "synccheck")}
CASE_LIMIT_S = 120
WAITING_LIMIT_S = 40  # for what waits for ever on the device
LINE = re.compile(r"cuda\.cu:(\d+)")
_NOT_RUN = "not run"
_KILLED = "killed at the limit"


# --- starting programs, each in a process of its own ------------------------------------------------------------------


class Runs:
    """`chosen`: the cases to run, by family."""

    def __init__(self, chosen: dict[str, list[Case]], cache: Path, scratch: Path, limit_s: float) -> None:
        self._chosen = chosen
        self._cache = cache
        self._scratch = scratch
        self._deadline = time.monotonic() + limit_s

    @property
    def left_s(self) -> float:
        return self._deadline - time.monotonic()

    def build(self, job: tuple[str, bool]) -> str:
        family, fixed = job
        done = self._child("build", family, fixed, limit_s=self.left_s)
        return "" if done is not None and done.returncode == 0 else _log(done)

    def emulate(self, family: str) -> str:
        """Leaves a JSON file and the twins' results for each case of a family."""
        done = self._child("emulated", family, False, limit_s=self.left_s, out=self._scratch)
        return "" if done is not None and done.returncode == 0 else _log(done)

    def call(self, job: tuple[str, bool]) -> str:
        family, fixed = job
        done = self._child("each", family, fixed, limit_s=self.left_s, out=self._scratch)
        return "" if done is not None and done.returncode == 0 else _log(done)

    def device(self, case: Case, fixed: bool) -> dict[str, Any]:
        """How one program has ended on the device; `result` is the file of its tensor."""
        try:
            status = status_of(self._scratch, case, fixed).read_text(encoding="utf-8")
        except OSError:
            return {"ends": _NOT_RUN}
        if status == "killed":
            return {"ends": _KILLED}
        if status == "0":
            return {"ends": "returns", "result": str(result_of(self._scratch, case, fixed))}
        if status.startswith("-"):
            return {"ends": f"signal {status[1:]}"}
        log = log_of(self._scratch, case, fixed).read_text(encoding="utf-8", errors="replace")
        errors = re.findall(r"CUDA error: ([^\n]+)|(\w*Error: [^\n]+)", log)
        return {"ends": next((a or b for a, b in errors[::-1]), f"exit {status}")[:200]}

    def sanitized(self, job: tuple[Case, str, bool]) -> dict[str, Any]:
        """What one tool says of one program."""
        case, tool, caching = job
        prefix, variables = compute_sanitizer.watched_by(tool), {} if caching else compute_sanitizer.WITHOUT_CACHING
        row: dict[str, Any] = {"case": case.name, "tool": tool, "caching": caching}
        waits = self.device(case, False)["ends"] == _KILLED
        limit_s = WAITING_LIMIT_S if waits else CASE_LIMIT_S
        done = self._child("one", family_of(case), False, case.name, prefix, variables, limit_s)
        if done is None:
            return {**row, "says": "not run, or killed at the limit", "errors": None, "lines": []}
        text = done.stdout
        marked = set(case.marked(sources(self._chosen[family_of(case)], False)[1]))
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
        what: str,
        family: str,
        fixed: bool,
        name: str = "",
        prefix: Iterable[str] = (),
        variables: dict[str, str] | None = None,
        limit_s: float = 0.0,
        out: Path | None = None,
    ) -> subprocess.CompletedProcess[str] | None:
        limit_s = min(limit_s, self.left_s)
        if limit_s <= 1:
            return None
        command = [
            *prefix,
            *(sys.executable, str(HERE / "agreement_programs.py"), what, str(out or os.devnull)),
            *("--case", name, "--cache", str(self._cache)),
            *("--only", *(case.name for case in self._chosen[family])),
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
                env={**os.environ, **(variables or {})},
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None


def _log(done: subprocess.CompletedProcess[str] | None) -> str:
    return "not finished within the limit" if done is None else done.stdout[-4000:]


# --- the table --------------------------------------------------------------------------------------------------------


def rows(cases: Iterable[Case], runs: Runs, said: list[dict[str, Any]], scratch: Path) -> list[dict[str, Any]]:
    import torch
    from support import same_bits

    table = []
    for case in cases:
        emulation, twin_emulated = {"kind": None, "text": _NOT_RUN, "right": False}, None
        if (kept := scratch / f"{case.name}.emulated.json").exists():
            emulation = json.loads(kept.read_text(encoding="utf-8"))
            twin_emulated = torch.load(scratch / f"{case.name}.emulated.pt")
        faulty, twin = runs.device(case, False), runs.device(case, True)
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
                "family": family_of(case),
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
    parser.add_argument("--since", type=Path, metavar="AGREEMENT.json")
    parser.add_argument("--jobs", type=int, default=max(2, (os.cpu_count() or 4) - 2))
    args = parser.parse_args()
    earlier = json.loads(args.since.read_text(encoding="utf-8")) if args.since else {"programs": []}
    known = {row["case"]: row for row in earlier["programs"]}
    chosen = [case for case in ALL if (not args.only or case.name in args.only) and case.name not in known]

    args.out.mkdir(parents=True, exist_ok=True)
    report: dict[str, Any] = {"environment": environment(args.commit)}
    with tempfile.TemporaryDirectory() as scratch:
        report |= measured(chosen, Path(scratch), args.limit, args.jobs)
    new = {row["case"]: row for row in report["programs"]}
    report["programs"] = [(known | new)[case.name] for case in ALL if case.name in known or case.name in new]
    if known:
        theirs = {key: value for key, value in earlier.items() if key != "programs"}
        report["earlier"] = {"why": "cases that ran then and did not run again", **theirs, "cases": list(known)}
    (args.out / "agreement.json").write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    (args.out / "agreement.md").write_text(markdown(report["programs"]), encoding="utf-8")
    print((args.out / "agreement.md").read_text(encoding="utf-8"))


def measured(chosen: Sequence[Case], scratch: Path, limit_s: float, jobs: int) -> dict[str, Any]:
    """Builds and emulation beside each other, then the device and compute-sanitizer. The family of which most waits for
    ever comes last, so that it is known of what."""
    started = time.monotonic()
    by_family = {name: [case for case in cases if case in chosen] for name, cases in FAMILIES.items()}
    by_family = {name: cases for name, cases in by_family.items() if cases}
    runs = Runs(by_family, scratch / "cache", scratch, limit_s)
    pairs = [(family, fixed) for family in by_family for fixed in (False, True)]
    took = {}
    with ThreadPoolExecutor(jobs) as pool, ThreadPoolExecutor(3 * len(by_family)) as beside:
        emulating = {family: beside.submit(runs.emulate, family) for family in by_family}
        logs = zip(pairs, pool.map(runs.build, pairs), strict=True)
        failed = {f"build of {family}, fixed={fixed}": log for (family, fixed), log in logs if log}
        took["built_s"] = time.monotonic() - started
        calling = {pair: beside.submit(runs.call, pair) for pair in pairs}
        checks = [
            (case, tool, caching)
            for case in sorted(chosen, key=lambda case: family_of(case) in TOOLS_OF_FAMILY)
            for caching in (False, True)
            for tool in TOOLS_OF_FAMILY.get(family_of(case), TOOLS_OF_KIND.get(case.kind, ("memcheck",)))
            if case.kind not in ("endless", "waits") and (caching or tool == "memcheck")
        ]
        said = list(pool.map(runs.sanitized, checks)) if compute_sanitizer.path() is not None else []
        took["device_s"] = time.monotonic() - started
        calls = {f"calls of {family}, fixed={fixed}": job.result() for (family, fixed), job in calling.items()}
        failed |= {name: log for name, log in calls.items() if log}
        failed |= {f"{family}, emulated": log for family, job in emulating.items() if (log := job.result())}
        table = rows(chosen, runs, said, scratch)
    took["all_s"] = time.monotonic() - started
    return {key: round(value, 1) for key, value in took.items()} | {"failed": failed, "programs": table}


if __name__ == "__main__":
    main()
