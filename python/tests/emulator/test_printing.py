"""A program writes to streams what PyTorch's own operators write, and finds what its headers bring."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from support import in_worker, load_inline

from kernelgate.emulator.translate.units import brought_headers

# As LeetCUDA, extension-cpp and answers of language models write it.
SOURCE = """
#include <torch/types.h>
#include <ATen/Operators.h>
#include <ATen/cuda/EmptyTensor.h>
#define CHECK_TORCH_TENSOR_DTYPE(T, th_type)                   \\
  if (((T).options().dtype() != (th_type))) {                  \\
    std::cout << "Tensor Info:" << (T).options() << std::endl; \\
    throw std::runtime_error("values must be " #th_type);      \\
  }
struct Own { int value; };
std::ostream& operator<<(std::ostream& out, const Own& own) { return out << "own " << own.value; }
std::vector<std::string> printed(torch::Tensor x) {
  CHECK_TORCH_TENSOR_DTYPE(x, torch::kFloat32)
  std::unordered_map<int, std::string> lines;
  const auto note = [&](auto value) { std::stringstream out; out << value; lines[int(lines.size())] = out.str(); };
  note(x.options());
  note(torch::TensorOptions());
  note(x.sizes());
  note(x.scalar_type());
  note(x.dtype());
  note(x.device());
  note(x.device().type());
  note(at::Scalar(2.5));
  note(at::Scalar(7));
  note(x);
  note(Own{3});
  note(at::detail::empty_cuda({2, 5}, x.options()).sizes());
  TORCH_CHECK(x.device().type() == at::DeviceType::CUDA, x.options());
  std::vector<std::string> all;
  for (int i = 0; i < int(lines.size()); i++) all.push_back(lines[i]);
  return all;
}
"""
DEFAULTS = "requires_grad=false (default), pinned_memory=false (default), memory_format=(nullopt))"


def test_what_pytorch_prints_is_printed(cache: Any) -> None:
    def body(emulation: Any) -> list[str]:
        with emulation.active():
            declared = "std::vector<std::string> printed(torch::Tensor x);"
            return load_inline("printing", declared, SOURCE, functions=["printed"]).printed(torch.zeros(2, 3).cuda())

    assert in_worker(cache, body).result() == [
        f"TensorOptions(dtype=float, device=cuda:0, layout=Strided, {DEFAULTS}",
        f"TensorOptions(dtype=float (default), device=cpu (default), layout=Strided (default), {DEFAULTS}",
        "[2, 3]",
        "Float",
        "float",
        "cuda:0",
        "cuda",
        "2.5",
        "7",
        str(torch.zeros(2, 3)),
        "own 3",
        "[2, 5]",
    ]


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        ("std::cout << 1;", ["iostream"]),
        ("using namespace std; cout << unique_ptr<int>();", ["iostream", "memory"]),
        ("my::map m; mutex_of_mine = 2;", []),
        ("std :: lock_guard<std::mutex> held(m); std::vector<int> v;", ["mutex"]),
    ],
)
def test_headers_are_brought_for_what_a_text_names(text: str, headers: list[str]) -> None:
    assert brought_headers(text) == "".join(f"#include <{header}>\n" for header in headers)
