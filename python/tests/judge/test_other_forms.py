"""Programs that define no ModelNew where a reference says what they are for, and modules that override what PyTorch's
modules do: the right ones pass, the wrong ones fail."""

from __future__ import annotations

import pytest

from .test_sources import outcome, verify

SCALED = """#include <torch/extension.h>
__global__ void scaled_kernel(const float* x, const float* w, float* y, int rows, int n, float factor) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows * n) y[i] = x[i] * w[i % n] * factor{wrong};
}}
torch::Tensor scaled(torch::Tensor x, torch::Tensor weight, double factor) {{
  x = x.contiguous();
  auto y = torch::empty_like(x);
  int n = weight.numel(), total = x.numel();
  if (total)
    scaled_kernel<<<(total + 127) / 128, 128>>>(x.data_ptr<float>(), weight.data_ptr<float>(),
                                                y.data_ptr<float>(), total / n, n, factor);
  return y;
}}
{bound}"""
GATED = """import torch
class Model(torch.nn.Module):
    def forward(self, a, b):
        return a * torch.sigmoid(b)
"""
BOUND = 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{ m.def("forward", &scaled, "scaled"); }}\n'.format()
MODEL = """import torch
import torch.nn as nn
{function}
class Model(nn.Module):
    def __init__(self, size, factor):
        super().__init__()
        self.weight = nn.Parameter(torch.rand(size))
        self.factor = factor
    def forward(self, x{argument}):
        return {result}
def get_inputs():
    return [torch.randn(6, 20)]
def get_init_inputs():
    return [20, 0.5]
"""
PLAIN = MODEL.format(function="", argument="", result="x * self.weight * self.factor")
# The form of robust-kbench: forward takes the function that a program replaces.
WITH_FUNCTION = MODEL.format(
    function="def scaled(x, weight, factor):\n    return x * weight * factor",
    argument=", fn=scaled",
    result="fn(x, self.weight, self.factor)",
)
IN_PYTHON = '''from torch.utils.cpp_extension import load_inline
extension = load_inline(name="bound", cpp_sources="", cuda_sources=r"""{cuda}""")
'''


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("form", "reference"),
    [("cuda", PLAIN), ("python", PLAIN), ("cuda bound", WITH_FUNCTION), ("python", WITH_FUNCTION)],
    ids=["cuda", "python", "function, cuda", "function, python"],
)
def test_cuda_with_a_reference_is_called_with_inputs_parameters_and_numbers(
    form: str, reference: str
) -> None:
    for wrong, expected in (("", "pass"), (" * 1.01f", "fail")):
        text = SCALED.format(wrong=wrong, bound="" if form == "cuda" else BOUND)
        if form == "python":
            text = IN_PYTHON.format(cuda=text)
        report = verify(text, reference)
        assert outcome(report)[0] == expected, (outcome(report), report.failure)
        assert report.candidate.cuda_kernels == ["scaled_kernel"]


def test_a_compiler_error_in_such_a_file_is_placed_at_its_own_line() -> None:
    report = verify(SCALED.format(wrong=" * oops", bound=""), PLAIN)
    assert outcome(report)[0] == "fail" and report.failure is not None and report.failure.where is not None
    assert report.failure.where.line == 4


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("a, b = data\n    return a * torch.sigmoid(b)", "pass"),
        ("return data[0] * torch.sigmoid(data[1])", "pass"),
        ("a, b = data\n    return b * torch.sigmoid(a)", "fail"),
    ],
)
def test_custom_kernel_is_given_the_inputs_as_one_tuple(body: str, expected: str) -> None:
    text = f"import torch\ndef custom_kernel(data):\n    {body}\n"
    assert outcome(verify(text, GATED, "5x9", "5x9"))[0] == expected


@pytest.mark.drawn
@pytest.mark.parametrize("body", ["return torch.relu(data)", "(x,) = data\n    return torch.relu(x)"])
def test_custom_kernel_with_one_input_takes_it_alone_or_as_a_tuple(body: str) -> None:
    text = f"import torch\ndef custom_kernel(data):\n    {body}\n"
    assert outcome(verify(text, "torch.relu", "5x9"))[0] == "pass"


OVERRIDES = """
import torch, torch.nn as nn
class ModelNew(nn.Linear):
    def train(self, mode=True):
        super().train(mode)
    def to(self, *args, **kwargs):
        super().to(*args, **kwargs)
    def state_dict(self, *args, **kwargs):
        return {{name: value.clone() for name, value in super().state_dict(*args, **kwargs).items()}}
    def load_state_dict(self, state, strict=True, assign=False):
        return super().load_state_dict(dict(state), strict=strict)
    def __call__(self, x):
        return self.forward(x)
    def forward(self, x):
        return nn.functional.linear(x, self.weight, self.bias){wrong}
"""


@pytest.mark.drawn
def test_a_module_that_overrides_what_modules_do_is_judged_by_its_values() -> None:
    right = verify(OVERRIDES.format(wrong=""), "torch.nn.Linear(12, 7)", "5x12")
    assert outcome(right)[0] == "pass", outcome(right)
    assert "Correct in emulation" in outcome(right)[1] or "drop-in" in outcome(right)[1]
    assert outcome(verify(OVERRIDES.format(wrong=" + 0.01"), "torch.nn.Linear(12, 7)", "5x12"))[0] == "fail"


def test_a_program_that_turns_the_callers_list_around_is_told_so() -> None:
    reference = """import torch
class Model(torch.nn.Module):
    def forward(self, xs):
        return xs[0] + 2 * xs[1]
def get_inputs():
    return [[torch.randn(6, 20), torch.randn(6, 20)]]
def get_init_inputs():
    return []
"""
    text = """import torch
class ModelNew(torch.nn.Module):
    def forward(self, xs):
        xs.reverse()
        return xs[1] + 2 * xs[0]
"""
    report = verify(text, reference)
    assert outcome(report) == ("fail", "Wrong result: it changes its input in place")
    assert report.failure is not None and "the caller's list" in report.failure.what


@pytest.mark.drawn
def test_a_view_into_a_longer_tensor_stays_as_it_was() -> None:
    """What lies behind the view is drawn anew with it, and belongs to nobody's call."""
    reference = """import torch
class Model(torch.nn.Module):
    def forward(self, x, table):
        return x[table].sum(1)
def get_inputs():
    return [torch.randn(20, 8), torch.randperm(20)[:18].view(3, 6)]
def get_init_inputs():
    return []
"""
    report = verify(reference.partition("def get_inputs")[0].replace("Model", "ModelNew"), reference)
    assert outcome(report)[0] == "pass", report.verdict


def test_a_program_for_amd_is_refused_in_words() -> None:
    text = 'import os, torch\nos.environ["CXX"] = "hipcc"\nclass ModelNew(torch.nn.Module):\n    pass\n'
    report = verify(text, "torch.relu", "4x4")
    assert outcome(report) == ("not run", "Not run: the program is for AMD GPUs")
    assert report.failure is not None and report.failure.where is not None
    assert report.failure.where.line == 2
