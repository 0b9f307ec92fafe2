"""What nvcc refuses for certain is named, and nothing that it may know."""

from __future__ import annotations

import pytest

from kernelgate.cuda_source.nvcc_flags import refused_architecture, refused_flag

KNOWN = [
    ["-O3", "--use_fast_math", "-lineinfo", "-std=c++17", "--expt-relaxed-constexpr", "--expt-extended-lambda"],
    ["-use_fast_math", "-Xcompiler", "-march=native", "--ptxas-options=-v", "-Xptxas", "-O3"],
    ["-Xcompiler -fopenmp", "--compiler-options", "-Wall", "-Xcompiler=-fPIC"],
    ["--forward-unknown-to-host-compiler", "-Wall", "-fno-math-errno"],
    ["-gencode", "arch=compute_80,code=sm_80", "-fmad=false", "-ftz=true", "-Werror", "all-warnings", "-DNAME=1"],
    [],
]


@pytest.mark.parametrize("flags", KNOWN)
def test_flags_of_nvcc_and_those_that_it_passes_on_are_taken(flags: list[str]) -> None:
    assert refused_flag(flags) is None


@pytest.mark.parametrize(
    "flag", ["-march=native", "-ffast-math", "--fast-math", "--use_fast_maths", "-Wall", "-fopenmp", "-fno-math-errno"]
)
def test_a_flag_of_the_hosts_compiler_or_a_misspelt_one_is_refused(flag: str) -> None:
    assert refused_flag(["-O3", flag, "-Xcompiler", "-Wextra"]) == flag


@pytest.mark.parametrize(
    ("flags", "refused"),
    [
        (["-O3", "-gencode=arch=compute_999,code=sm_999"], "compute_999"),
        (["-gencode", "arch=compute_9Oa,code=sm_9Oa"], "compute_9Oa"),
        (["-arch=sm_8"], "sm_8"),
        (["-arch=sm_90a", "-gencode", "arch=compute_120f,code=[sm_120f,compute_120f]"], None),
        (["-arch=native", "-DNAME=sm_999", "-arch=all-major"], None),
    ],
)
def test_an_architecture_that_no_toolkit_knows_is_refused(flags: list[str], refused: str | None) -> None:
    assert refused_architecture(flags) == refused
