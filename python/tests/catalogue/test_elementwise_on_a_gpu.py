"""leakyrelu and scale_leakyrelu on a GPU: bits, PyTorch's own checks of an operator, and life in a real process."""

from __future__ import annotations

import copy
import math
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from catalogue.programs import CASES, DTYPES, SLOPES, Case, layouts, program, values
from emulator.support import same_bits

pytestmark = pytest.mark.gpu

GPU = "cuda"
two_gpus = pytest.mark.skipif(torch.cuda.device_count() < 2, reason="needs two GPUs")
by_operator = pytest.mark.parametrize("case", CASES, ids=lambda case: case.operator)


def operators(case: Case) -> Any:
    """The namespace of the program's operators, built and loaded."""
    found = program(case.operator)
    case.module(0.1, found)(torch.ones(1, device=GPU))
    return getattr(torch.ops, found._NAME)


def free_bytes() -> int:
    torch.cuda.empty_cache()
    return int(torch.cuda.mem_get_info()[0])


@by_operator
def test_every_dtype_layout_and_slope_gives_pytorchs_bits_and_strides(case: Case) -> None:
    found = program(case.operator)
    for dtype in DTYPES:
        for x in layouts(dtype, GPU):
            for slope in SLOPES if x.dim() < 3 else SLOPES[:1]:
                result, right = case.module(slope, found)(x), case.reference(slope)(x)
                assert same_bits(result.cpu(), right.cpu()), (dtype, x.shape, x.stride(), slope)
                assert result.stride() == right.stride(), (dtype, x.shape, x.stride())


@by_operator
def test_gradients_are_pytorchs_bits_whatever_the_layout_of_either(case: Case) -> None:
    found = program(case.operator)
    for dtype in DTYPES:
        for x in layouts(dtype, GPU):
            shape = x.shape
            upstreams = [
                values(*shape, dtype=dtype, device=GPU),
                torch.ones((), dtype=dtype, device=GPU).expand(shape),
            ]
            if len(shape) == 2:
                upstreams.append(values(*reversed(shape), dtype=dtype, device=GPU).t())
            for upstream in upstreams:
                ours, theirs = (x.detach().requires_grad_() for _ in range(2))
                (got,) = torch.autograd.grad(case.module(0.1, found)(ours), ours, upstream)
                (right,) = torch.autograd.grad(case.reference(0.1)(theirs), theirs, upstream)
                assert same_bits(got.cpu(), right.cpu()), (dtype, shape, x.stride(), upstream.stride())


