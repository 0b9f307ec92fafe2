"""Whether a timed call can be what it says: its result is the reference's, it took no less than reading takes, and the
clocks of one program agree.

In: what a block of samples kept, and its times; or a program under test. Out: words, the end of a run, or a `Clock`
each, with what a difference usually means. A candidate can make a clock lie that the worker reads, or work if it does
not see it. It cannot do so to the judge's own wall clock. That takes the slope, (T(2n) - T(n)) / n, from which
everything drops out that happens once. It is compared with the slope of the device events around the same calls: where
Python's launches take longer than the work, two runs of the same calls may differ by a tenth.
Not here: taking turns (`judge.timing.turns`).
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from typing import Any

import torch

from kernelgate.check.nesting import flatten, is_floating, tensors_in
from kernelgate.check.problem import is_out_of_memory
from kernelgate.check.tolerance.numerics import same_bits
from kernelgate.check.tolerance.rounding import moved_by_rounding
from kernelgate.judge.comparison.compare import Comparer
from kernelgate.judge.endings.run_ended import RunEnded
from kernelgate.judge.reference.copies import copied, each
from kernelgate.judge.reference.expected import Expected
from kernelgate.judge.reference.reference import NotAccepted, Reference
from kernelgate.judge.timing.programs_under_test import ProgramUnderTest, Taken
from kernelgate.messages.measure import MAX_CALLS, Measure, Span
from kernelgate.messages.parcel import BadParcel
from kernelgate.report.measured import Clock, Phase
from kernelgate.timing.fresh import Fresh
from kernelgate.timing.peak_rates import nbytes

_BELOW_BOUND = 0.9  # a measured peak may be a little too low
_CLOCK_S = 2e-6


def renew(inputs: Sequence[Any], seed: int | None, keep: int) -> None:
    """Changes the inputs as they were changed up to call number `keep` (`timing.fresh`); without `seed` they stay."""
    if seed is not None:
        fresh = Fresh(tensors_in(list(inputs)), seed)
        for _ in range(keep + 1):
            fresh.next()


def result_agrees(
    found: Sequence[torch.Tensor | None],
    inputs: Sequence[Any],
    *,
    reference: Reference,
    comparer: Comparer,
) -> bool | None:
    """Whether a timed call gave the reference's result for these inputs. None if that cannot be known: the calls
    before left the program's random numbers, its state or its inputs as nobody else has them. `found`: the tensors of
    its result."""
    expected = repeatable(inputs, reference)
    if expected is None:
        return None
    tensors = [one for one in found if one is not None]
    return len(tensors) == len(found) and comparer.agrees(tensors, expected)


def repeatable(inputs: Sequence[Any], reference: Reference) -> Expected | None:
    """What the reference gives for these inputs after any calls; None if that depends on these calls."""
    try:
        expected = reference.expected(inputs, reference.dtype)
    except NotAccepted:
        return None
    if expected.seed is not None or reference.observed.remembers or expected.inputs_after is not None:
        return None
    if expected.state_after:  # as a batch norm in training has, which gives the same again
        again = reference.expected(inputs, reference.dtype, earlier=[inputs])
        if not all(map(same_bits, again.values, expected.values)):
            return None
    return expected


def wrong_result(phase: Phase) -> RunEnded:
    if phase == "forward":
        words = "Wrong result: a timed call returns something other than a checked one"
        what = "The result of a timed call, chosen at random, differs from the reference's"
    else:
        words = "Wrong gradient: a timed backward pass gives another one than a checked one"
        what = "The gradient of a timed call, chosen at random, differs from the reference's by more than a quarter"
    next_step = "Compute in every call; keep no result from one call to the next"
    return RunEnded.saying("wrong", words, what, next_step, "time")


def impossible_time(seconds: float, read_bytes: float, copy_rate: float) -> RunEnded | None:
    """The end of a run in which a call took `seconds`, where reading `read_bytes` alone takes longer on this device.
    `copy_rate`: bytes a second, read and written ones together."""
    least = read_bytes / copy_rate - _CLOCK_S
    if seconds >= _BELOW_BOUND * least:
        return None
    words = f"Impossible time: {seconds * 1e6:.3g} µs, and reading the input alone takes {least * 1e6:.3g} µs"
    what = "A timed call ended before its input can have been read"
    return RunEnded.saying("wrong", words, what, "Do all work in the call, on PyTorch's current stream", "time")


def outputs_of(taken: Taken) -> list[torch.Tensor | None] | None:
    """The tensors of the result that a block kept, and None for a gradient that there is not; none if they cannot be
    read, and None if there is no memory to read them."""
    try:
        return taken.outputs()
    except (BadParcel, RuntimeError) as exc:
        return None if is_out_of_memory(exc) else []


_SAMPLED = 64
_LARGE = 1e3


def share_read(reference: Reference, draw: random.Random) -> float | None:
    """The least share of the bytes of its own inputs that decide about the reference's result; 0 if that cannot be
    known, None if memory runs out. It calls the reference some 130 times."""
    inputs = [copied(value) for value in reference.timed_inputs]
    tensors = [one for one in tensors_in(inputs) if one.numel()]
    module = reference.module(reference.dtype)

    def results() -> list[torch.Tensor]:
        return flatten(reference.call(module, inputs))[1]

    try:
        before = results()
        if not tensors or not _same(results(), before):
            return 0.0
        found = sum(_changes(results, before, tensors, draw) for _ in range(_SAMPLED))
    except torch.OutOfMemoryError:
        return None
    share = found / _SAMPLED
    return max(0.0, share - 2 * math.sqrt(share * (1 - share) / _SAMPLED))


def _changes(
    results: Callable[[], list[torch.Tensor]],
    before: Sequence[torch.Tensor],
    tensors: Sequence[torch.Tensor],
    draw: random.Random,
) -> bool:
    """Whether another value of one element changes a result; the element is then as it was."""
    (tensor,) = draw.choices(tensors, [nbytes([one]) for one in tensors])
    place = tuple(draw.randrange(size) for size in tensor.shape)
    was = tensor[place].clone()

    def is_read(value: torch.Tensor) -> bool:
        tensor[place] = value
        return not _same(results(), before)

    try:
        return any(map(is_read, _others(was, tensor, draw)))
    except Exception as exc:  # a reference may refuse a value by any exception, and has then read it
        if is_out_of_memory(exc):
            raise torch.OutOfMemoryError(str(exc)) from exc
        return True
    finally:
        tensor[place] = was


def _others(was: torch.Tensor, tensor: torch.Tensor, draw: random.Random) -> list[torch.Tensor]:
    """Large numbers of either sign, or of integers one of the others, which the reference takes. No NaN: times 0, it is
    one, and nobody needs to read what is multiplied by 0."""
    if is_floating(was) or was.is_complex():
        return [torch.full_like(was, value) for value in (_LARGE, -_LARGE)]
    if was.dtype == torch.bool:
        return [~was]
    return [tensor[tuple(draw.randrange(size) for size in tensor.shape)]]


def _same(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> bool:
    """By value: 0 is -0, and NaN is NaN."""
    return len(one) == len(other) and all(
        a.shape == b.shape and bool(((a == b) | ((a != a) & (b != b))).all()) for a, b in zip(one, other, strict=True)
    )


_OFF = 0.25
_ILL_CONDITIONED = 0.05
_SEED = 0x6772


def gradient_agrees(
    found: Sequence[torch.Tensor | None], inputs: Sequence[Any], reference: Reference
) -> bool | None:
    """Whether the gradients of the inputs are off by less than a quarter of their norm. None if that says nothing:
    there are none, they depend on the calls before, rounding alone moves them by much, as it does one that cancels, or
    memory runs out. `found`: those of the floating inputs and then of the parameters, None for one that is missing."""
    try:
        if repeatable(inputs, reference) is None:
            return None
        wanted = _gradients(reference, inputs)[: sum(map(is_floating, inputs))]
        given = [one for one in wanted if one is not None]
        if not given or not all(bool(one.any()) for one in given):
            return None
        if len(found) < len(wanted):
            return False
        if all(_off(got, one) <= _OFF for got, one in zip(found, wanted, strict=False) if one is not None):
            return True
        move = moved_by_rounding(reference.dtype, torch.Generator(device=reference.device).manual_seed(_SEED))
        near = _gradients(reference, each(inputs, move))
        conditioned = all(
            _off(other, one) <= _ILL_CONDITIONED for other, one in zip(near, wanted, strict=False) if one is not None
        )
        return False if conditioned else None
    except Exception:  # whatever a reference raises if it is to be differentiated: the check has said so
        return None


def _gradients(reference: Reference, inputs: Sequence[Any]) -> list[torch.Tensor | None]:
    upstream = reference.upstream(inputs)
    if upstream is None:
        return []
    return reference.gradients(inputs, upstream, reference.dtype, oracle=False)


def _off(got: torch.Tensor | None, right: torch.Tensor) -> float:
    """The norm of the difference, as a part of that of `right`, which is not zero."""
    if got is None or got.shape != right.shape:
        return float("inf")
    dtype = torch.promote_types(right.dtype, torch.float32)
    off, whole = (float(torch.linalg.vector_norm(value, dtype=dtype)) for value in (got - right, right))
    return off / whole


_LONG_S = 0.1
_FEWEST_CALLS, _FEWEST_LONG_CALLS = 8, 2
_SLOPES = 3
_AGREE, _AGREE_S = 0.01, 2e-6
_LOOKS = 3  # something else may have come between

_MEANS = {
    "device trace span": "the device worked longer than the current stream's events say: another stream?",
    "wall with synchronization": "work goes on behind the current stream's events: another stream, or a thread?",
    "wall slope": "the judge waits longer than the worker's clocks say: they, or the work, are elsewhere",
}


def hold_clocks(program: ProgramUnderTest, once_s: float) -> list[Clock]:
    """Raises RunEnded and LeftOut as the program does."""
    is_long = once_s > _LONG_S
    fewest = _FEWEST_LONG_CALLS if is_long else _FEWEST_CALLS
    calls = max(fewest, min(MAX_CALLS // 2, math.ceil(_LONG_S / max(once_s, 1e-6))))
    clocks: list[Clock] = []
    for _ in range(1 if is_long else _LOOKS):
        clocks = _read(program, calls)
        if all(clock.agrees for clock in clocks):
            break
    return clocks


def _read(program: ProgramUnderTest, calls: int) -> list[Clock]:
    def taken(count: int, *, trace: bool = False) -> Taken:
        found = program.measure(Measure(phase="forward", cache_state="warm", calls=count, trace=trace))
        found.close()
        return found

    def slopes() -> tuple[float, float]:
        """Of the judge's wall clock, and of the events."""
        twice, simple = taken(2 * calls), taken(calls)
        wall = twice.wall_s - simple.wall_s
        return wall / calls, (twice.measured.device_s - simple.measured.device_s) / calls

    wall, paired = sorted((slopes() for _ in range(_SLOPES)), key=lambda pair: pair[0] - pair[1])[
        _SLOPES // 2
    ]
    last = taken(calls, trace=True).measured
    events = last.device_s / calls
    span = _longest_beside_events(last.spans)
    found = [
        Clock(program=program.name, name="device events", seconds=events),
        # Tracing slows calls down, by a tenth if a kernel has millions of blocks.
        Clock(
            program=program.name,
            name="device trace span",
            seconds=span.span_s if span is not None else None,
            against_s=span.events_s if span is not None else None,
        ),
        Clock(program=program.name, name="wall with synchronization", seconds=last.wall_s / calls),
        Clock(program=program.name, name="wall slope", seconds=max(0.0, wall), against_s=max(0.0, paired)),
    ]
    for clock in found:
        if clock.seconds is None:
            clock.note = "the device's trace could not be read"
            continue
        apart = clock.seconds - (events if clock.against_s is None else clock.against_s)
        if abs(apart) > _allowed_s(events):
            clock.agrees = False
            clock.note = _MEANS[clock.name] if apart > 0 else "less than the device events say"
    return found


def _longest_beside_events(spans: Sequence[Span]) -> Span | None:
    """Of many calls, unless the device works longer behind a single one. What outlasts each call is seen of many behind
    the last alone; of a single one, the trace may be shorter than the events by what these take themselves."""
    many = next((span for span in spans if span.calls > 1), None)
    one = next((span for span in spans if span.calls == 1), many)
    if one is not None and one.span_s - one.events_s > _allowed_s(one.events_s):
        return one
    return many


def _allowed_s(seconds: float) -> float:
    return max(_AGREE * seconds, _AGREE_S)
