"""Names that a PYBIND11_MODULE binds, and that no source declares."""

from __future__ import annotations

import pytest
from fault_classes import PROGRAM
from test_fault_classes import failed_build

from kernelgate.messages.failures import Frame, Raised
from kernelgate.program import Source, read
from kernelgate.repair.diagnostics import explain_compiler
from kernelgate.repair.exception_advice import explain_raised
from kernelgate.report.edits import edited

MODULE = 'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", &f); }\n'
BINDS = PROGRAM.replace("    return y;\n}\n", f"    return y;\n}}\n{MODULE}").replace(
    '    functions=["f"],\n', ""
)


def test_a_bound_name_that_nothing_defines_becomes_the_one_that_is_defined() -> None:
    candidate = read(Source(BINDS.replace("&f)", "&f_forward)"), "cell [4]"))
    log = "cuda.cu:14:60: error: 'f_forward' was not declared in this scope"
    sentence, failure, *_lacks = explain_compiler(candidate, failed_build(candidate, log))
    assert sentence == "Does not compile: PYBIND11_MODULE binds f_forward, and no function has that name"
    assert failure.where is not None and failure.where.line == 18 and failure.edit is not None
    assert edited(candidate.source.text, failure.edit) == BINDS


def test_a_module_in_cpp_sources_gets_the_declaration_of_what_it_binds() -> None:
    text = PROGRAM.replace('    functions=["f"],\n', "").replace(
        'cpp_sources="torch::Tensor f(torch::Tensor x);"', f'cpp_sources="""\n{MODULE}"""'
    )
    candidate = read(Source(text, "cell [4]"))
    log = "main.cpp:2:60: error: 'f' was not declared in this scope"
    sentence, failure, *_lacks = explain_compiler(candidate, failed_build(candidate, log))
    assert sentence == "Does not compile: cpp_sources declares no f, which PYBIND11_MODULE binds"
    assert failure.fix == "torch::Tensor f(torch::Tensor x);" and failure.edit is not None
    fixed = edited(text, failure.edit)
    assert fixed.index(failure.fix) < fixed.index("PYBIND11_MODULE")


@pytest.mark.parametrize("second", ["torch::Tensor g(torch::Tensor x) { return x; }\n"])
def test_of_two_functions_none_is_chosen(second: str) -> None:
    text = BINDS.replace("&f)", "&nearly)").replace(
        MODULE.replace("&f)", "&nearly)"), second + MODULE.replace("&f)", "&nearly)")
    )
    candidate = read(Source(text, "cell [4]"))
    log = "cuda.cu:15:60: error: 'nearly' was not declared in this scope"
    _, failure, *_lacks = explain_compiler(candidate, failed_build(candidate, log))
    assert failure.fix is None and failure.edit is None


def test_functions_that_python_calls_are_listed_where_nothing_is() -> None:
    text = PROGRAM.replace('    functions=["f"],\n', "")
    message = "dynamic module does not define module export function (PyInit_m)"
    raised = Raised("ImportError", message, [Frame(19, True, "<module>")])
    failure = explain_raised(read(Source(text, "cell [4]")), raised, "build", "importing the program")
    assert failure.what == "load_inline binds nothing: functions is missing, and no source has a PYBIND11_MODULE"
    assert failure.next_step == "List f in functions" and failure.edit is not None
    assert '    functions=["f"],\n)' in edited(text, failure.edit)
