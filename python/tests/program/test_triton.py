"""Triton's kernels are found by their decorator, whatever names they were imported by, and nothing else is."""

from __future__ import annotations

import ast

import pytest

from kernelgate.program.kind import triton_kernels


@pytest.mark.parametrize(
    "text",
    [
        "import triton\n@triton.jit\ndef k(x): pass",
        "import triton as tr\n@tr.autotune([], [])\n@tr.jit\ndef k(x): pass",
        "import triton\n@triton.jit(debug=True)\ndef k(x): pass",
        "from triton import jit as compiled\n\n@compiled\ndef k(x): pass",
        "def make():\n    import triton\n    @triton.jit\n    def k(x): pass\n    return k",
    ],
)
def test_a_kernel_is_found_by_its_decorator(text: str) -> None:
    assert triton_kernels(ast.parse(text)) == ["k"]


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n@torch.jit.script\ndef k(x): pass",
        "import triton\nn = triton.cdiv(8, 3)\ndef k(x): pass",
        "from numba import jit\n@jit\ndef k(x): pass",
        "import triton\n@triton.testing.perf_report\ndef k(x): pass",
    ],
)
def test_other_decorators_make_no_kernel_of_triton(text: str) -> None:
    assert triton_kernels(ast.parse(text)) == []
