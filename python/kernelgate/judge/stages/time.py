"""The time stage: reference and candidate in turn, until their ratio is known.

In: a candidate that has passed the check, and its lineup. Out: `Timing`; RunEnded where a timed call gives a wrong
result, or takes less time than is possible. Every program runs in a worker of its own, and the worker's clocks
are compared with the wall clock of this process.
Not here: taking turns (`judge.timing.turns`), what samples mean (`timing`).
"""

from __future__ import annotations

import functools
import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from kernelgate.check.nesting import shape_words
from kernelgate.judge.gates.trial import supports
from kernelgate.judge.reference.reference import NotAccepted
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.stages.check import Checked
from kernelgate.judge.timing.lineup import THIS, Lineup
from kernelgate.judge.timing.plausibility import hold_clocks
from kernelgate.judge.timing.programs_under_test import USUAL, Rounds, SamplingPlan
from kernelgate.judge.timing.speed_limit import limit_of
from kernelgate.judge.timing.turns import Turns
from kernelgate.report import one_line
from kernelgate.report.measured import CacheState, MemoryUse, Phase, Timing
from kernelgate.timing.nvml import Watch
from kernelgate.timing.peak_rates import PeakRates, peak_rates
from kernelgate.timing.sizes import Sized, sizes_of

_SWEEP_POINT_S = 1.5
_GRAPH_S = 100e-6  # calls shorter than this are also timed in a CUDA graph
_SHARE_OF: dict[tuple[Phase, CacheState], float] = {
    ("forward", "cold"): 0.45,
    ("forward", "warm"): 0.15,
    ("forward", "graph"): 0.1,
    ("backward", "cold"): 0.1,
    ("training step", "cold"): 0.2,
}


def time_candidate(run: RunContext, checked: Checked, lineup: Lineup) -> Timing:
    """The whole stage. Raises RunEnded; what was measured before stays in the report, but for a wrong result."""
    stage = TimeStage(run, checked, lineup)
    return stage.run()


