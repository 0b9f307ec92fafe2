"""What a kernel does before anybody asks it for a verdict."""

from __future__ import annotations

from kernelgate.emulator.build.extension import Extension, _planned
from kernelgate.emulator.build.headers import begin_with
from kernelgate.emulator.build.libraries import find_library
from kernelgate.messages.job import cache_folder
from kernelgate.notebook import handshake, probe

CPP = "torch::Tensor doubled(torch::Tensor x);"
CUDA = """
#include <torch/extension.h>
__global__ void k(float* y, int n) { int i = threadIdx.x; if (i < n) y[i] *= 2; }
torch::Tensor doubled(torch::Tensor x) { auto y = x.clone(); k<<<1, 32>>>(y.data_ptr<float>(), 32); return y; }
"""


def test_the_first_question_to_a_kernel_has_built_what_any_program_needs() -> None:
    handshake()
    assert probe._ahead[0].wait(300) == 0
    cache = cache_folder()
    assert find_library("runtime", cache) is not None
    for examine in (False, True):
        plan = _planned(Extension("ahead", CPP, CUDA, ["doubled"], examine=examine), "facade", cache)
        assert all(begin_with(unit, plan.compiler, cache) for unit in plan.units)
    again = probe._ahead[0]
    handshake()
    assert probe._ahead[0] is not again and probe._ahead[0].wait(60) == 0
