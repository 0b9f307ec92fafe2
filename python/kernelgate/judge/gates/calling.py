"""Gates about how a module is called: as a cell does, copied, compiled, in a thread, in a process of its own, on
streams, on a second GPU, in graphs. How they are tried on the device: `worker.call_modes`."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

from kernelgate.check.inputs.cases import case_seed
from kernelgate.judge.candidate.calls_apart import DisguisedCall
from kernelgate.judge.comparison.changed_inputs import changed_words
from kernelgate.judge.comparison.compare import WrongResult
from kernelgate.judge.endings.device_memory import NO_ROOM
from kernelgate.judge.endings.run_ended import CandidateRaised, OutOfMemory
from kernelgate.judge.gates.gate_kind import NEW_RESULTS, RANDOM_NUMBERS, DoesNotHold, GateKind, NotTried
from kernelgate.judge.gates.trial import Trial, in_manner, require

NO_GLOBAL_STATE = GateKind(
    "no global state changed",
    "problem",
    "it changes settings of the whole process",
    "Other modules of the notebook compute differently from then on",
    next_step="Leave the settings of PyTorch and of the process as they are",
    own_size=True,
)
AS_A_CELL = GateKind(
    "called as a cell calls it",
    "problem",
    "it is wrong while gradients are on, as they are in a notebook",
    "A plain call in a cell, outside of torch.no_grad(), gives another result",
    "raises while gradients are on, as they are in a notebook",
    next_step="Compute the same with gradients on and off, and write to no tensor that PyTorch differentiates",
)
COMPILE = GateKind(
    "torch.compile fullgraph",
    "drop-in",
    "it is wrong under torch.compile",
    "A model that is compiled has a break in its graph here",
    "does not support torch.compile(fullgraph=True)",
)
EXPORT = GateKind(
    "torch.export",
    "drop-in",
    "it is wrong after torch.export",
    "A model that holds it cannot be exported",
    "does not support torch.export",
)
COPY = GateKind(
    "deepcopy and pickle",
    "drop-in",
    "a copy of it gives a wrong result",
    "A model that holds it cannot be copied or sent to another process",
    "cannot be copied or pickled",
)


INFERENCE = GateKind(
    "in inference mode",
    "problem",
    "it is wrong under torch.inference_mode()",
    "Results differ under torch.inference_mode()",
    next_step="Compute the same in every mode of PyTorch",
)
TAKES_INFERENCE = GateKind(
    "takes inference mode",
    "drop-in",
    "it is wrong under torch.inference_mode()",
    "A model that holds it cannot be served there",
    "raises under torch.inference_mode()",
)
AFTER_AN_EXCEPTION = GateKind(
    "after an exception",
    "problem",
    "it is wrong after a call that has raised",
    "After a mistake in one cell, a right call in the next one gives a wrong result",
    "raises again after a call that has raised",
    next_step="Put back in a `finally` what a call changes on its way",
)
HOOKS = GateKind(
    "hooks are called",
    "drop-in",
    "hooks of the module are not called",
    "What watches or changes a model by register_forward_hook does not see it",
)
THREAD = GateKind(
    "in another thread",
    "drop-in",
    "it is wrong in another thread",
    "nn.DataParallel, or a server that answers in threads, gets wrong results",
    "cannot be called in another thread",
)


def no_global_state_changed(trial: Trial) -> str:
    changed = trial.session.inspect()
    require(not changed, ", ".join(changed[:3]))
    return "the settings are as before it was loaded"


def as_a_cell_calls_it(trial: Trial) -> str:
    """With gradients enabled, then with inputs that require them. A program that raises for these has no gradient:
    another gate says so. What a backward pass needs is kept then, which takes more memory than the reference's call
    without gradients: a lack of it is nobody's fault."""
    inputs = trial.inputs("gradients on")
    expected = trial.expected(inputs)
    try:
        trial.check(inputs, expected, "calling ModelNew with gradients enabled", manner="gradients on")
    except WrongResult as exc:
        trial.blame_no_manner(exc, inputs, expected)
        raise
    except OutOfMemory as exc:
        raise NotTried(NO_ROOM) from exc
    with suppress(CandidateRaised, OutOfMemory):
        trial.check(
            inputs, expected, "calling ModelNew on inputs that want gradients", manner="inputs want gradients"
        )
        return "gradients enabled, and inputs that require them"
    return "gradients enabled"


def in_inference_mode(trial: Trial) -> str:
    """Another module than the gates' own: no gradient may go through what it keeps from there. One that raises there
    gives no wrong values, and is no drop-in: another gate says so."""
    try:
        trial.own("inference mode", "calling ModelNew under torch.inference_mode()")
    except CandidateRaised as end:
        raise NotTried(end.sentence) from end
    return "one call of another module"


def takes_inference_mode(trial: Trial) -> str:
    try:
        trial.small("inference mode", "calling ModelNew under torch.inference_mode()")
    finally:
        trial.session.forget()
    return "one call"


def after_an_exception(trial: Trial) -> str:
    """A module that has refused what is no tensor computes right afterwards. One that changes in each call may have
    changed before it raised."""
    if trial.reference.observed.keeps:
        raise NotTried("the reference keeps something between calls")
    trial.own("after an exception", "calling ModelNew after a call that has raised")
    return "a right call after wrong ones"


compile_fullgraph = in_manner("compiled", "calling torch.compile(ModelNew, fullgraph=True)", "no graph break")
export = in_manner("exported", "exporting ModelNew", "exported, then called")


