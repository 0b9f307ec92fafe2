"""Every class of fault that programs of language models have: a failing program, what is said of it, and its fix.

Errors of g++ are those that this machine's printed for the programs; those of nvcc, the linker and the driver are in
the format that the tools document.
"""

from __future__ import annotations

import pytest
from fault_classes import COMPILED, PROGRAM, Fault
from name_faults import NAMES, POINTERS, PYTHON
from syntax_faults import CALLS_AND_SYNTAX

from kernelgate.messages.failures import CompilerFailed, Frame, Raised
from kernelgate.program import Candidate, Source, read
from kernelgate.repair.compiler_log import parse_compiler_log
from kernelgate.repair.diagnostics import explain_compiler
from kernelgate.repair.exception_advice import explain_raised
from kernelgate.repair.rewrites import qualified
from kernelgate.report.edits import edited
from kernelgate.report.types import Failure


def _program(fault: Fault) -> Candidate:
    assert PROGRAM.count(fault.right) == 1 or not fault.right
    text = PROGRAM.replace(fault.right, fault.wrong) if fault.right else PROGRAM
    if "schema" in fault.sentence:
        text = text.replace(
            '    return y;\n}\n"""', '    return y;\n}\nTORCH_LIBRARY(m, l) { l.def("f", &f); }\n"""'
        )
        text = text.replace("TORCH_LIBRARY(m, l) { l", "TORCH_LIBRARY(m, m) { m")
    return read(Source(text, "cell [4]"))


def failed_build(candidate: Candidate, log: str) -> CompilerFailed:
    call = candidate.extensions[0]
    return CompilerFailed(
        extension=call.name or "m",
        log=log,
        diagnostics=parse_compiler_log(log),
        cpp_sources=call.cpp_sources or "",
        cuda_sources=next(each.value for each in candidate.literals if "#include" in each.value),
        functions=list(call.functions),
        call_line=call.line,
    )


def _fixed(candidate: Candidate, failure: Failure) -> str:
    assert failure.edit is not None
    return edited(candidate.source.text, failure.edit)


FAULTS = {**COMPILED, **CALLS_AND_SYNTAX, **PYTHON, **POINTERS, **NAMES}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_an_error_of_a_compiler_is_explained_and_fixed_where_that_is_certain(fault: Fault) -> None:
    candidate = _program(fault)
    sentence, failure, *_lacks = explain_compiler(candidate, failed_build(candidate, fault.log))
    assert sentence == f"Does not compile: {fault.sentence}"
    assert failure.where is not None and failure.where.line == fault.line
    assert failure.next_step.startswith(fault.step)
    if fault.fixed == "":
        assert failure.fix is None and failure.edit is None
        return
    after = fault.right if fault.fixed is None else fault.fixed
    before = candidate.source.text
    include = f"{failure.fix}\n" if fault.step.startswith("Add this include") else ""
    expected = before.replace('SOURCE = """\n', f'SOURCE = """\n{include}').replace(fault.wrong, after)
    if "twice<scalar_t>" in after:
        kernel = "__global__ void twice(const {0}* x, {0}* y, int n) {{"
        template = f"template <typename scalar_t>\n{kernel.format('scalar_t')}"
        expected = expected.replace(kernel.format("float"), template)
    assert _fixed(candidate, failure) == expected


DISPATCH = PROGRAM.replace(
    "    return y;", '    AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "f", ([&] { one<scalar_t>(); }));\n    return y;'
)


@pytest.mark.parametrize(
    ("missing", "macro"),
    [
        ("Half", "AT_DISPATCH_FLOATING_TYPES_AND_HALF("),
        ("BFloat16", "AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, "),
        ("Long", "AT_DISPATCH_ALL_TYPES("),
    ],
)
def test_a_dispatch_gets_the_type_that_its_list_lacks(missing: str, macro: str) -> None:
    candidate = read(Source(DISPATCH, "cell [4]"))
    raised = Raised("NotImplementedError", f"\"f\" not implemented for '{missing}'", [Frame(31, True, "forward")])
    failure = explain_raised(candidate, raised, "check", "calling ModelNew")
    assert _fixed(candidate, failure) == DISPATCH.replace("AT_DISPATCH_FLOATING_TYPES(", macro)


@pytest.mark.parametrize(("name", "missing"), [("g", "Half"), ("f", "ComplexFloat"), ("f", "Bool")])
def test_a_dispatch_of_pytorch_itself_and_a_type_of_no_list_leave_the_program(name: str, missing: str) -> None:
    raised = Raised("NotImplementedError", f"\"{name}\" not implemented for '{missing}'", [Frame(31, True, "forward")])
    failure = explain_raised(read(Source(DISPATCH, "cell [4]")), raised, "check", "calling ModelNew")
    assert failure.fix is None and failure.next_step.startswith("Convert the tensor first")


