"""At which sizes a problem is judged, and what only another size shows."""

from __future__ import annotations

import pytest

from kernelgate.emulator import supported
from kernelgate.report import Report

from ..candidates import verify

pytestmark = pytest.mark.drawn

CONVOLUTION = """
import torch
import torch.nn as nn

batch_size = 8
channels = 16
height = 256
width = 512

class Model(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.conv = nn.Conv2d(channels, 32, 3)

    def forward(self, x):
        {before}
        return self.conv(x)

def get_inputs():
    return [torch.rand(batch_size, channels, height, width)]

def get_init_inputs():
    return [channels]
"""
REFERENCE = CONVOLUTION.format(before="pass")
SUM_OF_ROWS = """
import torch
rows = 4096
columns = 8192

class Model(torch.nn.Module):
    def forward(self, x):
        {body}

def get_inputs(): return [torch.rand(rows, columns)]
def get_init_inputs(): return []
"""
ROWS = SUM_OF_ROWS.format(body="return x.sum(1)")


def judged(reference: str, candidate: str, **options: object) -> Report:
    text = candidate.replace("Model(", "ModelNew(")
    return verify(text, problem=None, reference=reference, reference_label="reference.py", **options)


def test_height_and_width_mixed_up_is_wrong() -> None:
    swapped = "x = x.reshape(x.shape[0], x.shape[1], x.shape[3], x.shape[2])"
    report = judged(REFERENCE, CONVOLUTION.format(before=swapped))
    assert report.verdict is not None and report.verdict.outcome == "fail"


def test_a_mistake_that_only_another_size_shows_is_named_with_that_size() -> None:
    whole_tiles = "n = x.shape[1] // 32 * 32\n        return x[:, :n].sum(1)"
    report = judged(ROWS, SUM_OF_ROWS.format(body=whole_tiles))
    assert report.verdict is not None and report.verdict.outcome == "pass"
    other = next(case for case in report.cases if case.name == "another size")
    assert other.outcome == "fail"
    assert f"wrong on size {other.shape}" in report.verdict.obstacle


def test_another_size_is_tried_of_every_problem() -> None:
    report = judged(ROWS, ROWS)
    other = next(case for case in report.cases if case.name == "another size")
    assert other.outcome == "pass" and other.contract == "drop-in"


def test_a_program_without_cuda_source_runs_at_full_size_where_it_fits() -> None:
    small = ROWS.replace("8192", "200").replace("4096", "3000")
    assert judged(small, small).problem.full_shape is None


def test_a_program_that_computes_with_its_own_copy_of_a_size_gets_the_size_of_the_run() -> None:
    hidden = ROWS.replace("return x.sum(1)", "return x + torch.arange(columns, device=x.device)")
    report = judged(hidden, hidden)
    assert report.problem.full_shape is not None
    assert report.verdict is not None and report.verdict.outcome == "pass"


def test_what_nothing_smaller_is_found_of_is_not_run() -> None:
    products = "y = torch.zeros(4096, 4096)\n        return x.sum(1) + (y @ y @ y @ y).sum()"
    huge = ROWS.replace("return x.sum(1)", products)
    report = judged(huge, huge)
    assert report.verdict is not None and report.verdict.sentence == "Not run: too large to emulate"
    assert report.failure is not None and "--set" in report.failure.next_step


MEANS = """
import torch

batch, rows, columns = 128, 4096, 4095


class Model(torch.nn.Module):
    def forward(self, x):
        return x.mean(1)


def get_inputs():
    return [torch.rand(batch, rows, columns)]


def get_init_inputs():
    return []
"""
A_THREAD_A_COLUMN = '''
import torch
from torch.utils.cpp_extension import load_inline

source = r"""
#include <torch/extension.h>
#include <c10/cuda/CUDAException.h>

__global__ void means_kernel(const float* x, float* y, int rows, int columns) {
    for (int column = threadIdx.x; column < columns; column += STEP) {
        double sum = 0;
        for (int row = 0; row < rows; row++) sum += x[(blockIdx.x * (long)rows + row) * columns + column];
        y[blockIdx.x * columns + column] = sum / rows;
    }
}

torch::Tensor means(torch::Tensor x) {
    int batch = x.size(0), rows = x.size(1), columns = x.size(2);
    auto y = torch::zeros({batch, columns}, x.options());
    means_kernel<<<batch, std::min(columns, 1024)>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, columns);
    return y;
}
"""
ext = load_inline("means", "torch::Tensor means(torch::Tensor x);", source, functions=["means"])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return ext.means(x.contiguous())
'''


def of_columns(step: str) -> Report:
    program = A_THREAD_A_COLUMN.replace("STEP", step)
    return verify(program, problem=None, reference=MEANS, reference_label="reference.py", contract="problem")


@pytest.mark.skipif(supported() is not None, reason=f"no emulation here: {supported()}")
def test_columns_that_a_block_has_no_thread_for_are_missed_although_the_problem_is_scaled_down() -> None:
    report = of_columns("columns")
    assert report.verdict is not None and report.verdict.outcome == "fail"
    wrong = next(case for case in report.cases if case.outcome == "fail" and case.contract == "problem")
    assert wrong.name == "columns above 1,024" and wrong.shape == "4x24x1055"


@pytest.mark.skipif(supported() is not None, reason=f"no emulation here: {supported()}")
def test_a_block_that_goes_on_to_all_columns_passes() -> None:
    report = of_columns("blockDim.x")
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    names = {case.name: case.outcome for case in report.cases}
    assert names["columns above 1,024"] == names["rows above 1,024"] == "pass"


A_TILE_AN_IMAGE = '''
import torch
from torch.utils.cpp_extension import load_inline

source = r"""
__global__ void scale_kernel(const float* x, float* y, int height, int width) {
    int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.BLOCK * 16 + threadIdx.x;
    int at = (blockIdx.z * height + row) * width + column;
    if (row < height && column < width) y[at] = 3 * x[at];
}

torch::Tensor scale(torch::Tensor x) {
    int planes = x.size(0) * x.size(1), height = x.size(2), width = x.size(3);
    auto y = torch::zeros_like(x);
    dim3 grid((width + 15) / 16, (height + 15) / 16, planes);
    scale_kernel<<<grid, dim3(16, 16)>>>(x.data_ptr<float>(), y.data_ptr<float>(), height, width);
    return y;
}
"""
ext = load_inline("scale", "torch::Tensor scale(torch::Tensor x);", source, functions=["scale"])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return ext.scale(x.contiguous())
'''
TRIPLE = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return 3 * x

batch, channels, height, width = 128, 64, 512, 512

def get_inputs():
    return [torch.randn(batch, channels, height, width)]
"""


@pytest.mark.parametrize(("block", "outcome"), [("x", "pass"), ("y", "fail")])
@pytest.mark.skipif(supported() is not None, reason=f"no emulation here: {supported()}")
def test_tiles_beside_the_first_are_looked_at_although_one_holds_the_scaled_image(block: str, outcome: str) -> None:
    program = A_TILE_AN_IMAGE.replace("BLOCK", block)
    report = verify(program, problem=None, reference=TRIPLE, reference_label="reference.py", contract="problem")
    rows = {case.name: case.outcome for case in report.cases}
    assert report.verdict is not None and report.verdict.outcome == outcome, report.verdict
    assert rows["as given"] == "pass" and rows["height above 16"] == outcome
