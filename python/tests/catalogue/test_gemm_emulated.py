"""In emulation, the product's program for the A100's tensor cores is as accurate as float32 sums, in every path.

Errors are in units of 2^-24 of the magnitude summed; sums of float32, rounded at each step, are off by several.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from catalogue.programs import program
from emulator.support import Emulation, in_worker

from kernelgate.catalogue import operators

pytestmark = pytest.mark.drawn

MULTIPLIER, SLOPE = 2.0, 0.1
MOST_UNITS = 8.0
# m, n, k: one row, few rows, one tile, a ragged edge, sums in parts and long ones; k a multiple of 4 and not.
SHAPES = (
    (1, 33, 70),
    (1, 9, 1100),
    (5, 40, 64),
    (12, 35, 257),
    (17, 40, 260),
    (20, 31, 77),
    (130, 140, 96),
    (24, 132, 1100),
    (40, 30, 420),
)


def layer(n: int, k: int) -> Any:
    return program("gemm_scale_leakyrelu").ModelNew(k, n, MULTIPLIER, SLOPE)


def wide(module: Any, x: torch.Tensor) -> torch.Tensor:
    weight, bias = module.gemm.weight.detach().double(), module.gemm.bias.detach().double()
    return F.leaky_relu(F.linear(x.double(), weight, bias) * MULTIPLIER, SLOPE)


def units(module: Any, x: torch.Tensor) -> float:
    """The largest error of an element; infinite where an Inf or NaN is not as it should be."""
    with torch.no_grad():
        y, right = module(x).double(), wide(module, x)
        magnitude = x.double().abs() @ module.gemm.weight.double().abs().t() + module.gemm.bias.double().abs()
        finite = right.isfinite()
        if not torch.equal(
            torch.where(finite, 0.0, y).nan_to_num(), torch.where(finite, 0.0, right).nan_to_num()
        ):
            return float("inf")
        off = (y - right).abs() / (magnitude * MULTIPLIER * 2**-24)
        return float(torch.where(finite & (y != right), off, 0.0).max())


def test_every_path_is_as_accurate_as_float32(cache: Path) -> None:
    def body(emulation: Emulation) -> list[Any]:
        wrong = []
        with emulation.active(), emulation.guarded(), torch.device("cuda"):
            for m, n, k in SHAPES:
                torch.manual_seed(m)
                off = units(layer(n, k), torch.randn(m, k))
                if not off <= MOST_UNITS:
                    wrong.append(((m, n, k), off))
        return [*wrong, *(fault.text for fault in emulation.overwritten())]

    assert in_worker(cache, body).result() == []


def test_values_that_fp16_cannot_hold_take_float32(cache: Path) -> None:
    def body(emulation: Emulation) -> list[Any]:
        wrong = []
        with emulation.active():
            module = layer(40, 96)
            columns = torch.exp2(torch.randint(-14, 15, (96,)).float())
            for name, x in {
                "columns 2^14": torch.randn(20, 96) * columns,
                "subnormal": torch.randn(20, 96) * 1e-40,
                "x 1e30": torch.randn(20, 96) * 1e30,
                "zero rows": torch.randn(20, 96) * (torch.arange(20) % 2)[:, None],
                "Inf": torch.randn(20, 96).index_fill(1, torch.tensor([7]), float("inf")),
                "NaN": torch.randn(20, 96).index_fill(0, torch.tensor([3]), float("nan")),
            }.items():
                if name == "columns 2^14":
                    with torch.no_grad():
                        module.gemm.weight.div_(columns)
                off = units(module, x)
                # A subnormal result has fewer bits.
                if not (off <= MOST_UNITS or (name == "subnormal" and off < float("inf"))):
                    wrong.append((name, off))
        return wrong

    assert in_worker(cache, body).result() == []


def test_a_weight_that_changes_is_split_anew_also_where_pytorch_does_not_count_it(cache: Path) -> None:
    def body(emulation: Emulation) -> list[float]:
        with emulation.active(), torch.no_grad(), torch.device("cuda"):
            module, x = layer(40, 96), torch.randn(20, 96)
            assert x.is_cuda
            found = [units(module, x)]
            module.gemm.weight.mul_(0.5)
            found.append(units(module, x))
            module.gemm.weight.data.mul_(0.75)
            found.append(units(module, x))
            module.gemm.weight.data[37].mul_(3)
            found.append(units(module, x))
            module.gemm.weight = torch.nn.Parameter(torch.randn(40, 96))
            found.append(units(module, x))
        return [off for off in found if not off <= MOST_UNITS]

    assert in_worker(cache, body).result() == []


def test_a_split_in_each_call_takes_dense_and_transposed_operands(cache: Path) -> None:
    def body(emulation: Emulation) -> list[Any]:
        with emulation.active(), emulation.guarded(), torch.no_grad(), torch.device("cuda"):
            module = layer(40, 96)
            module.keep_split = False
            dense, transposed = torch.randn(20, 96), torch.randn(96, 20).t()
            wrong = [off for x in (dense, transposed, dense) if not (off := units(module, x)) <= MOST_UNITS]
            module.gemm.weight = torch.nn.Parameter(torch.randn(96, 40).t())
            wrong += [off for x in (dense, transposed) if not (off := units(module, x)) <= MOST_UNITS]
        return [*wrong, *(fault.text for fault in emulation.overwritten())]

    assert in_worker(cache, body).result() == []


def test_gradients_are_as_accurate_as_float32(cache: Path) -> None:
    def body(emulation: Emulation) -> list[Any]:
        wrong = []
        with emulation.active():
            # Up to 64 rows PyTorch's own products. Every other column of the last x is so small that fp16 cannot hold
            # it beside its neighbour.
            for m, n, k, small in ((3, 40, 33, 1.0), (64, 36, 72, 1.0), (65, 36, 72, 1.0), (80, 136, 72, 2.0**-20)):
                module = layer(n, k)
                x = torch.randn(m, k) * torch.where(torch.arange(m) % 2 == 0, small, 1.0)[:, None]
                x.requires_grad_()
                y = module(x)
                upstream = torch.randn(m, n)
                y.backward(upstream)
                parameters = [p.detach().double().requires_grad_() for p in module.parameters()]
                leaf = x.detach().double().requires_grad_()
                right = F.leaky_relu(F.linear(leaf, *parameters) * MULTIPLIER, SLOPE)
                right.backward(upstream.double())
                for name, ours, theirs in (
                    ("x", x, leaf),
                    ("weight", module.gemm.weight, parameters[0]),
                    ("bias", module.gemm.bias, parameters[1]),
                ):
                    off = float((ours.grad.double() - theirs.grad).abs().max() / theirs.grad.abs().max())
                    if off > 2e-6:
                        wrong.append((m, name, off))
        return wrong

    assert in_worker(cache, body).result() == []


def test_for_few_rows_the_gradients_are_pytorchs_own_bits(cache: Path) -> None:
    def body(emulation: Emulation) -> list[bool]:
        with emulation.active():
            module = layer(36, 72)
            module.multiplier = 0.3  # where it is multiplied shows in the last bit
            x = torch.randn(64, 72, requires_grad=True)
            y = module(x)
            upstream = torch.randn(64, 36)
            y.backward(upstream)
            # The branch of the activation is that of our own product, whose last bit may differ.
            g = torch.where(y > 0, upstream, upstream * SLOPE) * module.multiplier
            weight = module.gemm.weight
            return [
                torch.equal(x.grad, g @ weight),
                torch.equal(weight.grad, g.t() @ x),
                torch.equal(module.gemm.bias.grad, g.sum(0)),
            ]

    assert in_worker(cache, body).result() == [True, True, True]


def test_of_its_output_one_bit_an_element_is_kept_for_the_gradient(cache: Path) -> None:
    def body(emulation: Emulation) -> list[tuple[int, ...]]:
        kept: list[tuple[int, ...]] = []

        def pack(tensor: torch.Tensor) -> torch.Tensor:
            kept.append(tuple(tensor.shape) if tensor.is_floating_point() else (tensor.nbytes,))
            return tensor

        with emulation.active(), torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            layer(36, 72)(torch.randn(20, 72))
        return kept

    # x, the weight, and a bit for each of 20 * 36 outputs, in words of 32.
    assert in_worker(cache, body).result() == [(20, 72), (36, 72), (23 * 4,)]


def test_an_examination_finds_no_race_and_no_access_out_of_bounds(cache: Path) -> None:
    def body(emulation: Emulation) -> None:
        with emulation.active(), emulation.guarded(), torch.device("cuda"), torch.no_grad():
            for m, n, k in ((1, 9, 70), (12, 35, 40), (20, 40, 420), (20, 40, 96)):
                module, x = layer(n, k), torch.randn(m, k)
                for _ in range(2):  # the second call checks the kept split
                    module(x)
            with torch.enable_grad():
                module(x).sum().backward()

    in_worker(cache, body, examine=True).result()


def test_a_device_with_little_shared_memory_takes_three_stages_as_accurate_and_without_a_race(cache: Path) -> None:
    """Of sm_86, sm_89 and sm_120 a block has 99 KB."""

    def body(emulation: Emulation) -> float:
        text = operators()["gemm_scale_leakyrelu"].program_text or ""
        enough = "device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) >= kMmaStages * kMmaStage"
        assert enough in text
        module = ModuleType("three_stages")
        exec(compile(text.replace(enough, "false"), "cell", "exec"), vars(module))
        with emulation.active(), emulation.guarded(), torch.device("cuda"), torch.no_grad():
            return units(module.ModelNew(420, 40, MULTIPLIER, SLOPE), torch.randn(20, 420))

    assert in_worker(cache, body, examine=True).result() <= MOST_UNITS
