"""A tensor is on the GPU or on the CPU, and a program that mixes the two up hears what PyTorch says on a GPU."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from support import HEAD, in_worker, load_inline

from kernelgate.emulator import Emulation

pytestmark = pytest.mark.drawn

CPU, GPU = "cpu", "cuda:0"
# On which device each is, under a program; x, index_x: of the GPU; h, index: of the CPU.
ON = {
    "x": GPU,
    "h": CPU,
    "torch.arange(3)": CPU,
    "torch.arange(3, device=x.device)": GPU,
    "torch.tensor([1.0, 2.0])": CPU,
    "torch.tensor([1.0], device=0)": GPU,
    "torch.tensor(x)": GPU,
    "torch.as_tensor(numbers)": CPU,
    "torch.as_tensor(numbers, device='cuda')": GPU,
    "torch.from_numpy(numbers)": CPU,
    "torch.from_numpy(numbers).cuda()": GPU,
    "torch.frombuffer(bytearray(8), dtype=torch.uint8)": CPU,
    "torch.nn.Linear(4, 4).weight": CPU,
    "torch.nn.Linear(4, 4).cuda().weight": GPU,
    "torch.nn.Linear(4, 4).to(x.device).bias": GPU,
    "torch.nn.Linear(4, 4).to(0).bias": GPU,
    "torch.nn.Linear(4, 4, device='cuda').bias": GPU,
    "h.cuda()": GPU,
    "h.to('cuda')": GPU,
    "h.to(x.device, torch.float16)": GPU,
    "h.to(x)": GPU,
    "h.type_as(x)": GPU,
    "x.cpu()": CPU,
    "x.to('cpu')": CPU,
    "x.to(device='cpu', dtype=torch.float64)": CPU,
    "x.to(h)": CPU,
    "x.cpu().cuda()": GPU,
    "h.half()": CPU,
    "x.half()": GPU,
    "h.t()[1:].contiguous()": CPU,
    "h.add_(1)": CPU,
    "h.max(1).values": CPU,
    "h.split(2)[1]": CPU,
    "torch.empty_like(h)": CPU,
    "torch.empty_like(h, device='cuda')": GPU,
    "torch.zeros_like(x)": GPU,
    "x.new_zeros(3)": GPU,
    "h.new_zeros(3)": CPU,
    "x + torch.tensor(2.0)": GPU,
    "x * 2": GPU,
    "x[index]": GPU,
    "x[index_x]": GPU,
    "h[index]": CPU,
    "x.copy_(h)": GPU,
    "h.copy_(x)": CPU,
    "x[0].expand_as(h)": GPU,
    "torch.nn.functional.layer_norm(x, (4,))": GPU,
    "h.pin_memory()": CPU,
    "torch.empty(3, pin_memory=True)": CPU,
    "h.pin_memory().to('cuda', non_blocking=True)": GPU,
    "under(torch.device('cuda'), lambda: torch.zeros(3))": GPU,
    "under(torch.device('cuda'), lambda: torch.nn.Linear(2, 2).weight)": GPU,
    "under(torch.device('cuda'), lambda: torch.zeros(3, device='cpu'))": CPU,
    "by_default('cuda', lambda: torch.randn(3))": GPU,
    "by_default('cuda', lambda: torch.from_numpy(numbers))": CPU,
    "torch.get_default_device() and torch.zeros(1)": CPU,
    "gradient(x)": GPU,
    "gradient(h)": CPU,
}
MIXED = "RuntimeError: Expected all tensors to be on the same device, but found at least two devices, "
WRONG = {
    "x + h": MIXED + "cuda:0 and cpu!",
    "h + x": MIXED + "cpu and cuda:0!",
    "h + x.sum()": MIXED + "cpu and cuda:0!",
    "x.add_(h)": MIXED + "cuda:0 and cpu!",
    "torch.mm(x, h)": MIXED + "cuda:0 and cpu!",
    "torch.cat([x, h])": MIXED + "cuda:0 and cpu!",
    "torch.add(x, 1, out=h)": MIXED + "cuda:0 and cpu!",
    "torch.nn.Linear(4, 4)(x)": MIXED + "cuda:0 and cpu!",
    "x.index_select(0, index)": MIXED + "cuda:0 and cpu!",
    "torch.from_numpy(numbers) + x[0]": MIXED + "cpu and cuda:0!",
    "h[index_x]": "RuntimeError: indices should be either on cpu or on the same device as the indexed tensor (cpu)",
    "x.numpy()": "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()",
    "numpy.asarray(x)": "TypeError: can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()",
    "x.pin_memory()": "RuntimeError: cannot pin 'torch.cuda.FloatTensor' only dense CPU tensors can be pinned",
}
LEGAL = (
    "torch.nn.LSTM(4, 2).cuda()(torch.nn.utils.rnn.pack_padded_sequence(x[None], torch.tensor([4]), True))",
    "torch.nn.functional.ctc_loss(torch.randn(5, 1, 4, device='cuda').log_softmax(2), index_x[None], "
    "torch.tensor([5]), torch.tensor([2]))",
    "torch.broadcast_tensors(x, h)",
    "x.__setitem__(index, h[index])",
    "x.masked_fill_(x > 0, torch.tensor(1.0))",
    "torch.where(x > 0, x, torch.tensor(0.0))",
    "x.tensor_split(torch.tensor([1, 2]))",
    "torch.equal(x.cpu(), torch.from_numpy(x.numpy(force=True))) and numpy.asarray(h)",
    "torch.nn.Linear(4, 4).cuda().load_state_dict(torch.nn.Linear(4, 4).state_dict())",
    "torch.cdist(x, x), x.item if x.dim() else None, x.tolist(), repr(x)",
)


def names() -> dict[str, Any]:
    """What the expressions are about."""
    numpy = pytest.importorskip("numpy", reason="numpy is not installed")

    def under(context: Any, make: Any) -> torch.Tensor:
        with context:
            return make()

    def by_default(device: str, make: Any) -> torch.Tensor:
        torch.set_default_device(device)
        try:
            return make()
        finally:
            torch.set_default_device(None)

    def gradient(values: torch.Tensor) -> torch.Tensor:
        weight = torch.nn.Parameter(values.detach().clone())
        (weight * values).sum().backward()
        return weight.grad + values

    return {
        "torch": torch,
        "numpy": numpy,
        "numbers": numpy.ones(4, dtype="float32"),
        "x": torch.randn(4, 4, device="cuda"),
        "h": torch.randn(4, 4),
        "index": torch.tensor([0, 1]),
        "index_x": torch.tensor([0, 1], device="cuda"),
        "under": under,
        "by_default": by_default,
        "gradient": gradient,
    }


def told(expression: str, known: dict[str, Any]) -> Any:
    try:
        return eval(expression, known)
    except Exception as exc:
        return f"{type(exc).__name__}: {exc}"


def test_a_tensor_is_on_the_device_that_it_would_be_on(cache):
    def body(emulation: Emulation) -> dict[str, str]:
        with emulation.active(), emulation.guarded():
            known = names()
            found = {expression: told(expression, known) for expression in ON}
            for expression, tensor in found.items():
                if isinstance(tensor, torch.Tensor):
                    here = (tensor.is_cuda, not tensor.is_cpu, tensor.get_device() == 0)
                    found[expression] = str(tensor.device) if len(set(here)) == 1 else str(here)
            return found

    assert in_worker(cache, body).result() == ON


def test_what_mixes_devices_raises_what_pytorch_raises_and_what_may_mix_them_does_not(cache):
    def body(emulation: Emulation) -> tuple[dict[str, str], list[str]]:
        with emulation.active(), emulation.guarded():
            known = names()
            wrong = {expression: str(told(expression, known)) for expression in WRONG}
            legal = [str(told(expression, known)) for expression in LEGAL]
            return wrong, [f"{e}: {r}" for e, r in zip(LEGAL, legal, strict=True) if "Error: " in r]

    wrong, legal = in_worker(cache, body).result()
    assert [f"{e}: {wrong[e]}" for e in WRONG if not wrong[e].startswith(WRONG[e])] == []
    assert legal == []


def test_leaving_and_coming_back_copies_and_staying_does_not(cache):
    def body(emulation: Emulation) -> list[bool]:
        with emulation.active(), emulation.guarded():
            x, h = torch.randn(4, device="cuda"), torch.randn(4)
            left, back = x.to("cpu"), h.to("cuda")
            left.fill_(5.0)
            back.fill_(5.0)
            stays = [x.cuda() is x, x.to("cuda:0") is x, h.cpu() is h, h.to("cpu") is h]
            return [*stays, not torch.equal(left, x.cpu()), not torch.equal(back, h.cuda())]

    assert all(in_worker(cache, body).result())


def test_memory_that_was_the_cpus_is_the_gpus_when_it_is_given_out_again(cache):
    def body(emulation: Emulation) -> bool:
        with emulation.active(), emulation.guarded():
            for size in (1, 100, 10_000, 1_000_000):
                like = torch.ones(size, device="cuda")
                for _ in range(20):
                    h = torch.ones(size)
                    del h
                    x = torch.empty_like(like)
                    if not x.is_cuda:
                        return False
                    del x
            return True

    assert in_worker(cache, body).result()


def test_moving_a_module_moves_parameters_and_buffers_and_nothing_else(cache):
    class Module(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.linear = torch.nn.Linear(4, 4)
            self.register_buffer("table", torch.ones(4))
            self.forgotten = torch.ones(4)

    def body(emulation: Emulation) -> list[str]:
        with emulation.active(), emulation.guarded():
            module = Module().double().to("cuda")
            tensors = (module.linear.weight, module.linear.bias, module.table, module.forgotten)
            return [str(tensor.device) for tensor in tensors]

    assert in_worker(cache, body).result() == [GPU, GPU, GPU, CPU]


def test_a_backward_pass_of_python_has_the_devices_too(cache):
    def body(emulation: Emulation) -> list[Any]:
        seen: list[Any] = []

        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
                return x * 2

            @staticmethod
            def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
                seen.extend([grad.is_cuda, torch.ones(1).is_cuda])
                return grad * torch.full((3,), 2.0, device="cuda")

        with emulation.active(), emulation.guarded():
            x = torch.randn(3, device="cuda", requires_grad=True)
            Double.apply(x).sum().backward()
            (again,) = torch.autograd.grad(Double.apply(x).sum(), x)
            return [*seen, x.grad.tolist(), again.tolist()]

    assert in_worker(cache, body).result() == [True, False, True, False, [2.0] * 3, [2.0] * 3]


def test_what_a_forward_pass_saves_is_on_its_device_for_who_asks(cache) -> None:
    def body(emulation: Emulation) -> Any:
        with emulation.active(), emulation.guarded():
            x = torch.randn(3, device="cuda", requires_grad=True)
            torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=False).sum().backward()
            seen: list[bool] = []

            def pack(tensor: torch.Tensor) -> torch.Tensor:
                seen.append(tensor.is_cuda)
                return tensor.cpu()

            def unpack(tensor: torch.Tensor) -> torch.Tensor:
                seen.append(tensor.is_cuda)
                return tensor.cuda()

            leaf = x.detach().requires_grad_()
            with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
                result = torch.sin(leaf)
            result.sum().backward()
            return torch.equal(x.grad, leaf.grad), seen

    assert in_worker(cache, body).result() == (True, [True, False])


EXTENSION = (
    HEAD
    + """
