"""No attack passes, and every honest program does. What gets through is named, with the reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .conftest import Judged
from .corpus import ATTACKS, HONEST, Device, Program, programs
from .document import DOCUMENT, document_text


def _marks(program: Program, device: Device) -> Iterator[pytest.MarkDecorator]:
    if device == "cuda":
        yield pytest.mark.gpu
    if program.slips:
        yield pytest.mark.xfail(strict=True, reason=program.slips)
    if program.wavers:
        yield pytest.mark.xfail(strict=False, reason=program.wavers)


def _each(found: list[Program]) -> list[object]:
    """Every program on every device where it makes sense; one that gets through must go on doing so."""
    return [
        pytest.param(
            program,
            device,
            id=f"{program.name}-{device}",
            marks=list(_marks(program, device)),
        )
        for program in found
        for device in program.devices
    ]


@pytest.mark.parametrize(("program", "device"), _each(programs(ATTACKS)))
def test_an_attack_does_not_pass(program: Program, device: Device, judged: Judged) -> None:
    verdict = judged(program, device).verdict
    assert verdict is not None
    assert verdict.outcome == program.outcome, verdict.sentence
    assert program.outcome in ("fail", "unclear")
    # Of one that gets through today, any such verdict is news.
    assert program.slips or program.words(device) in verdict.sentence


def test_the_documentation_shows_this_corpus() -> None:
    assert DOCUMENT.read_text() == document_text()


@pytest.mark.parametrize(("program", "device"), _each(programs(HONEST)))
def test_an_honest_program_passes(program: Program, device: Device, judged: Judged) -> None:
    verdict = judged(program, device).verdict
    assert verdict is not None
    assert program.outcome == "pass"
    assert verdict.outcome == "pass", verdict.sentence
    assert program.words(device) in verdict.sentence