class TimeStage:
    """One passage of the time stage: what has been measured so far is `timing`."""

    def __init__(self, run: RunContext, checked: Checked, lineup: Lineup, plan: SamplingPlan = USUAL) -> None:
        self._run = run
        self._lineup = lineup
        self._sampling = plan
        self._outcomes = {gate.name: gate.outcome for gate in checked.gates.rows()}
        # Where the candidate's arithmetic is less accurate than the reference's, speeds are not compared.
        self._coarser = checked.coarser
        self._began = time.monotonic()
        self._watch = Watch.of(lineup.device_uuid)
        self._peak_rates: PeakRates | None = None

    @property
    def timing(self) -> Timing:
        return self._lineup.timing

    def run(self) -> Timing:
        run, timing = self._run, self.timing
        plan = self._plan()
        run.live.begin("time", len(plan) + (2 if self._lineup.large else 3))
        self.prepare()
        total = sum(_SHARE_OF[key] for key in plan)
        for phase, cache_state in plan:
            self._step(f"Timing, {phase}, {cache_state}")
            self.compare(phase, cache_state, run.job.budget_s * _SHARE_OF[phase, cache_state] / total)
        if not self._lineup.large:
            self._look_again([phase for phase, _cache_state in plan])
        if run.job.sweep:
            self._sweep()
            self._lineup.resize(None)
        self._step("Comparing the clocks")
        self._hold_clocks()
        self._weigh()
        assert self._peak_rates is not None
        timing.limit = limit_of(timing, run.reference, self._peak_rates, run.target.torch_device)
        self.note_conditions()
        return timing

    def prepare(self) -> None:
        """Starts the programs, gives them inputs, and takes the device's peak rates."""
        self._step("Starting the programs")
        self._run.live.show(timing=self.timing)
        self._lineup.start()
        self._lineup.new_inputs()
        self._peak_rates = peak_rates(self._run.target.torch_device, Path(self._run.job.cache))

    def compare(self, phase: Phase, cache_state: CacheState, budget_s: float) -> None:
        """Times all programs in one phase and cache state, and shows what is known meanwhile."""
        if cache_state == "graph" and not self._worth_a_graph():
            return
        for rounds in self._turns.taken(phase, cache_state, budget_s):
            self._refresh(rounds)

    def _worth_a_graph(self) -> bool:
        """Whether a call is short, and the reference can be captured as well."""
        if self._median(THIS, "forward", "cold") > _GRAPH_S:
            return False
        reference = self._run.reference
        return supports(reference, "graph", reference.timed_inputs)

    def resize(self, sized: Sized) -> list[Any]:
        """Gives all programs inputs of another size; the inputs."""
        return self._lineup.resize(sized)

    def note_conditions(self) -> None:
        """What the device was like meanwhile, and how long all of it took."""
        self.timing.spent_s = time.monotonic() - self._began
        timing, watch = self.timing, self._watch
        if watch.silent:
            self._lineup.note(f"clocks and temperature are not known: {watch.silent}")
            return
        if watch.clocks_mhz:
            timing.sm_clock_mhz = [min(watch.clocks_mhz), max(watch.clocks_mhz)]
        timing.temperature_c, timing.power_w = watch.temperature_c, watch.power_w
        ours = {os.getpid(), self._run.worker.pid or 0, *self._lineup.pids}
        watch.read(ours)
        strangers = watch.others - ours
        if strangers:
            timing.disturbed = f"{len(strangers)} other process{'es' * (len(strangers) > 1)} used this GPU"
        if watch.power_capped:
            self._lineup.note("the device lowered its clock to stay within its power limit")

    def _step(self, words: str) -> None:
        self._run.live.step("time", words, at_once=True)

    def _plan(self) -> list[tuple[Phase, CacheState]]:
        plan: list[tuple[Phase, CacheState]] = [("forward", "cold"), ("forward", "warm")]
        if self._outcomes.get("CUDA graph replay") == "pass":
            plan.append(("forward", "graph"))
        if self._outcomes.get("gradient") == "pass":
            plan += [("backward", "cold"), ("training step", "cold")]
        return plan

    @functools.cached_property
    def _turns(self) -> Turns:
        assert self._peak_rates is not None, "prepare comes first"
        return Turns(self._run, self._lineup, self._watch, self._sampling, self._peak_rates.copy, self._coarser)

    def _refresh(self, rounds: Rounds) -> None:
        key = (rounds.phase, rounds.cache_state)
        timing = self.timing
        timing.rows = [row for row in timing.rows if (row.phase, row.cache_state) != key]
        timing.rows += rounds.rows(self._lineup.programs)
        timing.speeds = [one for one in timing.speeds if (one.phase, one.cache_state) != key]
        timing.speeds += rounds.speeds(THIS)
        timing.spent_s = time.monotonic() - self._began
        self._run.live.tick()

    def _look_again(self, phases: Sequence[Phase]) -> None:
        self._step("Comparing once more")
        for phase in dict.fromkeys(phases):
            self._turns.look_again(phase)
        self._lineup.resize(None)

    def _sweep(self) -> None:
        """Forward calls of other sizes: fewer rows, or if any shape will do, fewer elements."""
        reference = self._run.reference
        for sized in sizes_of(reference.own_inputs, flat=reference.case_inputs.any_shape):
            self._run.live.doing(f"Timing {sized.elements:,} elements", at_once=True)
            try:
                inputs = self.resize(sized)
            except NotAccepted:
                continue  # the reference takes no such size
            *_, rounds = [None, *self._turns.taken("forward", "cold", _SWEEP_POINT_S)]
            if rounds is None:
                continue
            point = rounds.sweep_point(THIS, shape_words(inputs), sized.elements)
            if point is not None:
                self.timing.sweep.append(point)

    def _median(self, name: str, phase: Phase, cache_state: CacheState) -> float:
        key = (name, phase, cache_state)
        rows = self.timing.rows
        return next((r.median_s for r in rows if (r.program, r.phase, r.cache_state) == key), 0.0)

    def _hold_clocks(self) -> None:
        """Where the clocks of a program disagree, no speed is known."""
        for program in [p for p in self._lineup.programs if p.role != "other"]:
            once = self._median(program.name, "forward", "warm") or self._median(
                program.name, "forward", "cold"
            )
            if not once:
                continue  # it was not timed, and the note says why
            with self._lineup.left_out():
                self.timing.clocks += hold_clocks(program, once)
        astray = next((clock for clock in self.timing.clocks if not clock.agrees), None)
        if astray is None:
            return
        for one in self.timing.speeds:
            if one.verdict is not None:
                one.verdict = "UNCLEAR"
                one.note = f"the clocks disagree: {astray.program}, {astray.name}"

    def _weigh(self) -> None:
        for program in self._lineup.programs:
            with self._lineup.left_out():
                found = program.weigh()
                self.timing.memory.append(
                    MemoryUse(program=program.name, peak_bytes=found.peak_bytes, kept_bytes=found.kept_bytes)
                )


def no_times(shape: str, why: str) -> Timing:
    """The part of a run whose times are not known, or not shown. `shape`: of the problem, in words."""
    return Timing(shape=shape, note=one_line(why, 600))
