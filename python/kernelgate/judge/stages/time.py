"""The time stage, as the judge conducts it: reference and candidate in turn, until their ratio is known.

In: a candidate that has passed the check, and its reference. Out: `report.timing`; RunEnded where a timed call gives a
wrong result, or takes less time than is possible.
Every program runs in a worker of its own. Blocks of calls are taken in the order A B B A, so that a drift of the clock
falls on both alike. What the worker's clocks say is held against the wall clock of this process.
"""

from __future__ import annotations

import contextlib
import os
import random
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import torch

from kernelgate.check.cases import case_seed
from kernelgate.judge.compare import Comparer
from kernelgate.judge.reference import Reference, shape_words
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.run_ended import RunEnded
from kernelgate.judge.stages.profile import add_counters, profile_programs, replayed
from kernelgate.judge.timing.clock_agreement import hold_clocks
from kernelgate.judge.timing.plausibility import holds, impossible, wrong_result
from kernelgate.judge.timing.programs_under_test import (
    COMPILED,
    EAGER,
    Asks,
    Contestant,
    LeftOut,
    Taken,
    trusted,
)
from kernelgate.judge.timing.samples import FEWEST_GROUPS, Rounds
from kernelgate.judge.timing.sampling_plan import FEWEST_CALLS, USUAL, Block, Pace
from kernelgate.judge.timing.speed_limit import limit_of
from kernelgate.messages.worker import MAX_MOVE_BYTES, MAX_SETTLE_S, Answer, Load, Measure, Request
from kernelgate.processes.worker_handle import WorkerHandle
from kernelgate.report import Report, one_line
from kernelgate.report.measured import Circumstance, MemoryUse, Phase, Timing
from kernelgate.timing.floor import nbytes
from kernelgate.timing.nvml import Watch
from kernelgate.timing.roofs import Roofs, roofs
from kernelgate.timing.sizes import Sized, sizes_of
from kernelgate.timing.statistics import quartiles

THIS, EAGER_NAME, COMPILED_NAME = "this kernel", "PyTorch eager", "torch.compile"

_FLUSHES = 2  # of the size of the second-level cache
_MOST_GROUPS = 60
_SWEEP_POINT_S = 1.5
_VERIFY_EVERY = 4  # groups
_LARGE_BYTES = 1 << 30
_GRAPH_S = 100e-6  # calls shorter than this are also timed in a CUDA graph
_SHARE_OF: dict[tuple[Phase, Circumstance], float] = {
    ("forward", "cold"): 0.45,
    ("forward", "warm"): 0.15,
    ("forward", "graph"): 0.1,
    ("backward", "cold"): 0.1,
    ("training step", "cold"): 0.2,
}


def time_candidate(judge: RunContext, reference: Reference, comparer: Comparer, device_index: int) -> None:
    """Fills `report.timing`. Raises RunEnded."""
    stage = TimeStage(judge, reference, comparer, device_index)
    try:
        stage.run()
    except RunEnded as exc:
        if exc.kind == "wrong":
            judge.report.timing = no_times(judge.report, "times of a program whose result is wrong are not told")
        raise
    finally:
        stage.close()


