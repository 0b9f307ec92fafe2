"""What a machine lacks says nothing about the program; what a program gets wrong is no lack of the machine."""

from __future__ import annotations

import pytest

from kernelgate.messages.failures import Frame, Raised
from kernelgate.program import Source, read
from kernelgate.repair.exceptions import explain_raised
from kernelgate.repair.missing import next_step, what_is_missing

PROGRAM = """
import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline
{imports}
SOURCE = "torch::Tensor f(torch::Tensor x) {{ return x; }}"
module = load_inline("m", "torch::Tensor f(torch::Tensor x);", SOURCE, functions=["f"], extra_cuda_cflags=["-O3"{flag}])

class ModelNew(nn.Module):
    {decorator}def forward(self, x):
        return module.f(x)
"""


def raised(kind: str, message: str) -> Raised:
    return Raised(kind, message, [Frame(1, True, "<module>")])


@pytest.mark.parametrize(
    ("kind", "message", "words"),
    [
        ("ModuleNotFoundError", "No module named 'cupy'", "the package cupy is not installed"),
        ("ModuleNotFoundError", "No module named 'cutlass.cute'", "the package cutlass is not installed"),
        ("ModuleNotFoundError", "No module named 'my_own_helpers'", "the package my_own_helpers is not installed"),
        ("ImportError", "libcudnn.so.9: cannot open shared object file: No such file", "the library libcudnn.so.9 is"),
        ("AcceleratorError", "CUDA error: no kernel image is available", "built for other GPUs than this"),
        ("ModuleNotFoundError", "No module named 'torch.fastest'", ""),
        ("ImportError", "cannot import name 'x' from 'torch'", ""),
        ("RuntimeError", "CUDA error: an illegal memory access was encountered", ""),
    ],
)
def test_what_the_machine_lacks_is_told_from_a_mistake(kind: str, message: str, words: str) -> None:
    found = what_is_missing(raised(kind, message))
    assert found.startswith(words) if words.startswith("the") else words in found and bool(words) == bool(found)


def test_an_extension_of_the_program_is_no_package_that_is_missing() -> None:
    found = raised("ModuleNotFoundError", "No module named 'fused_ops'")
    assert what_is_missing(found, ["fused_ops"]) == "" != what_is_missing(found, ["other_ops"])


@pytest.mark.parametrize(
    ("name", "package"),
    [("cuda.tile", "cuda-tile"), ("cutlass.cute", "nvidia-cutlass-dsl"), ("cupy", "cupy-cuda"), ("numba", "numba")],
)
def test_the_install_command_names_the_package_as_pip_does(name: str, package: str) -> None:
    assert next_step(name).startswith(f"Install it where the notebook's kernel runs: pip install {package}")


def test_an_architecture_of_another_gpu_is_taken_out_of_the_flags() -> None:
    flag = ', "-gencode=arch=compute_120,code=sm_120"'
    candidate = read(Source(PROGRAM.format(imports="", flag=flag, decorator=""), "cell [4]"))
    message = "CUDA error: no kernel image is available for execution on the device"
    failure = explain_raised(candidate, raised("AcceleratorError", message), "check", "calling ModelNew")
    assert failure.edit is not None and "sm_120" not in failure.edit.text and "-O3" in failure.edit.text


def test_a_package_that_the_program_uses_is_installed_and_not_taken_out() -> None:
    text = PROGRAM.format(imports="import cutlass\nimport cutlass.cute as cute", flag="", decorator="@cute.jit\n    ")
    missing = raised("ModuleNotFoundError", "No module named 'cutlass'")
    failure = explain_raised(read(Source(text, "cell [4]")), missing, "build", "importing the program")
    assert failure.fix is None and failure.next_step.endswith("pip install nvidia-cutlass-dsl")
