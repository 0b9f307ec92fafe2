"""An examination of the candidate: every access of its kernels looked at, in a worker of its own.

In: a run whose cases have passed, or a failure to explain. Out: `Examination` in the report, and `RunEnded` where
something was found that decides the verdict.
Not here: the looking (`emulator`), the words (`judge.findings`).
"""

from __future__ import annotations

import contextlib
import copy
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec
import torch

from kernelgate.check.cases import Plan, case_seed, draw, drop_in_plans
from kernelgate.judge import findings
from kernelgate.judge.reference import Reference, shape_words
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.run_ended import RunEnded
from kernelgate.messages.worker import Call, Construct, Returned
from kernelgate.report import Contract, Examination, Failure, Finding, one_line

if TYPE_CHECKING:
    from kernelgate.emulator import Fault

_MOST_FINDINGS = 24


class Examiner:
    """The examination of one run."""

    def __init__(self, judge: RunContext, reference: Reference, device: tuple[str, int]) -> None:
        self._judge = judge
        self._reference = reference
        self._emulated = device[0] != "cuda"
        self._found: list[tuple[Fault, Finding]] = []

    @property
    def wanted(self) -> bool:
        """Whether there is anything to examine. It is done in emulation in any case: on a GPU, whose run does not build
        for the CPU by itself, only where it is asked for."""
        asked = self._judge.job.examine
        built = self._judge.report.build is not None
        return built and (self._emulated if asked is None else asked)

    def after_a_pass(self) -> None:
        """Raises RunEnded where a fault is found although all values were right."""
        if not self.wanted:
            return
        self._examine(("problem", "drop-in"))
        contract = self._judge.report.contract
        for fault, found in self._found:
            if found.certain and (found.contract == "problem" or contract == "drop-in"):
                raise RunEnded("fault", found.sentence, self._failure(fault))

    def explained(self, end: RunEnded) -> RunEnded:
        """The end of a run with the fault behind it, where one is found."""
        if not self.wanted or end.ends_run or not _is_open(end):
            return end
        self._examine(("problem",))
        waits = [fault for fault, _found in self._found if fault.kind == "waits"]
        if end.kind == "timeout":
            return self._unschedulable(waits[0]) if waits else end
        if not self._found or end.failure is None:
            return end
        fault, found = self._found[0]
        told = self._failure(fault)
        end.failure.what = one_line(f"{found.sentence}. {end.failure.what}", 600)
        end.failure.where, end.failure.next_step = told.where, told.next_step
        return end

    def _failure(self, fault: Fault) -> Failure:
        return findings.failure(self._judge.candidate, fault, self._judge.sources, "check")

    def _unschedulable(self, fault: Fault) -> RunEnded:
        failure = self._failure(fault)
        failure.what = one_line(
            f"{failure.what} waits for another, but emulation runs one after the other", 600
        )
        failure.next_step = "Run it on a kernel with a GPU"
        return RunEnded(
            "refused", "Not run: emulation cannot schedule a thread that waits in a loop for another", failure
        )

    # --- the examination itself -------------------------------------------------------------------------------------

    def _examine(self, contracts: tuple[Contract, ...]) -> None:
        report = self._judge.report
        build = copy.copy(report.build)  # which is not this one
        examination = Examination(tool="emulation", state="clean")
        report.examination = examination
        report.progress = "Examining every access"
        self._judge.record.tick()
        limit_s = self._judge.job.limits.examine_s
        # Its build is as long as the machine makes it, and takes nothing from the looking.
        until = time.monotonic() + limit_s - self._judge.building_s
        done: list[str] = []
        try:
            if not self._emulated:
                self._reference = self._on_the_cpu()
            self._start(until)
            for plan in self._plans(contracts):
                inputs = draw(
                    plan,
                    self._reference.own_inputs,
                    case_seed(self._judge.seed, "examination"),
                    self._reference.dtype,
                    graded=self._reference.graded,
                )
                with self._tolerating(plan):
                    self._call(plan, inputs, until)
                    done.append(shape_words(inputs))
        except RunEnded as end:
            if end.kind in ("internal", "cancelled"):
                raise
            over = end.kind == "timeout"
            examination.state = "cut short" if over else "not run"
            examination.note = f"cut short after {limit_s:g} s" if over else one_line(end.sentence, 600)
        else:
            examination.note = one_line(f"on {' and '.join(done)}", 600) if done else ""
        finally:
            self._judge.end_worker()
            report.build = build
        told = [found for fault, found in self._found if fault.kind != "waits"]
        if len(told) < len(self._found):  # which on a GPU may well be right
            examination.state, examination.note = "cut short", "cut short where a thread waits for another"
        if told:
            examination.state, examination.findings = "found", told[:_MOST_FINDINGS]

    def _on_the_cpu(self) -> Reference:
        """The same problem, at the size for emulation. Raises RunEnded where there is no emulation."""
        from kernelgate.emulator import supported

        why = supported()
        if why is not None:
            raise RunEnded("environment", why, None)
        job = msgspec.structs.replace(self._judge.job, shape=None, sizes={})
        return Reference(job, torch.device("cpu"), self._judge.seed)

    def _plans(self, contracts: tuple[Contract, ...]) -> list[Plan]:
        plans = [Plan("as given", "problem", "own")]
        if self._reference.template is not None:
            plans = [Plan("normal", "problem", "normal")]
            if "drop-in" in contracts:
                plans.append(drop_in_plans(self._reference.template, any_shape=self._reference.any_shape)[0])
        return plans

    @contextlib.contextmanager
    def _tolerating(self, plan: Plan) -> Iterator[None]:
        """Lets a program refuse what it need not take."""
        try:
            yield
        except RunEnded as end:
            if plan.contract == "problem" or not end.worker_lives:
                raise

    def _start(self, until: float) -> None:
        self._judge.start_worker("emulated", 0, examine=True, limit_s=self._left(until))
        init, seed, parameters, descriptors = self._reference.construction()
        dtype = str(self._reference.dtype).removeprefix("torch.")
        request = Construct(init=init, seed=seed, dtype=dtype, state=parameters)
        self._judge.ask(request, descriptors, "check", "being examined", self._left(until))

    def _left(self, until: float) -> float:
        return max(0.1, until + self._judge.building_s - time.monotonic())

    def _call(self, plan: Plan, inputs: list[Any], until: float) -> None:
        descriptors: list[int] = []
        arguments = [self._reference.pack(value, descriptors) for value in inputs]
        request = Call(inputs=arguments, manner="examined")
        answer, _ = self._judge.ask(request, descriptors, "check", "being examined", self._left(until))
        assert isinstance(answer, Returned)
        known = {(fault.kind, fault.line, fault.other_line) for fault, _found in self._found}
        for fault in findings.faults(answer.findings):
            if (fault.kind, fault.line, fault.other_line) in known:
                continue
            decides = findings.certain(fault, unwritten_matters=answer.unwritten_matters)
            found = findings.finding(
                self._judge.candidate, fault, self._judge.sources, plan.contract, decides=decides
            )
            self._found.append((fault, found))
        self._found.sort(key=lambda each: not each[1].certain)


def _is_open(end: RunEnded) -> bool:
    """Whether the place of a failure is still to be found: a GPU names no line of a fault."""
    values = end.kind == "wrong" and end.sentence.startswith("Wrong result")
    where = end.failure.where if end.failure is not None else None
    nowhere = end.kind == "fault" and (where is None or where.line is None)
    return values or nowhere or end.kind == "timeout"
