"""The loop of somebody who writes a kernel: python bench/loop.py OUT --programs FOLDER [--only NAME ...]
[--device DEVICE] [--commit ID].

Each program of FOLDER is verified with an empty build cache, again, and then with one change within its first kernel;
the catalogue's programs follow. OUT/loop.json holds what `load_inline` took of each run, what the stage of it took, in
which the program is imported and called once, and what all of it took, in seconds. The aims, on a host with an H200:
10 s for the first build of a program that includes all of PyTorch, 3 s after a change of a kernel, 5 s for the first
build of the catalogue's programs, and 0.3 s for a build that is there.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import tempfile
import time
from pathlib import Path
from typing import Any

from environment import environment, machine

from kernelgate.catalogue import operators
from kernelgate.run import Job, new_run_id, run

# Seed programs that build as they are, with the problem that each is for.
PROBLEMS = dict.fromkeys(("003-1", "004-0", "004-1"), "gemm_scale_leakyrelu")
SHAPES = {"leakyrelu": (64, 3072), "scale_leakyrelu": (64, 3072), "gemm_scale_leakyrelu": (64, 512, 512)}


def edited(text: str) -> str:
    """The program with one more statement in its first kernel, which changes nothing."""
    changed, times = re.subn(r"(__global__[^{};]*\{)", r"\1 if (gridDim.x == 0) return;", text, count=1)
    if not times:
        raise ValueError("no kernel was found to change")
    return changed


def timed(text: str, name: str, problem: str, device: str) -> dict[str, Any]:
    job = Job(
        run=new_run_id(), text=text, label=f"{name}.py", problem=problem, shape=SHAPES[problem], device=device,
        examine=False,
    )  # fmt: skip
    began = time.perf_counter()
    report = run(job)
    seconds = time.perf_counter() - began
    stage_s = sum(stage.seconds for stage in report.stages if stage.name == "build")
    verdict = report.verdict.sentence if report.verdict is not None else "none"
    built = report.build
    build_s = built.seconds if built is not None else 0.0
    spent = {"build_s": round(build_s, 2), "stage_s": round(stage_s, 2), "run_s": round(seconds, 2)}
    return {**spent, "built_by": built.compiler if built is not None else "", "verdict": verdict}


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--programs", type=Path, required=True, help="a folder with 003-1.py and its kin")
    parser.add_argument("--only", nargs="+")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    texts = {name: (args.programs / f"{name}.py").read_text(encoding="utf-8") for name in PROBLEMS}
    texts |= {name: operator.program_text or "" for name, operator in operators().items()}
    rows = []
    with tempfile.TemporaryDirectory() as cache:
        os.environ["KERNELGATE_CACHE"] = cache  # empty, so that nothing is built
        for name in args.only or texts:
            problem = PROBLEMS.get(name, name)
            row: dict[str, Any] = {"program": name}
            for what, text in (
                ("first", texts[name]),
                ("again", texts[name]),
                ("edited", edited(texts[name])),
            ):
                row[what] = timed(text, name, problem, args.device)
            rows.append(row)
            print(json.dumps(row), flush=True)
            whole = {"environment": {**environment(args.commit), **machine()}, "rows": rows}
            (args.out / "loop.json").write_text(json.dumps(whole, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
