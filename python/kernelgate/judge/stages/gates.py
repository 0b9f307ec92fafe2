"""The gates stage: properties beyond right values, tried one after another.

In: a run whose cases have passed, and what they have shown of the gates. Out: the gates' rows, and `RunEnded` where a
gate of the contract `problem` does not hold. Not here: the gates themselves (`judge.gates`).
"""

from __future__ import annotations

import contextlib
import re
import time

from kernelgate.judge import gates
from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.judge.gates import Gates
from kernelgate.judge.gates.gate_kind import NEW_RESULTS, RESULTS_OUTLIVE, RESULTS_STAY, WrongValues
from kernelgate.judge.gates.trial import Trial
from kernelgate.judge.run_context import RunContext
from kernelgate.judge.verdict import wrong_result
from kernelgate.messages.parcel import BadParcel
from kernelgate.messages.worker import Returned
from kernelgate.report import Contract, Gate, one_line

_LATE_S = 5.0  # for what a thread of PyTorch's own may do late to a result


def try_gates(run: RunContext, found: Gates, trial: Trial, small: RunContext | None = None) -> list[Gate]:
    """`found`: what the cases have shown; the gates that are tried are added to it. `small`: the run at a size at which
    a call costs little, for the gates that do not need the problem's own. Raises RunEnded."""
    _end_at_a_failure(run, found)
    _look_again(run, found)
    if not run.reference.case_inputs.kinds:
        return []
    at_small = trial_of(small) if small is not None else None
    _note_operators(small or run, at_small or trial)
    for kind, attempt in gates.ALL:
        run.live.step("check", f"Gate “{kind.name}”")
        if run.session.worn_out:
            break
        pace = run.reference.pace
        if pace.leaves_out_gate(kind.name, kind.contract):
            found.left_out(kind, pace.why)
            continue
        small_says = at_small is not None and not kind.own_size and not at_small.session.worn_out
        if small_says and at_small is not None and found.decided_at_small_size(kind, attempt, at_small):
            continue
        try:
            found.try_one(kind, attempt, trial)
        except WrongValues as exc:
            what = f"Called with numbers drawn anew, after its cases: {exc}"
            raise wrong_result(run.candidate, exc.how, what) from None
        if at_small is not None and kind.own_size and found.was_not_run(kind):  # it may lack the memory
            found.decided_at_small_size(kind, attempt, at_small)
        _end_at_a_failure(run, found)
    until = time.monotonic() + _LATE_S
    for each in (run, small):
        if each is not None:
            while time.monotonic() < until and (run.reference.job.thorough or each.session.is_busy()):
                time.sleep(_LATE_S / 20)
            _look_again(each, found, run_ends=True)
    return found.rows()


def trial_of(run: RunContext) -> Trial:
    return Trial(run.session, run.reference, run.comparer, run.seed)


def _look_again(run: RunContext, found: Gates, *, run_ends: bool = False) -> None:
    """Every result since the last look, as far as memory goes, holds what it held when it came. Raises RunEnded."""
    session = run.session
    with contextlib.suppress(RunEnded, BadParcel):  # a worker that is gone takes its results along
        session.look_again(run_ends=run_ends)
    found.note(RESULTS_STAY, "problem", holds=True, how="looked at again after later calls")
    for one in session.overwritten:
        if one.reused:
            found.note(NEW_RESULTS, "drop-in", holds=False)
            continue
        contract: Contract = "problem" if one.own else "drop-in"
        how = f"that of {one.doing} holds other values {one.calls_later} calls later"
        if any(other.calls_later == 0 for other in session.overwritten):
            found.note(RESULTS_OUTLIVE, contract, holds=False)
        else:
            found.note(RESULTS_STAY, contract, holds=False, how=how)
    _end_at_a_failure(run, found)


def _note_operators(run: RunContext, trial: Trial) -> None:
    """Which operators of PyTorch do the work. It decides nothing, and so nothing that goes wrong here does."""
    with contextlib.suppress(RunEnded, BadParcel):
        run.session.construct(run.reference.dtype)
        seen = run.session.call(trial.inputs("operators"), "calling ModelNew", manner="observed")
        names = [one_line(name, 120) for name in seen.answer.operators[:32]]
        launches, caught = _own_launches(run, seen.answer), _caught_build(run, seen.answer)
        run.live.show_candidate(operators=names, launches=launches, caught_build=caught)


def _own_launches(run: RunContext, answer: Returned) -> int | None:
    """How many kernels of the program ran. None if that is not known: a trace without any kernel may be none."""
    if answer.launches is not None:
        return answer.launches
    own = [re.compile(rf"\b{re.escape(name.split(' ')[0])}\b") for name in run.candidate.kernels]
    ran = [name for name in answer.device_kernels if any(one.search(name) for one in own)]
    return len(ran) if answer.device_kernels else None


def _caught_build(run: RunContext, answer: Returned) -> str:
    if not answer.caught_builds:
        return ""
    caught = answer.caught_builds[-1]
    line = run.candidate.line(caught.line)
    where = f" at line {line}" if line is not None else ""
    return one_line(f"load_inline failed{where} and was caught: {caught.what}", 600)


def _end_at_a_failure(run: RunContext, found: Gates) -> None:
    failed = found.first_failure()
    if failed is None:
        return
    kind, gate = failed
    run.live.show(gates=found.rows())
    raise wrong_result(run.candidate, kind.wrong(gates.gate_words(gate)), gate.message)
