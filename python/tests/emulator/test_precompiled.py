"""Headers that are compiled once change nothing but the time that a build takes."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from support import in_worker, load_inline

from kernelgate.emulator import CompileFailed, build_extension

pytestmark = pytest.mark.drawn

DECLARED = "torch::Tensor f(torch::Tensor x);"
KERNEL = """__global__ void k(const float* x, float* y, int n) {{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = {expression};
}}
torch::Tensor f(torch::Tensor x) {{
  auto y = torch::empty_like(x);
  k<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  {after}
  return y;
}}
"""


def source(expression: str = "x[i]", after: str = "") -> str:
    return KERNEL.format(expression=expression, after=after)


def build(cache: Path, number: int, cuda: str, **options) -> Path:
    return build_extension(f"extension_{number}", DECLARED, cuda, ["f"], cache=cache, **options).library


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that holds so many extensions that the next one has its headers compiled."""
    cache = tmp_path_factory.mktemp("used")
    for number in range(3):
        build(cache, number, source(f"x[i] + {number}"))
        assert not list(cache.glob("headers-*"))
    build(cache, 3, source("x[i] + 3"))
    assert len(list(cache.glob("headers-*.h.gch"))) == 2
    return cache


def test_an_extension_that_begins_with_compiled_headers_gives_the_same(used):
    def body(emulation):
        with emulation.active():
            return load_inline("doubled", DECLARED, source("2 * x[i]"), functions=["f"]).f(
                torch.ones(8, device="cuda")
            )

    assert in_worker(used, body).result().tolist() == [2.0] * 8


def test_a_name_is_still_seen_through_its_own_header_only(used):
    cuda = source(after="C10_CUDA_KERNEL_LAUNCH_CHECK();")
    with pytest.raises(CompileFailed) as failed:
        build(used, 10, cuda)
    assert [(d.unit, d.line) for d in failed.value.diagnostics if d.severity == "error"] == [("cuda.cu", 8)]
    build(used, 11, "#include <c10/cuda/CUDAException.h>\n" + cuda)


def test_what_a_program_defines_reaches_the_headers(used):
    """They are read anew where they ask for it."""
    cuda = "#include <cuda_fp16.h>\n" + source("float(__float2half(x[i]) + __float2half(1.f))")
    with pytest.raises(CompileFailed):
        build(used, 20, cuda)
    build(used, 21, cuda, defines=["-U__CUDA_NO_HALF_OPERATORS__", "-U__CUDA_NO_HALF_CONVERSIONS__"])


def test_a_compiled_header_that_is_damaged_is_read_as_text(used):
    for compiled in used.glob("headers-*.gch"):
        compiled.write_bytes(b"something else")
    build(used, 30, source("x[i] - 1"))
