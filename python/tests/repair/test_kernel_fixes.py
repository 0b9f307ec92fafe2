"""Changes of kernels and of what their host allocates, as text; the judge proves each before it is offered."""

from __future__ import annotations

import pytest
from rule_program import PROGRAM

from kernelgate.program import Candidate, Source, read
from kernelgate.repair import kernel_fixes
from kernelgate.repair.edits import Fix
from kernelgate.report.edits import edited

GUARD = "    if (i < n) y[i] = 2 * x[i];\n"
BLOCK = """    __shared__ float s[256];
    s[threadIdx.x] = x[i];
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            s[threadIdx.x] += s[threadIdx.x + half];
        }
    }
    y[0] = s[0];
"""
SUM = PROGRAM.replace(GUARD, BLOCK)


def candidate(text: str) -> Candidate:
    return read(Source(text, "cell [4]"))


def line_of(text: str, words: str) -> int:
    return text[: text.index(words)].count("\n") + 1


def written(text: str, fix: Fix | None) -> str | None:
    return edited(text, fix.edit) if fix is not None else None


def test_a_barrier_stands_behind_the_first_access() -> None:
    first, second = line_of(SUM, "s[threadIdx.x] ="), line_of(SUM, "s[threadIdx.x] +=")
    row = "    s[threadIdx.x] = x[i];\n"
    expected = SUM.replace(row, f"{row}    __syncthreads();\n")
    assert written(SUM, kernel_fixes.barrier(candidate(SUM), first, second)) == expected


def test_a_barrier_stands_behind_the_branch_that_only_some_threads_take() -> None:
    line = line_of(SUM, "s[threadIdx.x] +=")
    expected = SUM.replace("        }\n    }\n", "        }\n        __syncthreads();\n    }\n")
    assert written(SUM, kernel_fixes.barrier(candidate(SUM), line, line)) == expected


def test_a_sum_begins_with_zeros_where_its_host_makes_one_tensor() -> None:
    adds = PROGRAM.replace("y[i] = 2", "y[i] += 2")
    assert written(adds, kernel_fixes.zeroed(candidate(adds))) == adds.replace("empty_like", "zeros_like")
    assert kernel_fixes.zeroed(candidate(PROGRAM)) is None
    twice = adds.replace("    int n =", "    auto z = torch::empty_like(x);\n    int n =")
    assert kernel_fixes.zeroed(candidate(twice)) is None


@pytest.mark.parametrize(
    "made", ["torch::empty({4})", "torch::zeros({4}, torch::dtype(torch::kHalf).device(x.device()))"]
)
def test_a_result_of_another_type_or_device_is_made_with_those_of_the_input(made: str) -> None:
    text = PROGRAM.replace("torch::empty_like(x)", made)
    name = made.partition("(")[0]
    expected = PROGRAM.replace("torch::empty_like(x)", f"{name}({{4}}, x.options())")
    assert written(text, kernel_fixes.like_input(candidate(text))) == expected
    assert kernel_fixes.like_input(candidate(expected)) is None


def test_inputs_are_made_contiguous_if_no_stride_is_looked_at() -> None:
    found = kernel_fixes.contiguous_inputs(candidate(PROGRAM))
    head = "torch::Tensor f(torch::Tensor x) {\n"
    assert found is not None and found[1] == 12
    expected = PROGRAM.replace(head, f"{head}    x = x.contiguous();\n")
    assert written(PROGRAM, found[0]) == expected
    assert kernel_fixes.contiguous_inputs(candidate(expected)) is None


def test_the_one_number_that_is_wrong_is_written_as_the_right_one() -> None:
    text = PROGRAM.replace(GUARD, "    if (i < n) y[i] = x[i] > 0 ? x[i] : 0.011f * x[i];  // not 0.011\n")
    found = kernel_fixes.constant(candidate(text), 0.0110000002, 0.00999999978)
    assert found is not None and found[1] == line_of(text, "0.011f")
    assert written(text, found[0]) == text.replace("0.011f", "0.01f")
    assert found[0].next_step == "Write 0.01f in place of 0.011f"


def test_no_number_is_changed_if_none_or_several_may_be_the_wrong_one() -> None:
    assert kernel_fixes.constant(candidate(PROGRAM), 0.011, 0.01) is None
    twice = PROGRAM.replace(GUARD, "    if (i < n) y[i] = x[i] > 0.011f ? x[i] : 0.011f * x[i];\n")
    assert kernel_fixes.constant(candidate(twice), 0.011, 0.01) is None


LAUNCH = "    twice<<<(n + 255) / 256, 256>>>"


def test_a_launch_with_much_shared_memory_has_it_allowed_first() -> None:
    text = PROGRAM.replace("256, 256>>>", "256, 256, n * 4>>>")
    request = "    cudaFuncSetAttribute(twice, cudaFuncAttributeMaxDynamicSharedMemorySize, n * 4);\n"
    allowed = text.replace("    twice<<<", f"{request}    twice<<<")
    assert written(text, kernel_fixes.allowed_memory(candidate(text))) == allowed
    assert kernel_fixes.allowed_memory(candidate(allowed)) is None


@pytest.mark.parametrize(
    "launch",
    [
        LAUNCH,
        "    if (n) twice<<<(n + 255) / 256, 256, n * 4>>>",
        "    if (n)\n    twice<<<(n + 255) / 256, 256, n * 4>>>",  # it would belong to the branch
    ],
)
def test_a_launch_that_needs_no_memory_or_stands_in_a_branch_is_left_alone(launch: str) -> None:
    assert kernel_fixes.allowed_memory(candidate(PROGRAM.replace(LAUNCH, launch))) is None
