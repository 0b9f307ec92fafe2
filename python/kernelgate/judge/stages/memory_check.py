"""The memory check: every access of the candidate's kernels looked at in emulation, in a worker of its own.

In: a run whose cases have passed, or a failure to explain. Out: `MemoryCheck`, and `RunEnded` where something was
found that decides the verdict.
Not here: the looking (`emulator`), the words (`judge.endings.findings`), the GPU itself (`judge.stages.sanitize`).
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kernelgate.backend.target import EMULATED
from kernelgate.check.inputs.cases import OTHER_SIZE_PLAN, Plan, case_seed
from kernelgate.check.inputs.shape_plans import every_size_plans
from kernelgate.check.nesting import shape_words, tensors_in
from kernelgate.emulator import Fault, supported
from kernelgate.judge.candidate.model_in_worker import ModelInWorker
from kernelgate.judge.candidate.worker import CandidateWorker
from kernelgate.judge.endings import findings
from kernelgate.judge.endings.run_ended import CandidateRaised, NotJudged, RunEnded
from kernelgate.judge.gates.gate_kind import INPUT_UNTOUCHED, INPUT_WRITTEN
from kernelgate.judge.reference.affordable import at_sizes
from kernelgate.judge.reference.reference import NotAccepted, Reference
from kernelgate.judge.run_context import RunContext
from kernelgate.messages.worker import Answer, Call, Request, Returned
from kernelgate.report import Contract, Failure, Finding, MemoryCheck, one_line
from kernelgate.report.wording import lower_first, upper_first
from kernelgate.report.wrong_results import Property, Wrong

_MOST_FINDINGS = 24
_DOING = "being examined"
_EVERY_SIZE_S = 300.0
_INPUTS = (INPUT_UNTOUCHED.name, INPUT_WRITTEN.name)


@dataclass(frozen=True)
class Examiner:
    """A worker that looks at every access, and the problem at the size at which it does."""

    worker: CandidateWorker
    reference: Reference


@contextlib.contextmanager
def prepared(run: RunContext) -> Iterator[Examiner | None]:
    """It loads the program while the judge goes on, if both have room: beside a GPU's work, the host's processors have.
    None if emulation cannot be used here."""
    examiner = None
    try:
        if _wanted(run):
            with contextlib.suppress(RunEnded):  # which the look itself finds as well, and says
                examiner = _examiner(run)
        if examiner is not None and (run.has_room_beside or not run.target.can_check_memory):
            examiner.worker.prepare(EMULATED, examine=True, limit_s=run.job.limits.examine_s)
        yield examiner
    finally:
        if examiner is not None:
            examiner.worker.close()


def _examiner(run: RunContext) -> Examiner:
    if run.target.can_check_memory:
        return Examiner(run.worker.another(), run.reference)
    if (why := supported()) is not None:
        raise NotJudged("environment", why, None)
    reference = run.in_emulation()
    return Examiner(run.worker.another(at_sizes(run.candidate, run.job.reference_text, reference.sizes)), reference)


def memory_check(
    run: RunContext, examiner: Examiner | None, other_size: Reference | None = None
) -> MemoryCheck | None:
    """`examiner`: what `prepared` has begun. `other_size`: the problem at one more size.
    None if there is nothing to look at. Raises RunEnded if a fault is found although all values were right."""
    if not _wanted(run):
        return None
    look = _Look(run, examiner, other_size)
    look.at(("problem", "drop-in"))
    for fault, found in look.found:
        if found.certain and (found.contract == "problem" or run.job.contract == "drop-in"):
            raise RunEnded("fault", found.sentence, _failure(run, fault), found)
    return look.memory_check


def with_fault_behind(run: RunContext, end: RunEnded) -> RunEnded:
    """The end of a run with the fault behind it, if one is found."""
    if not _wanted(run) or isinstance(end, NotJudged):
        return end
    if not _is_open(end):
        return _with_overflow(run, end) if findings.strays(end.cause) and run.worker.built else end
    look = _Look(run)
    look.explains_inputs = isinstance(end.cause, Property) and end.cause.gate in _INPUTS
    look.at(("problem",))
    waits = [fault for fault, _found in look.found if fault.kind == "waits"]
    if end.kind == "timeout":
        return _unschedulable(_failure(run, waits[0])) if waits else end
    if not look.found or end.failure is None:
        return end
    fault, found = look.found[0]
    behind = _failure(run, fault)
    _name_cause(end, found, end.failure)
    if behind.fix is not None or end.failure.fix is None:
        end.failure.where, end.failure.next_step = behind.where, behind.next_step
        end.failure.fix, end.failure.edit = behind.fix, behind.edit
        end.without_guess = None
    elif end.without_guess is not None:
        end.without_guess = behind.where, behind.next_step
    return end


def _name_cause(end: RunEnded, found: Finding, failure: Failure) -> None:
    """A cause that is certain is the headline, and what it comes to stands below it."""
    words = found.sentence
    if found.certain and isinstance(end.cause, Wrong):
        end.sentence, words = f"Wrong result; {lower_first(found.sentence)}", upper_first(end.cause.words)
    elif found.certain:
        end.sentence, words = found.sentence, ""
    if words not in failure.what:
        failure.what = one_line(f"{words}. {failure.what}", 600)


def _with_overflow(run: RunContext, end: RunEnded) -> RunEnded:
    """The end of a run with an access out of bounds at a known line. The next step names the computation of the index,
    if it overflows: only looking at every access shows that."""
    look, strayed = _Look(run), end.failure
    look.at(("problem",))
    run.live.show(memory_check=None)  # what else such an access meets says nothing about the program
    overflows = [fault for fault, _found in look.found if fault.kind == "out_of_bounds" and fault.other_line]
    for behind in (*(_failure(run, fault) for fault in overflows), look.ended):
        if strayed and behind and strayed.where and behind.where and behind.where.line == strayed.where.line:
            strayed.next_step = behind.next_step
            break
    return end


def _wanted(run: RunContext) -> bool:
    has_kernels = run.worker.built or bool(run.candidate.triton_kernels)  # which are not built ahead of a launch
    return has_kernels and (run.job.every_size or run.job.examine is not False)


def _failure(run: RunContext, fault: Fault) -> Failure:
    return findings.failure(run.candidate, fault, run.worker.sources, "check")


def _unschedulable(failure: Failure) -> RunEnded:
    failure.what = one_line(f"{failure.what} waits for another, but emulation runs one after the other", 600)
    failure.next_step = "Run it on a kernel with a GPU"
    return RunEnded(
        "refused", "Not run: emulation cannot schedule a thread that waits in a loop for another", failure
    )


def _is_open(end: RunEnded) -> bool:
    """Whether the place of a failure is still to be found: a GPU names no line of a fault."""
    where = end.failure.where if end.failure is not None else None
    nowhere = end.kind == "fault" and (where is None or where.line is None)
    refused = isinstance(end, CandidateRaised) and end.by_driver
    return isinstance(end.cause, Wrong) or nowhere or refused or end.kind == "timeout"


class _Look:
    """One look at every access: its worker, its time, and what it found, the certain first."""

    def __init__(
        self, run: RunContext, examiner: Examiner | None = None, other_size: Reference | None = None
    ) -> None:
        self._run = run
        self._examiner = examiner
        self._other_size = other_size
        self._worker = run.worker.another()
        self._reference = run.reference
        self._model = ModelInWorker(self._ask, run.reference)
        self._until = 0.0
        self.memory_check = MemoryCheck(tool="emulation", state="clean")
        self.found: list[tuple[Fault, Finding]] = []
        self.explains_inputs = False  # a program may write to an input if the reference does
        self.ended: Failure | None = None  # how the program failed while it was looked at

    def at(self, contracts: tuple[Contract, ...]) -> None:
        """At the forward call, on an input of each contract. What keeps it from looking is the memory check's note."""
        run, memory_check = self._run, self.memory_check
        run.live.show(memory_check=memory_check)
        run.live.doing("Examining every access")
        run.worker.close()  # two at once would share the processor and the memory
        limit_s = _EVERY_SIZE_S if run.job.every_size else run.job.limits.examine_s
        self._until = time.monotonic() + limit_s
        done: list[str] = []
        try:
            examiner = self._examiner or _examiner(run)
            self._worker, self._reference = examiner.worker, examiner.reference
            self._model = ModelInWorker(self._ask, self._reference)
            self._worker.start(EMULATED, examine=True, limit_s=self._left_s)
            self._model.construct(doing=_DOING)
            for plan in self._plans(contracts):
                with self._tolerating(plan):
                    inputs = self._inputs(plan)
                    self._call(plan, inputs)
                    done.append(shape_words(inputs))
            if run.job.every_size and "drop-in" in contracts and not self.found:
                done.append(self._every_size())
            done.append(self._at_another_size())
            # Last: what it calls the program on is no memory of the device, which a look would find.
            self._without_kernels(self._plans(contracts)[0])
        except RunEnded as end:
            over = end.kind == "timeout"
            memory_check.state = "cut short" if over else "not run"
            memory_check.note = f"cut short after {limit_s:g} s" if over else one_line(end.sentence, 600)
            self.ended = end.failure
        else:
            *first, last = list(filter(None, done)) or [""]
            listed = " and ".join(filter(None, [", ".join(first), last]))
            memory_check.note = one_line(f"on {listed}", 600) if done else ""
        finally:
            self._worker.close()
        certain = [found for fault, found in self.found if fault.kind != "waits"]
        if len(certain) < len(self.found):  # which on a GPU may well be right
            memory_check.state, memory_check.note = "cut short", "cut short if a thread waits for another"
        if certain:
            memory_check.state, memory_check.findings = "found", certain[:_MOST_FINDINGS]

    def _plans(self, contracts: tuple[Contract, ...]) -> list[Plan]:
        known = self._reference.plans
        beyond = [plan for plan in known if plan.name == "odd size"] if "drop-in" in contracts else []
        return [known[min(1, len(known) - 1)], *beyond]

    def _inputs(self, plan: Plan) -> list[Any]:
        reference, seed = self._reference, case_seed(self._run.seed, "memory check")
        return reference.inputs(plan, seed)

    @contextlib.contextmanager
    def _tolerating(self, plan: Plan) -> Iterator[None]:
        """Lets a program refuse what it need not take; leaves out kinds of inputs that the problem does not have."""
        try:
            yield
        except NotAccepted:
            return
        except CandidateRaised:
            if plan.contract == "problem":
                raise

    def _every_size(self) -> str:
        run, reference = self._run, self._reference
        leading = reference.case_inputs.leading
        if leading is None:
            return ""
        template = tensors_in(list(reference.own_inputs))[leading]
        plans = every_size_plans(template, any_shape=reference.case_inputs.any_shape)
        looked = 0
        for number, plan in enumerate(plans):
            run.live.doing(f"Examining size {number + 1:,} of {len(plans):,}")
            with self._tolerating(plan):
                inputs = self._inputs(plan)
                if not reference.case_inputs.any_shape:
                    reference.expected_value(inputs)
                self._call(plan, inputs)
                looked += 1
            if any(found.certain for _fault, found in self.found):
                break
        largest = max((plan.shape[0] for plan in plans if plan.shape), default=0)
        return f"{looked:,} sizes up to {largest:,}" if looked else ""

    def _at_another_size(self) -> str:
        """Looks at the problem's own inputs at a size with other remainders: it in words; "" if the program does not
        come to an end there, which it need not."""
        other, run = self._other_size, self._run
        if other is None or self.found or other.device != self._reference.device:
            return ""
        own, text = self._model, run.job.reference_text
        if at_sizes(run.candidate, text, other.sizes) != at_sizes(run.candidate, text, self._reference.sizes):
            return ""  # the program holds the sizes itself: it would have to be loaded once more
        run.live.doing("Examining every access at another size")
        self._model = ModelInWorker(self._ask, other)
        try:
            self._model.construct(doing=_DOING)
            inputs = other.inputs(OTHER_SIZE_PLAN, case_seed(run.seed, "memory check"))
            self._call(OTHER_SIZE_PLAN, inputs)
            return shape_words(inputs)
        except (RunEnded, NotAccepted):
            return ""
        finally:
            self._model = own
            with contextlib.suppress(RunEnded):
                own.construct(doing=_DOING)

    @property
    def _left_s(self) -> float:
        """Its build is as long as the machine makes it, and takes nothing from the looking."""
        return max(0.1, self._until + self._worker.building_s - time.monotonic())

    def _ask(self, request: Request, descriptors: Sequence[int], doing: str) -> tuple[Answer, list[int]]:
        return self._worker.ask(request, descriptors, "check", doing, self._left_s)

    def _without_kernels(self, plan: Plan) -> None:
        """Whether the kernels do the work. It decides nothing, and so nothing that goes wrong here does."""
        if self.found:
            return
        given = self._model.arguments(self._inputs(plan))
        request = Call(inputs=given.values, manner="without kernels")
        with (
            contextlib.suppress(RunEnded),
            self._model.send(Returned, request, given.descriptors, _DOING) as got,
        ):
            if got.answer.kernels_matter is not None:
                self._run.live.show_candidate(kernels_matter=got.answer.kernels_matter)

    def _call(self, plan: Plan, inputs: list[Any]) -> None:
        given = self._model.arguments(inputs)
        request = Call(inputs=given.values, manner="examined")
        with self._model.send(Returned, request, given.descriptors, _DOING) as got:
            answer = got.answer
        known = {(fault.kind, fault.line, fault.other_line) for fault, _found in self.found}
        for fault in findings.faults(answer.findings):
            unasked = fault.kind == "input_written" and not self.explains_inputs
            if unasked or (fault.kind, fault.line, fault.other_line) in known:
                continue
            decides = findings.certain(fault, unwritten_matters=answer.unwritten_matters)
            found = findings.finding(
                self._run.candidate, fault, self._worker.sources, plan.contract, decides=decides
            )
            self.found.append((fault, found))
        self.found.sort(key=lambda each: not each[1].certain)
