"""Which traced calls are held against the device events around them."""

from __future__ import annotations

import pytest

from kernelgate.judge.timing.plausibility import _longest_beside_events
from kernelgate.messages.measure import Span

MANY = Span(calls=20, span_s=1.001e-3, events_s=1e-3)


@pytest.mark.parametrize(
    ("one", "is_taken"),
    [
        (Span(calls=1, span_s=1.25e-3, events_s=1e-3), True),
        (Span(calls=1, span_s=1.005e-3, events_s=1e-3), False),
        (Span(calls=1, span_s=0.9e-3, events_s=1e-3), False),
    ],
)
def test_a_single_call_counts_where_the_device_works_on_behind_it(one: Span, is_taken: bool) -> None:
    assert _longest_beside_events([MANY, one]) is (one if is_taken else MANY)


def test_without_a_trace_there_is_no_span() -> None:
    assert _longest_beside_events([]) is None
