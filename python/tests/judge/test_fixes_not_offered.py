"""A fix that does not make its program pass is never offered, whichever it is: each near miss as a judged run."""

from __future__ import annotations

import pytest

from .candidates import forward, verify

WRONG = forward("return F.leaky_relu(x, 1 / 2)")
INTERFACE = """
class Leaky(KernelInterface):
    def forward(self, x):
        return self.run("missing", x)
    class Meta:
        name = "leaky"
        cuda_sources = ""
        functions = ["other"]
"""
# Each names what is wrong or missing first, has a fix for that, and is wrong with it.
IN_PYTHON = {
    "a name that the problem defines": (WRONG.replace("1 / 2", "dim"), "is not defined"),
    "inputs that call themselves": (f"{WRONG}\ndef get_inputs():\n    return get_inputs()\n", "calls itself"),
    "a constant of the inputs": (f"{WRONG}\ndef get_inputs():\n    return [torch.rand(dim)]\n", "is not defined"),
    "an interface from nowhere": (
        f"from torchind import KernelInterface\n{WRONG}{INTERFACE}\nLeaky()",
        "No module named 'torchind'",
    ),
}
CUDA = '''
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline
SOURCE = """
#include <torch/extension.h>
__global__ void leaky(const float* x, float* y, int64_t n) {
    int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = x[i] > 0 ? x[i] : x[i] / 2;
}
torch::Tensor f(torch::Tensor x) {
    auto y = torch::empty_like(x);
    int64_t n = x.numel();
    leaky<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
    return y;
}
"""
ext = load_inline(name="leaky", cpp_sources="torch::Tensor f(torch::Tensor x);", cuda_sources=SOURCE, functions=["f"])

class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
    def forward(self, x):
        return ext.f(x)
'''
# All have the same right source, so that it is built once.
IN_CUDA = {
    "a function that is not declared": (('"torch::Tensor f(torch::Tensor x);"', '""'), "'f' was not declared"),
    "a header that is not included": (("return y;", "C10_CUDA_KERNEL_LAUNCH_CHECK();\n    return y;"), "C10_CUDA"),
    "braces in an f-string": (('SOURCE = """', 'SOURCE = f"""'), "C++'s braces in an f-string"),
}


@pytest.mark.drawn
@pytest.mark.parametrize(("text", "what"), IN_PYTHON.values(), ids=IN_PYTHON)
def test_a_fix_of_python_is_not_offered_where_the_program_is_wrong_with_it(text: str, what: str) -> None:
    _not_offered(text, what)


@pytest.mark.drawn
@pytest.mark.parametrize(("change", "what"), IN_CUDA.values(), ids=IN_CUDA)
def test_a_fix_of_cuda_is_not_offered_where_the_program_is_wrong_with_it(change: tuple[str, str], what: str) -> None:
    assert CUDA.count(change[0]) == 1
    _not_offered(CUDA.replace(*change), what)


@pytest.mark.drawn
def test_more_shared_memory_than_any_gpu_has_is_not_allowed() -> None:
    _not_offered(CUDA.replace("256, 256>>>", "256, 256, 600 * 1024>>>"), "leaky")


def test_the_step_of_a_fix_that_is_not_enough_is_still_named() -> None:
    failure = verify(CUDA.replace('"torch::Tensor f(torch::Tensor x);"', '""')).failure
    assert failure is not None and failure.next_step.startswith("Add this declaration to cpp_sources (")
    assert "; with this fix it still fails: wrong result" in failure.next_step


@pytest.mark.drawn
def test_a_race_is_shown_at_its_line() -> None:
    line = "    if (i < n) y[i] = x[i] > 0 ? x[i] : x[i] / 2;"
    race = """    __shared__ float sums[256];
    sums[threadIdx.x] = x[i];
    for (int k = 1; k < 8; k *= 2)
        if (threadIdx.x + k < 256) sums[threadIdx.x] += sums[threadIdx.x + k];
    y[i] = sums[threadIdx.x];"""
    text = CUDA.replace("(n + 255) / 256", "n / 256").replace(line, race)
    report = verify(text, shape=(64, 1024))
    failure = report.failure
    assert report.verdict is not None and "data race" in report.verdict.sentence
    assert failure is not None
    assert failure.where is not None and failure.where.excerpt[0].line is not None
    assert any("sums[threadIdx.x]" in row.text for row in failure.where.excerpt if row.marked)


def _not_offered(text: str, what: str) -> None:
    report = verify(text)
    failure = report.failure
    assert report.verdict is not None and report.verdict.outcome in ("fail", "not run") and failure is not None
    assert what in failure.what and failure.where is not None and failure.where.line is not None
    assert failure.fix is None and failure.edit is None
    assert "with this fix" in failure.next_step, failure.next_step
