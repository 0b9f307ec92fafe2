"""Launches that C++ cannot read are named with their line, and those of macros are left to the compiler."""

from __future__ import annotations

import pytest

from kernelgate.cuda_source.launches import bad_launches

HOST = "void f(float* x, int n) {{\n    int blocks = (n + 255) / 256;\n    {launch};\n}}\n"


@pytest.mark.parametrize(
    ("launch", "lacks"),
    [
        ("k<<<blocks, 256>>(x, n)", '">>>"'),
        ("k<<<blocks, 256> > >(x, n)", '">>>"'),
        ("k<<<blocks, 256(x, n)", '">>>"'),
        ("k<float><<<blocks, 256>>>", '"("'),
        ("k<<<blocks, 256>>>(x, n", '")"'),
    ],
)
def test_what_a_launch_lacks_is_said_in_the_words_of_nvcc(launch: str, lacks: str) -> None:
    assert list(bad_launches(HOST.format(launch=launch))) == [(3, f"expected a {lacks}")]


@pytest.mark.parametrize(
    "launch",
    [
        "k<<<blocks, 256>>>(x, n)",
        "k<A<B<int>>><<<blocks, dim3(8, 8), sizeof(float) * (n >> 3), stream>>>(x, n)",
        "k<<<blocks,\n        256,\n        0>>>(\n        x, n)",
        "x[n << 2] = n >> 3",
        '// k<<<blocks, 256>>(x, n)\n    log("k<<<1, 1>>(x)")',
    ],
)
def test_a_launch_that_is_whole_and_what_is_none_are_taken(launch: str) -> None:
    assert list(bad_launches(HOST.format(launch=launch))) == []


def test_a_launch_of_which_a_macro_holds_a_part_is_taken() -> None:
    macro = "#define LAUNCH(kernel) kernel<<<1, 256>>>\n" + HOST.format(launch="LAUNCH(k)(x, n)")
    assert list(bad_launches(macro)) == []
