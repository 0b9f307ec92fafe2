"""A fork server whose time stage gives many verdicts on one comparison: for `truth.py`, which starts it.

The first line of the file in $TRUTH_FILE says how long each may take, and verdicts follow it, one JSON object a line,
for as long as the run's budget. Everything else is the product's.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import kernelgate.judge.stages.time as timing
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.stages.check import Checked
from kernelgate.judge.timing.lineup import Lineup
from kernelgate.processes import fork_server
from kernelgate.report.measured import Timing


def many_verdicts(run: RunContext, checked: Checked, lineup: Lineup) -> Timing:
    stage = timing.TimeStage(run, checked, lineup)
    run.live.begin("time", 1)
    stage.prepare()
    with Path(os.environ["TRUTH_FILE"]).open("a+") as file:
        file.seek(0)
        each_s = float(json.loads(file.readline())["budget_s"])
        until = time.monotonic() + run.job.budget_s
        while time.monotonic() < until:
            stage.compare("forward", "cold", each_s)
            if not stage.timing.speeds:
                continue  # too few groups for a verdict
            speed = stage.timing.speeds[-1]
            row = {"ratio": speed.ratio, "low": speed.low, "high": speed.high, "band": speed.band}
            median = stage.timing.rows[0].median_s
            print(json.dumps({"verdict": speed.verdict, "median_s": median, **row}), file=file, flush=True)
    return stage.timing


if __name__ == "__main__":
    timing.time_candidate = many_verdicts
    sys.exit(fork_server.main())
