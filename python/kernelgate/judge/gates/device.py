"""Gates about the device: streams, a second GPU, graphs. How they are tried on the device: `worker.call_modes`."""

from __future__ import annotations

from kernelgate.judge.gates.gate_kind import GateKind
from kernelgate.judge.gates.trial import Trial, require

FINISHED = GateKind(
    "finished with the stream",
    "problem",
    "its work is not finished when the caller's stream is",
    "The next operation may read a result that is not there yet",
    next_step="Launch on PyTorch's current stream, and leave no thread or process at work when the call returns",
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


def finished_with_the_stream(trial: Trial) -> None:
    """The result as the caller's stream sees it, and what still runs when the call has returned.

    A library may start threads of its own at some call, so only what is left running by two calls in a row counts.
    """
    inputs = trial.inputs("stream")
    expected = trial.expected(inputs)
    doing = "calling ModelNew on a busy device"
    left = [trial.check(inputs, expected, doing, manner="busy device").answer.left_running for _ in range(2)]
    again = trial.check(
        inputs, expected, "calling ModelNew with inputs that arrive late", manner="late inputs"
    )
    require(not all(left), f"still running after the call: {', '.join(left[1][:3])}")
    require(
        not again.earlier or trial.comparer.agrees(again.earlier, expected),
        "the result changes after the call has returned",
    )


def non_default_stream(trial: Trial) -> None:
    trial.small("side stream", "calling ModelNew on a stream of the caller's")


def second_device(trial: Trial) -> None:
    trial.small("other device", "calling ModelNew on a GPU that is not the current one")


def graph_replay(trial: Trial) -> None:
    trial.small("graph", "capturing ModelNew in a CUDA graph")
