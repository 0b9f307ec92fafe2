"""Explains an exception of a candidate: what happened, the person's line, one next step, and what certainly removes it.

In: a worker's `Raised`, plain data that is not trusted. Out: `Failure`. The judge proves a fix before it is offered.
Not here: compilers (`diagnostics`), the verdict's kind (`judge.verdict`), the changes themselves (`python_fixes`,
`kernel_fixes`, `triton_fixes`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kernelgate.messages.failures import Raised
from kernelgate.program.candidate import Candidate
from kernelgate.program.names import endless_functions, undefined_names
from kernelgate.repair import kernel_fixes, missing, python_fixes, rewrites, triton_fixes
from kernelgate.repair.edits import Fix, rewriting
from kernelgate.report.bounded import one_line
from kernelgate.report.types import Failure, Place, StageName

_MEET_THE_CHECK = (
    "Meet the condition on this line, or relax the check"
)
_NO_IMAGE, _CONFIGURATION, _ARGUMENT = (
    "no kernel image is available",
    "invalid configuration argument",
    "CUDA error: invalid argument",
)
_NOT_IN_TRITON = re.compile(r"module 'triton\.language(?:\.math)?' has no attribute '(\w+)'")


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
        "FileNotFoundError",
        r"No such file or directory: '(?:[^']*/)?(?P<name>[^'/]+\.(?:cu|cuh|cpp|cc|c|h))'",
        "There is no file {name}",
        "Put the source into the program as a text, and build it by load_inline",
    ),
    _Rule(
        "RuntimeError",
        r"Ninja is required",
        "",
        "Install ninja where the notebook's kernel runs: pip install ninja",
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
        ".*Error",
        _NO_IMAGE,
        "",
        "Compile for this device: take -gencode and TORCH_CUDA_ARCH_LIST out of the program",
    ),
    _Rule(
        ".*Error", _CONFIGURATION, "", "Launch with at most 1024 threads a block, and with no dimension of 0"
    ),
    _Rule(
        ".*Error",
        _ARGUMENT,
        "",
        "Check the arguments of the CUDA call: the size of a copy to a symbol; above 48 KB of dynamic shared memory, "
        "cudaFuncSetAttribute before the launch",
    ),
    _Rule(
        ".*Error",
        r"illegal memory access|misaligned address",
        "",
        "Check the kernel's index against the size",
    ),
    _Rule(
        "RuntimeError",
        r"Expected all tensors to be on the same device",
        "",
        "Bring it to the device of the input: x.cuda(), or make it with device=input.device; register what a module "
        "keeps as a buffer",
    ),
    _Rule(
        "InterfaceError", r"(?P<all>.*)", "{all}", "Correct the class that is derived from KernelInterface"
    ),
    _Rule("RecursionError", r"", "", "End the recursion: a function calls itself for ever"),
    _Rule("TypeError", r"not an nn\.Module$", "", "Derive it: class ModelNew(nn.Module)"),
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
    what, next_step = _words(candidate, raised, doing, tuple(constructor))
    failure = Failure(
        stage=stage,
        what=one_line(what, 600),
        where=_place(candidate, raised, unit_text, constructing=doing.startswith("constructing")),
        next_step=one_line(next_step, 600),
    )
    return with_fix(failure, _certain_fix(candidate, raised, problem))


def with_fix(failure: Failure, fix: Fix | None) -> Failure:
    """The failure, with a fix if there is one."""
    if fix is not None:
        failure.fix, failure.edit, failure.next_step = fix.text, fix.edit, one_line(fix.next_step, 600)
    return failure


def explain_inputs(candidate: Candidate, problem: str = "") -> Failure | None:
    """Why the program's own input functions cannot run, as their text shows; None if it shows nothing.

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


