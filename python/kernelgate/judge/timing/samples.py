"""The samples of one phase and cache state, as they come in: kept, grouped, and turned into rows and speeds.

In: blocks of seconds, taken by turns. Out: `Timed` and `Speed` for the report.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from kernelgate.judge.timing.programs_under_test import ProgramUnderTest
from kernelgate.report.measured import CacheState, Phase, Speed, SpeedVerdict, SweepPoint, Timed
from kernelgate.timing.statistics import Group, noise_band, quartiles, resolution, speed, thinned, verdict

FEWEST_CALLS = 3
_LONG_CALL_S = 0.1
# Times the inputs: what programs and judge may have freed since the last block. The driver clears it in the background.
_FREED = 10
_CLEARED_BYTES_PER_S = 5e11  # on an H200


@dataclass(frozen=True)
class Block:
    """`calls`, `repeats` times."""

    calls: int
    repeats: int


@dataclass(frozen=True)
class SamplingPlan:
    """A block of cold calls takes `cold_s`, and one of calls that follow each other `batches` times `batch_s`: many
    short blocks are more precise than few long ones. Each block warms up for `least_settle_s` or more."""

    cold_s: float = 0.06
    most_cold_calls: int = 80
    batch_s: float = 0.01
    batches: int = 5
    most_calls: int = 400
    least_settle_s: float = 0.01

    def block(self, cache_state: CacheState, call_s: float) -> Block:
        """`call_s`: what one call takes."""
        cold = cache_state == "cold"
        seconds, most = (self.cold_s, self.most_cold_calls) if cold else (self.batch_s, self.most_calls)
        calls = min(most, math.ceil(seconds / max(call_s, 1e-6)))
        once = cold or call_s > _LONG_CALL_S  # long calls are precise as they are
        return Block(calls=max(FEWEST_CALLS, calls), repeats=1 if once else self.batches)

    def settle_s(self, input_bytes: int) -> float:
        """Seconds of warm-up calls. `input_bytes`: of the program's inputs, 0 if no memory was freed."""
        return self.least_settle_s + _FREED * input_bytes / _CLEARED_BYTES_PER_S


USUAL = SamplingPlan()


FEWEST_GROUPS = 4
_PRECISE_FROM = 8
_PRECISE = 0.004  # the width of an interval at which more samples say no more
_KEPT_SAMPLES = 120


@dataclass
class Rounds:
    """`coarser`: the candidate's arithmetic if it is less accurate than the reference's, else ""."""

    phase: Phase
    cache_state: CacheState
    coarser: str = ""
    _groups: dict[str, list[Group]] = field(default_factory=dict)
    _samples: dict[str, list[float]] = field(default_factory=dict)
    _dropped: dict[str, int] = field(default_factory=dict)

    def add(
        self, program: str, reference: str, blocks: dict[str, list[list[float]]], *, slowed: bool
    ) -> None:
        """One group: two blocks of each. If the device was `slowed` down, they are counted and dropped."""
        for name, (first, second) in blocks.items():
            if slowed:
                self._dropped[name] = self._dropped.get(name, 0) + len(first) + len(second)
            else:
                self._samples.setdefault(name, []).extend([*first, *second])
        if not slowed:
            mine, theirs = blocks[program], blocks[reference]
            group = Group(reference=(theirs[0], theirs[1]), candidate=(mine[0], mine[1]))
            self._groups.setdefault(program, []).append(group)

    @property
    def fewest(self) -> int:
        """The number of groups of the program with the fewest."""
        return min((len(groups) for groups in self._groups.values()), default=0)

    @property
    def precise(self) -> bool:
        """Whether more samples would add nothing."""
        return self.fewest >= _PRECISE_FROM and all(
            speed(groups).width < max(_PRECISE, (resolution(groups) - 1) / 2)
            for groups in self._groups.values()
        )

    def rows(self, programs: Sequence[ProgramUnderTest]) -> list[Timed]:
        found = []
        for program in programs:
            taken = self._samples.get(program.name)
            if not taken:
                continue
            low, middle, high = quartiles(taken)
            found.append(
                Timed(
                    program=program.name,
                    role=program.role,
                    phase=self.phase,
                    cache_state=self.cache_state,
                    median_s=middle,
                    q1_s=low,
                    q3_s=high,
                    n=len(taken),
                    dropped=self._dropped.get(program.name, 0),
                    samples_s=thinned(taken, _KEPT_SAMPLES),
                )
            )
        return found

    def sweep_point(self, candidate: str, shape: str, elements: int) -> SweepPoint | None:
        """The candidate at one size; None if there are too few groups, or nothing to compare."""
        found = next((one for one in self.speeds(candidate) if one.program == candidate), None)
        if found is None or found.verdict is None:
            return None
        groups = self._groups[candidate]
        mine = quartiles([s for group in groups for block in group.candidate for s in block])[1]
        theirs = quartiles([s for group in groups for block in group.reference for s in block])[1]
        return SweepPoint(
            shape=shape,
            elements=elements,
            candidate_s=mine,
            reference_s=theirs,
            ratio=found.ratio,
            low=found.low,
            high=found.high,
            verdict=found.verdict,
        )

    def speeds(self, candidate: str) -> list[Speed]:
        found = []
        for name, groups in self._groups.items():
            if len(groups) < FEWEST_GROUPS:
                continue
            interval, band = speed(groups), noise_band(groups)
            coarser = self.coarser if name == candidate else ""
            said: SpeedVerdict | None = None if coarser else verdict(interval, band)
            found.append(
                Speed(
                    program=name,
                    phase=self.phase,
                    cache_state=self.cache_state,
                    ratio=interval.value,
                    low=interval.low,
                    high=interval.high,
                    band=band,
                    verdict=said,
                    note=f"computes in {coarser}" if coarser else "",
                )
            )
        return found
