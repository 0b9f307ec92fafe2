"""Explains an exception of a candidate: what happened, the person's line, one next step.

In: a worker's `Raised`, plain data that is not trusted. Out: `Failure`.
Not here: compilers (`build.diagnostics`), the verdict's kind (`judge.verdict`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kernelgate.build import python_fixes, rewrites
from kernelgate.messages.failures import Raised
from kernelgate.program import braces
from kernelgate.program.candidate import Candidate
from kernelgate.program.names import endless_functions, undefined_names
from kernelgate.report.bounded import one_line
from kernelgate.report.types import Failure, Place, StageName

_INSTALLABLE = {
    "apex",
    "cuda",
    "cupy",
    "cutlass",
    "einops",
    "flash_attn",
    "jax",
    "ninja",
    "numba",
    "numpy",
    "pybind11",
    "pycuda",
    "scipy",
    "tilelang",
    "torchvision",
    "transformer_engine",
    "transformers",
    "triton",
    "xformers",
}


_NO_MODULE = re.compile(r"No module named '(?P<name>[\w.]+)'")
_NO_NAME = re.compile(r"cannot import name '(?P<name>\w+)' from '(?P<module>[\w.]+)'")
# at::TensorBase::data_ptr<__half>() and its kin are declared, and defined nowhere.
_HALF_POINTER = re.compile(r"undefined symbol: \w*data_ptrI(?:6__half|13__nv_bfloat16)E")
_NO_ATTRIBUTE = re.compile(r"module '?(?P<name>[\w.]*)'? ?has no attribute '(?P<missing>\w+)'")
_MEET_THE_CHECK = (
    "Call it so that the condition which this line states holds, or let the check allow this input"
)
_ON_THE_DEVICE = (
    "Bring it to the device of the input: x.cuda(), or make it with device=input.device; register what a module "
    "keeps as a buffer"
)


@dataclass(frozen=True)
class _Rule:
    """`what` and `next_step` are formatted with the groups of `message`; an empty `what` keeps the exception's own
    words.
    """

    type: str
    message: str
    what: str
    next_step: str


_RULES = (
    _Rule("ImportError", r"cannot import name '(?P<name>\w+)'", "", "Correct the name, or remove the import"),
    _Rule(
        "NameError|UnboundLocalError",
        r"(?:name |variable |local variable )'(?P<name>\w+)'",
        "'{name}' is not defined",
        "Define {name} before this line, or correct its name",
    ),
    _Rule(
        "OSError|RuntimeError|FileNotFoundError",
        r"CUDA_HOME|CUDA was not found|nvcc not found",
        "There is no CUDA toolkit here: {whole}",
        "Install the CUDA toolkit and set CUDA_HOME, or run with --device emulated",
    ),
    _Rule(
        "RuntimeError",
        r"Ninja is required",
        "",
        "Install ninja where the notebook's kernel runs: pip install ninja",
    ),
    _Rule(
        "ImportError|OSError",
        r"file too short|invalid ELF header|wrong ELF class",
        "",
        "A build was cut off: remove its folder under ~/.cache/torch_extensions, and run again",
    ),
    _Rule(
        "RuntimeError",
        r"Only a single TORCH_LIBRARY can be used to register the namespace (?P<name>\w+)",
        "",
        "Give the second library another name than {name}, and call its operators by it",
    ),
    _Rule(
        ".*Error",
        r"PTX was compiled with an unsupported toolchain|driver version is insufficient",
        "",
        "Install a newer driver, or an older CUDA toolkit and PyTorch; kernelgate doctor compares them",
    ),
    _Rule(
        "OutOfMemoryError|AcceleratorError|RuntimeError|MemoryError",
        r"out of memory|can't allocate memory|^$",
        "",
        "Free memory on the device, or ask for a smaller --shape",
    ),
    _Rule(
        "TypeError",
        r"(?P<name>\w+)\(\): incompatible function arguments",
        "",
        "Call {name} with the parameters that its C++ declaration takes",
    ),
    _Rule(
        "RuntimeError",
        r"expected scalar type (?P<one>\w+) but found (?P<other>\w+)",
        "",
        "Dispatch on the input's dtype (AT_DISPATCH_FLOATING_TYPES) instead of data_ptr<float>",
    ),
    _Rule(
        ".*Error",
        r"no kernel image is available",
        "",
        "Compile for this device: take -gencode and TORCH_CUDA_ARCH_LIST out of the program",
    ),
    _Rule(
        ".*Error",
        r"invalid configuration argument",
        "",
        "Launch with at most 1024 threads a block, and with no dimension of 0",
    ),
    _Rule(
        ".*Error",
        r"CUDA error: invalid argument",
        "",
        "Check the launch: above 48 KB of dynamic shared memory its kernel needs cudaFuncSetAttribute first",
    ),
    _Rule(
        ".*Error",
        r"illegal memory access|misaligned address",
        "",
        "Check the kernel's index against the size",
    ),
    _Rule("RecursionError", r"", "", "End the recursion: a function calls itself for ever"),
    _Rule("RuntimeError", r"Expected all tensors to be on the same device", "", _ON_THE_DEVICE),
    _Rule(
        "RuntimeError|ValueError|AssertionError",
        r"(?i)\b(?:must|should|has to|expected|needs? to)\b.{0,40}\b(?:cuda|gpu)\b",
        "",
        _ON_THE_DEVICE,
    ),
    _Rule(
        "RuntimeError",
        r"indices should be either on",
        "",
        "Bring both to one device: x.cuda(), or index.cpu()",
    ),
    _Rule(
        "TypeError", r"can't convert \S+ device type tensor to numpy", "", "Copy it first: x.cpu().numpy()"
    ),
    _Rule(
        "AttributeError",
        _NO_ATTRIBUTE.pattern,
        "",
        "Correct the name {missing}: only the names in functions are bound",
    ),
    _Rule(
        "InterfaceError", r"(?P<all>.*)", "{all}", "Correct the class that is derived from KernelInterface"
    ),
    _Rule("TypeError", r"not an nn\.Module$", "", "Derive it: class ModelNew(nn.Module)"),
    _Rule(
        "NotImplementedError",
        r"Could not run '(?P<name>[\w:.]+)' with arguments from the '(?P<missing>\w+)' backend",
        "",
        "Use another operator: PyTorch has no {name} for {missing} tensors",
    ),
    _Rule(
        "NotImplementedError|RuntimeError",
        r"not implemented for '(?P<missing>\w+)'",
        "",
        "Convert the tensor first: the operator takes no {missing}",
    ),
    _Rule("NotImplementedError", r"", "", "Write the part that is left out"),
    _Rule("SystemExit", r"", "The program ended its process", "Remove the call that exits"),
    _Rule("KeyboardInterrupt", r"", "The run was interrupted", "Run again"),
)


def explain_raised(
    candidate: Candidate,
    raised: Raised,
    stage: StageName | None,
    doing: str,
    constructor: Sequence[str] = (),
    problem: str = "",
    unit_text: str | None = None,
) -> Failure:
    """Why the candidate raised.

    doing: "importing the program", "constructing ModelNew", "calling ModelNew on case ...".
    constructor: the parameters of the reference's constructor, for a ModelNew that does not take them.
    problem: the reference's text, which may define a name that the candidate lacks.
    unit_text: the C++ source that `raised.unit` names, for the line of a check in it.
    """
    what, next_step = _words(raised, doing, tuple(constructor))
    if _takes_braces_for_fields(candidate, raised):
        what = f"format() takes C++'s braces for fields of its own: {_raised_words(raised, doing)}"
        next_step = "Write {{ for { and }} for } in the source, or put the value in with replace()"
    failure = Failure(
        stage=stage,
        what=one_line(what, 600),
        where=_place(candidate, raised, unit_text, constructing=doing.startswith("constructing")),
        next_step=one_line(next_step, 600),
    )
    return with_fix(failure, _fix(candidate, raised, problem))


def _fix(candidate: Candidate, raised: Raised, problem: str) -> python_fixes.Fix | None:
    """What certainly removes the exception, where the program's text shows it."""
    if raised.type == "ModuleNotFoundError" and (found := _NO_MODULE.match(raised.message)) is not None:
        name = found.group("name")
        return python_fixes.import_interface(candidate, name) or python_fixes.unused_import(candidate, name)
    if raised.type == "ImportError" and (found := _NO_NAME.match(raised.message)) is not None:
        return python_fixes.unused_import(candidate, found.group("module"), found.group("name"))
    symbol = _undefined_symbol(raised)
    if symbol is not None:
        return python_fixes.matching_declaration(candidate, symbol)
    if _HALF_POINTER.search(raised.message):
        return python_fixes.half_pointers(candidate)
    if raised.type == "AttributeError" and (found := _NO_ATTRIBUTE.search(raised.message)) is not None:
        return python_fixes.bound_name(candidate, found.group("missing"))
    if "invalid configuration argument" in raised.message:
        return python_fixes.smaller_blocks(candidate)
    if "CUDA error: invalid argument" in raised.message:  # what a launch with too much shared memory gives
        return python_fixes.allowed_memory(candidate)
    if _takes_braces_for_fields(candidate, raised):
        return python_fixes.doubled_braces(candidate, _frame_line(raised) or 0)
    if raised.type == "InterfaceError":
        return python_fixes.listed_functions(candidate, _frame_line(raised))
    if raised.type == "NameError" and (found := re.search(r"name '(\w+)'", raised.message)) is not None:
        return python_fixes.define_names(candidate, [found.group(1)], problem)
    return None


