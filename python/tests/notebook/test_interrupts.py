"""An interrupt or the death of a kernel, in the middle of a run: what is shown, and that no process stays."""

from __future__ import annotations

import os
import secrets
import signal
import time
from collections.abc import Callable

import pytest

from .kernels import Kernel, kernel, processes_with

ENDLESS = """import torch.nn as nn
class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
    def forward(self, x):
        import subprocess
        subprocess.Popen(["sleep", "600"], start_new_session=True)
        while True: pass
"""
AT_FIRST_CALL = "as given"


def _gone(find: Callable[[], set[int]], limit_s: float = 15) -> bool:
    deadline = time.monotonic() + limit_s
    while find() and time.monotonic() < deadline:
        time.sleep(0.1)
    return not find()


def _at_the_endless_call(running: Kernel, code: str) -> str:
    request = running.start(code)
    running.finish(request, until=AT_FIRST_CALL)
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
def test_an_interrupt_leaves_a_cancelled_report_a_living_kernel_and_no_process(code: str, error: str) -> None:
    marker = f"KERNELGATE_TEST={secrets.token_hex(8)}"
    with kernel(KERNELGATE_TEST=marker.partition("=")[2]) as started:
        started.run("%load_ext kernelgate")
        request = _at_the_endless_call(started, code)
        assert len(processes_with(marker)) > 2
        started.manager.interrupt_kernel()
        done = started.finish(request)

        assert done.displays == 1
        assert done.report["state"] == "finished"
        assert done.report["verdict"]["kind"] == "cancelled"
        assert done.report["verdict"]["sentence"] == "Cancelled at its first call: no verdict"
        assert {stage["state"] for stage in done.report["stages"]} == {"failed", "not run"}
        assert done.error is not None and done.error[0].removeprefix("Cancelled") in (error, "")
        assert done.traceback.count("\n") == 0 and "went on" not in done.text
        assert _gone(lambda: processes_with(marker) - {started.pid})

        after = started.run("%leakyrelu_cuda")
        assert after.report["verdict"]["outcome"] == "pass"


def test_an_interrupt_before_the_first_process_is_up_is_a_cancelled_report_too() -> None:
    with kernel() as started:
        started.run("%load_ext kernelgate")
        request = started.start("%leakyrelu_cuda")
        started.finish(request, until="")
        started.manager.interrupt_kernel()
        done = started.finish(request)
        assert done.report["verdict"]["kind"] == "cancelled"
        assert started.run("%leakyrelu_cuda").report["verdict"]["outcome"] == "pass"


def test_the_death_of_a_kernel_takes_all_processes_of_its_run_along() -> None:
    marker = f"KERNELGATE_TEST={secrets.token_hex(8)}"
    with kernel(KERNELGATE_TEST=marker.partition("=")[2]) as started:
        started.run("%load_ext kernelgate")
        _at_the_endless_call(started, f"%%leakyrelu_cuda\n{ENDLESS}")
        assert len(processes_with(marker)) > 3
        os.kill(started.pid, signal.SIGKILL)
        assert _gone(lambda: processes_with(marker))
