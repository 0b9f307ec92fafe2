"""Reading Python: what is taken, what is refused, with the person's line and one next step."""

import ast
import contextlib
import hashlib
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from programs import NAMES, real_program

from kernelgate.program import MAX_SOURCE_BYTES, ProgramError, Source, advise, parsing, read, unreadable

MODEL = "import torch.nn as nn\nclass ModelNew(nn.Module):\n    pass\n"


def refusal(text: str, first_line: int = 1) -> ProgramError:
    with pytest.raises(ProgramError) as caught:
        read(Source(text, "cell [4]", first_line))
    return caught.value


@pytest.mark.parametrize(
    ("text", "makes"),
    [
        ("side = torch.cuda.Stream()", True),
        ("CUDA = 'auto side = c10::cuda::getStreamFromPool();'", True),
        ("CUDA = 'cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking);'", True),
        ("CUDA = 'auto stream = at::cuda::getCurrentCUDAStream();'", False),
        ("with torch.cuda.stream(given): pass", False),
    ],
)
def test_a_program_that_makes_a_stream_is_known_by_what_makes_it(text: str, makes: bool) -> None:
    assert read(Source(MODEL + text + "\n", "cell [4]")).makes_streams == makes


@pytest.mark.parametrize(
    ("name", "kernels"),
    [
        ("000-0", ("leaky_relu_kernel",)),
        ("000-1", ()),
        ("002-0", ("leaky_relu_forward_kernel", "leaky_relu_backward_kernel")),
        ("003-1", ("scaling_leaky_relu_kernel",)),
    ],
)
def test_the_kernels_of_a_real_program_are_found_in_its_strings(name, kernels):
    assert real_program(name).kernels == kernels


@pytest.mark.parametrize("name", NAMES)
def test_a_real_program_is_executed_as_it_stands(name):
    candidate = real_program(name)
    assert candidate.python == candidate.source.text
    assert candidate.sha256 == hashlib.sha256(candidate.source.text.encode()).hexdigest()
    assert candidate.line(7) == 7


@pytest.mark.parametrize(
    "text",
    [
        MODEL,
        "class Fast:\n    pass\nModelNew = Fast",
        "ModelNew: type = dict",
        "from mine import *",
        "import torch.nn as nn\nModelNew = nn.LeakyReLU",
        "if True:\n    class ModelNew: pass",
        "ModelNew = make()",
        "\ufeffclass ModelNew: pass",
        "    class ModelNew:\n        pass\n",
        MODEL.replace("\n", "\r\n"),
    ],
)
def test_a_program_that_may_define_a_class_is_taken(text):
    assert read(Source(text, "f.py")).language == "python"


