"""Everything that needs a GPU, in one go: python bench/all.py OUT [--devices N ...] [--only PART ...] [--limit SECONDS]
[--commit ID].

Each part is a process with a time limit of its own; what it prints is in OUT/PART.txt, under a head that says what it
was measured with, and what it keeps beside that in OUT/PART. A part that is not reached within `--limit` seconds in all
is left out and named. What measures no time comes first, all of it at once and with all GPUs in sight. On a host of
several, `--devices 0 1` then has two parts run at a time, each with one GPU in sight.
"""

from __future__ import annotations

import argparse
import os
import queue
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from environment import environment

ROOT = Path(__file__).parents[1]
TESTS = "python/tests"


@dataclass(frozen=True)
class Part:
    """`takes_s`: about, on a host of H200s, for the limit. `timed`: whether anything else would disturb it."""

    name: str
    command: tuple[str, ...]
    takes_s: float
    timed: bool = True


def _tests(name: str, takes_s: float, *words: str, timed: bool = True) -> Part:
    command = ("-m", "pytest", "-q", "-m", "gpu", "-p", "no:cacheprovider", "-rs", *words)
    return Part(f"tests-{name}", command, takes_s, timed)


def _bench(name: str, takes_s: float, *words: str, script: str = "", timed: bool = True) -> Part:
    command = (f"bench/{script or name}.py", "{out}", "--commit", "{commit}", *words)
    return Part(name, command, takes_s, timed)


def parts() -> list[Part]:
    beside = ("-n", "8") if _installed("xdist") else ()  # tests of which none watches times or processes
    return [
        _bench("gates", 60, "--only", "gates", script="reports", timed=False),
        _tests("operators", 120, f"{TESTS}/catalogue", timed=False),
        _bench("sanitized", 60, timed=False),
        _bench("truth", 1050, "--only", "verdicts"),
        _bench("operators", 700, "--only", "full", "product", "baselines", "builds", "resources"),
        _bench("sizes", 700, "--only", "sizes", script="operators"),
        _bench("against-counters", 210, "--only", "ncu", "cheats", script="truth"),
        _bench("profiles", 200, "--only", "profiles", script="reports"),
        _bench("cell_profile", 15),
        _bench("dispatch", 60),
        _tests("time", 140, f"{TESTS}/judge/test_timing.py"),
        _bench("gemm", 300),
        _tests(
            "judge",
            180,
            f"{TESTS}/judge",
            f"{TESTS}/timing",
            f"{TESTS}/notebook/test_drawing.py",
            f"--ignore={TESTS}/judge/test_timing.py",
            *beside,
        ),
        _bench("corpus", 300),
        _tests("faults", 200, f"{TESTS}/faults"),
        _bench("verify", 60, "--device", "cuda"),
        _bench("agreement", 500),
        _bench("programs", 500, "--sanitize"),
        _bench("settling", 60),
        _bench("soak", 500, "--device", "cuda"),
        _bench("arithmetic", 60),
    ]


def _installed(module: str) -> bool:
    found = subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True, check=False)
    return found.returncode == 0


def run(part: Part, out: Path, commit: str, limit_s: float, head: str, device: str | None) -> str:
    """Runs a part, on one device or with all in sight; what became of it, in a word or two."""
    command = [word.format(out=out / part.name, commit=commit) for word in part.command]
    environ = os.environ if device is None else {**os.environ, "CUDA_VISIBLE_DEVICES": device}
    began = time.monotonic()
    with (out / f"{part.name}.txt").open("w", encoding="utf-8") as log:
        log.write(f"{head}\npython {' '.join(part.command).format(out='OUT', commit='ID')}\n\n")
        log.flush()
        process = subprocess.Popen(
            [sys.executable, *command],
            cwd=ROOT,
            env=environ,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
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
    parser.add_argument("--devices", nargs="+", help="GPUs by number or UUID that work side by side")
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

    def do(part: Part, device: str | None) -> None:
        left = args.limit - (time.monotonic() - began)
        if left < 20:
            print(f"{part.name:16} not reached", flush=True)
            return
        ended = run(part, out, facts["commit"], min(left, 3 * part.takes_s), head, device)
        print(f"{part.name:16} {ended}: {_last_line(out / f'{part.name}.txt')}", flush=True)

    asked = [known[name] for name in args.only]
    together = [threading.Thread(target=do, args=(part, None)) for part in asked if not part.timed]
    _start_and_join(together)
    waiting: queue.SimpleQueue[Part] = queue.SimpleQueue()
    for part in asked:
        if part.timed:
            waiting.put(part)

    def work(device: str | None) -> None:
        while True:
            try:
                part = waiting.get_nowait()
            except queue.Empty:
                return
            do(part, device)

    _start_and_join([threading.Thread(target=work, args=(device,)) for device in args.devices or [None]])


def _start_and_join(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _last_line(path: Path) -> str:
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return next((line for line in reversed(lines) if line.strip()), "")[:160]


if __name__ == "__main__":
    main()
