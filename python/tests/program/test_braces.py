"""CUDA in a text that Python formats: its braces are doubled where that is certain, and nowhere else."""

from __future__ import annotations

import pytest

from kernelgate.program import ProgramError, Source, read
from kernelgate.report.edits import edited

PROGRAM = """import torch
import torch.nn as nn
BLOCK = 256
SOURCE = {prefix}\"\"\"
__global__ void k(float* x) {{
    if (threadIdx.x < {field}) {{
        x[threadIdx.x] = 1;
    }}
}}
\"\"\"{call}
class ModelNew(nn.Module):
    pass
"""


def program(prefix: str, field: str, call: str = "") -> str:
    return PROGRAM.format(prefix=prefix, field=field, call=call)


def right(prefix: str, field: str, call: str = "") -> str:
    """The program with the braces of C++ doubled."""
    rows = program(prefix, field, call).split("\n")
    for at in range(4, 9):
        rows[at] = rows[at].replace("{", "{{").replace("}", "}}").replace("{{" + field[1:-1] + "}}", field)
    return "\n".join(rows)


def refused(text: str, first_line: int = 1) -> ProgramError:
    with pytest.raises(ProgramError) as raised:
        read(Source(text, "cell [4]", first_line))
    return raised.value


@pytest.mark.parametrize("prefix", ["f", "F", "fr", "Rf"])
@pytest.mark.parametrize("field", ["{BLOCK}", "{BLOCK * 2}", "{BLOCK:d}"])
def test_braces_of_an_fstring_are_doubled_but_around_names_of_the_program(prefix: str, field: str) -> None:
    text = program(prefix, field)
    error = refused(text)
    assert error.what.startswith("Not valid Python: C++'s braces in an f-string") and error.edit is not None
    assert 4 <= (error.line or 0) <= 10
    assert edited(text, error.edit) == right(prefix, field)
    assert read(Source(edited(text, error.edit), "cell [4]")).kernels == ("k",)


def test_the_edit_counts_lines_as_the_cell_does() -> None:
    text = program("f", "{BLOCK}")
    error = refused(text, first_line=3)
    assert error.edit is not None and edited(text, error.edit, 3) == right("f", "{BLOCK}")


@pytest.mark.parametrize(
    "text",
    [
        program("f", "{BLOCK}").replace("{\n    if", "{{\n    if"),  # some are doubled: which, nobody knows
        program("f", "{BLOCK}").replace("__global__ void", "static int"),  # no CUDA
        program("f", "{BLOCK}") + "def f(:\n",  # another error stands in the program as well
        program("", "256") + "f'{'\n",
    ],
)
def test_a_doubt_about_braces_leaves_the_text(text: str) -> None:
    assert refused(text).edit is None