RAISED = {
    "an import that does not exist and that nothing uses": (
        ("import torch\n", "import torch\nimport torchfast\n"),
        Raised("ModuleNotFoundError", "No module named 'torchfast'", [Frame(2, True, "<module>")]),
        "Remove the import: nothing uses torchfast",
    ),
    "a module within one that does not exist, in one statement with another": (
        ("import torch\n", "import torchfast.ops as ops, torch\n"),
        Raised("ModuleNotFoundError", "No module named 'torchfast'", [Frame(1, True, "<module>")]),
        "Remove the import: nothing uses torchfast",
    ),
    "a module of nearly that name": (
        ("from torch.utils.cpp_extension import", "from torch.utils.cpp_extensions import"),
        Raised("ModuleNotFoundError", "No module named 'torch.utils.cpp_extensions'", [Frame(3, True, "<module>")]),
        "Import torch.utils.cpp_extension instead",
    ),
    "a name that a module lacks and that nothing uses": (
        ("import load_inline\n", "import load_inline, load_fast\n"),
        Raised(
            "ImportError",
            "cannot import name 'load_fast' from 'torch.utils.cpp_extension' (/torch/utils/cpp_extension.py)",
            [Frame(3, True, "<module>")],
        ),
        "Remove the import: nothing uses load_fast",
    ),
    "a function that is bound by another name": (
        ("return ext.f(x)", "return ext.forward(x)"),
        Raised("AttributeError", "module 'm' has no attribute 'forward'", [Frame(29, True, "forward")]),
        "Call f, the name that is bound",
    ),
    "an import that is missing": (
        ("from torch.utils.cpp_extension import load_inline\n", ""),
        Raised("NameError", "name 'load_inline' is not defined", [Frame(18, True, "<module>")]),
        "Add this import: load_inline is not defined",
    ),
    "an argument of load_inline that is misspelt": (
        ('functions=["f"]', 'function=["f"]'),
        Raised(
            "TypeError", "load_inline() got an unexpected keyword argument 'function'", [Frame(19, True, "<module>")]
        ),
        "Write functions",
    ),
    "flags in one text": (
        ('["-O3", "--use_fast_math"]', '"-O3 --use_fast_math"'),
        Raised(
            "TypeError",
            "load_inline takes a list of flags as extra_cuda_cflags, and each letter of a text is no flag",
            [Frame(19, True, "<module>")],
        ),
        "Pass extra_cuda_cflags as a list",
    ),
    "a module that is called": (
        ("return ext.f(x)", "return ext(x)"),
        Raised("TypeError", "'module' object is not callable", [Frame(30, True, "forward")]),
        "Call f, which the module binds",
    ),
    "a definition by another name than the one that is declared": (
        ("torch::Tensor f(torch::Tensor x) {", "torch::Tensor f_cuda(torch::Tensor x) {"),
        Raised("ImportError", "m.so: undefined symbol: _Z1fN2at6TensorE", [Frame(19, True, "<module>")]),
        "Define it as f, the name that is declared and bound",
    ),
    "a declaration that differs from its definition": (
        ("torch::Tensor f(torch::Tensor x);", "torch::Tensor f(torch::Tensor x, double s);"),
        Raised("ImportError", "m.so: undefined symbol: _Z1fN2at6TensorEd", [Frame(19, True, "<module>")]),
        "Declare f in cpp_sources as cuda_sources defines it",
    ),
}


@pytest.mark.parametrize(("change", "raised", "step"), RAISED.values(), ids=RAISED.keys())
def test_an_exception_is_fixed_where_that_is_certain(
    change: tuple[str, str], raised: Raised, step: str
) -> None:
    candidate = read(Source(PROGRAM.replace(change[0], change[1], 1), "cell [4]"))
    failure = explain_raised(candidate, raised, "build", "importing the program")
    assert failure.next_step == step
    assert _fixed(candidate, failure) == PROGRAM


@pytest.mark.parametrize(
    ("kind", "message", "step"),
    [
        ("ImportError", "/cache/m.so: file too short", "A build was cut off: remove its folder"),
        (
            "RuntimeError",
            "Only a single TORCH_LIBRARY can be used to register the namespace mine; please put all",
            "Give the second library another name than mine",
        ),
        (
            "AcceleratorError",
            "CUDA error: the provided PTX was compiled with an unsupported toolchain.",
            "Install a newer driver, or an older CUDA toolkit",
        ),
        (
            "RuntimeError",
            "Ninja is required to load C++ extensions",
            "Install ninja where the notebook's kernel runs",
        ),
    ],
)
def test_what_a_machine_lacks_has_a_next_step_and_no_fix(kind: str, message: str, step: str) -> None:
    failure = explain_raised(
        read(Source(PROGRAM, "cell [4]")),
        Raised(kind, message, [Frame(19, True, "<module>")]),
        "build",
        "importing",
    )
    assert failure.next_step.startswith(step) and failure.fix is None