def deepcopy_and_pickle(trial: Trial) -> str:
    trial.small("copied", "calling a deepcopy of ModelNew")
    trial.small("pickled", "calling a pickled ModelNew")
    try:
        trial.small("beside a copy", "calling ModelNew after its deepcopy has changed")
    except WrongResult as exc:
        raise DoesNotHold(f"it changes with its deepcopy: {exc}") from None
    finally:
        trial.session.forget()
    return "a call of each copy, and of the original after its copy changed"


hooks = in_manner("hooked", "calling ModelNew with hooks", "one before the call, one after it")
in_another_thread = in_manner("in a thread", "calling ModelNew in another thread", "one call")

UNWATCHED = GateKind(
    "as in a notebook's kernel",
    "problem",
    "its result differs if it finds no judge",
    "In a process that looks like a notebook's kernel it does something else",
    next_step="Compute the same wherever the program runs; look at no name, no argument and no module of the process",
    own_size=True,
)


@contextlib.contextmanager
def beside_the_check(trial: Trial, *, begins: bool) -> Iterator[Trial]:
    """In the body, the call runs beside the others, if it `begins` so."""
    with contextlib.ExitStack() as ended:
        if begins and not trial.reference.pace.leaves_out_gate(UNWATCHED.name, UNWATCHED.contract):
            with contextlib.suppress(NotTried):  # which the gate finds as well
                trial = replace(trial, disguised=ended.enter_context(contextlib.closing(_begin(trial))))
        yield trial


def in_a_process_of_its_own(trial: Trial) -> str:
    """What is asked of any call, of three there. A program that lacks something there, or whose process ends, counts as
    not tried."""
    with contextlib.closing(trial.disguised or _begin(trial)) as calls:
        first, second = (trial.expected(inputs) for inputs in calls.inputs[:2])
        results = calls.results()  # held only as long as the process that their memory may belong to
        answer = results[0].answer
        if answer.not_possible is not None:
            raise NotTried(answer.not_possible)
        require(not answer.raised, "; ".join(answer.raised))
        if first.seed is not None:
            raise NotTried(None)  # random numbers are compared in the cases
        of_each = list(zip(results, calls.inputs, (first, second, first), strict=True))
        for result, inputs, expected in of_each[: 1 if trial.reference.observed.keeps else None]:
            try:
                trial.comparer.check(result, expected, inputs)
            except WrongResult as exc:
                trial.blame_no_manner(exc, inputs, expected)
                raise
            changed = changed_words(inputs, result, expected.inputs_after)
            require(not changed, changed)
            trial.note(NEW_RESULTS, result.answer.aliases_earlier and not expected.aliases_input)
            trial.note(RANDOM_NUMBERS, result.answer.drew)
            shared = result.answer.aliases_input and not expected.aliases_input
            require(not shared, "the output shares memory with the input")
    return "called in such a process, until its cell has ended"


def _begin(trial: Trial) -> DisguisedCall:
    first, second = trial.inputs("alone"), trial.inputs("alone again")
    return trial.session.begin_disguised([first, second, first], f"notebook_{case_seed(trial.seed, 'module'):x}"[:24])


_PAUSE_S = 0.05
_OFTEN = 4

FINISHED = GateKind(
    "finished with the stream",
    "problem",
    "its work is not finished when the caller's stream is",
    "The next operation may read a result that is not there yet",
    next_step="Launch on PyTorch's current stream, and leave no thread or process at work when the call returns",
    own_size=True,
)
STREAM = GateKind(
    "non-default stream",
    "drop-in",
    "it does not run on PyTorch's current stream",
    "Under torch.cuda.stream it reads inputs that are not there yet",
)
SECOND_DEVICE = GateKind(
    "second device",
    "drop-in",
    "it is wrong on a GPU that is not the current one",
    "A model on cuda:1 gets wrong results, or a crash",
    "does not support a GPU that is not the current one",
)
GRAPH = GateKind(
    "CUDA graph replay",
    "drop-in",
    "a replayed CUDA graph gives a wrong result",
    "It cannot be part of a captured step",
    "does not support CUDA graphs",
)


def finished_with_the_stream(trial: Trial) -> str:
    """The result as the caller's stream sees it, and what still runs when the call has returned."""
    inputs = trial.inputs("stream")
    expected = trial.expected(inputs)
    doing = "calling ModelNew on a busy device"
    began = trial.session.at_work()
    seen: dict[str, str] = {}
    left: list[list[str]] = []
    for _ in range(2):
        left.append(trial.check(inputs, expected, doing, manner="busy device").answer.left_running)
        seen |= trial.session.at_work()
    again = trial.check(
        inputs, expected, "calling ModelNew with inputs that arrive late", manner="late inputs"
    )
    seen |= trial.session.at_work()
    time.sleep(_PAUSE_S)
    after = trial.session.at_work()
    # A library may start threads of its own at some call: they stay, and no later call starts others.
    require(not all(left), f"still running after the call: {', '.join(left[1][:3])}")
    often = trial.session.calls_that_left_work
    require(often < _OFTEN, f"{often} calls have each left a thread, a process or a timer at work")
    worked_on = sorted({words for name, words in seen.items() if name not in began and name not in after})
    require(not worked_on, f"still running after the call: {', '.join(worked_on)}, which has ended since")
    stayed = sorted({words for name, words in after.items() if name.startswith("process")})
    require(not stayed, f"still running after the call: {', '.join(stayed)}")
    require(
        not again.earlier or trial.comparer.agrees(again.earlier, expected),
        "the result changes after the call has returned",
    )
    return "3 calls, after which nothing of them runs"


non_default_stream = in_manner(
    "side stream", "calling ModelNew on a stream of the caller's", "inputs that arrive late on the caller's stream"
)
second_device = in_manner("other device", "calling ModelNew on a GPU that is not the current one", "one call")
graph_replay = in_manner("graph", "capturing ModelNew in a CUDA graph", "replayed with new data")
