"""The examples that the page reads too: which block of an answer counts, and which cell defines what."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from kernelgate.program.kind import bindings
from kernelgate.program.markdown import code_in
from kernelgate.program.parsing import python_tree

# src/notebook/programs reads the same.
EXAMPLES = json.loads((Path(__file__).parents[1] / "fixtures/answers.json").read_text())
NAMES = ("Model", "ModelNew", "get_inputs", "get_init_inputs")


@pytest.mark.parametrize("cell", EXAMPLES["cells"], ids=lambda cell: cell["text"][:30])
def test_a_cell_defines_the_names_that_it_binds_as_a_module(cell: dict[str, Any]) -> None:
    tree = python_tree(cell["text"])
    assert [name for name in NAMES if tree is not None and any(True for _ in bindings(tree, name))] == cell["binds"]


@pytest.mark.parametrize("answer", EXAMPLES["answers"], ids=lambda answer: answer["what"])
def test_of_an_answer_the_last_whole_program_counts_with_what_it_needs(answer: dict[str, Any]) -> None:
    code = code_in(answer["text"])
    assert code is not None and code.language == "python"
    lines = code.text.split("\n")
    assert [number for number, line in enumerate(lines, start=1) if line.strip()] == answer["lines"]
