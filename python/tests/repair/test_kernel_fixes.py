"""Changes of kernels and of what their host allocates, as text; the judge proves each before it is offered."""

from __future__ import annotations

import pytest
from fault_classes import PROGRAM

from kernelgate.program import Candidate, Source, read
from kernelgate.repair import kernel_fixes
from kernelgate.repair.bounds_guard import with_bound
from kernelgate.repair.vector_tail import padded_to_vectors

INDEX = "    int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
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


def test_a_kernel_that_is_given_its_size_and_ignores_it_leaves_beyond_it() -> None:
    text = PROGRAM.replace(GUARD, "    y[i] = 2 * x[i];\n")
    assert with_bound(candidate(text)) == text.replace(INDEX, f"{INDEX}    if (i >= n) return;\n")


@pytest.mark.parametrize(
    "text", [PROGRAM, PROGRAM.replace(GUARD, "    y[i] = 2 * x[i];\n").replace("int n)", "float n)")]
)
def test_a_kernel_that_uses_its_size_or_has_none_is_left_alone(text: str) -> None:
    assert with_bound(candidate(text)) is None


def test_a_barrier_stands_behind_the_first_access() -> None:
    first, second = line_of(SUM, "s[threadIdx.x] ="), line_of(SUM, "s[threadIdx.x] +=")
    row = "    s[threadIdx.x] = x[i];\n"
    expected = SUM.replace(row, f"{row}    __syncthreads();\n")
    assert kernel_fixes.with_barrier(candidate(SUM), first, second) == expected


def test_a_barrier_stands_behind_the_branch_that_only_some_threads_take() -> None:
    line = line_of(SUM, "s[threadIdx.x] +=")
    expected = SUM.replace("        }\n    }\n", "        }\n        __syncthreads();\n    }\n")
    assert kernel_fixes.with_barrier(candidate(SUM), line, line) == expected


def test_a_sum_begins_with_zeros_where_its_host_makes_one_tensor() -> None:
    adds = PROGRAM.replace("y[i] = 2", "y[i] += 2")
    assert kernel_fixes.zeroed(candidate(adds)) == adds.replace("empty_like", "zeros_like")
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
    assert kernel_fixes.made_like_input(candidate(text)) == (expected, 13)
    assert kernel_fixes.made_like_input(candidate(expected)) is None


def test_inputs_of_a_kernel_that_moves_vectors_are_padded() -> None:
    text = PROGRAM.replace(GUARD, "    if (i < n / 4) ((float4*)y)[i] = ((const float4*)x)[i];\n")
    found = padded_to_vectors(candidate(text))
    assert found is not None and found[1] == 10
    assert "return f(padded(x)).narrow(0, 0, count).view(x.sizes());" in found[0]
    assert padded_to_vectors(candidate(found[0])) is None


@pytest.mark.parametrize("right", ["x.size(0) % 4 == 0", None])
def test_what_looks_at_the_tail_or_moves_no_vectors_is_not_padded(right: str | None) -> None:
    text = (
        PROGRAM
        if right is None
        else PROGRAM.replace(GUARD, "    ((float4*)y)[i] = ((const float4*)x)[i];\n").replace(
            "    int n =", f"    TORCH_CHECK({right});\n    int n ="
        )
    )
    assert padded_to_vectors(candidate(text)) is None


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("expf(x[i]) - 1.0f", "expm1f(x[i])"),
        ("__expf(2 * (x[i] + 1)) - 1.f", "expm1f(2 * (x[i] + 1))"),
        ("std::exp(x[i]) - 1", "std::expm1(x[i])"),
        ("3 * (exp(x[i]) - 1.0)", "3 * (expm1(x[i]))"),
    ],
)
def test_an_exponential_less_1_is_written_so_that_it_keeps_digits(written: str, right: str) -> None:
    text = PROGRAM.replace("2 * x[i]", written)
    assert kernel_fixes.with_expm1(candidate(text)) == (PROGRAM.replace("2 * x[i]", right), 10)


@pytest.mark.parametrize(
    "written", ["expf(x[i]) - 10.0f", "expf(x[i])", "my_exp(x[i]) - 1.0f", "expf(x[i]) - 1.0f * n"]
)
def test_another_exponential_stays(written: str) -> None:
    assert kernel_fixes.with_expm1(candidate(PROGRAM.replace("2 * x[i]", written))) is None
