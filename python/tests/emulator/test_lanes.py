"""What the facade lacks is built with PyTorch's own headers; what emulation lacks is no mistake of the program."""

from __future__ import annotations

import pytest
import torch
from support import HEAD, in_worker, load_inline

from kernelgate.emulator import CompileFailed, Refused, build_extension
from kernelgate.emulator.errors import Diagnostic
from kernelgate.emulator.translate.lanes import blame, first_lane, next_lane
from kernelgate.emulator.translate.units import Sources

pytestmark = pytest.mark.drawn

DOUBLED = (
    HEAD
    + """
__global__ void twice(const float* x, float* y, int n) {
  int i = threadIdx.x;
  if (i < n) y[i] = 2 * x[i];
}
torch::Tensor f(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "not on the GPU");
  auto y = torch::empty_like(x);
  twice<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return torch::special::expit(y);
}
"""
)


def build(cache, cuda, cpp="torch::Tensor f(torch::Tensor x);"):
    return build_extension("program", cpp, HEAD + cuda, ["f"], cache=cache)


def test_a_function_of_torch_that_the_facade_lacks_is_built_with_torchs_headers(cache):
    def body(emulation):
        with emulation.active():
            x = torch.arange(8.0).cuda()
            y = load_inline("lane", "torch::Tensor f(torch::Tensor x);", DOUBLED, functions=["f"]).f(x)
        return torch.equal(y, torch.special.expit(2 * torch.arange(8.0)))

    assert in_worker(cache, body).result()
    assert (
        build_extension("lane", "torch::Tensor f(torch::Tensor x);", DOUBLED, ["f"], cache=cache).lane
        == "real headers"
    )


OF_PYTORCH = """
std::vector<torch::Tensor> f(torch::Tensor x, torch::Tensor w) {
  auto y = torch::conv2d(x, w, torch::Tensor(), {2, 2}, {1, 1});
  auto [largest, at] = torch::max(y, 1, true);
  auto scaled = at::gelu(1.0 / (y + 2.5), "tanh") - torch::sum(y, {1, 2}, true, torch::kFloat64).to(torch::kFloat32);
  auto halves = torch::split(torch::cat({y, scaled}, 1).slice(0, 1), 3, 1);
  auto last = torch::zeros({4}, x.options());
  last[0] = 1.5f;
  last /= torch::tensor({2.0f, 3.0f, 4.0f, 5.0f}, x.options());
  relu_(last);
  return {largest, at, scaled, halves[0], halves[1], last, torch::tensor(2, x.options()), last > 0};
}
"""


def test_operators_of_pytorch_are_declared_as_its_headers_do_and_need_none_of_them(cache):
    declared = "std::vector<torch::Tensor> f(torch::Tensor x, torch::Tensor w);"

    def body(emulation):
        x, w = torch.randn(2, 3, 9, 9), torch.randn(3, 3, 3, 3)
        with emulation.active():
            extension = load_inline("operators", declared, HEAD + OF_PYTORCH, functions=["f"])
            found = extension.f(x.cuda(), w.cuda())
            places = [one.is_cuda for one in found]
        y = torch.nn.functional.conv2d(x, w, None, 2, 1)
        scaled = torch.nn.functional.gelu(1 / (y + 2.5), approximate="tanh")
        scaled = scaled - y.sum((1, 2), keepdim=True, dtype=torch.float64).float()
        last = torch.tensor([0.75, 0, 0, 0])
        right = [*y.max(1, keepdim=True), scaled, *torch.cat([y, scaled], 1)[1:].split(3, 1), last, torch.tensor(2.0)]
        right.append(last > 0)
        return all(places) and all(map(torch.equal, found, right)) and len(found) == len(right)

    assert in_worker(cache, body).result()
    assert build_extension("operators", declared, HEAD + OF_PYTORCH, ["f"], cache=cache).lane == "facade"


@pytest.mark.parametrize(
    "statement",
    ["int a = undeclared_here;", "float b = __float2half(1.0f) * ;", "C10_CUDA_CHEKC(cudaGetLastError());"],
)
def test_a_mistake_of_the_program_is_the_compilers_error(cache, statement):
    with pytest.raises(CompileFailed) as caught:
        build(cache, f"torch::Tensor f(torch::Tensor x) {{\n{statement}\nreturn x; }}")
    assert (caught.value.diagnostics[0].unit, caught.value.diagnostics[0].line) == ("cuda.cu", 4)


