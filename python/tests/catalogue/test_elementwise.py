"""leakyrelu and scale_leakyrelu where there is no GPU: what they are made of, how they build, what the CPU gets."""

from __future__ import annotations

import copy
import io
import pickle
import sys
import types
from pathlib import Path

import pytest
import torch
import torch.nn as nn
import torch.nn.functional as F
from catalogue.device_code import resources
from catalogue.forked import run_forked
from catalogue.programs import CASES, DTYPES, Case, layouts, program, values

ARCHITECTURES = ("sm_80", "sm_90", "sm_120")  # bench/portability.py builds for the others too
TYPES = ("float", "double", "__half", "__nv_bfloat16")
# 128 threads a block, 65,536 registers a multiprocessor: with 64 each, eight blocks and half of its threads find room.
MOST_REGISTERS = 64

by_operator = pytest.mark.parametrize("case", CASES, ids=lambda case: case.operator)


def instances(found: types.ModuleType) -> str:
    """Lines of CUDA that have every kernel built for every type."""
    plain = [name for name in ("backward_dense", "backward_both") if name in found.KERNELS]
    kernels = [f"forward_dense<{t}, {mask}>" for t in TYPES for mask in ("true", "false")]
    kernels += [f"{name}<{t}>" for name in plain for t in TYPES]
    for index in ("uint32_t", "uint64_t"):
        kernels += [f"forward_strided<{t}, {mask}, {index}>" for t in TYPES for mask in ("true", "false")]
        kernels += [f"backward_strided<{t}, {index}>" for t in TYPES]
    return "".join(f"__device__ auto* const kept_{i} = &{kernel};\n" for i, kernel in enumerate(kernels))


@pytest.mark.parametrize("arch", ARCHITECTURES)
@by_operator
def test_every_kernel_builds_without_spills_and_leaves_room_for_half_of_the_threads(
    case: Case, arch: str
) -> None:
    found = program(case.operator)
    used = resources(found.TYPES + found.KERNELS + instances(found), arch)
    assert len(used) == (36 if case.operator == "leakyrelu" else 40)
    assert {name: r for name, r in used.items() if r.spilled_bytes or r.registers > MOST_REGISTERS} == {}


@by_operator
def test_a_strict_export_on_the_cpu_takes_pytorchs_operators(case: Case) -> None:
    x = torch.randn(8, 6)
    exported = torch.export.export(case.module(0.1), (x,), strict=True).module()
    assert torch.equal(exported(x), case.reference(0.1)(x))


def test_leakyrelu_has_the_constructor_the_attributes_and_the_words_of_pytorchs() -> None:
    found = program("leakyrelu")
    for arguments in ((), (0.2,), (0.2, True)):
        ours, theirs = found.ModelNew(*arguments), nn.LeakyReLU(*arguments)
        assert isinstance(ours, nn.LeakyReLU)
        assert ours.extra_repr() == theirs.extra_repr()
        assert (ours.negative_slope, ours.inplace) == (theirs.negative_slope, theirs.inplace)
        assert ours.state_dict() == {}
    assert found.ModelNew(negative_slope=0.3, inplace=False, keep_input=True).keep_input


@by_operator
def test_on_the_cpu_it_is_pytorchs_own_and_nothing_is_built(case: Case) -> None:
    found = program(case.operator)
    found.load_inline = None  # a build would raise
    module, reference = case.module(0.1, found), case.reference(0.1)
    for dtype in DTYPES:
        for x in layouts(dtype):
            result, right = module(x), reference(x)
            assert torch.equal(result.isnan(), right.isnan()) and torch.equal(
                result.nan_to_num(), right.nan_to_num()
            )
            assert result.stride() == right.stride()

    def differentiates() -> None:
        leaf = values(5, 7).requires_grad_()
        assert torch.autograd.grad(module(leaf).sum(), leaf)[0].shape == leaf.shape

    run_forked(differentiates)
    compiled = torch.compile(module, fullgraph=True, backend="eager")
    assert torch.equal(compiled(torch.ones(3)), reference(torch.ones(3)))


def test_in_place_is_in_place() -> None:
    x = values(5, 7).nan_to_num()
    right = F.leaky_relu(x, 0.1)
    result = program("leakyrelu").ModelNew(0.1, inplace=True)(x)
    assert result is x
    assert torch.equal(x, right)


@by_operator
def test_it_survives_deepcopy_pickle_and_a_checkpoint(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    found = program(case.operator)
    monkeypatch.setitem(sys.modules, found.__name__, found)  # where pickle looks a class up
    x = torch.randn(5, 7)
    module = case.module(0.3, found)
    file = io.BytesIO()
    torch.save(module.state_dict(), file)
    file.seek(0)
    module.load_state_dict(torch.load(file))
    for again in (copy.deepcopy(module), pickle.loads(pickle.dumps(module))):
        assert torch.equal(again(x), case.reference(0.3)(x))


def test_a_learned_multiplier_is_a_parameter_and_travels_with_the_state() -> None:
    found = program("scale_leakyrelu")
    module = found.ModelNew(nn.Parameter(torch.tensor(2.0)), 0.1)
    assert [name for name, _ in module.named_parameters()] == ["multiplier"]
    other = found.ModelNew(nn.Parameter(torch.tensor(1.0)), 0.1)
    other.load_state_dict(module.state_dict())
    assert torch.equal(other(torch.ones(3)), torch.full((3,), 2.0))
    assert found.ModelNew(2.0, 0.1).state_dict() == {}


@by_operator
def test_two_programs_with_other_sources_never_share_a_namespace(case: Case, tmp_path: Path) -> None:
    found = program(case.operator)
    changed = types.ModuleType("changed")
    assert found.__file__ is not None
    text = Path(found.__file__).read_text()
    exec(compile(text.replace("kThreads = 128", "kThreads = 256"), "changed", "exec"), vars(changed))
    assert program(case.operator)._NAME == found._NAME
    assert changed._NAME != found._NAME
    assert found._NAME.isidentifier()
