"""Gates about the device: streams, a second GPU, graphs. How they are tried on the device: `worker.call_modes`."""

from __future__ import annotations

import time

from kernelgate.judge.gates.gate_kind import GateKind
from kernelgate.judge.gates.trial import Trial, in_manner, require

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
