"""Which rules of repair public programs need: python bench/repair_hits.py OUT CHECKOUT [CHECKOUT ...]
[--programs FOLDER] [--logs FILE] [--most N].

A checkout is one of a repository that publishes programs with the errors that they gave: `runs/*/eval_results.json`
as KernelBench's scripts write them (github.com/technoabsurdist/KernelBench), or `*repair_prompt.txt`, an error's log
with its program (github.com/kaimu11111/pipeline). If only "does not compile" is said, g++ compiles the program for
emulation, at most N times in all; FILE keeps what it printed, and the same command goes on from there. FOLDER is one
that wild_folder.py makes: for its programs, changes of a kernel are counted whose place the text shows. Nothing is run.
OUT/repair_hits.json counts, for each function of `kernelgate.repair` that explains or fixes, the programs that it
answered for.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from environment import environment

from kernelgate.emulator import build_extension
from kernelgate.messages.failures import CompilerFailed, Raised
from kernelgate.program import Candidate, ProgramError, Source, read
from kernelgate.program.extensions import LoadInline
from kernelgate.repair import kernel_fixes
from kernelgate.repair.diagnostics import explain_compiler
from kernelgate.repair.exceptions import explain_raised

_PROMPT = re.compile(
    r"ERROR LOG\n─+\n(.*?)\n─+\nOLD CODE[^\n]*\n─+\n(.*?)(?:\n─+\n[A-Z]|\n# ─|\Z)", re.DOTALL
)
_RAISED = re.compile(r"^(?:[\w.]+\.)?(\w+(?:Error|Exception)): (.*)")


def published(checkout: Path, logs: Logs) -> Iterator[tuple[str, str, str]]:
    """Program, and the log of its build or what it raised."""
    for prompt in sorted(checkout.rglob("*repair_prompt.txt")):
        if (found := _PROMPT.search(prompt.read_text(encoding="utf-8", errors="replace"))) is not None:
            yield "compile" if "error: " in found[1] else "raise", found[2], found[1]
    for results in sorted(checkout.glob("runs/*/eval_results.json")):
        level = re.search(r"level\d", results.parent.name)
        for number, row in json.loads(results.read_text(encoding="utf-8")).items():
            file = (
                results.parent / f"level_{level[0][-1:] if level else 0}_problem_{number}_sample_0_kernel.py"
            )
            known = row["metadata"]
            if not file.exists():
                continue
            text = file.read_text(encoding="utf-8")
            if "compilation_error" in known:
                if log := logs.of(f"{results.parent.name}-{number}", text):
                    yield "compile", text, log
            elif message := known.get("runtime_error") or known.get("cuda_error"):
                yield "raise", text, message


class Logs:
    """What g++ prints of programs, kept in a file."""

    def __init__(self, file: Path, most: int) -> None:
        self._file, self._most = file, most
        rows = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
        self._known = {row["name"]: row.get("log", "") for row in map(json.loads, rows)}

    def of(self, name: str, text: str) -> str:
        if name not in self._known and len(self._known) < self._most:
            self._known[name] = self._compiled(text)
            with self._file.open("a", encoding="utf-8") as out:
                out.write(json.dumps({"name": name, "log": self._known[name]}) + "\n")
        return self._known.get(name, "")

    def _compiled(self, text: str) -> str:
        try:
            for call in read(Source(text, "program")).extensions:
                cpp, cuda = (source_of(call, one) for one in ("cpp_sources", "cuda_sources"))
                build_extension(
                    call.name or "m", cpp, cuda, list(call.functions), cache=self._file.parent / "builds"
                )
        except Exception as exc:
            return str(exc)
        return ""


def source_of(call: LoadInline, argument: str) -> str:
    parts = [part.value for part in call.literals.get(argument, ()) if isinstance(part, ast.Constant)]
    return "\n".join(part for part in parts if isinstance(part, str))


def explain(kind: str, candidate: Candidate, log: str) -> None:
    if kind == "compile":
        named = re.search(r"Error building extension '(\w+)'", log)
        call = candidate.extension(named[1] if named else None, None) or candidate.extensions[0]
        sources = (source_of(call, one) for one in ("cpp_sources", "cuda_sources"))
        explain_compiler(
            candidate, CompilerFailed(call.name or "", log, [], *sources, list(call.functions), call.line)
        )
        return
    found = next(filter(None, map(_RAISED.match, reversed(log.splitlines()))), None)
    type_, message = (found[1], found[2]) if found else ("RuntimeError", log.strip())
    explain_raised(candidate, Raised(type_, message[:1900], []), "check", "calling ModelNew")


class Answers:
    """While it is open, the names of the functions of `kernelgate.repair` that gave an explanation or a fix."""

    def __enter__(self) -> set[str]:
        self._names = set[str]()
        sys.setprofile(self._returned)
        return self._names

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _returned(self, frame: FrameType, event: str, answer: Any) -> None:
        if event == "return" and "/kernelgate/repair/" in frame.f_code.co_filename:
            first = answer[0] if isinstance(answer, tuple) and answer else answer
            name = frame.f_code.co_name
            if type(first).__name__ in ("Explained", "Fix") and name not in ("<genexpr>", "explained", "rewriting"):
                self._names.add(f"{Path(frame.f_code.co_filename).stem}.{name}")


def changes() -> list[Callable[[Candidate], Any]]:
    """The changes of a kernel that need nothing but the program."""
    known = inspect.getmembers(kernel_fixes, inspect.isfunction)
    own = [one for name, one in known if one.__module__ == kernel_fixes.__name__ and not name.startswith("_")]
    return [one for one in own if len(inspect.signature(one).parameters) == 1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("checkouts", type=Path, nargs="+")
    parser.add_argument("--programs", type=Path)
    parser.add_argument("--logs", type=Path, default=Path("repair_logs.jsonl"))
    parser.add_argument("--most", type=int, default=150)
    options = parser.parse_args()
    logs, seen = Logs(options.logs, options.most), set[tuple[str, str]]()
    counts, tried = Counter[str](), Counter[str]()
    for kind, text, log in (each for checkout in options.checkouts for each in published(checkout, logs)):
        if (text, log) in seen:
            continue
        seen.add((text, log))
        try:
            candidate = read(Source(text, "program"))
        except ProgramError:
            continue
        tried[kind] += 1
        with Answers() as names:
            explain(kind, candidate, log)
        counts.update(names)
    applicable = Counter[str]()
    for label in sorted(options.programs.glob("*/label")) if options.programs else ():
        candidate = read(Source((label.parent / "candidate.py").read_text(encoding="utf-8"), "program"))
        name = label.read_text(encoding="utf-8").strip()
        tried[name] += 1
        applicable.update(f"{one.__name__}, {name}" for one in changes() if one(candidate) is not None)
    result = {
        "environment": environment(None),
        "programs": dict(tried),
        "answered": dict(counts.most_common()),
        "change has a place": dict(sorted(applicable.items())),
    }
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "repair_hits.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
