"""Taking turns: blocks of calls in the order A B B A, so that a drifting clock affects both alike.

In: a lineup, and how long it may take. Out: `Rounds`, after each group of blocks; RunEnded where a timed call gives a
wrong result, or takes less time than is possible. Not here: the calls of a block (`judge.timing.programs_under_test`).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from kernelgate.check.inputs.cases import Plan
from kernelgate.judge.endings.device_memory import give_back_memory
from kernelgate.judge.reference.reference import NotAccepted
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.timing.lineup import Lineup
from kernelgate.judge.timing.plausibility import (
    gradient_agrees,
    impossible_time,
    outputs_of,
    renew,
    result_agrees,
    share_read,
    wrong_result,
)
from kernelgate.judge.timing.programs_under_test import (
    FEWEST_CALLS,
    FEWEST_GROUPS,
    Block,
    ProgramUnderTest,
    Rounds,
    SamplingPlan,
    Taken,
)
from kernelgate.messages.measure import MAX_MOVE_BYTES, MAX_SETTLE_S, Measure
from kernelgate.report.measured import CacheState, Phase
from kernelgate.timing.nvml import Watch
from kernelgate.timing.peak_rates import copied_again
from kernelgate.timing.statistics import quartiles

_MOST_GROUPS = 60
_VERIFY_EVERY = 4  # groups


@dataclass
class Turns:
    """`watch`: says whether the device was slowed down. `copy_rate`: of the device, bytes a second, read and written
    ones together. `coarser`: the candidate's arithmetic if it is less accurate than the reference's, else ""."""

    run: RunContext
    lineup: Lineup
    watch: Watch
    plan: SamplingPlan
    copy_rate: float
    coarser: str

    def taken(self, phase: Phase, cache_state: CacheState, budget_s: float) -> Iterator[Rounds]:
        """Takes groups of samples until they are precise or the budget is spent. Yields what there is after each."""
        lineup = self.lineup
        rounds = Rounds(phase, cache_state, coarser=self.coarser)
        blocks: dict[str, Block] = {}
        for program in list(lineup.programs):
            with lineup.left_out():
                blocks[program.name] = self._block_of(program, phase, cache_state)
        deadline = time.monotonic() + budget_s
        for number in range(_MOST_GROUPS):
            reference = lineup.reference
            if reference is None:
                return  # the note says why
            for program in [p for p in lineup.programs if p is not reference]:
                if lineup.reference is not reference:
                    break  # it was left out in the last group
                with lineup.left_out():
                    self._group(rounds, program, reference, blocks, number)
            yield rounds
            over = time.monotonic() - deadline
            if rounds.precise or (over > 0 and rounds.fewest >= FEWEST_GROUPS) or over > budget_s:
                return

    def look_again(self, phase: Phase) -> None:
        """Compares one more call of the candidate: a program may be right for some hundred calls only. Its inputs are
        normal, where the check has such a case: the problem's own may all be positive. Raises RunEnded."""
        candidate = next(program for program in self.lineup.programs if program.role == "candidate")
        rounds, block = Rounds(phase, "cold", coarser=self.coarser), Block(calls=FEWEST_CALLS, repeats=1)
        plan = next((one for one in self.run.reference.plans if one.name == "normal"), None)
        with contextlib.suppress(NotAccepted):  # the check may have drawn such inputs in another shape
            self._block(candidate, rounds, block, verify=True, move=False, plan=plan)

    def _group(
        self,
        rounds: Rounds,
        program: ProgramUnderTest,
        reference: ProgramUnderTest,
        sizes: dict[str, Block],
        number: int,
    ) -> None:
        """One group: A B B A, and B A A B the next time."""
        has_room = rounds.phase == "forward" or not self.lineup.large
        verify = program.role == "candidate" and number % _VERIFY_EVERY == 0 and has_room
        first, second = (reference, program) if number % 2 == 0 else (program, reference)
        blocks: dict[str, list[list[float]]] = {program.name: [], reference.name: []}
        slowed = False
        for turn, one in enumerate((first, second, second, first)):
            earlier = blocks[one.name]
            samples = self._block(
                one,
                rounds,
                sizes[one.name],
                verify=verify and one is program and not earlier,
                move=turn < 2,
            )
            earlier.append(samples)
            slowed = slowed or self.watch.slowed
        rounds.add(program.name, reference.name, blocks, slowed=slowed)

    def _block_of(self, program: ProgramUnderTest, phase: Phase, cache_state: CacheState) -> Block:
        request = Measure(
            phase=phase,
            cache_state=cache_state,
            calls=FEWEST_CALLS,
            make_room=self.lineup.crowded,
        )
        taken = program.measure(request)
        taken.close()
        _low, once, _high = quartiles(taken.measured.each_s)
        return self.plan.block(cache_state, once)

    def _block(
        self,
        program: ProgramUnderTest,
        rounds: Rounds,
        block: Block,
        *,
        verify: bool,
        move: bool,
        plan: Plan | None = None,
    ) -> list[float]:
        """One block of samples. `verify`: with new inputs, of that `plan`, and one result compared with the
        reference's. `move`: everything moves to another place in memory first."""
        lineup, phase, cache_state = self.lineup, rounds.phase, rounds.cache_state
        inputs = lineup.new_inputs([program], plan) if verify and cache_state == "cold" else None
        seed = lineup.random.getrandbits(48) if cache_state == "cold" and lineup.takes_new_rows else None
        keep = lineup.random.randrange(block.calls) if inputs is not None else -1
        freed = move or lineup.crowded or lineup.gave_back
        request = Measure(
            phase=phase,
            cache_state=cache_state,
            calls=block.calls,
            repeats=block.repeats,
            seed=seed,
            keep=keep,
            move=lineup.random.randrange(MAX_MOVE_BYTES) if move else None,
            settle_s=min(MAX_SETTLE_S, self.plan.settle_s(lineup.read_bytes if freed else 0)),
            make_room=lineup.crowded,
        )
        taken = program.measure(request)
        self.watch.read()
        try:
            if keep >= 0 and inputs is not None:
                self._verify(program, taken, phase, inputs, seed, keep)
        finally:
            taken.close()
        lineup.gave_back = inputs is not None
        del inputs
        give_back_memory()
        if program.role == "candidate" and phase == "forward" and cache_state == "cold":
            self._possible(min(taken.measured.each_s))
        return taken.measured.each_s

    def _verify(
        self, program: ProgramUnderTest, taken: Taken, phase: Phase, inputs: list[Any], seed: int | None, keep: int
    ) -> None:
        reference, found = self.run.reference, outputs_of(taken)
        if found is None:
            return  # no memory to compare it
        renew(inputs, seed, keep)
        if phase == "forward":
            agrees = result_agrees(found, inputs, reference=reference, comparer=self.run.comparer)
        else:
            agrees = gradient_agrees(found, inputs, reference)
        if agrees:
            self.lineup.timing.verified += 1
        elif agrees is not None and program.role == "candidate":
            raise wrong_result(phase)  # of a reference that is not repeatable, the candidate is not at fault

    def _possible(self, seconds: float) -> None:
        lineup = self.lineup
        end = impossible_time(seconds, lineup.read_bytes * lineup.read_share, self.copy_rate)
        if end is None:
            return
        run = self.run
        share = share_read(run.reference, lineup.random)
        give_back_memory()
        if share is None:
            return  # no memory to find out
        lineup.read_share = share
        self.copy_rate = copied_again(run.target.torch_device, Path(run.job.cache)).copy
        give_back_memory()
        end = impossible_time(seconds, lineup.read_bytes * lineup.read_share, self.copy_rate)
        if end is not None:
            raise end
