"""What nvcc refuses for certain is named, and nothing that it may know."""

from __future__ import annotations

import pytest

from kernelgate.cuda_source.nvcc_flags import refused_flag

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
