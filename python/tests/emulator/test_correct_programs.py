"""Correct programs of the kinds that people and language models write are right here too, in every order of threads.

Each file of `programs` is a program of its own in the KernelBench form, that load_inline with nvcc would build.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from correct import PROGRAMS, differences, tensors
from support import in_worker

from kernelgate.emulator import Emulation
from kernelgate.judge.endings.findings import faults

pytestmark = pytest.mark.drawn

ORDERS = ("normal", "reversed", "shuffled")


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
        expected = tensors(reference(*[x.clone() for x in inputs]))
        wrong = []
        for order in ORDERS[:1] if examine else ORDERS:
            emulation.order(order, seed=11)
            with emulation.active(), emulation.guarded():
                torch.manual_seed(7)
                model = program["ModelNew"](*program["get_init_inputs"]())
                model.load_state_dict(reference.state_dict())
                model = model.cuda()
                found = tensors(model(*[x.clone().cuda() for x in inputs]))
            wrong += [f"{order}: {w}" for w in differences(name, found, expected)]
        wrong += [fault.text for fault in emulation.overwritten()]
        return wrong + [emulation.unchecked_launch_error() or ""] * bool(emulation.unchecked_launch_error())

    outcome = in_worker(cache, body, examine=examine)
    assert (outcome.error, outcome.fault, outcome.value) == (None, None, [])
    assert [fault.text for fault in faults([line.decode() for line in outcome.findings])] == []
