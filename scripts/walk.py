"""Counts what a stranger's walk through a run costs: how often the reading goes to another folder, and comes back.

    python scripts/walk.py FILE [words of `kernelgate verify`] [--list]

In: a run of the command: each function of ours counts once, if it is first called, as a reader opens it once. Out:
stays (a folder, as long as the next function is in it), and returns (a stay in a folder that the walk has left before).
The command and the judge are two walks, as they are two processes.
"""

from __future__ import annotations

import itertools
import os
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

OURS = Path(__file__).parents[1] / "python" / "kernelgate"
FOLDER = "KERNELGATE_WALK"


def followed(name: str, body: Callable[..., Any], *given: Any) -> Any:
    """What the body gives; the folders of the functions that it calls are written to a file of that name."""
    seen: set[CodeType] = set()
    rooms: list[str] = []

    def called(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        ours = code.co_filename.startswith(f"{OURS}/") and not code.co_name.startswith("<")
        if event == "call" and ours and code not in seen:
            seen.add(code)
            file = Path(code.co_filename)
            rooms.append(f"{file.parent.relative_to(OURS)} {file.stem} {code.co_name}")

    sys.setprofile(called)
    threading.setprofile(called)
    try:
        return body(*given)
    finally:
        sys.setprofile(None)
        (Path(os.environ[FOLDER]) / name).write_text("\n".join(rooms))


def judge(*given: Any) -> None:
    """The body of a judge process."""
    from kernelgate.judge.pipeline import judge_main

    followed("judge", judge_main, *given)


def main() -> int:
    from kernelgate.cli.main import main as command
    from kernelgate.run import client

    words = [str(Path(word).resolve()) if Path(word).is_file() else word for word in sys.argv[1:] if word != "--list"]
    client.ROLES = ("walk:judge", *client.ROLES[1:])
    with tempfile.TemporaryDirectory() as folder:
        os.environ[FOLDER] = folder
        os.chdir(folder)  # what lies in the current folder, a process of ours does not import
        os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")])
        status = followed("run", command, ["verify", *words])
        walks = {name: (Path(folder) / name).read_text().splitlines() for name in ("run", "judge")}
    for name, walk in walks.items():
        stays = [(room, [*steps]) for room, steps in itertools.groupby(walk, lambda step: step.partition(" ")[0])]
        returns = len(stays) - len({room for room, _steps in stays})
        print(f"{name}: {len(walk)} functions, {len(stays)} stays in {len(stays) - returns} folders, {returns} returns")
        for room, steps in stays if "--list" in sys.argv else ():
            print(f"  {room}: {', '.join('.'.join(step.split(' ')[1:]) for step in steps)}"[:200])
    return int(status or 0)


if __name__ == "__main__":
    sys.exit(main())
