"""torch's Python face under emulation, and bindings as pybind11 makes them."""

from __future__ import annotations

import subprocess

import pytest
import torch
from support import HEAD, in_worker, load_inline

from kernelgate.emulator import Emulation, build_library

pytestmark = pytest.mark.drawn

BINDINGS = (
    HEAD
    + """
torch::Tensor scale(torch::Tensor x, double factor, c10::optional<torch::Tensor> out, bool negate) {
  auto y = out ? *out : torch::empty_like(x);
  y.copy_(x * factor);
  return negate ? -y : y;
}
std::vector<torch::Tensor> halves(const torch::Tensor& x, std::vector<int64_t> sizes) {
  return {x.view(sizes)[0], x.view(sizes)[1]};
}
std::tuple<int64_t, double, std::string> facts(torch::Tensor x, int times) {
  TORCH_CHECK_VALUE(times > 0, "times must be positive, but is ", times);
  return {x.numel() * times, x.sum().item<double>(), x.dtype() == torch::kFloat32 ? "float" : "other"};
}
"""
)
MAIN = """
torch::Tensor scale(torch::Tensor x, double factor, c10::optional<torch::Tensor> out, bool negate);
std::vector<torch::Tensor> halves(const torch::Tensor& x, std::vector<int64_t> sizes);
std::tuple<int64_t, double, std::string> facts(torch::Tensor x, int times);
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("scale", &scale, "Scales.", py::arg("x"), py::arg("factor") = 2.0, py::arg("out") = py::none(),
        py::arg("negate") = false);
  m.def("halves", &halves);
  m.def("facts", torch::wrap_pybind_function(facts), "facts");
  m.def("twice", [](int64_t i) { return 2 * i; });
}
"""


def test_the_facades_library_gives_the_process_no_name_of_torchs(cache):
    """Torch's own libraries are in the same process, and would take it."""
    library = build_library("facade", cache)
    listed = subprocess.run(
        ["nm", "-D", "-C", "--defined-only", library], capture_output=True, text=True, check=True
    )
    names = [line.split(maxsplit=2)[2] for line in listed.stdout.splitlines()]
    assert "kernelgate::run_binding(_object*, _object*, _object*)" in names
    of_torch = ("at::", "c10::", "torch::", "caffe2::", "pybind11::")
    assert [name for name in names if name.split(" for ")[-1].startswith(of_torch)] == []


def test_arguments_pass_by_position_by_name_and_by_default(cache):
    def body(emulation: Emulation) -> list[object]:
        with emulation.active():
            m = load_inline("bindings", MAIN, BINDINGS)
            x = torch.arange(4.0)
            out = torch.empty(4)
            m.scale(x, 3, out=out)
            return [
                m.scale(x).tolist(),
                out.tolist(),
                m.scale(factor=1, negate=True, x=x).tolist(),
                [h.tolist() for h in m.halves(x, [2, 2])],
                m.facts(x, 2),
                m.twice(21),
                m.scale.__doc__,
            ]

    assert in_worker(cache, body).result() == [
        [0.0, 2.0, 4.0, 6.0],
        [0.0, 3.0, 6.0, 9.0],
        [0.0, -1.0, -2.0, -3.0],
        [[0.0, 1.0], [2.0, 3.0]],
        (8, 6.0, "float"),
        42,
        "Scales.",
    ]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ("m.twice(1.5)", "TypeError: twice(): incompatible function arguments"),
        ("m.twice()", "TypeError: twice(): incompatible function arguments"),
        ("m.twice(2**70)", "TypeError: twice(): incompatible function arguments"),
        ("m.scale(None)", "TypeError: scale(): incompatible function arguments"),
        ("m.scale(x, wrong=1)", "TypeError: scale(): incompatible function arguments"),
        ("m.scale(x, factor='a')", "TypeError: scale(): incompatible function arguments"),
        ("m.halves(x, [3, 3])", "RuntimeError: shape '[3, 3]' is invalid for input of size 4"),
        ("m.facts(x, 0)", "ValueError: times must be positive, but is 0"),
    ],
)
def test_wrong_calls_raise_what_pybind11_and_torch_raise(cache, call, error):
    def body(emulation: Emulation) -> None:
        with emulation.active():
            eval(call, {"m": load_inline("bindings", MAIN, BINDINGS), "x": torch.arange(4.0)})

    assert (in_worker(cache, body).error or "").startswith(error)


