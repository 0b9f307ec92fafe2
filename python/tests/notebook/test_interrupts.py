"""An interrupt or the death of a kernel, in the middle of a run: what is shown, and that no process stays."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable

import pytest

from .kernels import Kernel, kernel

pytestmark = pytest.mark.drawn

ENDLESS = """import torch.nn as nn
class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
    def forward(self, x):
        import subprocess
        subprocess.Popen(["sleep", "600"], start_new_session=True)
        while True: pass
"""


def _holds(condition: Callable[[], bool], limit_s: float = 15) -> bool:
    deadline = time.monotonic() + limit_s
    while not condition() and time.monotonic() < deadline:
        time.sleep(0.1)
    return condition()


def _nothing_is_left_of_a_run(running: Kernel) -> bool:
    """At most the fork server, which the next run takes; what it forks is called the same."""
    left = list(running.started_processes().values())
    return len(left) <= 1 and all("kernelgate.processes.fork_server" in command for command in left)


def _at_the_endless_call(running: Kernel, code: str) -> str:
    request = running.start(code)
    running.finish(request, until="as given")
    assert _holds(lambda: "sleep 600 " in running.started_processes().values())
    return request


@pytest.mark.parametrize(
    ("code", "error"),
    [
        (f"%%leakyrelu_cuda\n{ENDLESS}", "NotVerified"),
        (
            f"import kernelgate\nkernelgate.verify('leakyrelu', source={ENDLESS!r})\nprint('went on')",
            "KeyboardInterrupt",
        ),
    ],
    ids=["magic", "call"],
)
def test_an_interrupt_leaves_a_cancelled_report_a_living_kernel_and_no_process_of_the_run(
    loaded: Kernel, code: str, error: str
) -> None:
    request = _at_the_endless_call(loaded, code)
    loaded.manager.interrupt_kernel()
    done = loaded.finish(request)

    assert done.displays == 1
    assert done.report["state"] == "finished"
    assert done.report["verdict"]["kind"] == "cancelled"
    assert done.report["verdict"]["sentence"] == "Cancelled at its first call: no verdict"
    assert {stage["state"] for stage in done.report["stages"]} == {"stopped", "not run"}
    assert done.error is not None and done.error[0].removeprefix("Cancelled") in (error, "")
    assert done.traceback.count("\n") == 0 and "went on" not in done.text
    assert _holds(lambda: _nothing_is_left_of_a_run(loaded))

    after = loaded.run("%leakyrelu_cuda")
    assert after.report["verdict"]["outcome"] == "pass"


def test_an_interrupt_before_the_first_process_is_up_is_a_cancelled_report_too() -> None:
    with kernel() as started:
        started.run("%load_ext kernelgate")
        request = started.start("%leakyrelu_cuda")
        started.finish(request, until="")
        started.manager.interrupt_kernel()
        done = started.finish(request)
        assert done.report["verdict"]["kind"] == "cancelled"
        again = started.run("%leakyrelu_cuda").report
        assert again["verdict"]["outcome"] == "pass", again


def test_the_death_of_a_kernel_takes_all_processes_of_its_run_along() -> None:
    with kernel() as started:
        started.run("%load_ext kernelgate")
        _at_the_endless_call(started, f"%%leakyrelu_cuda\n{ENDLESS}")
        os.kill(started.pid, signal.SIGKILL)
        assert _holds(lambda: not started.started_processes())
