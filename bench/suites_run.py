"""Whole programs of the CUDA samples, built and run in emulation: python bench/suites_run.py CHECKOUT OUT
[--jobs N] [--limit-s S] [--only PATTERN ...] [--texts FOLDER] [--cache FOLDER].

CHECKOUT is a clone of github.com/NVIDIA/cuda-samples; its text stays if it is. A program is what the samples' own
CMakeLists.txt names, if one of its files is a CUDA file that suites.py counts. Its files, host part and all, become
one load_inline program, which is called as the sample is without arguments, in a process of its own and in its own
folder. Most samples check their own results, and say so by exit status and words. OUT/suites_run.json holds a row for
each. The memory check is off; a program ends after S seconds of a processor. Emulation has no time, so each question
for the time between two events is answered with a millisecond. `--only` takes the programs whose path holds a PATTERN;
`--texts` keeps what was built and what it printed.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parent / "python"), str(HERE.parent / "python" / "tests" / "emulator")]

from environment import environment, machine  # noqa: E402
from sample_process import Ended, ended  # noqa: E402
from suites import OPERATORS, commit_of, grouped, needs_of, own_files, text_of, with_headers  # noqa: E402

from kernelgate.cuda_source.lexer import Edit, apply, blank  # noqa: E402
from kernelgate.emulator import CompileFailed, Refused, build_extension, build_library  # noqa: E402
from kernelgate.emulator.translate.host_side import functions  # noqa: E402

LIBRARIES = ("runtime", "facade", "allocator")  # else the first program's time would have theirs
CLASSES = ("right", "wrong", "waived", "not built", "fault", "time limit", "error")
MOST_LETTERS = 200
WAIVED = 2
_EXECUTABLE = re.compile(r"\badd_executable\s*\(([^)]*)\)")
_FAILED = re.compile(r"\bFAIL(?:ED|URE)?\b|\b[Tt]est failed|\bfailed!|[Vv]erification failed")
_WAIVED = re.compile(r"\b[Ww]aiv(?:ed|ing)|\bWAIVED\b")
_OF_CUDA = re.compile(r"CUDA error|CUDA Runtime (?:API )?[Ee]rror|cudaError|Traceback")
_STATIC = re.compile(r"^static\b[^;{}()=\[]*?\b(\w+)\s*[=;\[]", re.MULTILINE)
_TIMES = re.compile(r"\bcudaEventElapsedTime\b")
_BEFORE = """#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <unistd.h>
static cudaError_t sample_elapsed(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  return *milliseconds = 1, cudaSuccess;
}
"""
# What the sample registered to be done at its end may stay undone: its status and its words are all that is asked.
_AFTER = """
template <typename... Parameters>
static int sample_started(int (*entry)(Parameters...)) {
  static char name[] = "./NAME";
  static char* given[] = {name, nullptr};
  if constexpr (sizeof...(Parameters) == 0) return entry();
  else return reinterpret_cast<int (*)(int, char**)>(entry)(1, given);
}
static void sample_ended(int status, void*) {
  std::cout.flush();
  fflush(nullptr);
  _exit(status);
}
void run_sample() {
  setvbuf(stdout, nullptr, _IOLBF, 0);
  on_exit(sample_ended, nullptr);
  exit(sample_started(&sample_main));
}
"""


@dataclass(frozen=True)
class Program:
    """`files`: as its CMakeLists.txt names them, absolute; `needs`: why it is left out, "" if it is not."""

    name: str
    folder: Path
    files: tuple[Path, ...]
    needs: str


@dataclass(frozen=True)
class Row:
    """`kind`: one of CLASSES; `seconds` of a processor that it took, 0 if it was not built."""

    program: str
    kind: str
    seconds: float
    reason: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--limit-s", type=int, default=60)
    parser.add_argument("--only", nargs="+", default=[""], metavar="PATTERN")
    parser.add_argument("--texts", type=Path)
    parser.add_argument("--cache", type=Path, help="a folder for what is built, kept for the next time")
    args = parser.parse_args()
    checkout = args.checkout.resolve()
    found = [one for one in programs(checkout) if any(part in one.name for part in args.only)]
    able = [one for one in found if not one.needs]
    with tempfile.TemporaryDirectory() as scratch, ProcessPoolExecutor(args.jobs) as pool:
        cache = args.cache or Path(scratch)
        for library in LIBRARIES:
            build_library(library, cache)
        given = (checkout, cache, args.limit_s, args.texts)
        rows = []
        for row in pool.map(row_of, able, *([each] * len(able) for each in given)):
            print(row.kind, row.program, row.seconds, row.reason, sep=" | ", flush=True)
            rows.append(row)
    result: dict[str, Any] = {"environment": {**environment(None), **machine()}, "commit": commit_of(checkout)}
    result |= {"limit_s": args.limit_s, "programs": len(rows)}
    result["counts"] = {kind: sum(row.kind == kind for row in rows) for kind in CLASSES}
    result["left_out"] = dict(Counter(one.needs for one in found if one.needs))
    result["rows"] = [asdict(row) for row in rows]
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "suites_run.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(result["counts"], indent=1))
    return 0


def programs(checkout: Path) -> list[Program]:
    """Those of which suites.py counts a file. One with another file that needs graphics or a library is left out."""
    counted = {file for file in own_files(checkout) if not needs_of(with_headers(file, checkout))}
    found = []
    for listing in sorted((checkout / "Samples").rglob("CMakeLists.txt")):
        for named in _EXECUTABLE.findall(text_of(listing)):
            name, *words = named.split()
            files = tuple((listing.parent / word).resolve() for word in words if word.endswith((".cu", ".cpp")))
            if counted & set(files):
                needs = needs_of(text_of_all(files, checkout))
                path = str(listing.parent.relative_to(checkout) / name).removeprefix("Samples/")
                found.append(Program(path, listing.parent, files, needs))
    return found


def text_of_all(files: Sequence[Path], checkout: Path) -> str:
    """The files one after another, each header of the suite once and in place. Variables that are one file's own keep
    apart from those of another file."""
    seen: set[Path] = set()
    texts = [with_headers(file, checkout, seen, every=True) for file in files]
    owners = Counter(name for text in texts for name in set(_STATIC.findall(text)))
    parts = []
    for number, text in enumerate(texts):
        shared = [name for name in sorted(set(_STATIC.findall(text))) if owners[name] > 1]
        renamed = [f"#define {name} {name}_of_{number}" for name in shared]
        parts += [*renamed, text, *(f"#undef {name}" for name in shared)]
    return "\n".join(parts)


def sources_of(program: Program, checkout: Path) -> tuple[str, str]:
    """Sources of C++ and of CUDA of an extension with `run_sample`, which ends the process as the sample ends."""
    cpp, cuda = (
        _TIMES.sub("sample_elapsed", text_of_all([one for one in program.files if one.suffix == suffix], checkout))
        for suffix in (".cpp", ".cu")
    )
    after = _AFTER.replace("NAME", Path(program.name).name)
    renamed = with_main_renamed(cpp)
    of_cpp = renamed + after if renamed != cpp else cpp
    of_cuda = cuda if renamed != cpp else with_main_renamed(cuda) + after
    return f"#include <torch/extension.h>\nvoid run_sample();\n{_BEFORE}{of_cpp}", _BEFORE + of_cuda


def with_main_renamed(text: str) -> str:
    """`main` as a function that may be called, and that gives 0 at its end as only `main` does by itself."""
    found = [one for one in functions(blank(text)) if one.name == "main" and one.is_free]
    edits = [Edit(one.at, one.at + len("main"), "sample_main") for one in found]
    ends = [text.rindex("}", one.start, one.end + 1) for one in found]
    return apply(text, sorted([*edits, *(Edit(end, end, "return 0; ") for end in ends)], key=lambda e: e.start))


def row_of(program: Program, checkout: Path, cache: Path, limit_s: int, texts: Path | None) -> Row:
    cpp, cuda = sources_of(program, checkout)
    name = Path(program.name).name
    keep(texts, {f"{name}.cpp": cpp, f"{name}.cu": cuda})
    folders = [str(program.folder), str(checkout / "Common")]
    try:
        built = build_extension(
            "sample",
            cpp,
            cuda,
            ["run_sample"],
            cache=cache,
            defines=OPERATORS,
            implicit_headers=False,
            include_paths=folders,
        )
    except CompileFailed as failed:
        first = next((one.message for one in failed.diagnostics if one.severity == "error"), failed.log)
        return Row(program.name, "not built", 0.0, grouped(first))
    except Refused as refused:
        return Row(program.name, "not built", 0.0, grouped(str(refused)))
    found = ended(built.library, program.folder, cache, limit_s)
    keep(texts, {f"{name}.txt": found.output})
    kind, reason = judged(found, limit_s)
    return Row(program.name, kind, found.seconds, " ".join(reason.split())[:MOST_LETTERS])


def keep(folder: Path | None, texts: Mapping[str, str]) -> None:
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in texts.items():
            (folder / name).write_text(text, encoding="utf-8")


def judged(found: Ended, limit_s: int) -> tuple[str, str]:
    """The class of a program that ran, and why it is not right."""
    lines = [line for line in found.output.splitlines() if line.strip()]
    failed = next((line for line in lines if _FAILED.search(line)), "")
    of_cuda = next((line for line in lines if _OF_CUDA.search(line)), "")
    last = lines[-1] if lines else "no words"
    if found.fault:
        return "fault", found.fault
    if found.late:
        return "time limit", f"more than {limit_s} s of a processor"
    if found.status == WAIVED or _WAIVED.search(found.output):
        return "waived", next((line for line in lines if _WAIVED.search(line)), last)
    if found.status == 0:
        return ("wrong", failed) if failed else ("right", "")
    if found.status < 0 or found.error or of_cuda:
        return "error", found.error or of_cuda or f"ended by signal {-found.status}: {last}"
    return "wrong", failed or f"exit status {found.status}: {last}"


if __name__ == "__main__":
    sys.exit(main())
