"""An evaluation in processes of its own, for bench/evaluate.py: it is followed, and disturbed with SIGKILL.

In: an engine, a list of jobs, where its rows go. Out: its rows, what was killed, what was left behind. Not here: what
the verdicts should be.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "python" / "tests"))
from faults.traces import Process, marked_processes

SILENT_S = 180.0
SAID_EVERY_S = 10.0
OURS_END_S = 30.0
ENGINE_ENDS_S = 5.0
MARK = "KERNELGATE_BENCH"
OF_RAY = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_raylet_start_wait_time_s": "170"}


class Evaluation:
    """One command, begun again as often as it ends before all is judged."""

    def __init__(self, engine: str, jobs: Path, results: Path, slots: int) -> None:
        self._name = engine
        self._mark = secrets.token_hex(8)
        script = Path(__file__).with_name("engines.py")
        self._command = [sys.executable, str(script), engine, str(jobs), str(results), "--slots", str(slots)]
        self._results = results
        self._log = results.with_suffix(".log").open("w")
        self.starts = 0
        self.killed: list[str] = []
        self.left_by_engine = 0
        self.left_behind: list[str] = []
        self._begin()

    def _begin(self) -> None:
        self.starts += 1
        environment = {**os.environ, MARK: self._mark, **OF_RAY}
        self.process = subprocess.Popen(
            self._command, env=environment, stdout=subprocess.DEVNULL, stderr=self._log, start_new_session=True
        )

    def processes(self) -> list[Process]:
        """Those with the mark in their environment that still run."""
        return marked_processes(self._mark)

    def rows(self) -> list[dict[str, Any]]:
        lines = self._results.read_bytes().split(b"\n")[:-1] if self._results.exists() else []
        return [json.loads(line) for line in lines]

    def follow(self, is_whole: Callable[[list[dict[str, Any]]], bool], count: int, kills: int, deadline: float) -> bool:
        """Until the rows are whole. False if that was not so at the deadline.

        Each kill comes at a random moment: up to 2 s after a random one of `count` rows, while a run is under way.
        """
        wanted = sorted(random.randrange(max(1, count - 1)) for _ in range(kills))
        not_before = 0.0
        began = said = last_row = time.monotonic()
        seen = 0
        while (now := time.monotonic()) < deadline:
            rows = self.rows()
            if len(rows) > seen:
                seen, last_row = len(rows), now
            if now - said > SAID_EVERY_S:
                said = now
                print(
                    f"{self._name}: {seen} rows of {count}, {len(self.killed)} of {kills} kills, "
                    f"{self.starts} starts, {now - began:.0f} s",
                    flush=True,
                )
            if self.process.poll() is not None:
                if is_whole(rows):
                    self.end()
                    return True
                if self.starts > kills + 5:
                    self.end()
                    return False
                self.end()
                self._begin()
                last_row = time.monotonic()
            elif wanted and seen >= wanted[0]:
                not_before = not_before or now + random.uniform(0, 2)
                if now >= not_before and (kind := self._kill_one()):
                    self.killed.append(kind)
                    del wanted[0]
                    not_before = 0.0
            elif now - last_row > SILENT_S:
                self.killed.append("the evaluation, which was silent")
                kill(self.process.pid)
                last_row = now
            time.sleep(0.2)
        self.end()
        return False

    def _kill_one(self) -> str:
        """Kills the evaluation, a worker of the engine, or a process of a run; which of them, "" if no run is
        under way."""
        running = self.processes()
        servers = [one for one in running if "processes.fork_server" in one.command]
        pids = {one.pid for one in servers}
        victims = [("a process of a run", one.pid) for one in servers if one.parent in pids]
        if not victims:
            return ""
        victims += [("the evaluation", self.process.pid)]
        victims += [
            ("a worker", one.parent) for one in servers if one.parent not in pids | {self.process.pid, 1}
        ]
        victims += [("a fork server", one.pid) for one in servers if one.parent not in pids]
        kind = random.choice(sorted({kind for kind, _ in victims}))
        kill(random.choice([pid for one, pid in victims if one == kind]))
        return kind

    def end(self) -> None:
        """Waits until all that it started is gone. What an engine leaves is ended; what a run of ours leaves is ended
        after 30 s, and noted."""
        kill(self.process.pid)
        self.process.wait()
        deadline = time.monotonic() + ENGINE_ENDS_S
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.1)
        of_engine = [one for one in left if "kernelgate.processes" not in one.command]
        self.left_by_engine += len(of_engine)
        for process in of_engine:
            kill(process.pid)
        deadline = time.monotonic() + OURS_END_S
        while (left := self.processes()) and time.monotonic() < deadline:
            time.sleep(0.1)
        for process in left:
            self.left_behind.append(process.command[:120])
            kill(process.pid)


def kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
