"""The programs' operators keep PyTorch's rules for operators: dispatch, derivatives of every kind, capture.

Each C++ source is compiled with PyTorch's own headers, and its operators are called on the CPU, with the emulated
kernels behind them. On a GPU test_elementwise_on_a_gpu.py asks the same, and so do the gates of the contract drop-in.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from catalogue.programs import program
from emulator.support import Emulation, in_worker
from torch.utils.checkpoint import checkpoint

pytestmark = pytest.mark.drawn

MULTIPLIER, SLOPE = 2.3, 0.1
# A header that emulation's own stand-in for PyTorch lacks: with it, PyTorch's headers are taken.
REAL = "#include <ATen/ops/cosh.h>\n#include <cstdlib>\n"
KERNELS = "IMPLEMENTATIONS(TORCH_EXTENSION_NAME, CUDA, m) {"
# The same, for a device that is chosen when the library is loaded: PyTorch's headers take long to compile.
KERNELS_OF_EITHER = """static void implement(torch::Library& m);
static const torch::detail::TorchLibraryInit implementing(
    torch::Library::IMPL, implement, C10_STRINGIZE(TORCH_EXTENSION_NAME),
    std::getenv("KERNELS_FOR_ANOTHER_DEVICE") ? c10::DispatchKey::XPU : c10::DispatchKey::CPU, __FILE__, __LINE__);
