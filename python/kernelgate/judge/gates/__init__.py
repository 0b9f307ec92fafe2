"""Gates: properties beyond right values. Each is tried by one function of this package; `ALL` lists them in order.

In: a `Trial`, which calls the candidate and compares. Out: rows of the report, with what was seen of a gate that holds,
and what the verdict says of one that does not. The contract `problem` demands the first list, `drop-in` both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace

from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.endings.device_memory import within_memory
from kernelgate.judge.endings.run_ended import CandidateRaised, NotJudged, OutOfMemory, RunEnded
from kernelgate.judge.gates import arguments, calling, memory, parameters, training
from kernelgate.judge.gates.gate_kind import (
    INPUT_UNTOUCHED,
    INPUT_WRITTEN,
    SEEN,
    DoesNotHold,
    GateKind,
    NotTried,
    WrongValues,
)
from kernelgate.judge.gates.trial import Trial
from kernelgate.messages.parcel import BadParcel
from kernelgate.report import Contract, Gate, Outcome, one_line
from kernelgate.report.numbers import counted

Attempt = Callable[[Trial], str]
"""Tries a gate, and says in a few words what it has seen, if the gate holds. Raises otherwise."""

ALL: tuple[tuple[GateKind, Attempt], ...] = (
    (memory.SAME_RESULT, memory.same_result_three_times),
    (memory.NO_CACHE, memory.no_cache_by_address),
    (memory.NO_CACHE_BY_SUM, memory.no_cache_by_sum),
    (calling.AS_A_CELL, calling.as_a_cell_calls_it),
    (calling.INFERENCE, calling.in_inference_mode),
    (parameters.UNTOUCHED, parameters.untouched),
    (parameters.TAKE_EFFECT, parameters.take_effect),
    (parameters.BUFFERS, parameters.buffers),
    (memory.BESIDE_ANOTHER, memory.beside_another),
    (memory.CALLS_IN_A_ROW, memory.calls_in_a_row),
    (calling.FINISHED, calling.finished_with_the_stream),
    (calling.NO_GLOBAL_STATE, calling.no_global_state_changed),
    (calling.UNWATCHED, calling.in_a_process_of_its_own),
    (calling.AFTER_AN_EXCEPTION, calling.after_an_exception),
    (arguments.CONSTRUCTOR, arguments.constructor_arguments),
    (arguments.CALL, arguments.arguments_of_a_call),
    (parameters.STARTS, parameters.starting_weights),
    (calling.STREAM, calling.non_default_stream),
    (calling.SECOND_DEVICE, calling.second_device),
    (training.GRADIENT, training.gradient),
    (training.GRADIENT_LAYOUT, training.gradient_layouts),
    (training.DOUBLE_BACKWARD, training.double_backward),
    (calling.GRAPH, calling.graph_replay),
    (calling.COMPILE, calling.compile_fullgraph),
    (calling.EXPORT, calling.export),
    (training.AUTOCAST, training.autocast),
    (calling.COPY, calling.deepcopy_and_pickle),
    (calling.TAKES_INFERENCE, calling.takes_inference_mode),
    (calling.HOOKS, calling.hooks),
    (calling.THREAD, calling.in_another_thread),
    (training.MODES, training.train_and_eval),
)


class Gates:
    """The gates of one run, as they are found."""

    def __init__(self) -> None:
        self._rows: dict[GateKind, Gate] = {}
        self._noted: Counter[GateKind] = Counter()

    def note(self, kind: GateKind, contract: Contract, holds: bool, how: str = "") -> None:
        """One observation in a case. A gate holds if it held every time; it then belongs to the contract of the gate,
        and otherwise to the stricter contract of the cases in which it did not. `how`: in words, if there is more to
        say than in how many cases it holds, or what it costs if it does not."""
        before = self._rows.get(kind)
        self._noted[kind] += 1
        seen = how or f"in {counted(self._noted[kind], 'case')}"
        message = seen if holds else f"{kind.costs}: {how}" if how else ""
        if before is None or before.outcome == "pass":
            self._rows[kind] = _row(
                kind, "pass" if holds else "fail", contract if not holds else kind.contract, message
            )
        elif not holds and contract == "problem":
            self._rows[kind] = _row(kind, "fail", kind.contract, message)

    def try_one(self, kind: GateKind, attempt: Attempt, trial: Trial) -> None:
        """Tries a gate, and adds its row and what its calls show of others. Raises RunEnded for an end that is no
        finding about the candidate."""
        trial = replace(trial, seen={})
        self._try(kind, attempt, trial)
        for other, how in trial.seen.items():
            contract: Contract = kind.contract if other in (INPUT_UNTOUCHED, INPUT_WRITTEN) else "drop-in"
            self.note(other, contract, holds=False, how=how)

    def decided_at_small_size(self, kind: GateKind, attempt: Attempt, trial: Trial) -> bool:
        """Whether a trial at a smaller size than the problem's says what a gate gives; then adds its row. What would be
        wrong for the problem is so at its own size alone."""
        there = Gates()
        try:
            there.try_one(kind, attempt, trial)
        except (RunEnded, WrongValues):
            return False
        if there.first_failure() is not None:
            return False
        for row in there._rows.values():
            if row.outcome != "not run":
                row.message = one_line(f"{row.message} (at {trial.reference.shape})", 600)
        self._rows |= there._rows
        return True

    def _try(self, kind: GateKind, attempt: Attempt, trial: Trial) -> None:
        row = _row(kind, "not run")
        with within_memory(row, decides=kind.contract == "problem"):
            self._within_memory(kind, attempt, trial)
            return
        self._rows[kind] = row

    def _within_memory(self, kind: GateKind, attempt: Attempt, trial: Trial) -> None:
        try:
            trial.session.construct(trial.reference.dtype)
            evidence = attempt(trial)
        except NotTried as exc:
            if exc.why is not None:
                self._rows[kind] = _row(kind, "not run", message=exc.why)
        except (WrongResult, DoesNotHold, BadParcel, RunEnded) as exc:
            of_the_problem, raised = kind.contract == "problem", isinstance(exc, CandidateRaised)
            if isinstance(exc, NotJudged | OutOfMemory):
                raise
            # That a module cannot be made again is no finding of this gate; a crash on the problem's own inputs ends
            # the run by its own name.
            if isinstance(exc, RunEnded) and of_the_problem and (not raised or exc.kind == "build"):
                raise
            how = f"the result cannot be read: {exc}" if isinstance(exc, BadParcel) else str(exc)
            self._rows[kind] = _row(kind, "unsupported" if raised else "fail", message=f"{kind.costs}: {how}")
        else:
            self._rows.setdefault(kind, _row(kind, "pass", message=evidence))

    def left_out(self, kind: GateKind, why: str) -> None:
        """A gate that is not tried in this run."""
        self._rows.setdefault(kind, _row(kind, "not run", message=why))

    def was_not_run(self, kind: GateKind) -> bool:
        return kind in self._rows and self._rows[kind].outcome == "not run"

    def rows(self) -> list[Gate]:
        return list(self._rows.values())

    def first_failure(self) -> tuple[GateKind, Gate] | None:
        """The first gate of the problem that does not hold."""
        failed = (row for row in self._rows.items() if row[1].contract == "problem")
        return next((row for row in failed if row[1].outcome in ("fail", "unsupported")), None)


def _row(kind: GateKind, outcome: Outcome, contract: Contract | None = None, message: str = "") -> Gate:
    return Gate(
        name=kind.name,
        contract=contract or kind.contract,
        outcome=outcome,
        message=one_line(message or ("" if outcome == "pass" else kind.costs), 600),
    )


_BY_NAME = {kind.name: kind for kind in (*SEEN, *(kind for kind, _attempt in ALL))}


def gate_words(gate: Gate) -> str:
    """What a gate that does not hold means, as half a sentence."""
    kind = _BY_NAME[gate.name]
    return kind.refuses if gate.outcome == "unsupported" and kind.refuses else kind.fails


def is_silent(gate: Gate) -> bool:
    """Whether a gate fails by wrong numbers, without an error."""
    return gate.outcome == "fail" and _BY_NAME[gate.name].silent
