"""gemm_scale_leakyrelu on a GPU: what PyTorch does with a module. bench/gemm.py has its values and times."""

from __future__ import annotations

import copy
import functools
import pickle
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from catalogue.programs import program

pytestmark = pytest.mark.gpu

GPU = "cuda"
MULTIPLIER, SLOPE = 2.0, 0.1
M, N, K = 200, 300, 500
MOST_OFF = 3e-6  # of the largest element

Layer = Any  # the program's ModelNew


def new_layer(n: int = N, k: int = K) -> Layer:
    torch.manual_seed(1)
    return found().ModelNew(k, n, MULTIPLIER, SLOPE).to(GPU)


@functools.cache
def found() -> Any:
    return program("gemm_scale_leakyrelu")


def operators() -> Any:
    return getattr(torch.ops, found()._operators())


@pytest.fixture
def layer() -> Layer:
    return new_layer()


@pytest.fixture
def x() -> torch.Tensor:
    return torch.randn(M, K, generator=torch.Generator(GPU).manual_seed(2), device=GPU)


def right(layer: Layer, x: torch.Tensor) -> torch.Tensor:
    linear = F.linear(x.double(), layer.gemm.weight.double(), layer.gemm.bias.double())
    return F.leaky_relu(linear * MULTIPLIER, SLOPE).detach()


def off(result: torch.Tensor, expected: torch.Tensor) -> float:
    """The largest error over the largest element."""
    return float((result.double() - expected.double()).abs().max() / expected.double().abs().max())