@pytest.mark.parametrize(
    ("text", "what", "line"),
    [
        ("", "the text is empty", None),
        ("%%leakyrelu_cuda\n\n", "the text is empty", None),
        ("x = 1", "defines no ModelNew", None),
        ("import torch.nn as nn\nclass Net(nn.Module): pass", "defines Net, but no ModelNew", 2),
        ("x = 1\nclass ModelNw: pass", "defines ModelNw: did you mean ModelNew?", 2),
        ("class modelNew: pass", "defines modelNew: did you mean ModelNew?", 1),
        ("if x:\n    class New_Model: pass", "defines New_Model: did you mean ModelNew?", 2),
        ("def f():\n    class ModelNew: pass", "the class is not at module level", 2),
        ("\ndef ModelNew(x):\n    return x", "ModelNew is a function, not a class", 2),
        ("ModelNew = 3", "ModelNew is 3, not a class", 1),
        ("ModelNew = lambda x: x", "ModelNew is a function, not a class", 1),
        ("def f(): pass\nModelNew = f", "ModelNew is a function, not a class", 2),
        ("import numpy as ModelNew", "ModelNew is a package, not a class", 1),
        ("class ModelNew: pass\nModelNew = [1]", "ModelNew is a value, not a class", 2),
        ("class ModelNew(nn.Module)\n    pass", "Not valid Python: expected ':'", 1),
        ("class ModelNew: pass\nreturn 1", "Not valid Python: 'return' outside function", 2),
        ('class ModelNew: pass\ns = """never closed', "unterminated triple-quoted string literal", 2),
        ("class ModelNew: pass\n\0", "NUL byte", 2),
        ("class ModelNew: pass\n# \udcff", "not UTF-8", 2),
        ("# -*- coding: latin-1 -*-\nclass ModelNew: pass", "says that its text is latin-1", 1),
        ("#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\nclass ModelNew: pass", "is cp1252", 2),
        ("(" * 5000 + "1" + ")" * 5000, "too many nested parentheses", 1),
        ("x = " + "-" * 200_000 + "1", "nested too deeply", None),
        ("x = " + "1+" * 100_000 + "1", "nested too deeply", None),
        ("Just words.", "Not valid Python", 1),
        ("Words\n```text\nnothing\n```", "No code block holds Python or CUDA C++", None),
        ("```python\nclass ModelNew(:\n    pass\n```", "Not valid Python", 2),
        ("```python\nx = 1\n```", "defines no ModelNew", None),
        ("#include <a>\n__global__ void k() {}", "does not say which operator", 1),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text, what, line):
    error = refusal(text)
    assert what in error.what
    assert error.line == line
    assert error.next_step


def test_lines_of_a_cell_count_its_magic_line():
    assert refusal("x = 1\nclass ModelNew(:", first_line=2).line == 3
    candidate = read(Source(MODEL, "cell [4]", first_line=2))
    assert candidate.place(2).line == 3


def test_a_source_of_100_mb_is_refused_by_its_length_alone():
    assert "100.0 million characters; a program has 1 MB at most" in refusal("x" * 100_000_000).what


def test_the_bound_counts_bytes_and_lets_its_own_value_pass():
    padding = MAX_SOURCE_BYTES - len(MODEL) - 1
    assert read(Source(f"{MODEL}#{'x' * padding}", "f.py"))
    assert "1 MB at most" in refusal(f"{MODEL}#{'é' * padding}").what


def test_notebook_lines_become_empty_and_the_others_keep_their_numbers():
    candidate = read(
        Source("%load_ext kernelgate\n!nvidia-smi\nimport os\n%pwd\nclass ModelNew: pass", "cell [1]")
    )
    assert candidate.python.split("\n") == ["", "", "import os", "", "class ModelNew: pass"]


def test_a_percent_sign_within_a_string_stays():
    text = 'class ModelNew: pass\ns = """\n%d items\n"""'
    assert read(Source(text, "f.py")).python == text


def test_a_commented_kernel_is_none_and_a_bounded_one_is_found_by_its_name():
    comments = "// __global__ void no() {}\n/* __global__ void nor() {} */"
    cuda = f"{comments}\n__global__ void __launch_bounds__(128)\nyes(int n) {{}}"
    assert read(Source(f"{MODEL}s = '''{cuda}'''", "f.py")).kernels == ("yes",)


def test_a_place_shows_two_lines_before_and_after_and_marks_its_own():
    place = real_program("000-0").place(40, column=12)
    assert (place.label, place.line, place.column) == ("cell [4]", 40, 12)
    assert [line.line for line in place.excerpt] == [38, 39, 40, 41, 42]
    assert [line.text.strip() for line in place.excerpt if line.marked] == ['cpp_sources="",']


@pytest.mark.parametrize("line", [None, 0, -1, 10_000])
def test_a_line_that_is_not_there_gives_a_place_without_a_line(line):
    place = real_program("000-0").place(line)
    assert place.line is None
    assert place.excerpt == []


def test_a_refusal_becomes_a_failure_with_an_excerpt():
    source = Source("import os\nclass ModelNew(:\n    pass", "cell [4]", first_line=2)
    failure = unreadable(source, refusal(source.text, first_line=2))
    assert failure.where is not None and failure.where.line == 3
    assert [line.text for line in failure.where.excerpt if line.marked] == ["class ModelNew(:"]


ODD_TEXTS = {
    "functions": lambda n: "class ModelNew: pass\n" + "def f(): return g\n" * n,
    "methods": lambda n: "class ModelNew:\n" + " def f(): return g\n" * n,
    "strings": lambda n: "class ModelNew: pass\n" + "s = '''k'''\n" * n,
    "launches": lambda n: "class ModelNew: pass\ns = '''" + "k<<<1, 2>>>();\n" * n + "'''",
    "words": lambda n: "class a " * n,
    "quotes": lambda n: "'''\n" * n + "(",
    "fences": lambda n: "```\n" * n,
    "blocks": lambda n: "```python\nimport a\nb = a\n```\n" * n,
}
by_odd_text = pytest.mark.parametrize("odd", ODD_TEXTS.values(), ids=ODD_TEXTS)


def read_whole(text: str) -> None:
    with contextlib.suppress(ProgramError):
        advise(read(Source(text, "f.py")))


def lines_executed(text: str) -> int:
    count = 0

    def tracer(_frame: FrameType, event: str, _argument: object) -> object:
        nonlocal count
        count += event == "line"
        return tracer

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        read_whole(text)
    finally:
        sys.settrace(before)
    return count


@by_odd_text
def test_reading_takes_work_by_the_length_of_the_text(odd: Callable[[int], str]) -> None:
    read_whole(odd(10))  # what is done once a process
    assert lines_executed(odd(400)) <= 2.1 * lines_executed(odd(200))


@pytest.mark.parametrize("odd", [ODD_TEXTS["functions"], ODD_TEXTS["methods"]])
def test_what_is_compiled_at_once_does_not_grow_with_the_text(
    odd: Callable[[int], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python compiles n functions of one block in time by n squared."""
    nodes: list[int] = []

    def counted(block: ast.Module, *arguments: Any, **options: Any) -> Any:
        nodes.append(sum(1 for _ in ast.walk(block)))
        return compile(block, *arguments, **options)

    monkeypatch.setattr(parsing, "compile", counted, raising=False)
    read_whole(odd(300))
    assert len(nodes) > 300
    assert max(nodes) < 20


@pytest.mark.parametrize("name", ["launches", "words", "quotes", "fences"])
def test_odd_texts_near_the_bound_are_read(name: str) -> None:
    """Their work is that of regular expressions, which counting lines does not see."""
    read_whole(ODD_TEXTS[name](900_000 // len(ODD_TEXTS[name](1))))


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("return 1", "'return' outside function"),
        ("class A:\n  for a in b:\n    pass\n  break", "'break' outside loop"),
        ("class A:\n  class B:\n    def f(a, a): pass", "duplicate argument 'a' in function definition"),
        ("'''d'''\nx = 1\nfrom __future__ import annotations", "from __future__ imports must occur at the"),
        ("def f():\n  nonlocal x", "no binding for nonlocal 'x' found"),
    ],
)
def test_what_only_compiling_finds_is_refused_with_its_line(text: str, what: str) -> None:
    with pytest.raises(SyntaxError) as right:
        compile(text, "f.py", "exec")
    found = refusal(text)
    assert what in found.what
    assert found.line == right.value.lineno