def _takes_braces_for_fields(candidate: Candidate, raised: Raised) -> bool:
    line = _frame_line(raised)
    return (
        raised.type in ("KeyError", "ValueError", "IndexError")
        and line is not None
        and braces.formatting_call(candidate.tree, line) is not None
    )


def with_fix(failure: Failure, fix: python_fixes.Fix | None) -> Failure:
    """The failure, with a fix where there is one."""
    if fix is not None:
        failure.fix, failure.edit, failure.next_step = fix.text, fix.edit, one_line(fix.next_step, 600)
    return failure


def explain_inputs(candidate: Candidate, problem: str = "") -> Failure | None:
    """Why the program's own input functions cannot run, as their text shows; None where it shows nothing.

    problem: the reference's text, which may define the names that are missing.
    The judge draws its inputs from the problem, so that no run would find this.
    """
    missing = undefined_names(candidate)
    for use in missing[:1]:
        failure = Failure(
            stage="build",
            what=one_line(f"'{use.name}' is not defined", 600),
            where=candidate.source.place(use.line),
            next_step=one_line(f"Define {use.name} at module level, as the problem does", 600),
        )
        names = (one.name for one in missing)
        return with_fix(failure, python_fixes.define_names(candidate, names, problem))
    for endless in endless_functions(candidate)[:1]:
        failure = Failure(
            stage="build",
            what=one_line(f"{endless.name} calls itself for ever", 600),
            where=candidate.source.place(endless.line),
            next_step=one_line(f"Remove {endless.name}: the problem's own is used", 600),
        )
        return with_fix(failure, python_fixes.remove_function(candidate, endless.name))
    return None


