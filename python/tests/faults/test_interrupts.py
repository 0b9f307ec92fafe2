"""The judge killed, and an interrupt at every stage of a run."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

import pytest
from judge.candidates import RIGHT_CUDA, cuda_program, forward

from kernelgate.report import Report
from kernelgate.run import Job, new_run_id, run

from .conftest import RIGHT, SMALL, Survived
from .traces import Place

pytestmark = pytest.mark.drawn

COMPILES = cuda_program(f"{RIGHT_CUDA} // interrupted")
IMPORTS = f"import time\ntime.sleep(600)\n{RIGHT}"
CALLS = forward("import time\ntime.sleep(600)")


def run_with_reports(
    place: Place, text: str, on_report: Callable[[Report], None], device: str = "emulated"
) -> Report:
    """A run that hands each report to `on_report`."""
    job = Job(
        run=new_run_id(),
        text=text,
        label="program.py",
        problem="leakyrelu",
        device=device,
        shape=SMALL,
        cache=str(place.cache),
    )
    return run(job, on_report)


def _stage(report: Report) -> str:
    return next((stage.name for stage in report.stages if stage.state == "running"), "")


def at_first_call(report: Report) -> bool:
    return "as given" in report.progress


MOMENTS: dict[str, tuple[str, Callable[[Report], bool]]] = {
    "before the first process": (RIGHT, lambda report: True),
    "importing": (IMPORTS, lambda report: _stage(report) == "build"),
    "compiling": (COMPILES, lambda report: report.progress.startswith("Compiling")),
    "calling": (CALLS, at_first_call),
    "checking": (RIGHT, lambda report: _stage(report) == "check"),
}


def interrupt_at(moment: Callable[[Report], bool]) -> Callable[[Report], None]:
    """Interrupts this process once, when a report shows that moment."""
    sent: list[threading.Timer] = []

    def interrupt(report: Report) -> None:
        if not sent and moment(report):
            # From another thread and a little later, as it comes: not within this call.
            sent.append(threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)))
            sent[0].start()

    return interrupt


@pytest.mark.parametrize(("text", "moment"), MOMENTS.values(), ids=MOMENTS.keys())
def test_an_interrupt(place: Place, survived: Survived, text: str, moment: Callable[[Report], bool]) -> None:
    report = run_with_reports(place, text, interrupt_at(moment))
    assert report.verdict is not None
    assert report.verdict.kind == "cancelled", report.verdict
    survived()


def test_the_fork_server_stays_after_an_interrupt_of_a_run(place: Place, survived: Survived) -> None:
    """It takes seconds to start."""
    survived()
    before = place.warm()
    report = run_with_reports(place, CALLS, interrupt_at(at_first_call))
    assert report.verdict is not None and report.verdict.kind == "cancelled", report.verdict
    survived()
    assert len(before) == 1 and place.warm() == before


def test_a_judge_that_is_killed(place: Place, survived: Survived) -> None:
    killed: list[int] = []

    def kill(report: Report) -> None:
        if not killed and at_first_call(report):
            killed.append(place.judge_and_workers()[0])
            os.kill(killed[0], signal.SIGKILL)

    report = run_with_reports(place, CALLS, kill)
    assert killed
    assert report.verdict is not None and report.failure is not None
    assert report.verdict.sentence == "Not judged: the judge's process ended"
    assert "it was killed" in report.failure.what and "memory" in report.failure.next_step
    survived()


def test_a_fork_server_that_is_killed(place: Place, survived: Survived) -> None:
    def kill(report: Report) -> None:
        if at_first_call(report):
            (warm,) = place.warm()
            os.kill(warm, signal.SIGKILL)

    report = run_with_reports(place, CALLS, kill)
    assert report.verdict is not None
    assert report.verdict.sentence == "Not judged: the judge's process ended"
    survived()
