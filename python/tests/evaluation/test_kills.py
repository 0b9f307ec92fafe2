"""An evaluation of real candidates, whose processes are killed: the same command goes on, and each is judged once."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from cli.commands import PACKAGE
from faults.traces import Place
from judge.candidates import cuda_program, forward

CANDIDATES = {
    "right.py": (forward("return F.leaky_relu(x, s)"), "pass"),
    "wrong.py": (forward("return F.relu(x)"), "fail"),
    "crash.py": (forward("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)"), "fail"),
    "no_compile.py": (cuda_program("y[i] = x[j];"), "fail"),
    "hang.py": (forward("while True:\n    pass"), "unclear"),
}


def list_of_jobs(folder: Path) -> Path:
    lines = []
    for name, (text, _) in CANDIDATES.items():
        (folder / name).write_text(text)
        options: dict[str, Any] = {"timeout": 4} if name == "hang.py" else {}
        lines.append(json.dumps({"candidate": name, "problem": "leakyrelu", "options": options}))
    path = folder / "jobs.jsonl"
    path.write_text("\n".join(lines))
    return path


def judges(place: Place) -> list[int]:
    """The oldest that each fork server has forked, once there are two: a judge, whose worker is younger."""
    running = place.processes()
    servers = [p.pid for p in running if "processes.fork_server" in p.command]
    forked = [sorted(p.pid for p in running if p.parent == server) for server in servers]
    return [pids[0] for pids in forked if len(pids) > 1]


def kill_a_judge(place: Place) -> bool:
    """False where there is none at the moment."""
    for pid in judges(place)[:1]:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            return True
    return False


def rows(results: Path) -> list[dict[str, Any]]:
    lines = results.read_bytes().split(b"\n")[:-1] if results.exists() else []
    return [json.loads(line) for line in lines]


def wait_for(what: str, condition: Any) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)


@pytest.mark.drawn
def test_after_kill_9_of_judges_and_of_itself_the_same_command_judges_each_once(
    tmp_path: Path, cache: Path
) -> None:
    jobs, results = list_of_jobs(tmp_path), tmp_path / "results.jsonl"
    (tmp_path / "temporary").mkdir()
    place = Place(tmp_path / "temporary", cache)
    environment = {
        **os.environ,
        "PYTHONPATH": PACKAGE,
        "KERNELGATE_TEST": place.mark,
        "KERNELGATE_CACHE": str(cache),
    }
    words = ["evaluate", str(jobs), "--device", "emulated", "--shape", "8x64", "--jobs", "2", "--json"]
    command = [sys.executable, "-m", "kernelgate.cli", *words, "--results", str(results)]

    first = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    wait_for("a row", lambda: len(rows(results)) >= 2)
    first.kill()
    first.wait()
    before = len(rows(results))
    with results.open("ab") as file:
        file.write(b'{"schema":1,"key":"half a ro')  # as a killed process may leave it
    wait_for("the end of what it started", lambda: not place.processes())

    second = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for("a judge", lambda: kill_a_judge(place))
    out, err = second.communicate(timeout=300)
    assert second.returncode == 1, err

    found = rows(results)
    assert len({row["key"] for row in found}) == len(found) == len(CANDIDATES)
    assert out.count("\n") == len(found) - before
    verdicts = {row["name"]: row["report"]["verdict"]["outcome"] for row in found}
    assert verdicts == {name: outcome for name, (_, outcome) in CANDIDATES.items()}
    assert sorted(row["attempts"] for row in found)[-2:] == [1, 2]  # the killed one was judged again

    third = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert (third.returncode, third.stdout) == (1, "")
    assert f"{len(CANDIDATES)} of them judged before" in third.stderr and len(rows(results)) == len(
        CANDIDATES
    )
