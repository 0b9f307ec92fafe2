"""What the steps of nvcc take for a program that includes all of PyTorch: python bench/nvcc_steps.py OUT
--programs FOLDER [--only NAME ...] [--runs N] [--commit ID].

Needs nvcc, on the PATH or in CUDA_HOME, and no GPU. The CUDA source of each program of FOLDER is compiled as
`load_inline` has it compiled, for sm_80, one at a time: with PyTorch's headers, once, and with the headers that a build
of the judge reads, N times. OUT/nvcc-steps.json holds the seconds of each step, by `nvcc --time`, and of all.
"""

from __future__ import annotations

import argparse
import ast
import csv
import json
import os
import re
import subprocess
import sysconfig
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from environment import environment, machine

from kernelgate.compile.narrow_headers import narrow_headers
from kernelgate.program.extensions import load_inline_calls

# What PyTorch's load_inline puts above the text, and the flags that it gives nvcc.
_IMPLICIT = "#include <torch/types.h>\n#include <cuda.h>\n#include <cuda_runtime.h>\n"
_UNDECLARED = ("HALF_OPERATORS", "HALF_CONVERSIONS", "BFLOAT16_CONVERSIONS", "HALF2_OPERATORS")
_FLAGS = (
    *(f"-D__CUDA_NO_{name}__" for name in _UNDECLARED),
    *("--expt-relaxed-constexpr", "-gencode=arch=compute_80,code=sm_80", "--compiler-options", "-fPIC", "-std=c++17"),
)


def nvcc() -> str:
    home = os.environ.get("CUDA_HOME")
    return f"{home}/bin/nvcc" if home else "nvcc"


def compiled(source: Path, headers: Sequence[str]) -> dict[str, Any]:
    """The seconds of each step, of those that run twice the sum, and of the whole. Raises CalledProcessError."""
    from torch.utils.cpp_extension import include_paths

    times = source.with_suffix(".csv")
    folders = [*headers, *include_paths("cuda"), sysconfig.get_paths()["include"]]
    command = [nvcc(), "--time", str(times), *(f"-I{folder}" for folder in folders), *_FLAGS]
    times.unlink(missing_ok=True)
    started = time.perf_counter()
    subprocess.run([*command, "-c", str(source), "-o", str(source.with_suffix(".o"))], check=True, capture_output=True)
    seconds = time.perf_counter() - started
    steps: dict[str, float] = {}
    for row in csv.reader(times.read_text(encoding="utf-8").splitlines()[1:]):
        name = re.sub(r"[^a-z+]+\d*", " ", row[1]).strip()  # "gcc (preprocessing 4)" and 1 are one step
        steps[name] = round(steps.get(name, 0.0) + float(row[6]) / 1e3, 3)
    return {"seconds": round(seconds, 2), "steps_s": steps}


def rows_of(name: str, program: str, runs: int) -> list[dict[str, Any]]:
    import torch

    (call,) = load_inline_calls(ast.parse(program))
    cpp, cuda = (
        [ast.literal_eval(text) for text in call.literals[name]] for name in ("cpp_sources", "cuda_sources")
    )
    pytorch = Path(torch.__file__).parent / "include"
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "cuda.cu"
        source.write_text(_IMPLICIT + "\n".join(cuda), encoding="utf-8")
        narrow = Path(folder) / "narrow"
        for header, text in (narrow_headers(cpp, cuda, pytorch, implicit=True) or {}).items():
            (narrow / header).parent.mkdir(parents=True, exist_ok=True)
            (narrow / header).write_text(text, encoding="utf-8")
        for which, headers, count in (("all", [], 1), ("those in use", [str(narrow)], runs)):
            for _ in range(count):
                load = round(os.getloadavg()[0], 1)
                rows.append({"program": name, "headers": which, "load": load, **compiled(source, headers)})
                print(json.dumps(rows[-1]), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--only", nargs="*", default=["003-1", "004-0", "004-1"])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--commit")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    whole: dict[str, Any] = {"environment": {**environment(options.commit), **machine()}, "results": []}
    for name in options.only:
        program = (options.programs / f"{name}.py").read_text(encoding="utf-8")
        whole["results"] += rows_of(name, program, options.runs)
        (options.out / "nvcc-steps.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
