"""Gates: properties beyond right values. Each is tried by one function of this package; `ALL` lists them in order.

In: a `Trial`, which calls the candidate and compares. Out: rows of the report, with what was seen of a gate that holds,
and what the verdict says of one that does not. The contract `problem` demands the first list, `drop-in` both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.endings.device_memory import NO_ROOM, give_back_memory, ran_out
from kernelgate.judge.endings.run_ended import CandidateRaised, NotJudged, OutOfMemory, RunEnded
from kernelgate.judge.gates import alone, calling, device, instances, memory, parameters, training
from kernelgate.judge.gates.gate_kind import ACCURACY, DoesNotHold, GateKind, NotTried
from kernelgate.judge.gates.trial import Trial
from kernelgate.messages.parcel import BadParcel
from kernelgate.report import Contract, Gate, Outcome, one_line
from kernelgate.report.numbers import counted

# Seen in every case, rather than tried on their own.
UNTOUCHED = GateKind(
    "input untouched",
    "problem",
    "it changes its input in place",
    "The caller's tensor is another one after the call",
    next_step="Write the result to a tensor of its own, not into the input",
)
WRITTEN = GateKind(
    "input written as by the reference",
    "problem",
    "it changes its inputs differently from the reference",
    "The reference changes its inputs in place, and so does a program for it",
    next_step="Write to each input what the reference writes to it",
)
UNALIASED = GateKind(
    "output not aliased",
    "problem",
    "the output shares memory with the input",
    "A later change of one would change the other",
    next_step="Give every call a new output, with memory of its own",
)
NEW_RESULTS = GateKind(
    "each result is a new tensor",
    "drop-in",
    "each call overwrites the last result",
    "Results that are kept, in a list for instance, become those of later calls",
    next_step="Give every call a new output, with memory of its own",
)
STATE = GateKind(
    "buffers as the reference leaves them",
    "drop-in",
    "a call leaves other values in its buffers than the reference's",
    "What reads them later, as evaluation after training does, gives another result",
    next_step="Update in each call what the reference updates",
)
RESULTS_STAY = GateKind(
    "results stay as they were",
    "problem",
    "a later call changes a result that it has returned",
    "Later calls overwrite results that you kept",
    next_step="Give every call a new output, and write to none after it has been returned",
)
RESULTS_OUTLIVE = GateKind(
    "results outlive the module",
    "problem",
    "its results change once the module is gone",
    "`y = ModelNew()(x)` holds other values as soon as Python frees the module",
    next_step="Give every result memory of its own, which is freed when the result is",
)
WANTS_NO_GRADIENT = GateKind(
    "output wants no gradient",
    "drop-in",
    "its output requires a gradient, and the reference's does not",
    "`y.numpy()` raises in a cell",
    next_step="Keep constants as buffers or numbers, not as tensors that require a gradient",
)
LAYOUT = GateKind(
    "layout as the reference",
    "drop-in",
    "the output's strides are not the reference's",
    "Code that views the result, or reads its memory, behaves differently",
)
RANDOM_NUMBERS = GateKind(
    "random numbers left to the caller",
    "drop-in",
    "it draws random numbers, and the reference draws none",
    "A notebook with a fixed seed gets other random numbers behind each call",
)

SEEN = (
    UNTOUCHED, WRITTEN, UNALIASED, NEW_RESULTS, STATE, RESULTS_STAY, RESULTS_OUTLIVE, LAYOUT, RANDOM_NUMBERS,
    WANTS_NO_GRADIENT, ACCURACY,
)  # fmt: skip
"""Found beside the values, rather than tried on their own."""

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
    (parameters.LARGE, parameters.large),
    (instances.BESIDE_ANOTHER, instances.beside_another),
    (instances.CALLS_IN_A_ROW, instances.calls_in_a_row),
    (device.FINISHED, device.finished_with_the_stream),
    (alone.UNWATCHED, alone.in_a_process_of_its_own),
    (calling.NO_GLOBAL_STATE, calling.no_global_state_changed),
    (calling.AFTER_AN_EXCEPTION, calling.after_an_exception),
    (parameters.CONSTRUCTOR, parameters.constructor_arguments),
    (device.STREAM, device.non_default_stream),
    (device.SECOND_DEVICE, device.second_device),
    (training.GRADIENT, training.gradient),
    (training.GRADIENT_LAYOUT, training.gradient_layouts),
    (training.DOUBLE_BACKWARD, training.double_backward),
    (device.GRAPH, device.graph_replay),
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
        say than in how many cases it holds, or what it costs where it does not."""
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
        """Tries a gate and adds its row. Raises RunEnded for an end that is no finding about the candidate."""
        try:
            evidence = _within_memory(kind, attempt, trial)
        except NotTried as exc:
            if exc.why is not None:
                self._rows[kind] = _row(kind, "not run", message=exc.why)
            return
        except (WrongResult, DoesNotHold) as exc:
            self._rows[kind] = _row(kind, "fail", message=f"{kind.costs}: {exc}")
            return
        except BadParcel as exc:
            self._rows[kind] = _row(kind, "fail", message=f"{kind.costs}: the result cannot be read: {exc}")
            return
        except CandidateRaised as end:
            self._rows[kind] = _row(kind, "unsupported", message=f"{kind.costs}: {end.sentence}")
            return
        except NotJudged:
            raise
        except RunEnded as end:
            if kind.contract == "problem":
                raise  # a crash on the problem's own inputs ends the run by its own name
            self._rows[kind] = _row(kind, "fail", message=f"{kind.costs}: {end.sentence}")
            return
        self._rows.setdefault(kind, _row(kind, "pass", message=evidence))

    def left_out(self, kind: GateKind, why: str) -> None:
        """A gate that is not tried in this run."""
        self._rows.setdefault(kind, _row(kind, "not run", message=why))

    def rows(self) -> list[Gate]:
        return list(self._rows.values())

    def first_failure(self, contract: Contract) -> tuple[GateKind, Gate] | None:
        """The first gate of a contract that does not hold."""
        for kind, gate in self._rows.items():
            if gate.contract == contract and gate.outcome in ("fail", "unsupported"):
                return kind, gate
        return None


def _within_memory(kind: GateKind, attempt: Attempt, trial: Trial) -> str:
    """Raises NotTried where a gate beyond the problem's contract needs more device memory than there is."""
    try:
        return attempt(trial)
    except Exception as exc:
        if kind.contract == "problem" or not (isinstance(exc, OutOfMemory) or ran_out(exc)):
            raise
    give_back_memory()
    raise NotTried(NO_ROOM)


def _row(kind: GateKind, outcome: Outcome, contract: Contract | None = None, message: str = "") -> Gate:
    return Gate(
        name=kind.name,
        contract=contract or kind.contract,
        outcome=outcome,
        message=one_line(message or ("" if outcome == "pass" else kind.costs), 600),
    )


_BY_NAME = {
    kind.name: kind
    for kind in (*SEEN, *(kind for kind, _attempt in ALL))
}


def gate_words(gate: Gate) -> str:
    """What a gate that does not hold means, as half a sentence."""
    kind = _BY_NAME[gate.name]
    return kind.refuses if gate.outcome == "unsupported" and kind.refuses else kind.fails

