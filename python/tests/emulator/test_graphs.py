"""Graphs of a program: recording computes nothing that stays, and each replay computes on what memory holds then."""

from __future__ import annotations

import math
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
import torch
from support import Outcome, in_worker, load_inline
from test_streams import run

from kernelgate.emulator import Emulation

RECORDED = """
total = torch.zeros(5, device="cuda")
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph):
    y = torch.relu(ops.on_current(x) - 3) + 1
    total.add_(y)
"""


def values(outcome: Outcome) -> list[float]:
    return outcome.result().tolist()


def test_recording_leaves_results_unwritten_and_tensors_as_they_were(cache):
    assert all(map(math.isnan, values(run(cache, RECORDED, examine=False))))
    assert values(run(cache, RECORDED + "y = total")) == [0, 0, 0, 0, 0]


@pytest.mark.parametrize("examine", [False, True])
def test_a_replay_computes_on_what_tensors_hold_now(cache, examine):
    twice = RECORDED + "graph.replay(); x.fill_(3.0); graph.replay(); y = torch.stack((y, total))"
    assert values(run(cache, twice, examine=examine)) == [[7, 7, 7, 7, 7], [8, 8, 9, 14, 21]]


def test_what_runs_on_the_default_stream_is_not_recorded(cache):
    call = RECORDED.replace("on_current", "on_default").split("    total")[0] + "x.fill_(7.0); graph.replay()"
    assert values(run(cache, call, examine=False)) != [47, 47, 47, 47, 47]
    assert values(run(cache, call.replace("on_default", "on_current"))) == [47, 47, 47, 47, 47]


def test_a_recording_that_asks_for_a_number_fails_as_on_a_gpu(cache):
    outcome = run(cache, RECORDED + "    y.sum().item()")
    assert outcome.error == "RuntimeError: CUDA error: operation not permitted when stream is capturing"
    outcome = run(cache, RECORDED + "    torch.cuda.synchronize()")
    assert outcome.error == "RuntimeError: CUDA error: operation not permitted when stream is capturing"


def test_a_tensor_of_a_graph_lives_as_long_as_the_graph(cache):
    call = RECORDED.replace("    y = ", "    t = ").replace("(y)", "(t)") + "del t\ngraph.replay()\ny = total"
    assert values(run(cache, call)) == [1, 1, 2, 7, 14]


def test_a_module_that_is_made_into_graphs_computes_and_differentiates(cache):
    call = """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return ops.on_current(x)
    @staticmethod
    def backward(ctx, g):
        return 2 * ctx.saved_tensors[0] * g
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(5, device="cuda"))
    def forward(self, x):
        return Square.apply(x * self.w)
model = Model()
graphed = torch.cuda.make_graphed_callables(model, (x.clone().requires_grad_(),))
given = torch.full((5,), 3.0, device="cuda", requires_grad=True)
out = graphed(given)
out.sum().backward()
y = torch.stack((out.detach(), given.grad, model.w.grad))
"""
    # `run` forks, and a process whose parent has called `backward`, as other tests do, cannot.
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as fresh:
        outcome = fresh.submit(run, cache, call).result()
    assert values(outcome) == [[9] * 5, [6] * 5, [18] * 5]


IN_CPP = """#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>
__global__ void twice(float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] *= 2.0f; }
torch::Tensor f(torch::Tensor x) {
  auto y = torch::empty_like(x);
  cudaStream_t s;
  cudaGraph_t graph;
  cudaGraphExec_t runnable;
  C10_CUDA_CHECK(cudaStreamCreate(&s));
  C10_CUDA_CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  cudaMemcpyAsync(y.data_ptr(), x.data_ptr(), x.nbytes(), cudaMemcpyDeviceToDevice, s);
  twice<<<1, 32, 0, STREAM>>>(y.data_ptr<float>(), y.numel());
  cudaStreamCaptureStatus status;
  cudaStreamIsCapturing(s, &status);
  TORCH_CHECK(status != cudaStreamCaptureStatusNone);
  C10_CUDA_CHECK(cudaStreamEndCapture(s, &graph));
  C10_CUDA_CHECK(cudaGraphInstantiate(&runnable, graph, NULL, NULL, 0));
  for (int i = 0; i < REPLAYS; i++) C10_CUDA_CHECK(cudaGraphLaunch(runnable, s));
  C10_CUDA_CHECK(cudaStreamSynchronize(s));
  C10_CUDA_CHECK(cudaGraphExecDestroy(runnable));
  C10_CUDA_CHECK(cudaGraphDestroy(graph));
  return y;
}
"""


def in_cpp(cache: Any, stream: str, replays: int) -> Outcome:
    source = IN_CPP.replace("STREAM", stream).replace("REPLAYS", str(replays))

    def body(emulation: Emulation) -> Any:
        with emulation.active(), emulation.guarded():
            ops = load_inline("graphs", "torch::Tensor f(torch::Tensor x);", source, functions=["f"])
            return ops.f(torch.arange(5.0, device="cuda")).cpu().clone()

    return in_worker(cache, body)


def test_graphs_of_cpp_run_what_was_recorded(cache):
    assert in_cpp(cache, "s", 2).result().tolist() == [0, 2, 4, 6, 8]
    assert all(map(math.isnan, in_cpp(cache, "s", 0).result().tolist()))


def test_the_legacy_stream_must_not_be_used_while_a_stream_that_waits_for_it_is_recorded(cache):
    assert "due to a previous error during capture" in str(in_cpp(cache, "0", 1).error)
