"""What a launch passes, changed as text: blocks, bytes of shared memory, pointers; the judge proves each change."""

from __future__ import annotations

import pytest
from fault_classes import LAUNCH, PROGRAM

from kernelgate.program import Candidate, Source, read
from kernelgate.repair import launch_fixes

SHARED = "    if (i < n) y[i] = 2 * x[i];\n"
DYNAMIC = PROGRAM.replace(
    SHARED, f"    extern __shared__ float kept[];\n    kept[threadIdx.x] = 0;\n{SHARED}"
)


def candidate(text: str) -> Candidate:
    return read(Source(text, "cell [4]"))


def test_a_grid_of_one_block_gets_as_many_as_the_elements_need() -> None:
    text = PROGRAM.replace("(n + 255) / 256, 256", "1, 256")
    found = launch_fixes.blocks_for_all(candidate(text))
    assert found == (text.replace("<<<1, 256", "<<<(n + 256 - 1) / 256, 256"), 15)


@pytest.mark.parametrize(
    "text",
    [
        PROGRAM,
        PROGRAM.replace("(n + 255) / 256, 256", "1, 256").replace(
            "if (i < n)", "for (; i < n; i += gridDim.x * 256)"
        ),
        PROGRAM.replace("(n + 255) / 256, 256", "1, 256").replace("if (i < n) ", ""),
    ],
    ids=["a grid by the size", "a loop over the grid", "a kernel without a bound"],
)
def test_a_grid_that_may_be_meant_is_left_alone(text: str) -> None:
    assert launch_fixes.blocks_for_all(candidate(text)) is None


@pytest.mark.parametrize("given", ["256>>>", "256, 0>>>", "256, 256>>>"])
def test_an_array_of_one_element_a_thread_gets_its_bytes(given: str) -> None:
    found = launch_fixes.with_shared_bytes(candidate(DYNAMIC.replace("256>>>", given)))
    assert found is not None
    assert found[0] == DYNAMIC.replace("256>>>", "256, 256 * sizeof(float)>>>")


def test_the_threads_of_a_dim3_are_counted() -> None:
    text = DYNAMIC.replace(LAUNCH, f"    dim3 block(16, 16);\n{LAUNCH.replace('256>>>', 'block>>>')}")
    found = launch_fixes.with_shared_bytes(candidate(text))
    assert found is not None and "<<<(n + 255) / 256, block, block.x * block.y * sizeof(float)>>>" in found[0]


@pytest.mark.parametrize("text", [PROGRAM, DYNAMIC.replace("256>>>", "256, 2 * 256 * sizeof(float)>>>")])
def test_bytes_that_are_given_or_not_needed_stay(text: str) -> None:
    assert launch_fixes.with_shared_bytes(candidate(text)) is None


def test_pointers_get_the_type_that_the_tensors_hold() -> None:
    text = PROGRAM.replace("data_ptr<float>", "data_ptr<at::Half>").replace(
        "(const float* x, float* y, int n)", "(const at::Half* x, at::Half* y, int n)"
    )
    assert launch_fixes.pointers_of(candidate(text), "Half", "Float") == (PROGRAM, 15)
    assert launch_fixes.pointers_of(candidate(PROGRAM), "Half", "Float") is None


def test_variables_that_hold_pointers_get_the_type_as_well() -> None:
    right = LAUNCH.replace("x.data_ptr<float>(), y.data_ptr<float>()", "given, made")
    right = f"    float* given = x.data_ptr<float>();\n    float* made = y.data_ptr<float>();\n{right}"
    wrong = right.replace("float", "at::Half")
    text = PROGRAM.replace(LAUNCH, wrong).replace("(const float* x, float* y,", "(const at::Half* x, at::Half* y,")
    found = launch_fixes.pointers_of(candidate(text), "Half", "Float")
    assert found is not None and found[0] == PROGRAM.replace(LAUNCH, right)
