"""What a program needs of other cells: names that it does not bind, and the newest statements that do."""

import ast

import pytest

from kernelgate.program import Source, read
from kernelgate.program.names import free_names, gathered


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("x = torch.ones(n)", {"torch", "n"}),
        ("def f(a):\n    b = a\n    return [c + b for c in d]", {"d"}),
        ("try:\n    pass\nexcept ValueError as error:\n    print(error)", set()),
        ("class A(nn.Module):\n    size = 3\n    def forward(self): return size", {"nn", "size"}),
        ("def f():\n    global made\n    made = 1\ndef g(): return made", set()),
        ("match x:\n    case [first, *rest]: print(first, rest)", {"x"}),
        ("import torch.nn as nn\nf = lambda x: nn.ReLU()(x) if __name__ else scale", {"scale"}),
    ],
)
def test_a_free_name_is_one_that_neither_the_text_nor_python_binds(text: str, free: set[str]) -> None:
    assert free_names(ast.parse(text)) == free


def test_what_is_imported_again_below_is_taken_from_above_its_use() -> None:
    cell = "import torch.nn as nn\nclass Model(nn.Module): pass\nimport torch.nn as nn\nclass ModelNew(nn.Module): pass"
    assert [one.first_line for one in gathered({"Model"}, [(cell, "cell [1]")])] == [1, 2]


def test_the_newest_cell_counts_and_what_is_needed_comes_first() -> None:
    cells = [
        ("print(1)\n@cached\ndef f():\n    return scale", "cell [3]"),
        ("def f(): pass\nscale = one; one = 1", "cell [2]"),
        ("one = 1.0\nfrom functools import cache as cached", "cell [1]"),
    ]
    passages = gathered({"f", "absent"}, cells)
    # A statement that shares its line is written anew, and has no place.
    assert [(one.text, one.label, one.first_line) for one in passages] == [
        ("from functools import cache as cached", "cell [1]", 2),
        ("one = 1", "cell [2]", 0),
        ("scale = one", "cell [2]", 0),
        ("@cached\ndef f():\n    return scale", "cell [3]", 2),
    ]


def test_a_line_of_another_cell_is_placed_there_and_others_stay_where_they_were() -> None:
    above = (Source("K = '''\n__global__ void k() {}\n'''", "cell [1]", 4), Source("import torch", "cell [2]", 0))
    text = "from __future__ import annotations\nclass ModelNew: pass\nx = 1"
    candidate = read(Source(text, "cell [5]", 2, above))
    compile(candidate.python, "program", "exec")
    places = [candidate.place(line) for line in range(1, 8)]
    assert [(place.label, place.line) for place in places] == [
        ("cell [5]", 2),
        ("cell [1]", 4),
        ("cell [1]", 5),
        ("cell [1]", 6),
        ("cell [2]", None),
        ("cell [5]", 3),
        ("cell [5]", 4),
    ]
    assert candidate.kernels == ("k",) and candidate.line(3) is None
    assert candidate.reading == "The program is this cell with what it uses of cell [1] and cell [2]"
