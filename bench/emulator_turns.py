"""Emulation now beside an earlier commit's: python bench/emulator_turns.py CHECKOUT OUT [--turns N].

CHECKOUT is a work tree of the earlier commit, as `git worktree add` makes one. Its kernels and ours, those of
bench/emulator.py that both have, run in turns, each turn in a process of its own. What is compared is processor time of
all threads, the least of 15 calls: a busy machine disturbs it little. OUT/emulator-turns.json holds every turn.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
CALLS = 15
# Runs in each tree with that tree's own package and bench, hence as text.
CHILD = """
import json, sys, tempfile, time
from pathlib import Path
tree = Path(sys.argv[1])
sys.path[:0] = [str(tree / "bench"), str(tree / "python")]
import torch
import emulator as bench
torch.set_num_threads(1)
times, built = {}, []
with tempfile.TemporaryDirectory() as cache:
    emulation = bench.install(cache=Path(cache), fault_fd=2, on_build=built.append)
    for what, name, arguments, make, _ in bench.KERNELS:
        torch.manual_seed(0)
        program, inputs = bench.load(emulation, name), make()
        with emulation.active(), emulation.guarded():
            model = program["ModelNew"](*arguments).cuda()
            on_device = [x.clone().cuda() for x in inputs]
            model(*on_device)
            samples = []
            for _ in range(int(sys.argv[2])):
                started = time.process_time()
                model(*on_device)
                samples.append(time.process_time() - started)
        times[what] = round(min(samples) * 1e3, 3)
print(json.dumps({"ms": times, "cold_builds_s": [round(b.seconds, 2) for b in built if not b.cached]}))
"""


def turn(tree: Path) -> dict[str, object]:
    command = [sys.executable, "-c", CHILD, str(tree), str(CALLS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tempfile.gettempdir())
    return {**json.loads(done.stdout.splitlines()[-1]), "load": round(os.getloadavg()[0], 1)}


def main() -> int:
    from environment import environment, machine, output_of

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    turns: dict[str, list[dict[str, object]]] = {"earlier": [], "now": []}
    for k in range(args.turns):
        order = ["earlier", "now"] if k % 2 == 0 else ["now", "earlier"]
        for which in order:
            turns[which].append(turn(args.checkout if which == "earlier" else ROOT))
    least: dict[str, dict[str, float]] = {which: _least(turns[which]) for which in turns}
    faster = {what: round(ms / least["now"][what], 2) for what, ms in least["earlier"].items() if what in least["now"]}
    earlier = output_of("git", "-C", str(args.checkout), "rev-parse", "HEAD")
    result = {"environment": {**environment(None), **machine()}, "earlier": earlier, "calls": CALLS, "turns": turns}
    args.out.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**result, "least_ms": least, "times_faster": faster}, indent=1)
    (args.out / "emulator-turns.json").write_text(text + "\n", encoding="utf-8")
    print(json.dumps(faster, indent=1))
    return 0


def _least(turns: list[dict[str, object]]) -> dict[str, float]:
    found: dict[str, float] = {}
    for each in turns:
        ms = each["ms"]
        assert isinstance(ms, dict)
        for what, value in ms.items():
            found[what] = min(found.get(what, value), value)
    return found


if __name__ == "__main__":
    sys.exit(main())