std::vector<std::string> devices(torch::Tensor x) {
  std::vector<std::string> found;
  auto note = [&](const torch::Tensor& t) {
    TORCH_CHECK(t.is_cuda() == t.device().is_cuda() && t.is_cuda() != t.is_cpu(), "it does not agree with itself");
    TORCH_CHECK(t.get_device() == (t.is_cuda() ? 0 : -1), "get_device does not agree");
    found.push_back(t.is_cuda() ? "cuda" : "cpu");
  };
  for (const torch::Tensor& t : {x, torch::zeros({3}), torch::empty({3}, x.options()), torch::zeros_like(x),
        torch::ones({3}, torch::kInt32), torch::ones({3}, torch::dtype(torch::kFloat).device(torch::kCUDA)),
        torch::full({3}, 1.0, x.options().device(torch::kCPU)), x.cpu(), x.cuda(), x.to(torch::kCPU).to(torch::kCUDA),
        x.contiguous(), x + 1, x.new_zeros({3}), x.to(torch::kDouble)})
    note(t);
  return found;
}
int64_t count(torch::Tensor x) {
  auto table = torch::zeros({4}, torch::kInt64);
  for (int64_t i = 0; i < 4; i++) table.data_ptr<int64_t>()[i] = i;
  return table.sum().item<int64_t>() + x.cpu().accessor<float, 1>()[0];
}
void wants_cuda(torch::Tensor x) { TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor"); }
torch::Tensor sum(torch::Tensor x) { return x + torch::ones({3}); }
"""
)
FUNCTIONS = """
std::vector<std::string> devices(torch::Tensor x);
int64_t count(torch::Tensor x);
void wants_cuda(torch::Tensor x);
torch::Tensor sum(torch::Tensor x);
"""


@pytest.mark.parametrize("examine", [False, True], ids=["checked", "examined"])
def test_an_extension_sees_on_which_device_a_tensor_is(cache, examine):
    def body(emulation: Emulation) -> list[Any]:
        with emulation.active(), emulation.guarded():
            functions = ["devices", "count", "wants_cuda", "sum"]
            program = load_inline("sees_devices", FUNCTIONS, EXTENSION, functions=functions)
            x, h = torch.ones(3, device="cuda"), torch.ones(3)
            known = {"program": program, "x": x, "h": h}
            return [
                program.devices(x),
                program.devices(h),
                program.count(x),
                told("program.wants_cuda(x)", known),
                told("program.wants_cuda(h)", known),
                told("program.sum(x)", known),
            ]

    cpu, cuda = "cpu", "cuda"
    assert in_worker(cache, body, examine=examine).result() == [
        [cuda, cpu, cuda, cuda, cpu, cuda, cpu, cpu, cuda, cuda, cuda, cuda, cuda, cuda],
        [cpu, cpu, cpu, cpu, cpu, cuda, cpu, cpu, cuda, cuda, cpu, cpu, cpu, cpu],
        7,
        None,
        "RuntimeError: x must be a CUDA tensor",
        MIXED + "cuda:0 and cpu!",
    ]


@pytest.mark.parametrize("examine", [False, True], ids=["checked", "examined"])
def test_pinned_memory_is_the_cpus_and_a_kernel_may_read_it(cache, examine):
    source = (
        HEAD
        + """
__global__ void k(const float* x, float* y, int n) { int i = threadIdx.x; if (i < n) y[i] = x[i]; }
torch::Tensor f(torch::Tensor x) {
  auto y = torch::empty({x.numel()}, x.options().device(torch::kCUDA));
  k<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y; }
"""
    )

    def body(emulation: Emulation) -> list[Any]:
        with emulation.active(), emulation.guarded():
            program = load_inline("pinned", "torch::Tensor f(torch::Tensor x);", source, functions="f")
            return [program.f(torch.ones(3).pin_memory()).tolist(), torch.ones(3).is_pinned()]

    assert in_worker(cache, body, examine=examine).result() == [[1.0] * 3, False]


def test_a_generator_is_of_the_device_that_it_was_made_for(cache):
    def body(emulation: Emulation) -> list[Any]:
        with emulation.active(), emulation.guarded():
            x = torch.ones(3, device="cuda")
            of_gpu, of_cpu = torch.Generator(device=x.device), torch.Generator()
            torch.randn((0, 3), generator=torch.Generator().manual_seed(7), device="cpu")
            drawn = torch.rand(3, generator=of_gpu.manual_seed(7), device=x.device)
            again = torch.empty_like(x).uniform_(generator=of_gpu.manual_seed(7))
            default = torch.rand(3, generator=torch.cuda.default_generators[0], device="cuda")
            refused = []
            for draw in (
                lambda: torch.rand(3, generator=of_cpu, device="cuda"),
                lambda: x.normal_(generator=of_cpu),
                lambda: torch.randperm(3, generator=of_gpu),
            ):
                try:
                    draw()
                except RuntimeError as exc:
                    refused.append(str(exc))
            return [
                *(of_gpu.device.type, of_cpu.device.type, torch.equal(drawn, again), default.is_cuda, refused),
                *(torch.randperm(3, generator=of_cpu).is_cuda, isinstance(torch.default_generator, torch.Generator)),
                *(of_gpu.clone_state().device.type, of_gpu.get_offset()),
            ]

    for_gpu = "Expected a 'cuda' device type for generator but found 'cpu'"
    for_cpu = "Expected a 'cpu' device type for generator but found 'cuda'"
    expected = ["cuda", "cpu", True, True, [for_gpu, for_gpu, for_cpu], False, True, "cuda", 0]
    assert in_worker(cache, body).result() == expected


def test_memory_of_the_caching_allocator_is_the_devices(cache):
    def body(emulation: Emulation) -> bool:
        with emulation.active(), emulation.guarded():
            pointer = torch.cuda.caching_allocator_alloc(1024)
            torch.cuda.caching_allocator_delete(pointer)
            with torch.cuda.stream(torch.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream)):
                return pointer > 0

    assert in_worker(cache, body).result()
