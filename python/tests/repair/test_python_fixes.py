"""Certain fixes of a program's Python: what they write, where, and where there is none."""

import pytest
from built import real_program

from kernelgate.messages.failures import Frame, Raised
from kernelgate.program import Candidate, Source, read
from kernelgate.repair import python_fixes
from kernelgate.repair.edits import Fix
from kernelgate.repair.exceptions import explain_inputs, explain_raised
from kernelgate.report.edits import edited
from kernelgate.report.types import Failure

PROBLEM = "import torch\n\nrows = 2 * 64\ncolumns = (3, 5)\nmade = len('ab')\n"
MODULE = "import torch.nn as nn\n\n\nclass ModelNew(nn.Module):\n    pass\n"
INTERFACE = """from torchind import {names}


class K(KernelInterface):
    def forward(self, x):
        return self.run("leaky_forward", x)

    def backward(self, g, x):
        return self.run('leaky_backward', g, x)

    class Meta:
        functions = {functions}


class ModelNew:
    pass
"""


def candidate(text: str, first_line: int = 1) -> Candidate:
    return read(Source(text, "cell [4]", first_line))


def fixed(text: str, failure: Failure | Fix | None, first_line: int = 1) -> str | None:
    return (
        edited(text, failure.edit, first_line) if failure is not None and failure.edit is not None else None
    )


def test_names_that_only_the_problem_defines_are_defined_below_the_imports():
    text = MODULE + "\n\ndef get_inputs():\n    return [torch.rand(rows, *columns)]\n"
    failure = explain_inputs(
        candidate(text.replace("import torch.nn", "import torch\nimport torch.nn")), PROBLEM
    )
    assert failure is not None and failure.fix == "rows = 2 * 64\ncolumns = (3, 5)"
    after = fixed(text.replace("import torch.nn", "import torch\nimport torch.nn"), failure)
    assert after is not None and after.startswith(
        "import torch\nimport torch.nn as nn\n\nrows = 2 * 64\ncolumns = (3, 5)\n\n\nclass"
    )


def test_a_name_that_the_problem_makes_of_others_brings_them_along():
    problem = "rows = 2 * 64\nfirst, last = 1, rows - 1\n"
    text = MODULE + "\n\ndef get_inputs():\n    return [last]\n"
    failure = explain_inputs(candidate(text), problem)
    assert failure is not None and failure.fix == "rows = 2 * 64\nlast = rows - 1"
    other_rows = explain_inputs(candidate(f"rows = 3\n{text}"), problem)
    assert other_rows is not None and other_rows.fix is None


@pytest.mark.parametrize("name", ["made", "unknown"])
def test_a_name_that_the_problem_computes_or_lacks_gets_no_fix(name):
    text = MODULE + f"\n\ndef get_inputs():\n    return [{name}]\n"
    failure = explain_inputs(candidate(text), PROBLEM)
    assert failure is not None and failure.fix is None and failure.edit is None


def test_a_name_that_is_missing_where_the_program_is_imported_is_defined_too():
    text = MODULE + "\nsize = rows\n"
    raised = Raised("NameError", "name 'rows' is not defined", [Frame(7, True, "<module>")])
    failure = explain_raised(candidate(text, 2), raised, "build", "importing the program", problem=PROBLEM)
    after = fixed(text, failure, first_line=2)
    assert after is not None and "import torch.nn as nn\n\nrows = 2 * 64\n" in after


def test_a_function_that_calls_itself_for_ever_is_removed_and_nothing_else():
    text = MODULE + "\n\ndef get_inputs():\n    return get_inputs()\n\n\nx = 1\n"
    failure = explain_inputs(candidate(text))
    assert failure is not None and failure.fix == ""
    assert fixed(text, failure) == MODULE + "\n\n\n\nx = 1\n"


@pytest.mark.parametrize(
    "body",
    [
        "return [x.cuda() for x in get_inputs()]",
        "inputs = get_inputs()\n    return [x.half() for x in inputs]",
    ],
)
def test_a_function_that_begins_with_a_call_of_itself_is_removed_too(body):
    failure = explain_inputs(candidate(MODULE + f"\n\ndef get_inputs():\n    {body}\n"))
    assert failure is not None and failure.fix == "" and failure.what == "get_inputs calls itself for ever"


@pytest.mark.parametrize(
    "body", ["return [1] if done else get_inputs()", "return done or get_inputs()", "return lambda: get_inputs()"]
)
def test_a_function_that_may_end_is_left_alone(body):
    assert explain_inputs(candidate(MODULE + f"\n\ndone = 1\n\n\ndef get_inputs():\n    {body}\n")) is None


def interface(
    functions: str = '["relu_forward", "relu_backward"]', names: str = "KernelInterface, Tensor"
) -> str:
    return INTERFACE.format(functions=functions, names=names)


def test_an_interface_from_a_package_that_does_not_exist_is_ours():
    after = fixed(interface(), python_fixes.import_interface(candidate(interface()), "torchind"))
    assert after is not None and after.startswith(
        "from kernelgate import KernelInterface\nfrom torch import Tensor\n\n\nclass K"
    )


@pytest.mark.parametrize("names", ["KernelInterface, Fused", "Tensor"])
def test_an_import_of_other_names_is_not_guessed_at(names):
    assert python_fixes.import_interface(candidate(interface(names=names)), "torchind") is None


def test_an_interface_runs_the_functions_that_it_lists():
    fix = python_fixes.listed_functions(candidate(interface()), 6)
    after = fixed(interface(), fix)
    assert after == interface().replace("leaky_", "relu_")


@pytest.mark.parametrize(
    "functions",
    [
        '["forward_a", "forward_b", "backward"]',
        '["one", "two"]',
        "list_of_them",
        '["leaky_forward", "leaky_backward"]',
    ],
)
def test_a_function_that_is_not_certain_is_not_guessed_at(functions):
    assert python_fixes.listed_functions(candidate(interface(functions)), 6) is None


def test_a_program_cut_out_of_an_answer_whose_lines_differ_gets_no_edit():
    text = "Here it is:\n\n```python\n" + interface() + "```\n"
    fix = python_fixes.import_interface(candidate(text), "torchind")
    after = fixed(text, fix)
    assert after is None or after == text.replace(
        "from torchind import KernelInterface, Tensor",
        "from kernelgate import KernelInterface\nfrom torch import Tensor",
    )


def test_the_real_programs_have_their_fixes():
    missing = Raised("ModuleNotFoundError", "No module named 'torchind'", [Frame(3, True, "<module>")])
    for name in ("002-0", "002-1"):
        failure = explain_raised(real_program(name), missing, "build", "importing the program")
        assert failure.fix == "from kernelgate import KernelInterface\nfrom torch import Tensor"
    failure = explain_inputs(real_program("001-0"))
    assert (
        failure is not None and failure.fix == "" and failure.edit is not None and failure.edit.replaces == 2
    )


def test_an_import_that_is_missing_is_added_below_the_others():
    text = MODULE + "\nsize = math.pi\n"
    raised = Raised("NameError", "name 'math' is not defined", [Frame(7, True, "<module>")])
    failure = explain_raised(candidate(text), raised, "build", "importing the program")
    assert failure.next_step == "Add this import: math is not defined"
    assert fixed(text, failure) == text.replace("as nn\n", "as nn\nimport math\n", 1)