def _words(raised: Raised, doing: str, constructor: tuple[str, ...]) -> tuple[str, str]:
    missing = _NO_MODULE.match(raised.message)
    if raised.type == "ModuleNotFoundError" and missing is not None:
        return raised.message, _get_module(missing.group("name"))
    if _HALF_POINTER.search(raised.message):
        return (
            "PyTorch defines no data_ptr for CUDA's half types",
            "Ask for PyTorch's type, and cast: reinterpret_cast<__half*>(x.data_ptr<at::Half>())",
        )
    symbol = _undefined_symbol(raised)
    if symbol is not None:
        return (
            f"{symbol} is declared, but not defined with these parameter types",
            f"Let the declaration of {symbol} in cpp_sources match its definition",
        )
    at_construction = raised.type == "TypeError" and doing.startswith("constructing")
    if at_construction and re.search(r"__init__\(\)|takes no arguments|missing .* argument", raised.message):
        return _raised_words(raised, doing), _constructor_step(constructor)
    for rule in _RULES:
        found = re.search(rule.message, raised.message)
        if found is not None and re.fullmatch(rule.type, raised.type):
            groups = {name: text or "" for name, text in found.groupdict().items()} | {
                "whole": raised.message
            }
            what = rule.what.format_map(groups) if rule.what else _raised_words(raised, doing)
            return what, rule.next_step.format_map(groups)
    if raised.unit_line is not None:
        return _raised_words(raised, doing), _MEET_THE_CHECK
    return _raised_words(raised, doing), "Correct this line" if _frame_line(raised) else "Read the message"


def _undefined_symbol(raised: Raised) -> str | None:
    """The function that an extension calls and nothing defines; its name follows its length in the symbol."""
    found = re.search(r"undefined symbol: _Z(\d{1,3})(\w+)", raised.message)
    return found.group(2)[: int(found.group(1))] if found is not None else None


def _raised_words(raised: Raised, doing: str) -> str:
    message = raised.message.strip()
    return f"{raised.type} while {doing}: {message}" if message else f"{raised.type} while {doing}"


def _get_module(name: str) -> str:
    package = name.split(".")[0]
    if package in _INSTALLABLE:
        return f"Install {package} where the notebook's kernel runs, or replace the import"
    return f"Replace the import: {package} is no known package; if it is your own, install it in this kernel"


def _constructor_step(constructor: tuple[str, ...]) -> str:
    if constructor:
        return f"Give ModelNew the constructor of Model: __init__(self, {', '.join(constructor)})"
    return "Give ModelNew the constructor of Model, which takes no arguments"


def _place(candidate: Candidate, raised: Raised, unit_text: str | None, *, constructing: bool) -> Place:
    line = _frame_line(raised)
    if line is None and constructing:
        return candidate.place(_constructor_line(candidate))
    if raised.unit is not None and raised.unit_line is not None and unit_text is not None:
        return candidate.cuda_place(raised.unit, unit_text, raised.unit_line, line)
    if _HALF_POINTER.search(raised.message) and (asked := rewrites.half_pointers_at(candidate)) is not None:
        return candidate.place(asked)
    symbol = _undefined_symbol(raised)
    if symbol is not None and (declared := rewrites.declared_at(candidate, symbol)) is not None:
        return candidate.place(declared)
    if symbol is not None or (line is None and raised.extension is not None):
        call = candidate.extension(raised.extension, line)
        line = call.line_of("cpp_sources") if call is not None else line
    return candidate.place(line)


def _constructor_line(candidate: Candidate) -> int | None:
    """The line of ModelNew's constructor; of the class, where it has none of its own."""
    for node in candidate.tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "ModelNew":
            own = [
                each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"
            ]
            return own[0].lineno if own else node.lineno
    return None


def _frame_line(raised: Raised) -> int | None:
    return next((frame.line for frame in reversed(raised.frames) if frame.in_candidate), None)
