"""The product's program: what it is made of where there is no GPU, and how it builds."""

from __future__ import annotations

import copy
import pickle
import sys
from types import ModuleType

import pytest
import torch
import torch.nn.functional as F
from catalogue.device_code import resources
from catalogue.forked import run_forked

from kernelgate.catalogue import operators
from kernelgate.check.problem import Problem

OPERATOR = operators()["gemm_scale_leakyrelu"]
ARCHITECTURES = ("sm_80", "sm_90a", "sm_120")  # bench/portability.py builds for the others too
MOST_REGISTERS = 255
INSTANCES = """
namespace {
template __global__ void multiply_mma<3, false>(SplitProduct);
template __global__ void multiply_mma<3, true>(SplitProduct);
template __global__ void multiply_mma<5, false>(SplitProduct);
template __global__ void multiply_few<1, true>(Product);
template __global__ void multiply_few<1, false>(Product);
template __global__ void multiply_few<2, true>(Product);
template __global__ void multiply_few<2, false>(Product);
template __global__ void multiply_one_row<true>(Product);
template __global__ void multiply_one_row<false>(Product);
template __global__ void split_rows<true>(SplitTask, SplitTask, int, int);
template __global__ void split_rows<false>(SplitTask, SplitTask, int, int);
template __global__ void add_parts<true>(SplitProduct);
template __global__ void add_parts<false>(SplitProduct);
template __global__ void multiply_full_range<true>(Product, const float*, const float*);
template __global__ void multiply_full_range<false>(Product, const float*, const float*);
}
"""
HOPPER_INSTANCES = """
namespace {
template __global__ void multiply_wgmma<1>(const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
                                               const SplitProduct, const Tiling);
template __global__ void multiply_wgmma<2>(const __grid_constant__ CUtensorMap, const __grid_constant__ CUtensorMap,
                                               const SplitProduct, const Tiling);
}
"""


@pytest.fixture(scope="module")
def program() -> ModuleType:
    """The program, as a cell that was run."""
    module = ModuleType("inserted")
    sys.modules["inserted"] = module
    exec(compile(OPERATOR.program_text or "", "cell", "exec"), vars(module))
    return module


def device_source(program: ModuleType, arch: str) -> str:
    """Every kernel of the program for an architecture."""
    parts = [program.INTERFACE, program.CUDA_SPLIT, program.CUDA_FULL_RANGE, program.CUDA_FEW_ROWS]
    parts += [program.CUDA_SIGNS, program.CUDA_MMA, INSTANCES]
    if arch == "sm_90a":
        parts += [program.CUDA_WGMMA, HOPPER_INSTANCES]
    # In a namespace with a name: kernels that nothing here launches are kept.
    return "\n".join(parts).replace("namespace {", "inline namespace kernels {")


def reference(*arguments: float) -> torch.nn.Module:
    problem = Problem(OPERATOR.problem_text, "problem.py", torch.device("cpu"), {})
    return problem.model(list(arguments), 3, torch.float32)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_every_kernel_builds_without_spills(program: ModuleType, arch: str) -> None:
    used = resources(device_source(program, arch), arch)
    assert len(used) == (20 if arch == "sm_90a" else 18), sorted(used)
    for kernel, taken in used.items():
        assert taken.spilled_bytes == 0, kernel
        assert taken.registers <= MOST_REGISTERS, kernel


def test_a_state_dict_of_the_reference_loads_and_gives_its_result_on_the_cpu(program: ModuleType) -> None:
    theirs = reference(24, 17, 1.5, 0.2)
    ours = program.ModelNew(24, 17, 1.5, 0.2)
    ours.load_state_dict(theirs.state_dict())
    x = torch.randn(2, 5, 24)
    assert torch.equal(ours(x), theirs(x))


def test_dtypes_that_it_does_not_compute_itself_are_pytorchs(program: ModuleType) -> None:
    for dtype in (torch.float64, torch.bfloat16):
        layer = program.ModelNew(8, 4, 2.0, 0.1).to(dtype)
        x = torch.randn(3, 8, dtype=dtype)
        right = F.leaky_relu(layer.gemm(x) * 2.0, 0.1)
        assert torch.equal(layer(x), right)


def test_it_trains_on_the_cpu_as_the_reference_does(program: ModuleType) -> None:
    layer = program.ModelNew(6, 5, 2.0, 0.1).double()
    x = torch.randn(4, 6, dtype=torch.float64, requires_grad=True)

    def differentiates() -> None:
        assert torch.autograd.gradcheck(layer, (x,))

    run_forked(differentiates)


def test_copies_carry_nothing_but_parameters(program: ModuleType) -> None:
    layer = program.ModelNew(6, 5, 2.0, 0.1)
    x = torch.randn(4, 6)
    for again in (copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(again(x), layer(x))
    assert set(layer.state_dict()) == {"gemm.weight", "gemm.bias"}


def test_it_compiles_nothing_before_it_is_called_on_a_gpu(program: ModuleType) -> None:
    layer = program.ModelNew(6, 5, 2.0, 0.1)
    layer(torch.randn(4, 6))
    assert program._registered.cache_info().currsize == 0


@pytest.mark.parametrize(
    ("capabilities", "chosen", "paths"),
    [
        ([(8, 0)], None, {"mma"}),
        ([(9, 0)], None, {"wgmma"}),
        ([(8, 6), (9, 0)], None, {"mma", "wgmma"}),
        ([(12, 0)], None, {"mma"}),
        ([(9, 0)], "9.0", {"mma"}),
        ([(9, 0)], "9.0a", {"wgmma"}),
        ([(9, 0)], "8.0;9.0a", {"mma", "wgmma"}),
    ],
)
def test_only_the_kernels_that_the_devices_take_are_built(
    program: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    capabilities: list[tuple[int, int]],
    chosen: str | None,
    paths: set[str],
) -> None:
    monkeypatch.delenv("KERNELGATE_GEMM_PATH", raising=False)
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    if chosen is not None:
        monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", chosen)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(capabilities))
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda index: capabilities[index])
    sources, flags = program._build_plan()
    text = "".join(sources)
    assert {path for path in ("mma", "wgmma") if f"-DWITH_{path.upper()}" in flags} == paths
    assert ("multiply_mma(" in text, "multiply_wgmma(" in text) == ("mma" in paths, "wgmma" in paths)


def test_the_path_in_the_environment_is_read_and_a_wrong_one_is_named(
    program: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TORCH_CUDA_ARCH_LIST", raising=False)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 1)
    monkeypatch.setattr(torch.cuda, "get_device_capability", lambda _index: (9, 0))
    _sources, flags = program._build_plan()
    assert "-gencode=arch=compute_90a,code=sm_90a" in flags and "-DWITH_WGMMA" in flags
    monkeypatch.setenv("KERNELGATE_GEMM_PATH", "mma")
    sources, flags = program._build_plan()
    assert "-gencode=arch=compute_80,code=compute_80" in flags and "-DWITH_WGMMA" not in flags
    assert not any("wgmma.mma_async" in source for source in sources)
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "9.0a")
    _sources, flags = program._build_plan()
    assert "-DWITH_WGMMA" not in flags, "the list of PyTorch must not bring wgmma back"
    monkeypatch.setenv("KERNELGATE_GEMM_PATH", "sm_80")
    with pytest.raises(ValueError, match="can be mma, wgmma, or unset"):
        program._build_plan()
