"""For each kind of problem an honest program passes, and a wrong one fails and is described."""

from __future__ import annotations

import pytest

from kernelgate.emulator import supported
from kernelgate.report import Report
from kernelgate.report.text import as_text
from kernelgate.run import Job, new_run_id, run

from .corpus import Kind, kinds

KINDS = list(kinds())
DEVICES = [
    pytest.param("emulated", id="emulated"),
    pytest.param("cuda", id="gpu", marks=pytest.mark.gpu),
]


def test_half_of_the_kinds_have_cuda_source() -> None:
    assert len(KINDS) >= 40
    assert 2 * sum(kind.has_kernel for kind in KINDS) >= len(KINDS)


@pytest.mark.drawn(by="kind.has_kernel")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_an_honest_program_passes(kind: Kind, device: str) -> None:
    report = _judged(kind, kind.program, device)
    verdict = report.verdict
    assert verdict is not None
    assert verdict.outcome == "pass", _explained(report)
    if device == "emulated":  # a GPU tries more gates
        assert (verdict.obstacle == "") == (kind.drop_in is True), verdict.sentence
        assert kind.drop_in is True or kind.drop_in in verdict.obstacle


@pytest.mark.drawn(by="kind.has_kernel")
@pytest.mark.parametrize("device", DEVICES)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_wrong_program_fails_and_is_described(kind: Kind, device: str) -> None:
    report = _judged(kind, kind.wrong, device)
    verdict = report.verdict
    assert verdict is not None
    assert verdict.outcome == "fail", _explained(report)
    assert kind.says in verdict.sentence


def _explained(report: Report) -> str:
    """The report as text, and the log behind it."""
    return "\n".join([as_text(report), *(report.failure.log.splitlines() if report.failure is not None else [])])


def _judged(kind: Kind, text: str, device: str) -> Report:
    if kind.has_kernel and device == "emulated" and (why := supported()):
        pytest.skip(why)
    return run(
        Job(
            run=new_run_id(),
            text=text,
            label=f"{kind.name}.py",
            reference=kind.reference,
            reference_label="problem.py",
            device=device,  # type: ignore[arg-type]
        )
    )
