"""Everything that needs a GPU, in one go: python bench/all.py OUT [--only PART ...] [--limit SECONDS] [--commit ID].

The GPU tests first, in groups that may run beside each other, then the benches. Each part is a process with a time
limit of its own; what it prints is in OUT/PART.txt, under a head that says what it was measured with, and what it
keeps beside that in OUT/PART. A part that is not reached within `--limit` seconds in all is left out and named.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from environment import environment

ROOT = Path(__file__).parents[1]
TESTS = "python/tests"


@dataclass(frozen=True)
class Part:
    """`takes_s`: seen on an H200 host with 16 cores, for the order and the limit."""

    name: str
    command: tuple[str, ...]
    takes_s: float


def _tests(name: str, takes_s: float, *words: str) -> Part:
    command = ("-m", "pytest", "-q", "-m", "gpu", "-p", "no:cacheprovider", "-rs", *words)
    return Part(f"tests-{name}", command, takes_s)


def _bench(name: str, takes_s: float, *words: str) -> Part:
    return Part(name, (f"bench/{name}.py", "{out}", "--commit", "{commit}", *words), takes_s)


def parts() -> list[Part]:
    beside = ("-n", "8") if _installed("xdist") else ()  # tests of which none watches times or processes
    return [
        _tests(
            "judge",
            180,
            f"{TESTS}/judge",
            f"{TESTS}/timing",
            f"{TESTS}/notebook/test_drawing.py",
            f"--ignore={TESTS}/judge/test_timing.py",
            *beside,
        ),
        _tests("time", 120, f"{TESTS}/judge/test_timing.py"),
        _tests("operators", 120, f"{TESTS}/catalogue"),
        _tests("attacks", 200, f"{TESTS}/attacks"),
        _tests("faults", 200, f"{TESTS}/faults"),
        _bench("verify", 60, "--device", "cuda"),
        _bench("agreement", 500),
        _bench("programs", 500, "--sanitize"),
        _bench("sanitized", 200),
        _bench("settling", 60),
        _bench("truth", 500, "--seconds", "16"),
        _bench("operators", 500),
        _bench("gemm", 300),
        _bench("soak", 500, "--device", "cuda"),
        _bench("arithmetic", 60),
    ]


def _installed(module: str) -> bool:
    found = subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False)
    return found.returncode == 0


def run(part: Part, out: Path, commit: str, limit_s: float, head: str) -> str:
    """Runs a part; what became of it, in a word or two."""
    command = [word.format(out=out / part.name, commit=commit) for word in part.command]
    began = time.monotonic()
    with (out / f"{part.name}.txt").open("w", encoding="utf-8") as log:
        log.write(f"{head}\npython {' '.join(part.command).format(out='OUT', commit='ID')}\n\n")
        log.flush()
        process = subprocess.Popen(
            [sys.executable, *command], cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            ended = f"status {process.wait(limit_s)}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, 9)
            process.wait()
            ended = "cut short"
    return f"{ended}, {time.monotonic() - began:.0f} s"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    known = {part.name: part for part in parts()}
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="+", choices=known, default=list(known))
    parser.add_argument("--limit", type=float, default=3600.0)
    parser.add_argument("--commit")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    out = args.out.resolve()
    facts = environment(args.commit)
    head = "; ".join(f"{name}: {value}" for name, value in facts.items())
    os.environ["PYTHONPATH"] = os.pathsep.join(
        [str(ROOT / "python"), *filter(None, [os.environ.get("PYTHONPATH")])]
    )
    began = time.monotonic()
    for name in args.only:
        left = args.limit - (time.monotonic() - began)
        if left < 20:
            print(f"{name:16} not reached", flush=True)
            continue
        ended = run(known[name], out, facts["commit"], min(left, 3 * known[name].takes_s), head)
        print(f"{name:16} {ended}: {_last_line(out / f'{name}.txt')}", flush=True)


def _last_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return next((line for line in reversed(lines) if line.strip()), "")[:160]


if __name__ == "__main__":
    main()
