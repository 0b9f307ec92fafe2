"""Undefined names of the input functions, which no run would miss."""

import pytest
from programs import NAMES, real_program

from kernelgate.program import Source, endless_functions, read, undefined_names

HEAD = "import torch\nclass ModelNew: pass\n"


def names(text: str) -> list[str]:
    return [each.name for each in undefined_names(read(Source(HEAD + text, "f.py")))]


def test_003_0_misses_in_features_first_and_at_its_earliest_line():
    assert undefined_names(real_program("003-0"))[0] == ("in_features", 72, "get_inputs")
    assert [each.name for each in undefined_names(real_program("003-0"))] == [
        "in_features",
        "out_features",
        "multiplier",
        "negative_slope",
        "batch_size",
    ]


@pytest.mark.parametrize("name", [name for name in NAMES if name != "003-0"])
def test_no_other_real_program_misses_a_name(name):
    assert undefined_names(real_program(name)) == []


def test_001_0_calls_itself_for_ever():
    assert [(each.name, each.line) for each in endless_functions(real_program("001-0"))] == [
        ("get_init_inputs", 54),
        ("get_inputs", 51),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def get_inputs():\n    return [torch.rand(n)]", ["n"]),
        ("def get_inputs():\n    return [torch.rand(n)]\nn = 4", []),
        ("def get_inputs():\n    n = 4\n    return [torch.rand(n) for _ in range(n)]", []),
        ("def get_inputs():\n    return [x for x in range(3)] + [lambda: missing]", ["missing"]),
        ("def set():\n    global n\n    n = 1\ndef get_inputs():\n    return [n]", []),
        ("from mine import *\ndef get_inputs():\n    return [n]", []),
        ("globals()['n'] = 1\ndef get_inputs():\n    return [n]", []),
        ("def get_inputs():\n    try:\n        return [n]\n    except NameError:\n        return []", []),
        ("def get_inputs(n=4):\n    return [n, __name__, len]", []),
        ("def other():\n    return n", []),
        ("def get_inputs():\n    return [n]\ndef get_inputs():\n    return []", []),
        ("class A: pass\ndef get_inputs():\n    return [A(), ModelNew]", []),
    ],
)
def test_only_names_that_nothing_defines_are_named(text, expected):
    assert names(text) == expected
