"""Work of several streams: what nothing orders is a race, with both lines, and what an event orders is none."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from support import Outcome, in_worker, load_inline

from kernelgate.emulator import Emulation, decode_fault

SOURCE = """#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
#include <ATen/cuda/CUDAEvent.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/cuda/CUDAStream.h>
__global__ void square(const float* x, float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x] * x[threadIdx.x];
}
__global__ void plus_one(const float* x, float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x] + 1.0f;
}
torch::Tensor on_current(torch::Tensor x) {
  auto y = torch::empty_like(x);
  square<<<1, 32, 0, at::cuda::getCurrentCUDAStream()>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
torch::Tensor on_default(torch::Tensor x) {
  auto y = torch::empty_like(x);
  square<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
torch::Tensor two_steps(torch::Tensor x) {
  auto t = torch::empty_like(x), y = torch::empty_like(x);
  int n = x.numel();
  SIDE
  square<<<1, 32, 0, side>>>(x.data_ptr<float>(), t.data_ptr<float>(), n);
  BETWEEN
  plus_one<<<1, 32, 0, at::cuda::getCurrentCUDAStream()>>>(t.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
"""
FUNCTIONS = ("on_current", "on_default", "two_steps")
POOL = "auto side = c10::cuda::getStreamFromPool();"
OWN = "cudaStream_t side; cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);"
BLOCKING = "cudaStream_t side; cudaStreamCreate(&side);"


def run(cache: Any, call: str, side: str = POOL, between: str = "", *, examine: bool = True) -> Outcome:
    """`call` is lines of Python in which `ops` are the functions above and `x` is 0 to 4; `y` is read back."""
    source = SOURCE.replace("SIDE", side).replace("BETWEEN", between)
    declared = "".join(f"torch::Tensor {name}(torch::Tensor x);" for name in FUNCTIONS)

    def body(emulation: Emulation) -> Any:
        with emulation.active(), emulation.guarded():
            ops = load_inline("streams", declared, source, functions=list(FUNCTIONS))
            names = {"ops": ops, "torch": torch, "x": torch.arange(5.0, device="cuda")}
            exec(call, names)
            emulation.streams.read_back(names["y"])
            return torch.as_tensor(names["y"]).cpu().clone()

    return in_worker(cache, body, examine=examine)


def unordered(outcome: Outcome) -> list[tuple[str, int | None, int | None]]:
    found = [decode_fault(line) for line in outcome.findings]
    return [(fault.kind, fault.line, fault.other_line) for fault in found]


TWO = "y = ops.two_steps(x)"
EVENT = (
    "cudaEvent_t e; cudaEventCreate(&e); cudaEventRecord(e, side); "
    "cudaStreamWaitEvent(at::cuda::getCurrentCUDAStream(), e, 0);"
)


@pytest.mark.parametrize("side", [POOL, OWN])
def test_a_launch_that_reads_what_another_stream_writes_is_a_race_at_both_lines(cache, side):
    assert unordered(run(cache, TWO, side)) == [("unordered", 10, 7)]


@pytest.mark.parametrize(
    ("side", "between"),
    [
        (POOL, EVENT),
        (POOL, "at::cuda::CUDAEvent e; e.record(side); e.block(at::cuda::getCurrentCUDAStream());"),
        (OWN, "cudaStreamSynchronize(side);"),
        (OWN, "cudaDeviceSynchronize();"),
        (BLOCKING, ""),  # the legacy stream waits for it
    ],
    ids=["event", "PyTorch's event", "stream synchronize", "device synchronize", "legacy stream"],
)
def test_what_is_waited_for_is_no_race(cache, side, between):
    outcome = run(cache, TWO, side, between)
    assert outcome.result().tolist() == [1, 2, 5, 10, 17]


def test_an_event_that_is_recorded_too_early_orders_nothing(cache):
    early = "cudaEvent_t e; cudaEventCreate(&e); cudaEventRecord(e, side);"
    waits = "cudaStreamWaitEvent(at::cuda::getCurrentCUDAStream(), e, 0);"
    assert unordered(run(cache, TWO, POOL + early, waits)) == [("unordered", 10, 7)]


IN_PYTHON = """
side = torch.cuda.Stream()
side.wait_stream(torch.cuda.current_stream())
with torch.cuda.stream(side):
    y = ops.on_current(x)
JOIN
y = y + 1
"""


def test_an_operator_that_reads_what_another_stream_writes_is_a_race(cache):
    outcome = run(cache, IN_PYTHON.replace("JOIN", ""))
    assert unordered(outcome) == [("unordered", 7, None)]
    assert "read by add on another" in decode_fault(outcome.findings[0]).text
    joined = IN_PYTHON.replace("JOIN", "torch.cuda.current_stream().wait_stream(side)")
    assert run(cache, joined).result().tolist() == [1, 2, 5, 10, 17]


def test_a_launch_that_reads_what_an_operator_of_another_stream_writes_is_a_race(cache):
    late = IN_PYTHON.replace("\nwith", "\nx = x + 1\nwith").replace("JOIN", "side.synchronize()")
    assert unordered(run(cache, late)) == [("unordered", 7, None)]
    early = late.replace("\nx = x + 1", "").replace("side.wait", "x = x + 1\nside.wait")
    assert run(cache, early).result().tolist() == [2, 5, 10, 17, 26]


def test_a_result_that_its_own_stream_still_computes_is_a_race(cache):
    call = "with torch.cuda.stream(torch.cuda.Stream()):\n    y = ops.on_current(x)"
    outcome = run(cache, call)
    assert unordered(outcome) == [("unordered", 7, None)]
    assert "the reader of the result" in decode_fault(outcome.findings[0]).text


def test_the_shape_of_what_another_stream_writes_may_be_asked(cache):
    asked = "z = torch.empty_like(y).shape, y.view(5).shape; torch.cuda.current_stream().wait_stream(side)"
    assert run(cache, IN_PYTHON.replace("JOIN", asked)).result().tolist() == [1, 2, 5, 10, 17]


def test_the_current_stream_is_what_a_program_makes_it(cache):
    call = """
side = torch.cuda.Stream()
before = torch.cuda.current_stream()
with torch.cuda.stream(side):
    inside = torch.cuda.current_stream()
assert inside == side and before == torch.cuda.default_stream() == torch.cuda.current_stream() != side
assert torch.cuda.ExternalStream(side.cuda_stream) == side
event = side.record_event()
event.synchronize(), event.wait(), side.synchronize()
y = x
"""
    run(cache, call).result()
