"""A candidate that crashes, exits, hangs or forks costs its own run only."""

from __future__ import annotations

import pytest
from judge.candidates import forward

from .conftest import RIGHT, Check

pytestmark = pytest.mark.drawn

FAULTS = {
    "segmentation fault": ("import ctypes\nctypes.string_at(0)", "fault", "null pointer"),
    "abort": ("import os\nos.abort()", "fault", "an abort in native code"),
    "exit": ("import os\nos._exit(3)", "fault", "Ended its process"),
    "exit beside a process that shares memory": (
        "import os, time\nname = '/dev/shm/torch_{}_1_0'\nchild = os.fork()\n"
        "if not child:\n    open(name.format(os.getpid()), 'w').close()\n    time.sleep(600)\n"
        "while not os.path.exists(name.format(child)):\n    time.sleep(0.01)\nos._exit(3)",
        "fault",
        "Ended its process",
    ),
    "a signal to itself": ("import os\nos.kill(os.getpid(), 9)", "fault", "a kill"),
    "endless loop": ("while True:\n    pass", "timeout", "Timed out after 2 s"),
    "deaf to every signal": (
        "import signal\nfor number in range(1, 32):\n    if number not in (9, 19):\n"
        "        signal.signal(number, signal.SIG_IGN)\nwhile True:\n    pass",
        "timeout",
        "Timed out after 2 s",
    ),
    # It holds the interpreter's lock, and looks for no signal.
    "endless loop in C": ("import itertools\nsum(itertools.repeat(0))", "timeout", "Timed out after 2 s"),
    "stopped": ("import os\nos.kill(os.getpid(), 19)", "timeout", "Timed out after 2 s"),
}


@pytest.mark.parametrize(("body", "kind", "words"), FAULTS.values(), ids=FAULTS.keys())
def test_a_process_that_ends_or_hangs(fault: Check, body: str, kind: str, words: str) -> None:
    report = fault(forward(body))
    assert report.verdict is not None
    assert report.verdict.kind == kind, report.verdict.sentence
    assert words in report.verdict.sentence


def test_threads_that_raise_or_never_end_and_a_deadlock_at_exit(fault: Check) -> None:
    """All in one: none of them makes the result wrong."""
    text = f"""
import atexit, threading
def fails():
    raise ValueError("in a thread")
failing = threading.Thread(target=fails)
failing.start()
failing.join()
threading.Thread(target=threading.Event().wait).start()
atexit.register(threading.Event().wait)
{RIGHT}
"""
    report = fault(text)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert "in a thread" in report.output


FORKS = """
import os, time
for _ in range(11):
    if os.fork() == 0:
        {child}
time.sleep(600)
"""


@pytest.mark.parametrize("child", ["pass", "os.setsid()"], ids=["in its group", "outside of it"])
def test_a_fork_bomb(fault: Check, child: str) -> None:
    forks = FORKS.format(child=child)
    report = fault(
        forward(f"import subprocess, sys\nsubprocess.run([sys.executable, '-S', '-c', {forks!r}])")
    )
    assert report.verdict is not None
    assert report.verdict.sentence.startswith("Started too many processes while calling ModelNew"), report
