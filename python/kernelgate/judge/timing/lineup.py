"""The programs of one time stage: it starts them, gives them the same inputs, and leaves out those that cannot run.

In: a run on a GPU. Out: programs that can be asked, and in `timing` what was left out and why. They run until the
lineup is closed: the profile stage goes on with them. Not here: when they take turns (`judge.timing.turns`).
"""

from __future__ import annotations

import contextlib
import random
from collections.abc import Iterator, Sequence
from typing import Any

import torch

from kernelgate.check.inputs.cases import Plan, case_seed
from kernelgate.judge.endings.device_memory import give_back_memory
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.timing.programs_under_test import (
    COMPILED,
    EAGER,
    FEWEST_CALLS,
    LeftOut,
    ProgramUnderTest,
    Role,
    trusted,
)
from kernelgate.messages.measure import Measure
from kernelgate.messages.worker import Answer, Load, Loaded, Request
from kernelgate.processes.worker_handle import WorkerHandle
from kernelgate.report import one_line
from kernelgate.report.measured import Timing
from kernelgate.timing.peak_rates import nbytes
from kernelgate.timing.sizes import Sized

THIS, EAGER_NAME, COMPILED_NAME = "this kernel", "PyTorch eager", "torch.compile"

_FLUSHES = 2  # of the size of the second-level cache
_LARGE_BYTES = 1 << 30


class Lineup:
    """`programs`: the candidate first. `timing`: what the report knows of them so far. `random`: decides what the
    stage leaves to chance. `read_bytes`: of the inputs, of which at least `read_share` has to be read. `gave_back`:
    whether memory was freed since the last block. `takes_new_rows`: whether rows of the inputs may take the place of
    others.
    """

    def __init__(self, run: RunContext) -> None:
        self._run = run
        self._handles: dict[str, WorkerHandle] = {}  # by the program's name
        self._sized: Sized | None = None
        properties = torch.cuda.get_device_properties(run.target.torch_device)
        self._flush_bytes = _FLUSHES * int(getattr(properties, "L2_cache_size", 0) or 64 << 20)
        self.device_uuid = str(getattr(properties, "uuid", ""))
        self.programs: list[ProgramUnderTest] = []
        self.timing = Timing(shape=one_line(run.reference.shape, 120))
        self.random = random.Random(case_seed(run.seed, "timing"))
        self.read_bytes = 0
        self.read_share = 1.0
        self.takes_new_rows = run.reference.case_inputs.rows_may_move
        self.gave_back = False

    def start(self) -> None:
        """Starts them all. Raises RunEnded as the candidate does."""
        run = self._run
        # The check leaves things in the candidate's process that a notebook would not have.
        run.worker.start(run.target)
        give_back_memory()

        def ask(request: Request, descriptors: Sequence[int], doing: str) -> tuple[Answer, list[int]]:
            return run.worker.ask(request, descriptors, "time", doing)

        self.programs = [ProgramUnderTest(THIS, "candidate", ask, run.reference)]
        self.programs[0].construct()
        text = run.job.reference_text
        self._start_beside(EAGER_NAME, "reference", text + EAGER)
        if "compile" in run.job.against:
            self._start_beside(COMPILED_NAME, "other", text + COMPILED)

    def _start_beside(self, name: str, role: Role, text: str) -> None:
        """Starts a form of the reference. If it cannot run, the note says so."""
        run = self._run
        run.live.doing(f"Starting {name}")
        handle = run.workers.start()
        self._handles[name] = handle
        ask = trusted(name, handle, run.job.limits, run.workers.clock.deadline)
        load = Load(
            python=text,
            device=run.target.kind,
            device_index=run.target.index,
            cache=run.job.cache,
            arch=None,
            folder=run.job.folder,
        )
        with self.left_out():
            answer, _ = ask(load, (), "being loaded")
            assert isinstance(answer, Loaded)
            program = ProgramUnderTest(name, role, ask, run.reference)
            program.construct()
            self.programs.append(program)

    @property
    def reference(self) -> ProgramUnderTest | None:
        """None if it was left out."""
        return next((program for program in self.programs if program.role == "reference"), None)

    @property
    def pids(self) -> set[int]:
        """Of the workers other than the candidate's."""
        return {handle.pid for handle in self._handles.values()}

    @property
    def crowded(self) -> bool:
        """Whether the caches of two programs may leave too little memory for a third; giving it back pauses all of
        them."""
        return len(self.programs) > 2 and self.large

    @property
    def large(self) -> bool:
        """Whether the inputs are so large that a comparison beside what backward passes keep may lack memory."""
        return nbytes(self._run.reference.own_inputs) > _LARGE_BYTES

    def new_inputs(
        self, programs: Sequence[ProgramUnderTest] | None = None, plan: Plan | None = None
    ) -> list[Any]:
        """Gives some programs, or all, new values of the problem's own kind, or of a case of the check. Returns the
        values. Raises NotAccepted if the reference takes no such values."""
        reference = self._run.reference
        seed = self.random.getrandbits(48)
        inputs: list[Any] = reference.drawn_inputs(seed) if plan is None else reference.inputs(plan, seed)
        if self._sized is not None:
            inputs = self._sized.of(inputs)
        self.read_bytes = nbytes(inputs)
        upstream = reference.upstream(inputs)
        for program in list(self.programs if programs is None else programs):
            request = Measure(
                phase="forward", cache_state="cold", calls=FEWEST_CALLS, flush_bytes=self._flush_bytes
            )
            with self.left_out():
                program.measure(request, inputs, upstream).close()
        del upstream
        give_back_memory()
        self.gave_back = True
        return inputs

    def resize(self, sized: Sized | None) -> list[Any]:
        """Gives all programs inputs of another size, or of the problem's own. Returns the inputs."""
        self._sized = sized
        return self.new_inputs()

    @contextlib.contextmanager
    def left_out(self) -> Iterator[None]:
        """Leaves out a program that fails, and goes on."""
        try:
            yield
        except LeftOut as exc:
            self.note(str(exc))
            self.programs = [one for one in self.programs if one.name != exc.name]
            if exc.name in self._handles:
                self._handles.pop(exc.name).close()  # the others need its memory

    def note(self, words: str) -> None:
        self.timing.note = one_line("; ".join(filter(None, [self.timing.note, words])), 600)

    def close(self) -> None:
        """Ends the programs other than the candidate."""
        while self._handles:
            self._handles.popitem()[1].close()

    def __enter__(self) -> Lineup:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
