"""Small errors of Python's syntax are put right where that makes the whole text parse."""

from __future__ import annotations

import pytest

from kernelgate.program import Source, read
from kernelgate.program.source import ProgramError
from kernelgate.report.edits import edited

PROGRAM = """import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        x = x * (2 + 1)
        return x
"""
FAULTS = {
    "a multiplication sign": ("x * (2 + 1)", "x \u00d7 (2 + 1)"),
    "no-break spaces in two rows": ("x = x * (2 + 1)\n        return x", "x\u00a0= x * (2 + 1)\n        return\u00a0x"),
    "prose above": ("import torch.nn as nn\n", "Here is the program:\n\nimport torch.nn as nn\n"),
    "prose below": ("        return x\n", "        return x\n\nThis is one kernel, and it's fast.\n"),
    "Model in place of ModelNew": ("class ModelNew", "class Fast"),
}


@pytest.mark.parametrize(("right", "wrong"), FAULTS.values(), ids=FAULTS)
def test_a_small_error_of_syntax_is_put_right(right: str, wrong: str) -> None:
    text = PROGRAM.replace(right, wrong)
    with pytest.raises(ProgramError) as caught:
        read(Source(text, "mine.py"))
    assert caught.value.edit is not None and caught.value.line is not None
    fixed = edited(text, caught.value.edit)
    added = "\n\nModelNew = Fast\n" if "Fast" in wrong else ""
    assert fixed.rstrip("\n") == (text + added if added else PROGRAM).rstrip("\n")


def test_what_no_small_change_puts_right_is_left_to_the_person() -> None:
    with pytest.raises(ProgramError) as caught:
        read(Source(PROGRAM.replace("return x", "return x x x"), "mine.py"))
    assert caught.value.edit is None and caught.value.next_step == "Correct this line"
