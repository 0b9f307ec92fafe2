"""Correct programs of the kinds that people and language models write are right here too, in every order of threads.

Each file of `programs` is a program of its own in the KernelBench form, that load_inline with nvcc would build.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
from support import in_worker

from kernelgate.emulator import Emulation
from kernelgate.judge.findings import faults

PROGRAMS = {path.stem: path for path in sorted((Path(__file__).parent / "programs").glob("*.py"))}
ORDERS = ("normal", "reversed", "shuffled")
TOLERANCE = {torch.float64: 1e-12, torch.float32: 2e-6, torch.float16: 2e-3, torch.bfloat16: 1.6e-2}
# Products whose operands are rounded to fewer bits; the reference does not round them.
ROUNDED = {"wmma_tf32": 2e-3, "mma_tf32_ptx": 2e-3}


def test_there_are_at_least_sixty():
    assert len(PROGRAMS) >= 60


@pytest.mark.parametrize("examine", [False, True], ids=["checked", "examined"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_correct_program_gives_torchs_values_in_every_order_and_nothing_is_found_in_it(
    cache, name, examine
):
    def body(emulation: Emulation) -> list[str]:
        program: dict[str, Any] = {"__name__": "candidate"}
        torch.manual_seed(5)
        with emulation.active():
            exec(compile(PROGRAMS[name].read_text(), str(PROGRAMS[name]), "exec"), program)
        inputs = program["get_inputs"]()
        reference = program["Model"](*program["get_init_inputs"]())
        expected = _tensors(reference(*[x.clone() for x in inputs]))
        wrong = []
        for order in ORDERS[:1] if examine else ORDERS:
            emulation.order(order, seed=11)
            with emulation.active(), emulation.guarded():
                torch.manual_seed(7)
                model = program["ModelNew"](*program["get_init_inputs"]())
                model.load_state_dict(reference.state_dict())
                model = model.cuda()
                found = _tensors(model(*[x.clone().cuda() for x in inputs]))
            wrong += [f"{order}: {w}" for w in _differences(found, expected, ROUNDED.get(name))]
        wrong += [fault.text for fault in emulation.overwritten()]
        return wrong + [emulation.unchecked_launch_error() or ""] * bool(emulation.unchecked_launch_error())

    outcome = in_worker(cache, body, examine=examine)
    assert (outcome.error, outcome.fault, outcome.value) == (None, None, [])
    assert [fault.text for fault in faults([line.decode() for line in outcome.findings])] == []


def _tensors(result: Any) -> list[torch.Tensor]:
    several = result if isinstance(result, (list, tuple)) else [result]
    return [tensor.detach().cpu() for tensor in several]


def _differences(
    found: list[torch.Tensor], expected: list[torch.Tensor], tolerance: float | None
) -> list[str]:
    wrong = [] if len(found) == len(expected) else [f"{len(found)} results instead of {len(expected)}"]
    for i, (ours, theirs) in enumerate(zip(found, expected, strict=False)):
        if (ours.shape, ours.dtype) != (theirs.shape, theirs.dtype):
            wrong.append(f"result {i} is {ours.dtype} {tuple(ours.shape)}")
            continue
        if not ours.dtype.is_floating_point:
            wrong += [] if torch.equal(ours, theirs) else [f"result {i} is not equal"]
            continue
        scale = theirs.double().abs().max().clamp(min=1.0)
        error = (ours.double() - theirs.double()).abs().max() / scale
        if not error <= (tolerance or TOLERANCE[ours.dtype]):  # NaN is no agreement
            wrong.append(f"result {i} is off by {error.item():.3g} of the largest value")
    return wrong