def test_a_pointer_to_cudas_half_is_asked_for_by_pytorchs_name_and_cast() -> None:
    text = PROGRAM.replace("y.data_ptr<float>()", "y.data_ptr<__half>()")
    message = "m.so: undefined symbol: _ZNK2at10TensorBase8data_ptrI6__halfEEPT_v"
    raised = Raised("ImportError", message, [Frame(19, True, "<module>")])
    candidate = read(Source(text, "cell [4]"))
    failure = explain_raised(candidate, raised, "build", "importing the program")
    assert failure.where is not None and failure.where.line == 15
    assert _fixed(candidate, failure) == text.replace(
        "y.data_ptr<__half>()", "reinterpret_cast<__half*>(y.data_ptr<at::Half>())"
    )


NEAR_MISSES = {
    "an import that something is taken from": (
        PROGRAM.replace("import torch\n", "import torch\nimport torchfast\n").replace(
            "ext.f(x)", "torchfast.f(x)"
        ),
        Raised("ModuleNotFoundError", "No module named 'torchfast'", [Frame(2, True, "<module>")]),
    ),
    "a name that is missing and used": (
        PROGRAM.replace("import load_inline\n", "import load_inline, load_fast\n").replace("ext.f(x)", "load_fast(x)"),
        Raised(
            "ImportError",
            "cannot import name 'load_fast' from 'torch.utils.cpp_extension' (/torch/utils/cpp_extension.py)",
            [Frame(3, True, "<module>")],
        ),
    ),
    "a function that may be one of two": (
        PROGRAM.replace('functions=["f"]', 'functions=["g1", "g2"]').replace("ext.f(x)", "ext.g(x)"),
        Raised("AttributeError", "module 'm' has no attribute 'g'", [Frame(29, True, "forward")]),
    ),
    "two definitions of a function": (
        PROGRAM.replace(
            "torch::Tensor f(torch::Tensor x);", "torch::Tensor f(torch::Tensor x, double s);"
        ).replace(
            "    return y;\n}\n", "    return y;\n}\ntorch::Tensor f(torch::Tensor x, int s) { return x; }\n"
        ),
        Raised("ImportError", "m.so: undefined symbol: _Z1fN2at6TensorEd", [Frame(19, True, "<module>")]),
    ),
    "a declaration that only a comment makes": (
        PROGRAM.replace(
            '"torch::Tensor f(torch::Tensor x);"', '"// torch::Tensor f(torch::Tensor x, double s);"'
        ),
        Raised("ImportError", "m.so: undefined symbol: _Z1fN2at6TensorEd", [Frame(19, True, "<module>")]),
    ),
}


@pytest.mark.parametrize(("text", "raised"), NEAR_MISSES.values(), ids=NEAR_MISSES.keys())
def test_a_doubt_leaves_the_program_as_it_is(text: str, raised: Raised) -> None:
    failure = explain_raised(read(Source(text, "cell [4]")), raised, "build", "importing the program")
    assert failure.fix is None and failure.edit is None


@pytest.mark.parametrize("literal", ["rows", "one row"])
def test_a_namespace_is_written_where_a_name_is_used_and_not_in_includes_comments_and_strings(literal: str) -> None:
    unseen = '#include <vector>\n// a vector of one\nconst char* about = "vector";\n'
    text = PROGRAM.replace("#include <cuda_runtime.h>\n", f"{unseen}#include <cuda_runtime.h>\n")
    wrong, right = "    vector<int> sizes; // vector", "    std::vector<int> sizes; // vector"
    text = text.replace("    int n = x.numel();", f"{wrong}\n    int n = x.numel();")
    after = text.replace(wrong, right)
    if literal == "one row":
        declared = '"torch::Tensor f(torch::Tensor x); vector<int> g();"'
        text = PROGRAM.replace('"torch::Tensor f(torch::Tensor x);"', declared)
        after = text.replace(" vector<int> g", " std::vector<int> g")
    candidate = read(Source(text, "cell [4]"))
    source = next(each.value for each in candidate.literals if "vector<int>" in each.value)
    assert qualified(candidate, source, "vector", "std::vector") == after


def test_a_declaration_that_is_extern_c_is_made_that_of_the_definition() -> None:
    declared = "'torch::Tensor f(torch::Tensor x);'"
    right = PROGRAM.replace('"torch::Tensor f(torch::Tensor x);"', declared)
    candidate = read(Source(right.replace(declared, declared.replace("'torch", "'extern \"C\" torch")), "cell [4]"))
    raised = Raised("ImportError", "m.so: undefined symbol: f", [Frame(19, True, "<module>")])
    failure = explain_raised(candidate, raised, "build", "importing the program")
    assert failure.what == 'f is declared extern "C", and its definition is not'
    assert _fixed(candidate, failure) == right
