"""A fault of a kernel in a notebook cell is shown at its line of the cell, in words."""

from __future__ import annotations

import pytest
from judge.examined import MISSING_BARRIER, OFF_BY_ONE, UNWRITTEN, leaky, line_of

from kernelgate.emulator import supported

from .kernels import Kernel

pytestmark = [
    pytest.mark.skipif(supported() is not None, reason=f"no emulation here: {supported()}"),
    pytest.mark.drawn,
]


@pytest.mark.parametrize(
    ("body", "code", "words", "next_step"),
    [
        (
            MISSING_BARRIER,
            ("s[t ^ 32] = ", "float v = s[t];"),
            "Data race: two threads write and read `s[",
            "Put __syncthreads() between the two",
        ),
        (
            OFF_BY_ONE,
            ("x[i + 1]",),
            "Illegal memory access: read just past the end of `x`",
            "Check the index against the size",
        ),
        (
            UNWRITTEN,
            ("float v = s[t];",),
            "Uninitialised read: read of `s[0]`, which nothing has written",
            "Write every element before it is read",
        ),
    ],
    ids=["a missing __syncthreads", "an off-by-one read", "an unwritten shared array"],
)
def test_a_fault_is_shown_at_its_line_of_the_cell(
    loaded: Kernel, body: str, code: tuple[str, ...], words: str, next_step: str
) -> None:
    cell = "%%leakyrelu_cuda --device emulated\n\n" + leaky(body)
    done = loaded.run(cell, cell_id="faulty")
    report = done.report
    failure = report["failure"]
    number = int(loaded.run("print(len(In) - 2)").text)
    assert report["verdict"]["outcome"] == "fail"
    assert words.lower() in report["verdict"]["sentence"].lower()
    assert failure["where"]["label"] == f"cell [{number}]"
    assert failure["where"]["line"] in [line_of(cell, words) for words in code]
    (marked,) = [row for row in failure["where"]["excerpt"] if row["marked"]]
    assert any(words in marked["text"] for words in code)
    assert failure["next_step"].startswith(next_step)