@by_operator
@pytest.mark.parametrize("requires_grad", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_opcheck_finds_nothing(case: Case, requires_grad: bool, dtype: torch.dtype) -> None:
    namespace = operators(case)
    name = "leaky_relu" if case.operator == "leakyrelu" else "scale_leaky_relu"
    for x in (
        torch.randn(67, 129),
        torch.randn(67, 129).t(),
        torch.randn(67, 258)[:, ::2],
        torch.randn(0, 3),
    ):
        leaf = x.to(GPU, dtype).requires_grad_(requires_grad)
        torch.library.opcheck(getattr(namespace, name).default, (leaf, *case.arguments(0.1)))
        _result, mask = getattr(namespace, f"{name}_with_mask")(leaf.detach(), *case.arguments(0.1))
        arguments = (leaf.detach(), mask, list(_result.stride()), *case.arguments(0.1))
        torch.library.opcheck(getattr(namespace, f"{name}_backward").default, arguments)


@pytest.mark.parametrize("dtype", DTYPES)
def test_opcheck_finds_nothing_with_a_learned_multiplier(dtype: torch.dtype) -> None:
    namespace = operators(CASES[1])
    x = torch.randn(67, 129, device=GPU, dtype=dtype, requires_grad=True)
    m = torch.tensor(1.7, device=GPU, dtype=dtype, requires_grad=True)
    torch.library.opcheck(namespace.scale_leaky_relu_by.default, (x, m, 0.1), atol=1e-2, rtol=1e-2)
    pair = (x.detach().clone(), x.detach(), m.detach(), 0.1)
    torch.library.opcheck(namespace.scale_leaky_relu_by_backward.default, pair, atol=1e-2, rtol=1e-2)


@by_operator
def test_first_and_second_derivatives_hold_against_finite_differences(case: Case) -> None:
    module = case.module(0.1)
    x = torch.randn(7, 6, dtype=torch.float64, device=GPU).t().requires_grad_()
    assert torch.autograd.gradcheck(module, (x,))
    assert torch.autograd.gradgradcheck(module, (x,))


def test_the_derivatives_by_a_learned_multiplier_hold_against_finite_differences() -> None:
    operator = operators(CASES[1]).scale_leaky_relu_by
    x = torch.randn(7, 6, dtype=torch.float64, device=GPU, requires_grad=True)
    m = torch.tensor(1.7, dtype=torch.float64, device=GPU, requires_grad=True)
    assert torch.autograd.gradcheck(lambda a, b: operator(a, b, 0.1), (x, m))
    assert torch.autograd.gradgradcheck(lambda a, b: operator(a, b, 0.1), (x, m))


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_gradient_of_a_learned_multiplier_is_as_near_as_pytorchs(dtype: torch.dtype) -> None:
    found = program("scale_leakyrelu")
    torch.manual_seed(0)
    x = torch.randn(4096, 1024, dtype=torch.float64, device=GPU).to(dtype)
    upstream = torch.randn_like(x)
    multiplier = torch.tensor(1.7, dtype=dtype, device=GPU)
    module = found.ModelNew(torch.nn.Parameter(multiplier.clone()), 0.1)
    module(x.requires_grad_()).backward(upstream)
    own = multiplier.clone().requires_grad_()
    F.leaky_relu(x.detach() * own, 0.1).backward(upstream)
    # PyTorch's sum of float64 is off by as much as ours: the right one is rounded once, by fsum.
    wide, up = x.detach().double(), upstream.double()
    right = math.fsum((wide * torch.where(wide > 0, up, up * 0.1)).flatten().tolist())
    error, theirs = (abs(float(g.double()) - right) for g in (module.multiplier.grad, own.grad))
    # Of the sum's magnitude: what the last bit of the result and the order of additions may cost.
    assert error <= 2 * theirs + torch.finfo(dtype).eps * (abs(right) + x.numel() ** 0.5)


@by_operator
@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_it_compiles_in_one_graph_with_dynamic_shapes_and_trains(case: Case, backend: str) -> None:
    torch._dynamo.reset()
    module = case.module(0.1)
    compiled = torch.compile(module, fullgraph=True, dynamic=True, backend=backend)
    for shape in ((8, 6), (33, 129), (1027, 5)):
        x = torch.randn(shape, device=GPU)
        assert same_bits(compiled(x).cpu(), case.reference(0.1)(x).cpu())
        ours, theirs = (x.detach().requires_grad_() for _ in range(2))
        compiled(ours).square().sum().backward()
        case.reference(0.1)(theirs).square().sum().backward()
        torch.testing.assert_close(ours.grad, theirs.grad)


@by_operator
def test_it_compiles_before_it_was_ever_called(case: Case) -> None:
    torch._dynamo.reset()
    compiled = torch.compile(case.module(0.1), fullgraph=True, backend="eager")
    x = torch.randn(5, 7, device=GPU)
    assert same_bits(compiled(x).cpu(), case.reference(0.1)(x).cpu())


@by_operator
@pytest.mark.parametrize("strict", [False, True])
def test_it_exports_with_a_dynamic_dimension(case: Case, strict: bool) -> None:
    x = torch.randn(8, 6, device=GPU)
    dynamic = ({0: torch.export.Dim("rows", min=2, max=4096)},)
    exported = torch.export.export(case.module(0.1), (x,), dynamic_shapes=dynamic, strict=strict).module()
    other = torch.randn(31, 6, device=GPU)
    assert same_bits(exported(other).cpu(), case.reference(0.1)(other).cpu())


@by_operator
def test_a_training_step_replays_in_a_cuda_graph(case: Case) -> None:
    module = case.module(0.1)
    x = torch.randn(64, 1000, device=GPU, requires_grad=True)

    def step() -> tuple[torch.Tensor, torch.Tensor]:
        y = module(x)
        (gradient,) = torch.autograd.grad(y, x, torch.ones_like(y))
        return y, gradient

    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        step()
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        y, gradient = step()
    with torch.no_grad():
        x.copy_(torch.randn_like(x))
    graph.replay()
    theirs = x.detach().requires_grad_()
    right = case.reference(0.1)(theirs)
    assert same_bits(y.detach().cpu(), right.detach().cpu())
    (wanted,) = torch.autograd.grad(right, theirs, torch.ones_like(right))
    assert same_bits(gradient.cpu(), wanted.cpu())


@by_operator
def test_it_works_on_the_callers_stream(case: Case) -> None:
    module = case.module(0.1)
    values_later = torch.randn(1 << 20, device=GPU)
    module(values_later)
    waiting = torch.zeros_like(values_later)
    torch.cuda.synchronize()
    with torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(50_000_000)
        waiting.copy_(values_later)
        result = module(waiting)
        torch.cuda.current_stream().synchronize()
    assert same_bits(result.cpu(), case.reference(0.1)(values_later).cpu())


@two_gpus
@by_operator
def test_it_works_on_a_gpu_that_is_not_the_current_one(case: Case) -> None:
    module = case.module(0.1)
    x = torch.randn(67, 129).to("cuda:1").requires_grad_()
    with torch.cuda.device(0):
        result = module(x)
        result.sum().backward()
    assert result.device == torch.device("cuda:1")
    assert same_bits(result.detach().cpu(), case.reference(0.1)(x.detach()).cpu())


@by_operator
def test_threads_may_call_it_first_and_at_once(case: Case) -> None:
    found = program(case.operator)
    x = torch.randn(67, 129, device=GPU)
    right = case.reference(0.1)(x).cpu()
    results: list[bool] = []

    def call() -> None:
        results.extend(same_bits(case.module(0.1, found)(x).cpu(), right) for _ in range(20))

    threads = [threading.Thread(target=call) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 160


@by_operator
def test_inserted_twice_and_changed_it_works_beside_itself(case: Case) -> None:
    first, second, changed = (program(case.operator) for _ in range(3))
    changed.KERNELS = changed.KERNELS.replace("kThreads = 128", "kThreads = 256")
    changed._NAME += "_changed"
    x = torch.randn(67, 129, device=GPU)
    right = case.reference(0.1)(x).cpu()
    assert [same_bits(case.module(0.1, found)(x).cpu(), right) for found in (first, second, changed)] == [
        True
    ] * 3


@by_operator
def test_two_processes_may_build_it_at_once(case: Case, tmp_path: Path) -> None:
    path = Path(str(program(case.operator).__file__))
    arguments = ", ".join(map(str, case.arguments(0.1)))
    code = f"{path.read_text()}\nprint(float(ModelNew({arguments})(torch.ones(5, device='cuda')).sum()))"
    environment = {**os.environ, "TORCH_EXTENSIONS_DIR": str(tmp_path)}
    running = [
        subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    answers = [process.communicate(timeout=300)[0] for process in running]
    assert [process.returncode for process in running] == [0, 0]
    assert answers[0] == answers[1] != ""


@by_operator
@pytest.mark.parametrize(
    ("dtype", "elements"),
    [(torch.float32, (1 << 31) + 77), (torch.float16, (1 << 31) + 77)],
    ids=["fp32", "fp16"],
)
def test_more_than_2_to_the_31_elements_are_right_forward_and_backward(
    case: Case, dtype: torch.dtype, elements: int
) -> None:
    needed = 6 * elements * dtype.itemsize
    if free_bytes() < needed:
        pytest.skip(f"needs {needed >> 30} GiB of free device memory")
    module = case.module(0.1)
    x = torch.empty(elements, dtype=dtype, device=GPU).normal_().requires_grad_()
    y = module(x)
    with torch.no_grad():
        right = case.reference(0.1)(x)
        assert torch.equal(y, right)
    del right
    (gradient,) = torch.autograd.grad(y, x, x.detach())
    del y
    right = case.reference(0.1)(x)
    (wanted,) = torch.autograd.grad(right, x, x.detach())
    assert torch.equal(gradient, wanted)


@by_operator
def test_more_than_2_to_the_31_strided_elements_are_right(case: Case) -> None:
    rows = (1 << 21) + 3
    needed = 3 * rows * 2048 * 2
    if free_bytes() < needed:
        pytest.skip(f"needs {needed >> 30} GiB of free device memory")
    x = torch.empty(rows, 2048, dtype=torch.float16, device=GPU).normal_()[:, ::2].t()
    result = case.module(0.1)(x)
    assert torch.equal(result, case.reference(0.1)(x))
    del result
    wide = torch.ones(1, dtype=torch.float16, device=GPU).expand((1 << 31) + 5)
    assert bool((case.module(0.1)(wide) == case.reference(0.1)(wide[:1])).all())


@by_operator
@pytest.mark.parametrize("dtype", DTYPES)
def test_a_call_that_wants_a_gradient_keeps_one_bit_an_element(case: Case, dtype: torch.dtype) -> None:
    module = case.module(0.1)
    x = torch.randn(1 << 24, device=GPU).to(dtype).requires_grad_()
    module(x)
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    y = module(x)
    kept = torch.cuda.memory_allocated() - before - y.nbytes
    assert kept == (1 << 24) // 8


def test_keep_input_keeps_no_mask() -> None:
    module = program("leakyrelu").ModelNew(0.1, keep_input=True)
    x = torch.randn(1 << 20, device=GPU, requires_grad=True)
    before = torch.cuda.memory_allocated()
    y = module(x)
    assert torch.cuda.memory_allocated() - before == y.nbytes


def test_in_place_is_pytorchs_own_with_its_version_counter_and_its_errors() -> None:
    found = program("leakyrelu")
    x = values(67, 129, device=GPU)
    right, version = F.leaky_relu(x, 0.1).cpu(), x._version
    result = found.ModelNew(0.1, inplace=True)(x)
    assert result is x and x._version > version
    assert same_bits(x.cpu(), right)
    leaf = torch.randn(5, device=GPU, requires_grad=True)
    with pytest.raises(RuntimeError, match="leaf Variable"):
        found.ModelNew(0.1, inplace=True)(leaf)
    with pytest.raises(RuntimeError, match="negative slope"):
        found.ModelNew(-0.1, inplace=True)(leaf * 2).sum().backward()


@by_operator
def test_modes_of_the_caller_are_respected(case: Case) -> None:
    module, reference = case.module(0.1), case.reference(0.1)
    x = torch.randn(5, 7, device=GPU, requires_grad=True)
    with torch.no_grad():
        assert module(x).requires_grad is False
    with torch.inference_mode():
        assert module(x).is_inference()
    with torch.autocast("cuda", dtype=torch.bfloat16):
        assert module(x).dtype == reference(x).dtype
    assert same_bits(copy.deepcopy(module)(x).detach().cpu(), reference(x).detach().cpu())
    with pytest.raises(RuntimeError) as ours:
        module(torch.ones(3, device=GPU, dtype=torch.int64).sum().to(torch.complex64))
    assert "not implemented for" in str(ours.value)


@by_operator
def test_torch_func_and_tracing_go_through_pytorch(case: Case) -> None:
    module, reference = case.module(0.1), case.reference(0.1)
    x = torch.randn(5, 7, device=GPU)
    assert same_bits(torch.func.vmap(module)(x).cpu(), reference(x).cpu())
    total = torch.func.grad(lambda v: module(v).sum())(x)
    assert same_bits(total.cpu(), torch.func.grad(lambda v: reference(v).sum())(x).cpu())
    _, tangent = torch.func.jvp(module, (x,), (torch.ones_like(x),))
    assert same_bits(tangent.cpu(), torch.func.jvp(reference, (x,), (torch.ones_like(x),))[1].cpu())
    traced = torch.jit.trace(module, (x,))
    assert "aten::leaky_relu" in str(traced.graph)


@by_operator
def test_many_calls_leave_nothing_behind(case: Case) -> None:
    module = case.module(0.1)
    x = torch.randn(1 << 16, device=GPU, requires_grad=True)
    module(x).sum().backward()
    before = torch.cuda.memory_allocated()
    until = time.monotonic() + 2
    while time.monotonic() < until:
        x.grad = None
        module(x).sum().backward()
    assert torch.cuda.memory_allocated() == before
