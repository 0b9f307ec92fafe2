"""A language model's answer: its lines stay those of the answer. Which block counts: `test_answers`."""

import pytest

from kernelgate.program import ProgramError, Source, read
from kernelgate.program.advice import advise

MODEL = "class ModelNew:\n    pass"


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
