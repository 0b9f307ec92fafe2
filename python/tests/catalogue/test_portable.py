"""What the programs ask of a PyTorch: its headers, and its load_inline. bench/portability.py tries other versions."""

from __future__ import annotations

import subprocess
import types
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch
from catalogue.programs import program

pytestmark = pytest.mark.drawn

# The function that builds each program's operators.
BUILDERS = {"leakyrelu": "_extension", "scale_leakyrelu": "_extension", "gemm_scale_leakyrelu": "_operators"}

by_operator = pytest.mark.parametrize("operator", BUILDERS)


class Asked(Exception):
    """A build was asked for: its C++ sources and flags."""

    def __init__(self, sources: Sequence[str], flags: Sequence[str]) -> None:
        self.sources, self.flags = sources, flags


def asked(operator: str, load_inline: object) -> Asked:
    found: types.ModuleType = program(operator)
    found.load_inline = load_inline
    with pytest.raises(Asked) as raised:
        getattr(found, BUILDERS[operator])()
    return raised.value


@by_operator
def test_the_host_source_is_right_with_the_headers_of_this_pytorch(operator: str, tmp_path: Path) -> None:
    from torch.utils.cpp_extension import include_paths

    def load_inline(*, cpp_sources, extra_cflags, no_implicit_headers, **_):
        raise Asked(cpp_sources, extra_cflags)

    site = Path(torch.__file__).parents[1]
    cuda = [
        path for path in (site / "nvidia/cu13/include", site / "nvidia/cuda_runtime/include") if path.is_dir()
    ]
    if not any((path / "cuda_runtime_api.h").exists() for path in cuda):
        pytest.skip("CUDA's headers are not installed: no wheel of them beside torch")
    build = asked(operator, load_inline)
    source = tmp_path / "main.cpp"
    source.write_text("\n".join(build.sources))
    triton = site / "triton/backends/nvidia/include"  # the rest of CUDA's headers, where the wheel lacks them
    folders = [*include_paths(), *map(str, cuda), str(triton)]
    flags = ["-std=c++20", "-fsyntax-only", "-Wall", "-Werror", "-DTORCH_EXTENSION_NAME=tried", *build.flags]
    command = ["g++", *flags, *(flag for folder in folders for flag in ("-isystem", folder)), str(source)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@by_operator
def test_a_load_inline_that_always_adds_its_headers_is_asked_for_nothing_that_it_lacks(operator: str) -> None:
    def of_pytorch_2_7(
        name, cpp_sources, cuda_sources=None, functions=None, extra_cflags=None, extra_cuda_cflags=None,
        extra_ldflags=None, extra_include_paths=None, build_directory=None, verbose=False, with_cuda=None,
        is_python_module=True, with_pytorch_error_handling=True, keep_intermediates=True, use_pch=False,
    ):  # fmt: skip
        raise Asked(cpp_sources, extra_cflags)

    assert asked(operator, of_pytorch_2_7).sources
