"""A profiler's trace as events: what the device did, in order, with the resources of each launch."""

from __future__ import annotations

import json
from pathlib import Path

import torch

from kernelgate.profiling.trace import events_of, tracing

RECORDED = Path(__file__).parents[1] / "fixtures" / "profile" / "trace-h200.json"


def test_a_recorded_launch_has_its_grid_block_and_registers() -> None:
    events = events_of(json.loads(RECORDED.read_text()))
    (kernel,) = [event for event in events if event.kind == "kernel"]
    assert kernel.name.startswith("void leaky_relu_packed<float>(float const*")
    assert (kernel.grid, kernel.block, kernel.registers) == ([3145728, 1, 1], [128, 1, 1], 16)
    assert kernel.shared_bytes == 0
    assert 2.9e-3 < kernel.seconds < 3.1e-3
    launches = [event.name for event in events if event.kind == "launch"]
    assert launches == ["cudaLaunchKernel"]
    assert {"aten::empty_like"} <= {event.name for event in events if event.kind == "operator"}


def test_events_come_in_order_and_start_at_nought() -> None:
    events = events_of(json.loads(RECORDED.read_text()))
    starts = [event.start_s for event in events]
    assert starts == sorted(starts)
    assert starts[0] == 0.0


def test_operators_are_traced_without_a_gpu() -> None:
    with tracing(device=False) as traced:
        torch.nn.functional.leaky_relu(torch.ones(8))
    assert "aten::leaky_relu" in {event.name for event in traced.events}
    assert "traceEvents" in json.loads(traced.text)


def test_what_is_no_event_is_left_out() -> None:
    entries = [
        {"ph": "M", "cat": "kernel", "name": "a remark"},
        {"ph": "X", "cat": "user_annotation", "name": "a remark", "ts": 1, "dur": 1},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaDeviceSynchronize", "ts": 1, "dur": 1},
        {
            "ph": "X",
            "cat": "kernel",
            "name": "k" * 5000,
            "ts": 5,
            "dur": -1,
            "args": {"grid": ["x"], "stream": None},
        },
    ]
    (event,) = events_of({"traceEvents": entries})
    assert (len(event.name), event.seconds, event.grid, event.stream) == (1000, 0.0, [0], 0)
