"""Kernels of public suites, built in emulation: python bench/suites.py CHECKOUT... OUT

CHECKOUT is a clone of github.com/NVIDIA/cuda-samples or of a Rodinia; its text stays if it is. Of each CUDA file the
device code is cut out, with the headers that lie beside it, and built as a load_inline program's is; nothing is run.
OUT/suites.json holds, for each suite, how many files and kernels build, and which are not taken, by their reasons.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from environment import environment, machine

from kernelgate.cuda_source import Refused
from kernelgate.cuda_source.device_part import DevicePart, declarations, device_part
from kernelgate.cuda_source.functions import kernels
from kernelgate.cuda_source.instances import instances
from kernelgate.emulator import CompileFailed, build_extension

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*["<]([^">]+)[">][^\n]*', re.MULTILINE)
# Graphics, and libraries of which a kernel of the file itself may need types: no part of what a program here may use.
_GRAPHICS = re.compile(
    r"(?:^|[/ ])(?:GL|GLFW|EGL|vulkan|X11)/|DirectX|helper_gl|cuda_gl|d3d\d|cudaD3D"
    r"|rendercheck|NvSci|nvsci|cudaEGL|vulkan|glew|freeglut"
)
_LIBRARIES = re.compile(
    r"cublas|cufft|cusparse|cusolver|curand|npp|nvjpeg|nvrtc|nvgraph|cudnn|mpi\.h|omp\.h|thrust/|FreeImage|opencv|cudss|tbb/|boost/"
)
_MOST_LETTERS = 60
# PyTorch's build takes the operators of half away, and these suites are not built by it.
_TAKEN_AWAY = ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS", "BFLOAT16_CONVERSIONS")
OPERATORS = [f"-U__CUDA_NO_{name}__" for name in _TAKEN_AWAY]


@dataclass(frozen=True)
class Outcome:
    """Of one file. `reason`: "" where it builds; `line`: of the cut text."""

    file: str
    kernels: int
    needs: str
    reason: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkouts", type=Path, nargs="+", metavar="CHECKOUT")
    parser.add_argument("out", type=Path)
    args = parser.parse_args()
    result: dict[str, Any] = {"environment": {**environment(None), **machine()}, "suites": {}}
    for checkout in args.checkouts:
        result["suites"][checkout.name] = of_suite(checkout)
    args.out.mkdir(parents=True, exist_ok=True)
    (args.out / "suites.json").write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return 0


def of_suite(checkout: Path) -> dict[str, Any]:
    files = own_files(checkout)
    with tempfile.TemporaryDirectory() as cache, ThreadPoolExecutor(2) as pool:
        outcomes = list(pool.map(lambda file: outcome_of(file, checkout, Path(cache)), files))
    able = [one for one in outcomes if not one.needs]
    built = [one for one in able if not one.reason]
    reasons = Counter(one.reason for one in able if one.reason)
    return {
        "commit": commit_of(checkout),
        "files": len(able),
        "files_built": len(built),
        "kernels": sum(one.kernels for one in able),
        "kernels_built": sum(one.kernels for one in built),
        "left_out": dict(Counter(one.needs for one in outcomes if one.needs)),
        "reasons": dict(reasons.most_common()),
        "not_built": [asdict(one) for one in able if one.reason],
    }


def commit_of(checkout: Path) -> str:
    shown = ["git", "-C", str(checkout), "rev-parse", "HEAD"]
    return subprocess.run(shown, capture_output=True, text=True, check=False).stdout.strip()


def own_files(checkout: Path) -> list[Path]:
    """Those with kernels of their own, or in a file that they include, and that no other file includes."""
    every = sorted(checkout.rglob("*.cu"))
    named = [(file, name) for file in every for name in _INCLUDE.findall(text_of(file))]
    included = {(file.parent / name).resolve() for file, name in named if name.endswith(".cu")}
    return [file for file in every if file.resolve() not in included and "__global__" in with_headers(file, checkout)]


def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def with_headers(file: Path, checkout: Path, seen: set[Path] | None = None, *, every: bool = False) -> str:
    """The text of a file, with what lies in its folder or in the suite's `Common` and has device code in its place;
    with `every` also what has none. Headers in `seen`, which grows, are there already."""
    seen = seen if seen is not None else set()
    seen.add(file.resolve())

    def replaced(found: re.Match[str]) -> str:
        for folder in (file.parent, *file.parents[1:3], checkout / "Common"):
            header = (folder / found[1]).resolve()
            if header.is_file() and header.is_relative_to(checkout.resolve()):
                if header in seen:
                    return ""
                text = with_headers(header, checkout, seen, every=every)
                return text if every or "__device__" in text or "__global__" in text or "#define" in text else ""
        return found[0]

    return _INCLUDE.sub(replaced, text_of(file))


def needs_of(text: str) -> str:
    """What a file needs that no program here may use, by the headers and namespaces it names; "" for nothing."""
    headers = " ".join([*_INCLUDE.findall(text), *re.findall(r"using namespace (\w+)", text)])
    return "graphics" if _GRAPHICS.search(headers) else "a library" if _LIBRARIES.search(headers) else ""


def of_standard_library(text: str) -> list[str]:
    """Headers of C++ that the cut has taken out with the host's, and whose names may be left."""
    return [f"#include <{name}>" for name in dict.fromkeys(_INCLUDE.findall(text)) if re.fullmatch(r"[a-z_]+", name)]


def outcome_of(file: Path, checkout: Path, cache: Path) -> Outcome:
    text = with_headers(file, checkout)
    name, count = str(file.relative_to(checkout)), len(kernels(text))
    if needs := needs_of(text):
        return Outcome(name, count, needs, "")
    hosts = [one for one in declarations(text) if one.kind == "host" and not one.inside]
    part = device_part(text, marked=False, without=hosts)
    try:
        binding = "torch::Tensor none(torch::Tensor x);"
        program = wrapped(part, of_standard_library(text))
        build_extension("suite", binding, program, ["none"], cache=cache, defines=OPERATORS)
    except CompileFailed as failed:
        first = next((one.message for one in failed.diagnostics if one.severity == "error"), "the compiler failed")
        return Outcome(name, count, "", grouped(first))
    except Refused as refused:
        return Outcome(name, count, "", grouped(str(refused)))
    return Outcome(name, count, "", "")


def wrapped(part: DevicePart, headers: list[str]) -> str:
    """The device code as a program, with each kernel that the file launches made for its template arguments."""
    made = [one.name for one in instances(part) if one.kernel.template and not one.guessed]
    used = [f"[[gnu::used]] static auto made_{k} = &{name};" for k, name in enumerate(made)]
    none = "torch::Tensor none(torch::Tensor x) { return x; }"
    return "\n".join(["#include <torch/extension.h>", *headers, part.text, *used, none])


def grouped(reason: str) -> str:
    """A reason without the line and the numbers that make it one file's."""
    short = re.sub(r", line \d+.*", "", reason.split("\n")[0]).removeprefix("cannot be emulated: ")
    return short.replace("‘", "'").replace("’", "'")[:_MOST_LETTERS * 2]


if __name__ == "__main__":
    sys.exit(main())
