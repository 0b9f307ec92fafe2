"""In emulation, the programs of the catalogue give PyTorch's own bits: forward, and the gradients."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from catalogue.programs import CASES, DTYPES, SLOPES, Case, layouts, program, values
from emulator.support import Emulation, in_worker, same_bits

pytestmark = pytest.mark.drawn

by_operator = pytest.mark.parametrize("case", CASES, ids=lambda case: case.operator)


def layout_of(x: torch.Tensor) -> tuple[Any, ...]:
    return tuple(x.shape), x.stride(), x.dtype


@by_operator
def test_every_dtype_and_layout_gives_pytorchs_bits_and_strides(cache: Path, case: Case) -> None:
    def body(emulation: Emulation) -> list[Any]:
        wrong = []
        with emulation.active(), emulation.guarded(), torch.device("cuda"):
            module, reference = case.module(0.1), case.reference(0.1)
            for order in ("normal", "reversed", "shuffled"):
                emulation.order(order)
                for dtype in DTYPES if order == "normal" else DTYPES[:1]:
                    for x in layouts(dtype):
                        assert x.is_cuda
                        result, right = module(x), reference(x)
                        if not same_bits(result, right) or result.stride() != right.stride():
                            wrong.append((order, layout_of(x), result.stride(), right.stride()))
        return [*wrong, *(fault.text for fault in emulation.overwritten())]

    assert in_worker(cache, body).result() == []


@by_operator
def test_places_in_64_bits_are_those_in_32(cache: Path, case: Case) -> None:
    def body(emulation: Emulation) -> list[Any]:
        found = program(case.operator)
        found.HOST = found.HOST.replace("walk.narrow = ", "walk.narrow = false && ")
        found._NAME += "_wide"
        wrong = []
        with emulation.active(), emulation.guarded(), torch.device("cuda"):
            module, reference = case.module(0.1, found), case.reference(0.1)
            for x in layouts(torch.float32):
                ours, theirs = (x.detach().requires_grad_() for _ in range(2))
                results = module(ours), reference(theirs)
                gradients = [
                    torch.autograd.grad(result.sum(), leaf)[0]
                    for result, leaf in zip(results, (ours, theirs), strict=True)
                ]
                if not same_bits(*results) or not same_bits(*gradients):
                    wrong.append(layout_of(x))
        return [*wrong, *(fault.text for fault in emulation.overwritten())]

    assert in_worker(cache, body).result() == []


@by_operator
def test_every_slope_gives_pytorchs_bits(cache: Path, case: Case) -> None:
    def body(emulation: Emulation) -> list[Any]:
        with emulation.active(), emulation.guarded(), torch.device("cuda"):
            found = program(case.operator)
            return [
                (slope, dtype)
                for slope in SLOPES
                for dtype in DTYPES
                for x in [values(131, dtype=dtype)]
                if not same_bits(case.module(slope, found)(x), case.reference(slope)(x))
            ]

    assert in_worker(cache, body).result() == []


@by_operator
def test_gradients_are_pytorchs_bits_whatever_the_layout_of_either(cache: Path, case: Case) -> None:
    def body(emulation: Emulation) -> list[Any]:
        wrong = []
        with emulation.active(), emulation.guarded(), torch.device("cuda"):
            for slope in (0.1, 0.0, -0.5):
                module, reference = case.module(slope), case.reference(slope)
                for dtype in DTYPES:
                    for x in layouts(dtype):
                        shape = x.shape
                        upstreams = [values(*shape, dtype=dtype), torch.ones((), dtype=dtype).expand(shape)]
                        if len(shape) == 2:
                            upstreams.append(values(*reversed(shape), dtype=dtype).t())
                        for upstream in upstreams:
                            ours, theirs = (x.detach().requires_grad_() for _ in range(2))
                            (got,) = torch.autograd.grad(module(ours), ours, upstream)
                            (right,) = torch.autograd.grad(reference(theirs), theirs, upstream)
                            if not same_bits(got, right):
                                wrong.append((slope, layout_of(x), upstream.stride()))
        return [*wrong, *(fault.text for fault in emulation.overwritten())]

    assert in_worker(cache, body).result() == []


@by_operator
def test_a_memory_check_finds_no_race_and_no_access_out_of_bounds(cache: Path, case: Case) -> None:
    def body(emulation: Emulation) -> None:
        with emulation.active(), emulation.guarded(), torch.device("cuda"):
            module = case.module(0.1)
            for x in (values(1027), values(67, 129, dtype=torch.float16).t()[::2]):
                leaf = x.detach().requires_grad_()
                module(leaf).sum().backward()

    in_worker(cache, body, examine=True).result()


@by_operator
def test_first_and_second_derivatives_hold_against_finite_differences(cache: Path, case: Case) -> None:
    def body(emulation: Emulation) -> bool:
        with emulation.active():
            module = case.module(0.1)
            x = torch.randn(5, 6, dtype=torch.float64).t().requires_grad_()
            checks = (torch.autograd.gradcheck, torch.autograd.gradgradcheck)
            return all(check(module, (x,)) for check in checks)

    assert in_worker(cache, body).result()


@by_operator
def test_for_the_gradient_a_mask_of_one_bit_an_element_is_kept(cache: Path, case: Case) -> None:
    def body(emulation: Emulation) -> list[tuple[int, int]]:
        kept = []

        def pack(tensor: torch.Tensor) -> torch.Tensor:
            kept.append((tensor.nbytes, tensor.element_size()))
            return tensor

        with emulation.active(), torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            module = case.module(0.1)
            for n in (1, 4096, 4097):
                module(torch.randn(n, requires_grad=True))
        return kept

    assert in_worker(cache, body).result() == [(4, 4), (512, 4), (516, 4)]


def test_a_learned_multiplier_gets_its_gradient(cache: Path) -> None:
    def body(emulation: Emulation) -> list[Any]:
        wrong = []
        with emulation.active(), emulation.guarded(), torch.device("cuda"):
            found = program("scale_leakyrelu")
            for dtype in DTYPES:
                for x in (torch.randn(67, 129, dtype=torch.float64), torch.randn(67, 258)[:, ::2].t()):
                    x, m = x.to(dtype), torch.tensor(1.7, dtype=dtype)
                    ours, theirs = (x.detach().requires_grad_() for _ in range(2))
                    module = found.ModelNew(torch.nn.Parameter(m.clone()), 0.1)
                    factor = m.clone().requires_grad_()
                    wide, wide_factor = x.double(), m.double().requires_grad_()
                    result, right = module(ours), F.leaky_relu(theirs * factor, 0.1)
                    upstream = torch.randn(result.shape, dtype=torch.float64).to(dtype)
                    result.backward(upstream)
                    right.backward(upstream)
                    F.leaky_relu(wide * wide_factor, 0.1).backward(upstream.double())
                    error = abs(module.multiplier.grad.double() - wide_factor.grad)
                    bound = x.numel() * torch.finfo(dtype).eps
                    if not (same_bits(result, right) and same_bits(ours.grad, theirs.grad) and error < bound):
                        wrong.append((dtype, tuple(x.shape), float(error)))
            operator = getattr(torch.ops, found._NAME).scale_leaky_relu_by
            pair = (torch.randn(5, 6, dtype=torch.float64).requires_grad_(), m.double().requires_grad_())
            assert torch.autograd.gradcheck(lambda a, b: operator(a, b, 0.1), pair)
            assert torch.autograd.gradgradcheck(lambda a, b: operator(a, b, 0.1), pair)
        return wrong

    assert in_worker(cache, body).result() == []


def test_a_multiplier_that_the_kernel_does_not_take_goes_through_pytorch(cache: Path) -> None:
    def body(emulation: Emulation) -> list[Any]:
        wrong = []
        with emulation.active():
            found = program("scale_leakyrelu")
            x = torch.randn(5, 6)
            factors = [
                torch.randn(6),
                torch.randn(5, 1),
                torch.tensor(2),
                torch.tensor([[[2.0]]]),
                torch.tensor(2.0).half(),
            ]
            for factor in factors:
                result, right = found.ModelNew(factor, 0.1)(x), F.leaky_relu(x * factor, 0.1)
                if not same_bits(result, right):
                    wrong.append((factor.dtype, tuple(factor.shape)))
        return wrong

    assert in_worker(cache, body).result() == []


@by_operator
def test_a_program_inserted_twice_and_a_changed_one_beside_it_all_work(cache: Path, case: Case) -> None:
    def body(emulation: Emulation) -> list[bool]:
        x = values(67, 129)
        with emulation.active():
            first, second, changed = (program(case.operator) for _ in range(3))
            changed.KERNELS += "// changed\n"
            changed._NAME += "_changed"
            right = case.reference(0.1)(x)
            return [same_bits(case.module(0.1, found)(x), right) for found in (first, second, changed)]

    assert in_worker(cache, body).result() == [True, True, True]
