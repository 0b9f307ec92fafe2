"""Builds with only the PyTorch headers that a program uses: the same library's answers, and PyTorch's own headers where
these are too few. Real compilers and PyTorch's real headers; nothing here needs nvcc."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from kernelgate.compile.cuda import cached_load_inline
from kernelgate.compile.cuda_library import NARROW_WORDS, build
from kernelgate.compile.narrow_headers import narrow_headers
from kernelgate.emulator.translate.units import torch_folder
from kernelgate.messages.build_requests import BuiltExtension
from kernelgate.sandbox.confined_process import run_confined

KERNEL = "__global__ void k(float* y) {}\n"
# What programs of language models use, as far as it is no kernel.
USUAL = """
torch::Tensor doubled(torch::Tensor x, double factor) {
  TORCH_CHECK(x.dim() == 2, "two dimensions");
  const auto rows = x.size(0);
  auto options = torch::TensorOptions().dtype(torch::kFloat32).device(x.device());
  auto y = torch::zeros({rows, x.size(1)}, options);
  std::vector<torch::Tensor> parts = {
    torch::empty_like(x), x.contiguous().view({-1}), torch::ones({rows}, x.options())};
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "doubled", [&] {
    auto from = x.data_ptr<scalar_t>();
    auto to = y.data_ptr<float>();
    for (int64_t i = 0; i < x.numel(); ++i) to[i] = std::max<scalar_t>(from[i], 0) * factor;
  });
  return y + torch::matmul(x, x.t()).sum() * 0 + parts[2].mean() - 1;
}
"""
ALL_OF_PYTORCH = {
    "a tensor of numbers": "auto t = torch::tensor({1.0});",
    "a tensor that wants a gradient": "auto t = torch::empty({1}, torch::TensorOptions().requires_grad(true));",
    "a function of autograd": "struct F : torch::autograd::Function<F> {};",
    "a module": "torch::nn::Linear layer(1, 1);",
}


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def builds() -> list[BuiltExtension]:
    """What `load_inline` has built, in order."""
    return []


@pytest.fixture
def load_inline(cache: Path, builds: list[BuiltExtension]) -> Callable[..., Any]:
    """The worker's load_inline for a GPU that need not be there."""

    def compiling(folder: Path, work: Callable[[], None]) -> None:
        run_confined(folder, work, None)

    return cached_load_inline(cache, "sm_80", builds.append, lambda order: build(order, cache, compiling))


def headers(*cuda: str, cpp: tuple[str, ...] = (), implicit: bool = True) -> dict[str, str] | None:
    folder = torch_folder()
    assert folder is not None
    return narrow_headers(cpp, cuda, folder / "include", implicit=implicit)


def test_only_the_operators_that_a_program_calls_are_declared() -> None:
    found = headers(KERNEL + USUAL)
    assert found is not None
    included = found["ATen/ATen.h"]
    assert "<ATen/ops/empty_like.h>" in included and "<ATen/ops/matmul.h>" in included
    assert "conv2d" not in included


@pytest.mark.parametrize("line", ALL_OF_PYTORCH.values(), ids=ALL_OF_PYTORCH.keys())
def test_what_is_another_function_in_fewer_headers_gets_all(line: str) -> None:
    assert headers(KERNEL, cpp=(f"void f() {{ {line} }}",)) is None


def test_a_program_that_chooses_its_headers_keeps_them() -> None:
    chosen = "#include <ATen/core/Tensor.h>\n"
    assert headers(chosen + KERNEL, implicit=False) is None
    assert headers("#include <torch/extension.h>\n" + KERNEL, implicit=False) is not None


def test_nvcc_reads_what_binds_to_python_only_where_a_program_does_that_there() -> None:
    plain, binding = headers(KERNEL), headers(KERNEL + "PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {}")
    assert plain is not None and binding is not None
    assert "#if !defined(__CUDACC__)\n#include <torch/csrc/Exceptions.h>" in plain["torch/extension.h"]
    assert "#if 1\n" in binding["torch/extension.h"]


@pytest.mark.drawn
def test_the_usual_functions_of_a_program_build_so_and_give_what_they_should(
    load_inline: Callable[..., Any], builds: list[BuiltExtension], tmp_path: Path
) -> None:
    (tmp_path / "own.h").write_text("constexpr double LESS = 1;\n")
    source = '#include "own.h"\n' + USUAL.replace("- 1;", "- LESS;")
    for _time in range(2):
        module = load_inline("usual", [source], functions=["doubled"], extra_include_paths=(str(tmp_path),))
    x = torch.randn(3, 3)
    torch.testing.assert_close(module.doubled(x, 2.0), x.relu() * 2)
    first, again = builds
    assert first.compiler.endswith(NARROW_WORDS) and again.compiler == first.compiler
    assert again.cached and not first.cached


@pytest.mark.drawn
def test_what_these_headers_lack_is_built_with_pytorchs_own(
    load_inline: Callable[..., Any], builds: list[BuiltExtension]
) -> None:
    source = '#include <ATen/ATen.h>\nextern "C" long words() { return at::show_config().size(); }\n'
    for _time in range(2):
        load_inline("words", [source], is_python_module=False, no_implicit_headers=True)
    first, again = builds
    assert NARROW_WORDS not in first.compiler and again.compiler == first.compiler and again.cached


@pytest.mark.drawn
def test_an_error_has_the_line_that_it_has_with_pytorchs_own_headers(load_inline: Callable[..., Any]) -> None:
    source = "#include <ATen/ATen.h>\nat::Tensor f(at::Tensor x) {\n  return x.nothing();\n}\n"
    with pytest.raises(RuntimeError, match=r"main\.cpp:3:\d+: error: .*has no member named .nothing"):
        load_inline("wrong", [source], no_implicit_headers=True)
