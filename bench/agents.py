"""Verdicts of the tools beside those of the command: python bench/agents.py OUT [--every 1] [--first 0] [--at-once 1]
[--limit-s N] [--server URL] [--device emulated|cuda] [--commit ID].

Each program of the corpus of attacks and honest programs (python/tests/attacks) is judged by `kernelgate verify`, and
by the tool `verify` of `kernelgate mcp`, which a real client of the Model Context Protocol calls; with `--server` the
tools run in a kernel of that Jupyter server or kernel gateway. OUT/agents.jsonl has a row a program, and a later
command with the same OUT goes on from it. OUT/agents.json says how many outcomes are equal, and names each that is not;
where chance decides about a program, as its own docstring says, the row says so. A program that one of them could not
judge, as on a machine that is too busy, is not counted, and a later command tries it again. `--every 3`: each third
program, from `--first` on. `--at-once`: so many programs side by side. `--limit-s`: no program is begun after so many
seconds. The exit status is 0 if the whole corpus is judged and all outcomes are equal.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from environment import environment, machine
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

TESTS = Path(__file__).parents[1] / "python" / "tests"
sys.path.insert(0, str(TESTS))
from attacks.corpus import ATTACKS, HONEST, Program, programs  # noqa: E402
from attacks.judged import shape_of  # noqa: E402

HANDLE_S = 300.0


def options_of(program: Program, device: str) -> dict[str, Any]:
    """By their names in Python."""
    asks: dict[str, dict[str, Any]] = {
        "all values": {"all_values": True},
        "all sizes": {"examine_sizes": "all"},
    }
    shape = shape_of(program, device)
    sized = {"shape": list(shape)} if shape is not None else {}
    return {"device": device, "contract": program.contract, **asks.get(program.asks, {}), **sized}


def by_command(program: Program, device: str) -> str:
    """The verdict's outcome, as `kernelgate verify --json` prints it."""
    words = ["--problem", program.problem, "--device", device, "--contract", program.contract]
    words += {"all values": ["--all-values"], "all sizes": ["--sizes", "all"]}.get(program.asks, [])
    shape = shape_of(program, device)
    words += ["--shape", "x".join(map(str, shape))] if shape is not None else []
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "program.py"
        file.write_text(program.text)
        command = [sys.executable, "-m", "kernelgate.cli", "verify", str(file), "--json", *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return str(json.loads(done.stdout)["verdict"]["outcome"])


async def by_tool(client: Client, program: Program, device: str) -> str:
    """The outcome of the tool's answer, however long it takes."""

    async def call(name: str, **arguments: Any) -> dict[str, Any]:
        answered = await client.call_tool(name, arguments)
        if answered.is_error or answered.structured_content is None:
            raise RuntimeError(str(answered.content))
        return dict(answered.structured_content)

    options = options_of(program, device)
    found = await call("verify", program=program.text, problem=program.problem, options=options, wait_s=30)
    while found["state"] == "running":
        found = await call("result", handle=found["handle"], wait_s=HANDLE_S)
    return str(found["outcome"])


class Rows:
    """OUT/agents.jsonl: what is known of each program."""

    def __init__(self, path: Path) -> None:
        self._path = path
        lines = path.read_text().splitlines() if path.exists() else []
        self.known: dict[str, dict[str, str]] = {row["program"]: row for row in map(json.loads, lines)}

    def add(self, row: dict[str, str]) -> None:
        self.known[row["program"]] = row
        with self._path.open("a") as file:
            file.write(json.dumps(row) + "\n")
        print(json.dumps(row), flush=True)


async def compared(
    asked: Sequence[Program], rows: Rows, words: Sequence[str], device: str, at_once: int, limit_s: float
) -> None:
    """A row a program: its name, the one outcome and the other. Both are asked at the same time."""
    server = stdio_client(
        StdioServerParameters(
            command=sys.executable, args=["-m", "kernelgate.cli", "mcp", *words], env=dict(os.environ)
        )
    )
    deadline = time.monotonic() + limit_s
    free = asyncio.Semaphore(at_once)

    async def one(program: Program) -> None:
        async with free:
            if time.monotonic() >= deadline:
                return
            of_command, of_tool = await asyncio.gather(
                asyncio.to_thread(by_command, program, device), by_tool(client, program, device)
            )
        row = {"program": program.name, "command": of_command, "tool": of_tool, "corpus": program.outcome}
        if "not run" in (of_command, of_tool) and program.outcome != "not run":
            print(f"No verdict, and not counted: {json.dumps(row)}", flush=True)
            return
        rows.add({**row, "wavers": program.wavers} if program.wavers else row)

    async with Client(server) as client:
        await asyncio.gather(*(one(program) for program in asked if program.name not in rows.known))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--at-once", type=int, default=1)
    parser.add_argument("--limit-s", type=float, default=float("inf"))
    parser.add_argument("--server", help="of a Jupyter server or kernel gateway; its token is JUPYTER_TOKEN")
    parser.add_argument("--device", default="emulated", choices=["emulated", "cuda"])
    parser.add_argument("--commit")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    every = programs(ATTACKS) + programs(HONEST)
    whole = [one for one in every if options.device in one.devices and not one.reference]
    rows = Rows(options.out / "agents.jsonl")
    words = ["--server", options.server] if options.server else []
    try:
        part = whole[options.first :: options.every]
        asyncio.run(compared(part, rows, words, options.device, options.at_once, options.limit_s))
    finally:  # also if it was interrupted
        known = list(rows.known.values())
        found = {
            "environment": {**environment(options.commit), **machine()},
            "device": options.device,
            "server": options.server or "",
            "programs_of_the_corpus": len(whole),
            "judged": len(known),
            "equal": sum(row["command"] == row["tool"] for row in known),
            "verdicts": dict(Counter(row["tool"] for row in known)),
            "other": [row for row in known if row["command"] != row["tool"]],
            "rows": known,
        }
        (options.out / "agents.json").write_text(json.dumps(found, indent=1) + "\n")
        print(f"{found['equal']} of {len(known)} equal, of {len(whole)} in the corpus", flush=True)
    return 0 if found["equal"] == len(whole) else 1


if __name__ == "__main__":
    sys.exit(main())
