"""Broken programs, what is offered, and whether they pass with it: python bench/fixes.py OUT --programs FOLDER
[--device cuda|emulated] [--shape 64x3072] [--at-once 4] [--only NAME ...] [--commit ID].

FOLDER holds eleven answers of language models for LeakyReLU (000 to 002) and for the product (003, 004). Each is
verified as it is, then `kernelgate fix --write` changes a copy, and the copy is verified. OUT/fixes.json has a row
each: both verdicts with their sentences, the lines that changed, whether the gradient was compared, and the seconds.
"""

from __future__ import annotations

import argparse
import difflib
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import Any

from environment import environment, machine

PRODUCT = "gemm_scale_leakyrelu"


def command(verb: str, file: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "kernelgate.cli", verb, str(file), *words],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return done.stdout if done.stdout.strip() else done.stderr


def verdict(file: Path, words: Sequence[str]) -> dict[str, Any]:
    printed = command("verify", file, "--json", *words)
    if not printed.startswith("{"):
        sys.exit(f"{file.stem}: {printed.strip()}")  # a word that the command line does not take
    report = json.loads(printed)
    print(f"{file.stem}: {report['verdict']['sentence']} ({report['elapsed_s']:.0f} s)", file=sys.stderr, flush=True)
    gates = {gate["name"]: gate["outcome"] for gate in report["gates"]}
    return {
        "outcome": report["verdict"]["outcome"],
        "sentence": report["verdict"]["sentence"],
        "line": ((report["failure"] or {}).get("where") or {}).get("line"),
        "gradient": gates.get("gradient"),
    }


def row(file: Path, device: str, shape: str | None) -> dict[str, Any]:
    began = time.monotonic()
    product = file.stem.startswith(("003", "004"))
    words = ["--problem", PRODUCT if product else "leakyrelu", "--device", device]
    words += ["--shape", shape] if shape and not product else []
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / file.name
        copy.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
        before = verdict(copy, words)
        printed = command("fix", copy, "--write", *words) if before["outcome"] != "pass" else ""
        lines = [each.read_text(encoding="utf-8").splitlines() for each in (file, copy)]
        changed = [
            line for line in difflib.unified_diff(*lines, n=0, lineterm="") if line[:3] not in ("---", "+++")
        ]
        after = verdict(copy, words) if printed else before
    return {
        "program": file.stem, "before": before, "after": after, "changed": changed, "fix": printed.strip()[-300:],
        "seconds": round(time.monotonic() - began, 1),
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--shape")
    parser.add_argument("--at-once", type=int, default=4)
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--commit")
    options = parser.parse_args()
    files = sorted(options.programs.glob("*.py"))
    files = [each for each in files if options.only is None or each.stem in options.only]
    options.out.mkdir(parents=True, exist_ok=True)
    head = {"environment": {**environment(options.commit), **machine()}, "shape": options.shape}
    rows: list[dict[str, Any]] = []
    with ThreadPoolExecutor(options.at_once) as pool:
        for done in as_completed([pool.submit(row, file, options.device, options.shape) for file in files]):
            rows.append(done.result())
            rows.sort(key=lambda each: str(each["program"]))
            # Written after each, so that a run that is cut short leaves what it has.
            (options.out / "fixes.json").write_text(json.dumps({**head, "rows": rows}, indent=1) + "\n")
            print(
                json.dumps({name: done.result()[name] for name in ("program", "before", "after", "seconds")}),
                flush=True,
            )


if __name__ == "__main__":
    main()
