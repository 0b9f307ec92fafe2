"""What a smaller size cannot show: a program that counts on the own size of its problem fails there, and the report
says that this may be why."""

from __future__ import annotations

import pytest

from kernelgate.emulator import supported
from kernelgate.report import Report
from kernelgate.run import Job, new_run_id, run

pytestmark = pytest.mark.drawn

COUNTS_ON = "a program may count on that size: --set chooses others"
PROBLEM = """
import torch

rows = 4096
columns = 8192


class Model(torch.nn.Module):
    def forward(self, x):
        return x * 2


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
"""
# A block for every 1,024 columns, which the problem's own size is a multiple of.
WHOLE_BLOCKS = '''
import torch
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>

__global__ void twice_kernel(const float* x, float* y, int columns) {
    long i = blockIdx.y * (long)columns + blockIdx.x * 1024 + threadIdx.x;
    y[i] = 2 * x[i];
}

torch::Tensor twice(torch::Tensor x) {
    auto y = torch::zeros_like(x);
    dim3 blocks(x.size(1) / 1024, x.size(0));
    if (blocks.x) twice_kernel<<<blocks, 1024>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
    return y;
}
"""
ext = load_inline("whole_blocks", "torch::Tensor twice(torch::Tensor x);", source, functions=["twice"])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return ext.twice(x)
'''
WITHOUT_CUDA = """
import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return x * 3
"""


def judged(program: str, **sizes: int) -> Report:
    job = Job(
        run=new_run_id(),
        text=program,
        label="candidate.py",
        reference=PROBLEM,
        reference_label="problem.py",
        device="emulated",
        sizes=sizes,
    )
    return run(job)


@pytest.mark.skipif(supported() is not None, reason=f"no emulation here: {supported()}")
def test_a_program_that_fails_at_a_smaller_size_is_told_that_it_may_count_on_its_own() -> None:
    report = judged(WHOLE_BLOCKS)
    assert report.verdict is not None and report.verdict.outcome == "fail", report.verdict
    assert report.failure is not None and COUNTS_ON in report.failure.what
    assert f"scaled down from {report.problem.full_shape}," in report.failure.what


@pytest.mark.skipif(supported() is not None, reason=f"no emulation here: {supported()}")
def test_at_a_size_that_a_person_chose_it_passes() -> None:
    report = judged(WHOLE_BLOCKS, rows=3, columns=1024)
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict


def test_a_wrong_program_without_kernels_is_not_told_so() -> None:
    report = judged(WITHOUT_CUDA)
    assert report.verdict is not None and report.verdict.outcome == "fail", report.verdict
    assert report.failure is not None and COUNTS_ON not in report.failure.what
    assert report.problem.full_shape == "4096x8192"