def test_tensors_and_modules_live_on_the_gpu_inside_and_on_the_cpu_outside(cache):
    def body(emulation: Emulation) -> list[bool]:
        with emulation.active():
            gpu = torch.device("cuda", 0)
            x = torch.randn(3, device="cuda")
            model = torch.nn.Linear(3, 2).cuda().to("cuda:0").to(device=gpu, dtype=torch.float64)
            left = x.cpu()
            left.fill_(5.0)
            checks = [
                torch.cuda.is_available(),
                x.is_cuda and not x.is_cpu and x.device == gpu and x.get_device() == 0,
                x.to("cuda") is x and x.cuda() is x,
                torch.zeros(2, device=gpu).device == gpu and torch.empty_like(x, device="cuda").is_cuda,
                model.weight.device == gpu and model.weight.dtype == torch.float64,
                not torch.equal(left, x),
                x.to("cpu") is not x,
                x.to(torch.float16).dtype == torch.float16,
            ]
            with torch.cuda.stream(torch.cuda.Stream()), torch.cuda.device(0):
                torch.cuda.synchronize()
                torch.manual_seed(3)
            state, drawn = torch.cuda.get_rng_state(), torch.rand(2, device="cuda")
            torch.cuda.set_rng_state(state)
            checks += [
                torch.equal(drawn, torch.rand(2, device="cuda")),
                torch.cuda.initial_seed() == 3,
                not torch.cuda.is_current_stream_capturing(),
                0 < torch.cuda.mem_get_info()[0] <= torch.cuda.mem_get_info()[1],
                torch.cuda.reset_accumulated_memory_stats() is None,
            ]
        return [*checks, x.device.type == "cpu", torch.randn(2).sum().item() != 0]

    assert all(in_worker(cache, body).result())


@pytest.mark.parametrize(
    "statement",
    [
        "torch.cuda.Event(enable_timing=True).elapsed_time(torch.cuda.Event())",
        f"torch.utils.cpp_extension.load('name', [{__file__!r}])",
        "torch.utils.cpp_extension.load_inline('n', '', extra_ldflags=['-lgsl'])",
    ],
)
def test_what_has_no_meaning_here_is_refused(cache, statement):
    def body(emulation: Emulation) -> None:
        with emulation.active():
            eval(statement, {"torch": torch})

    assert (in_worker(cache, body).error or "").startswith("Refused: cannot be emulated: ")


def test_gradients_flow_through_an_autograd_function(cache):
    source = (
        HEAD
        + """
__global__ void k(const double* x, double* y, double a, int n) {
  int i = threadIdx.x; if (i < n) y[i] = a * x[i]; }
torch::Tensor f(torch::Tensor x, double a) {
  auto y = torch::empty_like(x);
  k<<<1, 32>>>(x.data_ptr<double>(), y.data_ptr<double>(), a, x.numel());
  return y; }
"""
    )

    def body(emulation: Emulation) -> bool:
        with emulation.active():
            program = load_inline("g", "torch::Tensor f(torch::Tensor x, double a);", source, functions="f")

            class Scale(torch.autograd.Function):
                @staticmethod
                def forward(ctx, x):
                    return program.f(x, 3.0)

                @staticmethod
                def backward(ctx, grad):
                    return program.f(grad.contiguous(), 3.0)

            return torch.autograd.gradcheck(
                Scale.apply, (torch.randn(5, dtype=torch.float64, requires_grad=True),)
            )

    assert in_worker(cache, body).result()
