"""A judge that writes down when each of its steps began. bench/verify.py has it run in place of the usual one.

In: a run's channels, and the file that $KERNELGATE_STEPS names. Out: one JSON list a run: words and seconds.
"""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

from kernelgate.judge.pipeline import judge_main
from kernelgate.judge.run.live_report import LiveReport
from kernelgate.messages.channel import Channel

_BEGINNING = "judge, reference and first worker"


def judge_with_steps(client: Channel, control: Channel) -> None:
    """The body of a judge process, as `judge_main` is."""
    steps = [(_BEGINNING, time.perf_counter())]
    doing = LiveReport.doing

    def noted(live: LiveReport, words: str, *, at_once: bool = False) -> None:
        steps.append((words, time.perf_counter()))
        doing(live, words, at_once=at_once)

    LiveReport.doing = noted  # type: ignore[method-assign]
    try:
        judge_main(client, control)
    finally:
        ends = [began for _words, began in steps[1:]] + [time.perf_counter()]
        rows = [(words, end - began) for (words, began), end in zip(steps, ends, strict=True)]
        with Path(os.environ["KERNELGATE_STEPS"]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(rows) + "\n")