@pytest.mark.parametrize(
    ("name", "lane"),
    [
        ("TORCH_CHECK_TENSOR_ALL", "real headers"),  # which PyTorch has
        ("TORCH_CHEKC", None),
        ("__sharde__", None),
        ("torch::special::log_ndtri", "real headers"),  # not only macros make functions
    ],
)
def test_a_misspelt_macro_is_not_looked_for_by_compiling_torchs_headers(name, lane):
    error = Diagnostic("cuda.cu", 1, 1, "error", f"'{name}' was not declared in this scope")
    sources = Sources("program", "", f"auto y = torch::empty_like(x); {name}(y);", ["f"], implicit_headers=True)
    assert next_lane("facade", CompileFailed("program", "", (error,)), sources) == lane


@pytest.mark.parametrize(("name", "lane"), [("opmath_type", None), ("special", "real headers")])
def test_a_type_without_its_include_is_not_looked_for_by_compiling_torchs_headers(name, lane):
    error = Diagnostic("cuda.cu", 1, 1, "error", f"'{name}' is not a member of 'at'")
    sources = Sources("program", "", f"auto a = at::{name};", ["f"], True)
    assert next_lane("facade", CompileFailed("program", "", (error,)), sources) == lane


@pytest.mark.parametrize(
    "words",
    [
        "cannot convert 'const at::DeprecatedTypeProperties' to 'c10::ScalarType'",
        "use of deleted function 'c10::ScalarType detail::scalar_type(caffe2::TypeMeta)'",
        "cannot convert 'c10::Half*' to 'const float*'",
        "THC/THC.h: No such file or directory",
    ],
)
def test_what_pytorchs_headers_refuse_as_well_is_not_compiled_with_them(words):
    error = Diagnostic("cuda.cu", 1, 1, "error", words)
    sources = Sources("program", "", "auto y = torch::empty_like(x);", ["f"], implicit_headers=True)
    assert next_lane("facade", CompileFailed("program", "", (error,)), sources) is None


@pytest.mark.parametrize(
    "statement",
    [
        "int v = __viaddmax_s32(1, 2, 3);",
        "float v = cyl_bessel_i0f(1.0f);",
        "char id[16]; cudaDeviceGetPCIBusId(id, 16, 0);",
    ],
)
def test_what_cuda_has_and_emulation_lacks_is_refused_and_never_failed(cache, statement):
    with pytest.raises(Refused, match=r"could not build it .*line 4"):
        build(cache, f"torch::Tensor f(torch::Tensor x) {{\n{statement}\nreturn x; }}")


def test_a_header_that_pytorch_has_no_more_is_a_mistake_of_the_program(cache):
    with pytest.raises(CompileFailed) as caught:
        build(cache, "#include <THC/THC.h>\ntorch::Tensor f(torch::Tensor x) { return x; }")
    [error] = caught.value.diagnostics
    assert (error.unit, error.line) == ("cuda.cu", 3) and "THC/THC.h" in error.message


def test_a_header_that_pytorch_never_had_is_a_mistake_of_the_program_and_costs_no_second_build(cache):
    text = "#include <torch/extensions.h>\ntorch::Tensor f(torch::Tensor x) { return x; }"
    assert first_lane(Sources("program", "", text, ["f"], implicit_headers=True)) == "facade"
    with pytest.raises(CompileFailed) as caught:
        build(cache, text)
    [error] = caught.value.diagnostics
    assert "torch/extensions.h" in error.message


def test_a_kernel_in_the_source_for_the_host_is_a_mistake_of_the_program():
    error = Diagnostic("main.cpp", 2, 1, "error", "'__shared__' does not name a type")
    kernel = "__global__ void k() {\n__shared__ int s[2];\n}"
    failed = CompileFailed("program", "", (error,))
    assert blame([failed], Sources("program", kernel, "", ["f"], implicit_headers=True)) is failed
    assert blame([failed], Sources("program", "int f() { __shared__ s; }", "", ["f"], True)) is not failed


def test_what_pytorchs_headers_say_of_an_operators_type_is_a_mistake_of_the_program():
    words = "static assertion failed: INVALID TYPE: float is not supported as an argument type, use double instead"
    failed = CompileFailed("program", "", (Diagnostic("infer_schema.h", 43, 1, "error", words),))
    sources = Sources("program", "", "", ["f"], implicit_headers=True)
    assert blame([failed], sources) is failed


def test_a_header_that_is_not_there_is_refused_and_never_failed(cache):
    with pytest.raises(Refused, match=r"could not build it .*nvtx3"):
        build(cache, "#include <nvtx3/nvToolsExt.h>\ntorch::Tensor f(torch::Tensor x) { return x; }")
