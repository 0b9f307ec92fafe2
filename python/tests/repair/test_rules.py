"""Each rule of repair explains its examples, and fixes them if that is certain.

Errors of g++ are those that it printed for the programs; those of nvcc and the linker are in the format that the tools
document.
"""

from __future__ import annotations

import pytest
from built import failed_build
from rule_program import PROGRAM

from kernelgate.program import Source, read
from kernelgate.repair.diagnostics import RULES, explain_compiler
from kernelgate.repair.rule import Example
from kernelgate.report.edits import edited

EXAMPLES = {f"{each.says}, {at}": each for at, each in enumerate(one for rule in RULES for one in rule.examples)}


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=EXAMPLES.keys())
def test_an_error_of_a_compiler_is_explained_and_fixed_if_that_is_certain(example: Example) -> None:
    assert not example.right or PROGRAM.count(example.right) == 1
    text = PROGRAM.replace(example.right, example.wrong) if example.right else PROGRAM
    candidate = read(Source(text, "cell [4]"))
    sentence, failure, *_lacks = explain_compiler(candidate, failed_build(candidate, example.log))
    assert sentence == f"Does not compile: {example.says}"
    assert failure.where is not None and failure.where.line == example.line and failure.next_step
    if example.fixed is None:
        assert failure.fix is None and failure.edit is None
        return
    assert failure.edit is not None
    include = f"{failure.fix}\n" if failure.next_step.startswith("Add this include") else ""
    fixed = text.replace(example.wrong, example.fixed).replace('SOURCE = """\n', f'SOURCE = """\n{include}')
    assert edited(text, failure.edit) == fixed


def test_every_rule_but_the_last_has_an_example() -> None:
    assert all(rule.examples for rule in RULES[:-1])


def test_a_name_that_g_plus_plus_guesses_is_written_only_if_it_is_near() -> None:
    right, wrong = "twice<<<(n + 255) / 256", "int blocks = (n + 255) / 256; twice<<<block"
    candidate = read(Source(PROGRAM.replace(right, wrong), "cell [4]"))
    log = "cuda.cu:11:42: error: 'block' was not declared in this scope; did you mean '{}'?"
    sentence, failure, *_lacks = explain_compiler(candidate, failed_build(candidate, log.format("blocks")))
    assert sentence == "Does not compile: block is not declared; likely cause: blocks is meant"
    assert failure.next_step == "Write blocks, or declare block before this line"
    assert failure.edit is not None and edited(PROGRAM.replace(right, wrong), failure.edit) == PROGRAM.replace(
        right, wrong.replace("<<<block", "<<<blocks")
    )
    _, failure, *_lacks = explain_compiler(candidate, failed_build(candidate, log.format("lock_t")))
    assert failure.edit is None