static void implement(torch::Library& m) {"""

Function = Callable[..., torch.Tensor]
compile_as_pytorch_does = torch.compile  # emulation takes no program that compiles itself


@dataclass(frozen=True)
class Operator:
    """An operator as a function of tensors, and what PyTorch has in its place."""

    program: str
    name: str
    shapes: tuple[tuple[int, ...], ...]
    arguments: tuple[Any, ...]
    reference: Function
    dtype: torch.dtype = torch.float64

    def found(self) -> Any:
        """With its kernels registered for the CPU, which is what emulation takes CUDA for, or for another device."""
        module = program(self.program)
        source, build = ("CPP_SOURCE", "_operators") if hasattr(module, "CPP_SOURCE") else ("HOST", "_extension")
        text = getattr(module, source)
        assert text.count(KERNELS) == 1
        setattr(module, source, REAL + text.replace(KERNELS, KERNELS_OF_EITHER))
        return getattr(getattr(torch.ops, getattr(module, build)()), self.name).default

    def tensors(self, rows: int = 70) -> tuple[torch.Tensor, ...]:
        """The first of so many rows; all of them want a gradient."""
        first, *others = self.shapes
        made = (torch.randn(shape, dtype=self.dtype) for shape in ((rows, *first), *others))
        return tuple(tensor.requires_grad_() for tensor in made)


OPERATORS = (
    Operator("leakyrelu", "leaky_relu", ((16,),), (SLOPE,), lambda x: F.leaky_relu(x, SLOPE)),
    Operator(
        "scale_leakyrelu", "scale_leaky_relu", ((16,),), (MULTIPLIER, SLOPE),
        lambda x: F.leaky_relu(x * MULTIPLIER, SLOPE),
    ),
    Operator(
        "scale_leakyrelu", "scale_leaky_relu_by", ((16,), ()), (SLOPE,), lambda x, m: F.leaky_relu(x * m, SLOPE)
    ),
    Operator(
        "gemm_scale_leakyrelu", "linear_scale_leaky_relu", ((16,), (12, 16), (12,)), (MULTIPLIER, SLOPE, True),
        lambda x, weight, bias: F.leaky_relu(F.linear(x, weight, bias) * MULTIPLIER, SLOPE), torch.float32,
    ),
)  # fmt: skip
by_operator = pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)


@contextmanager
def built(emulation: Emulation, operator: Operator) -> Iterator[Function]:
    """The operator, for tensors of the CPU; what captures graphs finds no GPU to ask."""
    with emulation.active(), emulation.guarded():
        call = operator.found()
    torch.cuda.is_available, torch.cuda.device_count = lambda: False, lambda: 0
    torch.cuda.is_initialized = lambda: False
    yield lambda *tensors: call(*tensors, *operator.arguments)


def near(ours: Any, theirs: Any) -> bool:
    """Tensors, or as many in one sequence as in the other; by the largest element, as sums err by their terms."""
    if isinstance(ours, torch.Tensor):
        assert ours.shape == theirs.shape and ours.dtype == theirs.dtype
        return bool((ours - theirs).abs().max() <= 1e-5 * theirs.abs().max())
    return all(near(mine, other) for mine, other in zip(ours, theirs, strict=True))


def gradients(function: Function, tensors: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
    leaves = tuple(tensor.detach().requires_grad_() for tensor in tensors)
    function(*leaves).square().sum().backward()
    return tuple(leaf.grad for leaf in leaves)


@by_operator
def test_opcheck_finds_nothing(cache: Path, operator: Operator) -> None:
    def body(emulation: Emulation) -> bool:
        with built(emulation, operator):
            call = operator.found()
            for rows in (70, 5) if operator.name.startswith("linear") else (70,):  # which has a way of its own for few
                for tensors in (operator.tensors(rows), tuple(t.detach() for t in operator.tensors(rows))):
                    torch.library.opcheck(call, (*tensors, *operator.arguments), atol=2e-5, rtol=2e-5)
        return True

    assert in_worker(cache, body).result()


@by_operator
def test_derivatives_forward_and_twice_are_pytorchs(cache: Path, operator: Operator) -> None:
    def twice(function: Function, tensors: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        first = torch.autograd.grad(function(*tensors).square().sum(), tensors, create_graph=True)
        return torch.autograd.grad(sum(each.square().sum() for each in first), tensors)

    def dual(function: Function, tensors: tuple[torch.Tensor, ...]) -> torch.Tensor:
        with torch.autograd.forward_ad.dual_level():
            duals = (torch.autograd.forward_ad.make_dual(t, torch.ones_like(t)) for t in tensors)
            tangent = torch.autograd.forward_ad.unpack_dual(function(*duals)).tangent
            assert tangent is not None, "the tangent is lost"
            return tangent

    def body(emulation: Emulation) -> list[bool]:
        with built(emulation, operator) as function:
            tensors = operator.tensors()
            plain = tuple(tensor.detach() for tensor in tensors)
            ones = tuple(torch.ones_like(tensor) for tensor in plain)
            every = tuple(range(len(plain)))
            return [
                near(twice(function, tensors), twice(operator.reference, tensors)),
                near(dual(function, plain), dual(operator.reference, plain)),
                near(torch.func.jvp(function, plain, ones), torch.func.jvp(operator.reference, plain, ones)),
                near(
                    torch.func.grad(lambda *t: function(*t).square().sum(), every)(*plain),
                    gradients(operator.reference, tensors),
                ),
                near(
                    torch.func.vmap(function, (0, *[None] * (len(plain) - 1)))(plain[0][:, None], *plain[1:]),
                    operator.reference(*plain)[:, None],
                ),
            ]

    assert all(in_worker(cache, body).result())


@by_operator
def test_a_graph_is_let_go_once_used_and_an_upstream_of_nothing_gives_nothing(
    cache: Path, operator: Operator
) -> None:
    class Nothing(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.set_materialize_grads(False)
            return x.clone()

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> None:
            return None

    def body(emulation: Emulation) -> Any:
        with built(emulation, operator) as function:
            tensors = operator.tensors()
            result = function(*tensors)
            result.sum().backward(retain_graph=True)
            once = [tensor.grad.clone() for tensor in tensors]
            result.sum().backward()
            doubled = near([tensor.grad for tensor in tensors], [2 * grad for grad in once])
            try:
                result.sum().backward()
            except RuntimeError as error:
                third = str(error)
            leaf = operator.tensors()
            Nothing.apply(function(*leaf)).sum().backward()
            return doubled, third, [tensor.grad for tensor in leaf]

    doubled, third, grads = in_worker(cache, body).result()
    assert doubled and grads == [None] * len(operator.shapes)
    assert "backward through the graph a second time" in third


@by_operator
def test_it_can_be_computed_again_instead_of_kept(cache: Path, operator: Operator) -> None:
    def body(emulation: Emulation) -> list[bool]:
        with built(emulation, operator) as function:
            tensors = operator.tensors()
            right = gradients(operator.reference, tensors)
            return [
                near(
                    gradients(lambda *t, re=reentrant: checkpoint(function, *t, use_reentrant=re), tensors), right
                )
                for reentrant in (False, True)
            ]

    assert all(in_worker(cache, body).result())


@by_operator
def test_it_is_captured_whole_with_sizes_that_change_and_its_gradients(cache: Path, operator: Operator) -> None:
    class Wrapped(torch.nn.Module):
        def __init__(self, function: Function) -> None:
            super().__init__()
            self.function = function

        def forward(self, *tensors: torch.Tensor) -> torch.Tensor:
            return self.function(*tensors)

    def body(emulation: Emulation) -> list[bool]:
        with built(emulation, operator) as function:
            compiled = compile_as_pytorch_does(function, backend="aot_eager", fullgraph=True, dynamic=True)
            agrees = []
            for rows in (70, 81, 5):
                tensors = operator.tensors(rows)
                agrees.append(near(gradients(compiled, tensors), gradients(operator.reference, tensors)))
            plain = tuple(tensor.detach() for tensor in operator.tensors())
            exported = torch.export.export(Wrapped(function), plain).module()
            return [*agrees, near(exported(*plain), operator.reference(*plain))]

    assert all(in_worker(cache, body).result())


@by_operator
def test_where_it_has_no_kernel_it_is_pytorchs_and_trains(cache: Path, operator: Operator) -> None:
    def body(emulation: Emulation) -> bool:
        os.environ["KERNELS_FOR_ANOTHER_DEVICE"] = "1"
        with built(emulation, operator) as function:
            assert not torch._C._dispatch_has_kernel_for_dispatch_key(operator.found().name(), "CPU")
            tensors = operator.tensors()
            return near(function(*tensors), operator.reference(*tensors)) and near(
                gradients(function, tensors), gradients(operator.reference, tensors)
            )

    assert in_worker(cache, body).result()