class TimeStage:
    """One passage of the time stage: its workers, its inputs, and what has been measured so far."""

    def __init__(
        self,
        judge: RunContext,
        reference: Reference,
        comparer: Comparer,
        device_index: int,
        pace: Pace = USUAL,
    ) -> None:
        self._judge = judge
        self._pace = pace
        self._reference = reference
        self._comparer = comparer
        self._index = device_index
        self._device = torch.device("cuda", device_index)
        self._handles: dict[str, WorkerHandle] = {}  # by the program's name
        self._timing = Timing(shape=one_line(reference.shape, 120))
        self._random = random.Random(case_seed(judge.seed, "timing"))
        self._began = time.monotonic()
        properties = torch.cuda.get_device_properties(self._device)
        self._flush_bytes = _FLUSHES * int(getattr(properties, "L2_cache_size", 0) or 64 << 20)
        self._watch = Watch.of(str(getattr(properties, "uuid", "")))
        self._programs: list[Contestant] = []
        self._roofs: Roofs | None = None
        self._sized: Sized | None = None
        self._read_bytes = 0
        self._gave_back = False

    # --- the passage ------------------------------------------------------------------------------------------------

    def run(self) -> None:
        record = self._judge.record
        plan = self._plan()
        record.begin("time", len(plan) + 2)
        self.prepare()
        budget = self._judge.job.budget_s
        total = sum(_SHARE_OF[key] for key in plan)
        for phase, circumstance in plan:
            self._step(f"Timing, {phase}, {circumstance}")
            self.compare(phase, circumstance, budget * _SHARE_OF[phase, circumstance] / total)
        if self._judge.job.sweep:
            self._sweep()
            self._new_inputs(self._programs)
        self._step("Holding the clocks against each other")
        self._hold_clocks()
        self._weigh()
        assert self._roofs is not None
        self._timing.limit = limit_of(self._timing, self._reference, self._roofs, self._device)
        self.tell_conditions()
        record.end("time", passed=True)
        if self._judge.job.verb == "profile":
            self._profile()

    def _profile(self) -> None:
        """The programs run already: the profile stage goes on with them."""
        judge = self._judge
        judge.record.begin("profile", 2)
        judge.report.progress = "Tracing a call of each program"
        judge.record.send()
        cache = Path(judge.job.cache).resolve()
        # The candidate's process says where they are, so it is looked at.
        libraries = [path for path in map(Path, sorted(judge.libraries)) if _lies_in(path, cache)]
        trace_file = Path(judge.job.trace) if judge.job.trace else None
        profile = profile_programs(self._programs, self._timing, self._device, libraries, trace_file)
        judge.report.profile = profile
        judge.record.stage("profile").done = 1
        judge.report.progress = "Reading the device's counters"
        judge.record.send()
        self.close()  # the replay needs their memory
        add_counters(profile, replayed(judge.job, self._reference, self._index, judge.seed), THIS)
        judge.record.stage("profile").done = 2
        judge.record.end("profile", passed=True)

    def close(self) -> None:
        while self._handles:
            self._handles.popitem()[1].close()

    def prepare(self) -> None:
        """Starts the programs, gives them inputs, and takes the device's roofs."""
        self._step("Starting the programs")
        self._judge.report.timing = self._timing
        self._start_programs()
        self._new_inputs(self._programs)
        self._roofs = roofs(self._device, Path(self._judge.job.cache))

    def _step(self, words: str) -> None:
        self._judge.report.progress = words
        self._judge.record.stage("time").done += 1
        self._judge.record.send()

    def _plan(self) -> list[tuple[Phase, Circumstance]]:
        gates = {gate.name: gate.outcome for gate in self._judge.report.gates}
        plan: list[tuple[Phase, Circumstance]] = [("forward", "cold"), ("forward", "warm")]
        if gates.get("CUDA graph replay") == "pass":
            plan.append(("forward", "graph"))
        if gates.get("gradient") == "pass":
            plan += [("backward", "cold"), ("training step", "cold")]
        return plan

    # --- programs and their inputs ----------------------------------------------------------------------------------

    def _start_programs(self) -> None:
        judge = self._judge
        # What the check has left in the candidate's process is not what a notebook finds.
        judge.start_worker("cuda", self._index)
        _give_back_memory()

        def ask(request: Request, descriptors: Sequence[int], doing: str) -> tuple[Answer, list[int]]:
            return judge.ask(request, descriptors, "time", doing)

        self._programs = [Contestant(THIS, "candidate", ask, self._reference)]
        self._programs[0].construct()
        text = judge.job.reference_text
        self._beside(EAGER_NAME, "reference", text + EAGER)
        if "compile" in judge.job.against:
            self._beside(COMPILED_NAME, "other", text + COMPILED)

    def _beside(self, name: str, role: Any, text: str) -> None:
        """Starts a form of the reference. Where it cannot run, the note says so."""
        judge = self._judge
        self._judge.report.progress = f"Starting {name}"
        handle = judge.another_worker()
        self._handles[name] = handle
        asks: Asks = trusted(name, handle, judge.job.limits, judge.deadline)
        load = Load(python=text, device="cuda", device_index=self._index, cache=judge.job.cache, arch=None)
        with self._left_out():
            asks(load, (), "being loaded")
            program = Contestant(name, role, asks, self._reference)
            program.construct()
            self._programs.append(program)

    def _new_inputs(self, programs: Sequence[Contestant]) -> list[Any]:
        """New values of the problem's own kind, for all of them; the values."""
        inputs: list[Any] = self._reference.drawn_inputs(self._random.getrandbits(48))
        if self._sized is not None:
            inputs = self._sized.of(inputs)
        self._read_bytes = nbytes(inputs)
        upstream = self._reference.upstream(inputs)
        for program in list(programs):
            request = Measure(
                phase="forward", circumstance="cold", calls=FEWEST_CALLS, flush_bytes=self._flush_bytes
            )
            with self._left_out():
                _close(program.measure(request, inputs, upstream))
        del upstream
        _give_back_memory()
        self._gave_back = True
        return inputs

    @contextlib.contextmanager
    def _left_out(self) -> Iterator[None]:
        """Goes on without a program that fails."""
        try:
            yield
        except LeftOut as exc:
            self._note(str(exc))
            self._programs = [one for one in self._programs if one.name != exc.name]
            if exc.name in self._handles:
                self._handles.pop(exc.name).close()  # the others need its memory

    def _note(self, words: str) -> None:
        self._timing.note = one_line("; ".join(filter(None, [self._timing.note, words])), 600)

    # --- comparing --------------------------------------------------------------------------------------------------

    def compare(self, phase: Phase, circumstance: Circumstance, budget_s: float) -> None:
        """Times all programs in one phase and circumstance, and writes what is known into the report."""
        if circumstance == "graph" and self._median(THIS, "forward", "cold") > _GRAPH_S:
            return
        for rounds in self._in_turn(phase, circumstance, budget_s):
            self._refresh(rounds)

    def _in_turn(self, phase: Phase, circumstance: Circumstance, budget_s: float) -> Iterator[Rounds]:
        """Takes groups of samples, until they are precise or the budget is spent; what there is after each."""
        rounds = Rounds(phase, circumstance, coarser=self._coarser)
        blocks: dict[str, Block] = {}
        for program in list(self._programs):
            with self._left_out():
                blocks[program.name] = self._block_of(program, phase, circumstance)
        deadline = time.monotonic() + budget_s
        for number in range(_MOST_GROUPS):
            reference = next((p for p in self._programs if p.role == "reference"), None)
            if reference is None:
                return  # the note says why
            for program in [p for p in self._programs if p is not reference]:
                with self._left_out():
                    self._take_turns(rounds, program, reference, blocks, number)
            yield rounds
            over = time.monotonic() - deadline
            if rounds.precise or (over > 0 and rounds.fewest >= FEWEST_GROUPS) or over > budget_s:
                return

    def _sweep(self) -> None:
        """Forward calls of other sizes: fewer rows, or where any shape will do, fewer elements."""
        for sized in sizes_of(self._reference.own_inputs, flat=self._reference.any_shape):
            self._judge.report.progress = f"Timing {sized.elements:,} elements"
            self._judge.record.send()
            inputs = self.resize(sized)
            *_, rounds = [None, *self._in_turn("forward", "cold", _SWEEP_POINT_S)]
            if rounds is None:
                continue
            point = rounds.sweep_point(THIS, shape_words(inputs), sized.elements)
            if point is not None:
                self._timing.sweep.append(point)
        self._sized = None

    def resize(self, sized: Sized) -> list[Any]:
        """Gives all programs inputs of another size; the inputs."""
        self._sized = sized
        return self._new_inputs(self._programs)

    def _take_turns(
        self, rounds: Rounds, program: Contestant, reference: Contestant, sizes: dict[str, Block], number: int
    ) -> None:
        """One group: A B B A, and B A A B the next time."""
        verify = program.role == "candidate" and number % _VERIFY_EVERY == 0
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
            slowed = slowed or self._watch.slowed
        rounds.add(program.name, reference.name, blocks, slowed=slowed)

    def _refresh(self, rounds: Rounds) -> None:
        """Writes what is known so far into the report."""
        key = (rounds.phase, rounds.circumstance)
        timing = self._timing
        timing.rows = [row for row in timing.rows if (row.phase, row.circumstance) != key]
        timing.rows += rounds.rows(self._programs)
        timing.speeds = [one for one in timing.speeds if (one.phase, one.circumstance) != key]
        timing.speeds += rounds.speeds(THIS)
        timing.spent_s = time.monotonic() - self._began
        self._judge.record.tick()

    @property
    def _coarser(self) -> str:
        """The candidate's arithmetic where it is less accurate than the reference's: then speeds are not compared."""
        found = self._judge.report.arithmetic
        return found if found not in ("", "fp32", "split") else ""

    @property
    def _crowded(self) -> bool:
        """Whether what two programs cache may leave too little for a third; giving it back is a pause for all."""
        return len(self._programs) > 2 and nbytes(self._reference.own_inputs) > _LARGE_BYTES

    def _block_of(self, program: Contestant, phase: Phase, circumstance: Circumstance) -> Block:
        request = Measure(
            phase=phase,
            circumstance=circumstance,
            calls=FEWEST_CALLS,
            make_room=self._crowded,
        )
        taken = program.measure(request)
        _close(taken)
        _low, once, _high = quartiles(taken.measured.each_s)
        return self._pace.block(circumstance, once)

    def _block(
        self, program: Contestant, rounds: Rounds, block: Block, *, verify: bool, move: bool
    ) -> list[float]:
        """One block of samples. `verify`: with new inputs, and one result of it compared with the reference's. `move`:
        everything goes to another place in memory first."""
        phase, circumstance = rounds.phase, rounds.circumstance
        inputs = self._new_inputs([program]) if verify and circumstance == "cold" else None
        keep = self._random.randrange(block.calls) if inputs is not None and phase == "forward" else -1
        seed = self._random.getrandbits(48) if circumstance == "cold" else None
        freed = move or self._crowded or self._gave_back
        request = Measure(
            phase=phase,
            circumstance=circumstance,
            calls=block.calls,
            repeats=block.repeats,
            seed=seed,
            keep=keep,
            move=self._random.randrange(MAX_MOVE_BYTES) if move else None,
            settle_s=min(MAX_SETTLE_S, self._pace.settle_s(self._read_bytes if freed else 0)),
            make_room=self._crowded,
        )
        taken = program.measure(request)
        self._watch.read()
        try:
            if keep >= 0 and inputs is not None and seed is not None:
                self._verify(program, taken, inputs, seed, keep)
        finally:
            _close(taken)
        self._gave_back = inputs is not None
        del inputs
        _give_back_memory()
        if program.role == "candidate" and phase == "forward" and circumstance == "cold":
            self._possible(min(taken.measured.each_s))
        return taken.measured.each_s

    def _median(self, name: str, phase: Phase, circumstance: Circumstance) -> float:
        """Seconds; 0 before there are any."""
        key = (name, phase, circumstance)
        rows = self._timing.rows
        return next((r.median_s for r in rows if (r.program, r.phase, r.circumstance) == key), 0.0)

    # --- what would make a speed untrue -----------------------------------------------------------------------------

    def _verify(self, program: Contestant, taken: Taken, inputs: list[Any], seed: int, keep: int) -> None:
        """Compares the result of a timed call with what the reference makes of what that call was given."""
        right = holds(
            taken,
            inputs,
            seed,
            keep,
            reference=self._reference,
            comparer=self._comparer,
            device=self._device,
        )
        if right:
            self._timing.verified += 1
        elif program.role == "candidate":  # a reference that is not repeatable is its own affair
            raise wrong_result()

    def _possible(self, seconds: float) -> None:
        """Raises RunEnded for a call that is shorter than its work allows on this device."""
        assert self._roofs is not None, "prepare comes first"
        end = impossible(seconds, self._read_bytes, self._roofs.copy)
        if end is not None:
            raise end

    def _hold_clocks(self) -> None:
        """Where the clocks of a program disagree, no speed is known."""
        for program in [p for p in self._programs if p.role != "other"]:
            once = self._median(program.name, "forward", "warm") or self._median(
                program.name, "forward", "cold"
            )
            with self._left_out():
                self._timing.clocks += hold_clocks(program, once)
        astray = next((clock for clock in self._timing.clocks if not clock.agrees), None)
        if astray is None:
            return
        for one in self._timing.speeds:
            if one.verdict is not None:
                one.verdict = "UNCLEAR"
                one.note = f"the clocks disagree: {astray.program}, {astray.name}"

    # --- what else is told ------------------------------------------------------------------------------------------

    def _weigh(self) -> None:
        for program in self._programs:
            with self._left_out():
                found = program.weigh()
                self._timing.memory.append(
                    MemoryUse(program=program.name, peak_bytes=found.peak_bytes, kept_bytes=found.kept_bytes)
                )

    def tell_conditions(self) -> None:
        """Writes into the report what the device was like meanwhile, and how long all of it took."""
        timing, watch = self._timing, self._watch
        timing.spent_s = time.monotonic() - self._began
        if watch.silent:
            self._note(f"clocks and temperature are not known: {watch.silent}")
            return
        if watch.clocks_mhz:
            timing.sm_clock_mhz = [min(watch.clocks_mhz), max(watch.clocks_mhz)]
        timing.temperature_c, timing.power_w = watch.temperature_c, watch.power_w
        ours = {os.getpid(), self._judge.worker_pid or 0, *(handle.pid for handle in self._handles.values())}
        watch.read(ours)
        strangers = watch.others - ours
        if strangers:
            timing.disturbed = f"{len(strangers)} other process{'es' * (len(strangers) > 1)} used this GPU"
        if watch.power_capped:
            self._note("the device held its clock down to stay within its power limit")


def _give_back_memory() -> None:
    """The workers need the device memory that this process has no use for."""
    torch.cuda.ipc_collect()
    torch.cuda.empty_cache()


def _lies_in(path: Path, folder: Path) -> bool:
    return path.suffix == ".so" and path.resolve().is_relative_to(folder)


def _close(taken: Taken) -> None:
    for descriptor in taken.received:
        os.close(descriptor)


def no_times(report: Report, why: str) -> Timing:
    return Timing(shape=report.problem.shape, note=one_line(why, 600))


def unmeasured(report: Report, why: str) -> None:
    """The time stage of a run that cannot have one."""
    report.timing = no_times(report, why)
    for stage in report.stages:
        if stage.state == "waiting":
            stage.state, stage.note = "not run", one_line(why, 600)
