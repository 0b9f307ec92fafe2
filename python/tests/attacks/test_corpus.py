"""No attack passes, and every honest program does. What gets through is named, with the reason."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from catalogue.forked import run_forked

from kernelgate.check.captured import compiled, exported

from .conftest import Judged
from .corpus import ATTACKS, HONEST, Device, Program, programs
from .document import DOCUMENT, document_text
from .judged import differs


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


@pytest.mark.drawn(by="program.number")
@pytest.mark.parametrize(("program", "device"), _each(programs(ATTACKS)))
def test_an_attack_does_not_pass(program: Program, device: Device, judged: Judged) -> None:
    assert program.outcome in ("fail", "unclear")
    assert not differs(program, device, judged(program, device))


def test_the_documentation_shows_this_corpus() -> None:
    assert DOCUMENT.read_text() == document_text()


@pytest.mark.drawn(by="program.number")
@pytest.mark.parametrize(("program", "device"), _each(programs(HONEST)))
def test_an_honest_program_passes(program: Program, device: Device, judged: Judged) -> None:
    assert program.outcome == "pass"
    assert not differs(program, device, judged(program, device))


_TRACED = [
    program
    for program in programs(HONEST)
    if program.contract == "drop-in"
    and "cuda" in program.devices
    and "load_inline" not in program.text
    and not program.reference
]


def test_honest_drop_ins_can_be_traced() -> None:
    """Only a GPU's run asks for that. Whether PyTorch can trace a program does not depend on the device."""

    def traces() -> None:
        for program in _TRACED:
            names: dict[str, Any] = {}
            exec(compile(program.text, program.name, "exec"), names)
            module = names["ModelNew"](
                *((8, 4, 2.0, 0.1) if program.problem == "gemm_scale_leakyrelu" else ())
            )
            x = torch.randn(4, 8)
            with torch.no_grad():
                right = module(x)
                assert torch.equal(compiled(module, [x]), right), program.name
                assert torch.equal(exported(module, [x]), right), program.name

    assert _TRACED
    run_forked(traces)
