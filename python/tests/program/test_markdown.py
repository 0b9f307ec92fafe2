"""A language model's answer: the program is found, and its lines stay those of the answer."""

import pytest

from kernelgate.program import ProgramError, Source, read
from kernelgate.program.advice import advise

MODEL = "class ModelNew:\n    pass"


def check(markdown: str, expected: dict[int, str]) -> None:
    """`expected`: the lines of the program that are not empty, by number."""
    candidate = read(Source(markdown, "answer.md"))
    lines = candidate.python.split("\n")
    assert {number: line for number, line in enumerate(lines, start=1) if line.strip()} == expected


FOUND = {3: "class ModelNew:", 4: "    pass"}


@pytest.mark.parametrize(
    "markdown",
    [
        f"Here:\n```python\n{MODEL}\n```\nDone.",
        f"Here:\n```py\n{MODEL}\n```",
        f"Here:\n```\n{MODEL}\n```",
        f"Here:\n~~~python\n{MODEL}\n~~~",
        f"Here:\n````python\n{MODEL}\n````",
        f"Here:\n```python\n{MODEL}",
        f"Here:\n``` {{.python}}\n{MODEL}\n```",
        f"1. Here:\n   ```python\n   {MODEL.replace(chr(10), chr(10) + '   ')}\n   ```",
    ],
    ids=["labelled", "py", "unlabelled", "tildes", "four", "never closed", "braces", "in a list"],
)
def test_the_block_that_defines_model_new_is_the_program(markdown):
    check(markdown, FOUND)


def test_the_last_definition_counts():
    check(
        f"First\n```python\nclass ModelNew: x = 1\n```\nBetter\n```python\n{MODEL}\n```",
        {7: "class ModelNew:", 8: "    pass"},
    )


def test_a_usage_example_is_left_out():
    check(f"Here:\n```python\n{MODEL}\n```\nUse it:\n```python\nModelNew()(x).cuda()\n```", FOUND)


def test_an_earlier_block_is_added_where_the_program_needs_its_names():
    check(
        "```python\nSOURCE = ''\n```\n```python\nOTHER = 1\n```\n"
        "```python\nclass ModelNew:\n    source = SOURCE\n```",
        {2: "SOURCE = ''", 8: "class ModelNew:", 9: "    source = SOURCE"},
    )


def test_cuda_beside_a_python_program_is_left_out():
    check(
        f"```python\n{MODEL}\n```\n```cpp\n__global__ void k() {{}}\n```",
        {2: "class ModelNew:", 3: "    pass"},
    )


def test_places_are_those_of_the_answer():
    candidate = read(Source(f"Here:\n```python\n{MODEL}\n```", "answer.md"))
    place = candidate.place(3)
    assert place.line == 3
    assert [line.text for line in place.excerpt] == [
        "Here:",
        "```python",
        "class ModelNew:",
        "    pass",
        "```",
    ]


@pytest.mark.parametrize(
    "last",
    ["class ModelNew:\n    ...as above", "class ModelNew:\n    x = defined_nowhere"],
    ids=["no Python", "a name that nobody defines"],
)
def test_the_last_whole_program_counts(last):
    check(f"Here:\n```python\n{MODEL}\n```\nOr, shortly:\n```python\n{last}\n```", FOUND)


def test_the_report_says_which_block_is_the_program():
    text = f"```python\nx = 1\n```\n```python\n{MODEL}\n```\n```python\nprint(x)\n```"
    assert [each.text for each in advise(read(Source(text, "answer.md")))] == [
        "The answer has 3 blocks of code; the program is that of lines 5 to 6"
    ]
    assert advise(read(Source(f"```python\n{MODEL}\n```", "answer.md"))) == []


def test_an_answer_that_was_copied_from_its_first_line_of_code_on_is_read() -> None:
    program = "import torch\nclass ModelNew(torch.nn.Module):\n    pass\n"
    usage = "\n```python\nmodel = ModelNew()\n```\n"
    candidate = read(Source(f"{program}```\n\nThis kernel is fast.\n{usage}", "cell [4]"))
    assert candidate.python.strip() == program.strip()


def test_what_stands_above_a_fence_is_no_program_where_it_defines_none() -> None:
    with pytest.raises(ProgramError):
        read(Source("import torch\n```\nThis kernel is fast.\n", "cell [4]"))
