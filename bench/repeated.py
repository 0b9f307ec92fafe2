"""A warm process whose time stage gives many verdicts on one comparison: for `truth.py`, which starts it.

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
from kernelgate.judge.compare import Comparer
from kernelgate.judge.reference import Reference
from kernelgate.judge.run_context import RunContext
from kernelgate.processes import fork_server


def many_verdicts(judge: RunContext, reference: Reference, comparer: Comparer, device_index: int) -> None:
    stage = timing.TimeStage(judge, reference, comparer, device_index)
    judge.record.begin("time", 1)
    try:
        stage.prepare()
        with Path(os.environ["TRUTH_FILE"]).open("a+") as file:
            file.seek(0)
            each_s = float(json.loads(file.readline())["budget_s"])
            until = time.monotonic() + judge.job.budget_s
            while time.monotonic() < until:
                stage.compare("forward", "cold", each_s)
                assert judge.report.timing is not None
                if not judge.report.timing.speeds:
                    continue  # too few groups for a verdict
                speed = judge.report.timing.speeds[-1]
                row = {"ratio": speed.ratio, "low": speed.low, "high": speed.high, "band": speed.band}
                median = judge.report.timing.rows[0].median_s
                print(
                    json.dumps({"verdict": speed.verdict, "median_s": median, **row}), file=file, flush=True
                )
    finally:
        stage.close()


if __name__ == "__main__":
    timing.time_candidate = many_verdicts
    sys.exit(fork_server.main())