def test_every_layout_of_x_is_taken(layer: Layer, x: torch.Tensor) -> None:
    views = (
        x.t().contiguous().t(),
        torch.randn(M, 2 * K, device=GPU)[:, ::2],
        x[:1].expand(M, K),
        torch.randn(M * K + 1, device=GPU)[1:].view(M, K),
        x[0],
        x.view(2, M // 2, K),
    )
    with torch.no_grad():
        for view in views:
            result = layer(view)
            assert result.shape == (*view.shape[:-1], N)
            assert off(result, right(layer, view)) <= MOST_OFF, view.stride()
        assert layer(x[:0]).shape == (0, N)


def test_a_changed_weight_is_split_anew_and_the_split_can_be_forgotten(layer: Layer, x: torch.Tensor) -> None:
    with torch.no_grad():
        layer(x)
        layer.gemm.weight.mul_(0.5)
        assert off(layer(x), right(layer, x)) <= MOST_OFF
        layer.load_state_dict({key: value + 0.01 for key, value in layer.state_dict().items()})
        assert off(layer(x), right(layer, x)) <= MOST_OFF
        layer.gemm.weight = torch.nn.Parameter(torch.randn(N, K, device=GPU))
        assert off(layer(x), right(layer, x)) <= MOST_OFF
        assert operators().kept_bytes() > 0
        operators().forget_splits()
        assert operators().kept_bytes() == 0


def test_a_change_that_pytorch_does_not_count_is_seen(layer: Layer, x: torch.Tensor) -> None:
    with torch.no_grad():
        layer(x)
        layer.gemm.weight.data.mul_(0.75)
        assert off(layer(x), right(layer, x)) <= MOST_OFF


def test_a_captured_graph_reads_x_and_the_weight_in_every_replay(layer: Layer, x: torch.Tensor) -> None:
    static = x.clone()
    with torch.no_grad():
        for _ in range(2):
            layer(static)
        torch.cuda.synchronize()
        captured = torch.cuda.CUDAGraph()
        with torch.cuda.graph(captured):
            y = layer(static)
        static.copy_(x * 3)
        layer.gemm.weight.mul_(2)
        captured.replay()
        assert off(y, right(layer, x * 3)) <= MOST_OFF


def test_it_works_on_the_callers_stream(layer: Layer, x: torch.Tensor) -> None:
    with torch.no_grad(), torch.cuda.stream(torch.cuda.Stream()):
        torch.cuda._sleep(10_000_000)
        late = x * 2
        result = layer(late)
        torch.cuda.current_stream().synchronize()
        assert off(result, right(layer, x * 2)) <= MOST_OFF


@pytest.mark.parametrize("rows", [3, M])
def test_gradients_are_as_near_as_those_of_float32(layer: Layer, x: torch.Tensor, rows: int) -> None:
    given = x[:rows].clone().requires_grad_()
    y = layer(given)
    upstream = torch.randn_like(y)
    y.backward(upstream)
    wide = copy.deepcopy(layer).double()
    wide.zero_grad()
    given64 = x[:rows].double().requires_grad_()
    F.leaky_relu(wide.gemm(given64) * MULTIPLIER, SLOPE).backward(upstream.double())
    assert off(given.grad, given64.grad) <= MOST_OFF
    assert off(layer.gemm.weight.grad, wide.gemm.weight.grad) <= MOST_OFF
    assert off(layer.gemm.bias.grad, wide.gemm.bias.grad) <= MOST_OFF


@pytest.mark.parametrize(("m", "n", "k"), [(1024, 512, 2048), (33, 70, 129), (8192, 300, 1024)])
@pytest.mark.parametrize("kind", ["randn", "columns 2^14", "Inf and NaN"])
def test_transposed_operands_give_the_bits_of_dense_ones(kind: str, m: int, n: int, k: int) -> None:
    torch.manual_seed(m)
    x, w, b = torch.randn(m, k, device=GPU), torch.randn(n, k, device=GPU) / k**0.5, torch.randn(n, device=GPU)
    if kind == "columns 2^14":
        columns = torch.exp2(torch.randint(-14, 15, (1, k), device=GPU).float())
        x, w = x * columns, w / columns
    elif kind == "Inf and NaN":
        x.view(-1)[::12291], x.view(-1)[4097::12291], w[n // 2, k // 3] = float("inf"), float("nan"), -float("inf")

    def product(a: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
        return operators().linear_scale_leaky_relu(a, c, b, MULTIPLIER, SLOPE, False).nan_to_num()

    dense = product(x, w)
    x_t, w_t = x.t().contiguous().t(), w.t().contiguous().t()
    assert [torch.equal(product(a, c), dense) for a, c in ((x_t, w), (x, w_t), (x_t, w_t))] == [True] * 3


def test_copies_carry_nothing_of_the_split(layer: Layer, x: torch.Tensor) -> None:
    with torch.no_grad():
        layer(x)
        assert off(copy.deepcopy(layer)(x), right(layer, x)) <= MOST_OFF
        assert off(pickle.loads(pickle.dumps(layer))(x), right(layer, x)) <= MOST_OFF


def test_other_dtypes_autocast_and_the_cpu_are_pytorchs(layer: Layer, x: torch.Tensor) -> None:
    with torch.no_grad():
        with torch.autocast("cuda", dtype=torch.bfloat16):
            assert layer(x).dtype == torch.bfloat16
        for dtype in (torch.float16, torch.bfloat16, torch.float64):
            assert copy.deepcopy(layer).to(dtype)(x.to(dtype)).dtype == dtype
        assert copy.deepcopy(layer).cpu()(x.cpu()).device.type == "cpu"


def test_inserted_twice_it_is_built_once(x: torch.Tensor, monkeypatch: pytest.MonkeyPatch) -> None:
    operators()
    again = program("gemm_scale_leakyrelu")
    monkeypatch.setattr(again, "load_inline", lambda **_: pytest.fail("built again"))
    layer = again.ModelNew(K, N, MULTIPLIER, SLOPE).to(GPU)
    with torch.no_grad():
        assert off(layer(x), right(layer, x)) <= MOST_OFF


@pytest.mark.parametrize("rows", [3, 40])
def test_opcheck_finds_nothing(rows: int) -> None:
    x = torch.randn(rows, 32, device=GPU, requires_grad=True)
    w = torch.randn(64, 32, device=GPU, requires_grad=True)
    b = torch.randn(64, device=GPU, requires_grad=True)
    product = operators().linear_scale_leaky_relu.default
    torch.library.opcheck(product, (x, w, b, MULTIPLIER, SLOPE, True), atol=1e-4, rtol=1e-4)


def test_it_exports_with_a_dynamic_dimension(layer: Layer, x: torch.Tensor) -> None:
    with torch.no_grad():
        rows = {0: torch.export.Dim("rows", min=2, max=4096)}
        exported = torch.export.export(layer, (x,), dynamic_shapes=(rows,)).module()
        assert off(exported(x[:50]), right(layer, x[:50])) <= MOST_OFF


def test_it_compiles_in_one_graph_with_dynamic_shapes_and_trains(layer: Layer, x: torch.Tensor) -> None:
    with torch.no_grad():
        compiled = torch.compile(layer, fullgraph=True, dynamic=True)
        assert off(compiled(x), right(layer, x)) <= MOST_OFF
        assert off(compiled(x[:77]), right(layer, x[:77])) <= MOST_OFF
    trained = torch.compile(layer, fullgraph=True)(x.clone().requires_grad_())
    assert off(trained, right(layer, x)) <= MOST_OFF