def _certain_fix(candidate: Candidate, raised: Raised, problem: str) -> Fix | None:
    """What certainly removes the exception, if the program's text shows it."""
    if (
        raised.type == "ModuleNotFoundError"
        and (found := missing.NO_MODULE.match(raised.message)) is not None
    ):
        return python_fixes.import_interface(candidate, found["name"])
    if raised.type == "InterfaceError":
        return python_fixes.listed_functions(candidate, _frame_line(raised))
    if _NO_IMAGE in raised.message:
        step = "Take the flags that name architectures out: PyTorch's are those of this GPU"
        return rewriting(candidate, rewrites.without_an_architecture(candidate), step)
    if _ARGUMENT in raised.message:  # what a launch with too much shared memory gives
        return kernel_fixes.allowed_memory(candidate)
    if raised.type == "AttributeError" and (found := _NOT_IN_TRITON.match(raised.message)) is not None:
        return triton_fixes.from_libdevice(candidate, found[1])
    if raised.type == "NameError" and (found := re.search(r"name '(\w+)'", raised.message)) is not None:
        name = found[1]
        return python_fixes.missing_import(candidate, name) or python_fixes.define_names(
            candidate, [name], problem
        )
    return None


def _words(candidate: Candidate, raised: Raised, doing: str, constructor: tuple[str, ...]) -> tuple[str, str]:
    absent = missing.NO_MODULE.match(raised.message)
    if raised.type == "ModuleNotFoundError" and absent is not None:
        return raised.message, missing.next_step(absent["name"])
    symbol = _undefined_symbol(raised)
    declared = symbol is not None and rewrites.declared_at(candidate, symbol) is not None
    if symbol is not None and declared and not rewrites.is_defined(candidate, symbol):
        return f"{symbol} is declared, and no source defines it", f"Define {symbol}, or correct its name"
    if symbol is not None:
        return (
            f"{symbol} is declared, but not defined with these parameter types",
            f"Let the declaration of {symbol} in cpp_sources match its definition",
        )
    if _of_construction(raised, doing):
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


def _of_construction(raised: Raised, doing: str) -> bool:
    """Whether ModelNew's constructor does not take what Model's does."""
    words = r"__init__\(\)|takes no arguments|missing .* argument"
    return (
        raised.type == "TypeError"
        and doing.startswith("constructing")
        and re.search(words, raised.message) is not None
    )


def _raised_words(raised: Raised, doing: str) -> str:
    message = raised.message.strip()
    return f"{raised.type} while {doing}: {message}" if message else f"{raised.type} while {doing}"


def _constructor_step(constructor: tuple[str, ...]) -> str:
    if constructor:
        return f"Give ModelNew the constructor of Model: __init__(self, {', '.join(constructor)})"
    return "Give ModelNew the constructor of Model, which takes no arguments"


def _place(candidate: Candidate, raised: Raised, unit_text: str | None, *, constructing: bool) -> Place:
    line = _frame_line(raised)
    method = re.search(r"(\w+)\(\) (?:takes \d+ positional|missing \d+ required)", raised.message)
    if line is None and (constructing or method is not None):
        return candidate.place(
            _method_line(candidate, "__init__" if constructing or method is None else method[1])
        )
    if raised.unit is not None and raised.unit_line is not None and unit_text is not None:
        return candidate.cuda_place(raised.unit, unit_text, raised.unit_line, line)
    symbol = _undefined_symbol(raised)
    if symbol is not None and (declared := rewrites.declared_at(candidate, symbol)) is not None:
        return candidate.place(declared)
    if symbol is not None or (line is None and raised.extension is not None):
        call = candidate.extension(raised.extension, line)
        line = call.line_of("cpp_sources") if call is not None else line
    return candidate.place(line)


def _undefined_symbol(raised: Raised) -> str | None:
    """The function that an extension calls and nothing defines; its name follows its length in the symbol."""
    found = re.search(r"undefined symbol: _Z(\d{1,3})(\w+)", raised.message)
    return found[2][: int(found[1])] if found is not None else None


def _frame_line(raised: Raised) -> int | None:
    return next((frame.line for frame in reversed(raised.frames) if frame.in_candidate), None)


def _method_line(candidate: Candidate, name: str) -> int | None:
    """The line of a method of ModelNew; of the class, if it has none of its own."""
    for node in candidate.tree.body:
        if isinstance(node, ast.ClassDef) and node.name == "ModelNew":
            own = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == name]
            return own[0].lineno if own else node.lineno
    return None
