"""Verdicts of the tools beside those of the command: python bench/agents.py OUT [--every 1] [--first 0] [--limit-s N]
[--device emulated|cuda] [--commit ID].

Each program of the corpus of attacks and honest programs (python/tests/attacks) is judged by `kernelgate verify`, and
by the tool `verify` of `kernelgate mcp`, which a real client of the Model Context Protocol calls. OUT/agents.json says
how many verdicts are equal, and names each that is not. `--every 3`: each third program, from `--first` on.
`--limit-s`: no program is begun after so many seconds.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import io
import json
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from environment import environment, machine
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from kernelgate.cli.main import main as command

TESTS = Path(__file__).parents[1] / "python" / "tests"
sys.path.insert(0, str(TESTS))
from attacks.corpus import ATTACKS, HONEST, Program, programs  # noqa: E402

HANDLE_S = 300.0


def options_of(program: Program, device: str) -> dict[str, Any]:
    """By their names in Python."""
    asks: dict[str, dict[str, Any]] = {
        "all values": {"all_values": True},
        "all sizes": {"examine_sizes": "all"},
    }
    return {"device": device, "contract": program.contract, **asks.get(program.asks, {})}


def by_command(program: Program, device: str) -> str:
    """The verdict's outcome, as `kernelgate verify --json` prints it."""
    words = ["--problem", program.problem, "--device", device, "--contract", program.contract]
    words += {"all values": ["--all-values"], "all sizes": ["--sizes", "all"]}.get(program.asks, [])
    with tempfile.NamedTemporaryFile("w", suffix=".py") as file:
        file.write(program.text)
        file.flush()
        with contextlib.redirect_stdout(io.StringIO()) as out, contextlib.redirect_stderr(io.StringIO()):
            command(["verify", file.name, "--json", *words])
    return str(json.loads(out.getvalue())["verdict"]["outcome"])


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


async def compared(asked: list[Program], device: str, limit_s: float) -> list[dict[str, str]]:
    """A row a program: its name, the one outcome and the other. Both are asked at the same time."""
    rows = []
    server = stdio_client(
        StdioServerParameters(
            command=sys.executable, args=["-m", "kernelgate.cli", "mcp"], env=dict(os.environ)
        )
    )
    deadline = time.monotonic() + limit_s
    async with Client(server) as client:
        for program in asked:
            if time.monotonic() >= deadline:
                break
            of_command, of_tool = await asyncio.gather(
                asyncio.to_thread(by_command, program, device), by_tool(client, program, device)
            )
            rows.append(
                {"program": program.name, "command": of_command, "tool": of_tool, "corpus": program.outcome}
            )
            print(json.dumps(rows[-1]), flush=True)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--limit-s", type=float, default=float("inf"))
    parser.add_argument("--device", default="emulated", choices=["emulated", "cuda"])
    parser.add_argument("--commit")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    whole = [one for one in programs(ATTACKS) + programs(HONEST) if options.device in one.devices]
    rows = asyncio.run(compared(whole[options.first :: options.every], options.device, options.limit_s))
    found = {
        "environment": {**environment(options.commit), **machine()},
        "device": options.device,
        "programs_of_the_corpus": len(whole),
        "judged": len(rows),
        "equal": sum(row["command"] == row["tool"] for row in rows),
        "verdicts": dict(Counter(row["tool"] for row in rows)),
        "other": [row for row in rows if row["command"] != row["tool"]],
        "rows": rows,
    }
    (options.out / "agents.json").write_text(json.dumps(found, indent=1) + "\n")
    print(f"{found['equal']} of {len(rows)} equal")


if __name__ == "__main__":
    main()
