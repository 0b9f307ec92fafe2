"""Explains why a candidate does not compile: one sentence, the person's line, one next step.

In: what the worker says of a failed build, which is not trusted, and the candidate.
Out: `Failure`. A fix is given only where it is certain to fix the error named; the judge proves it.
Not here: exceptions (`repair.exception_advice`), the log's formats (`repair.compiler_log`).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Literal, NamedTuple

from kernelgate.cuda_source import functions
from kernelgate.messages.failures import CompilerFailed, Diagnostic
from kernelgate.program.candidate import Candidate
from kernelgate.repair import rewrites
from kernelgate.repair.binding_errors import (
    defined_twice,
    functions_beside_module,
    kernels_in_cpp,
    misnamed_declaration,
    misnamed_extension,
    undeclared_in_module,
)
from kernelgate.repair.compiler_log import bounded_log, parse_compiler_log
from kernelgate.repair.exception_advice import explain_inputs, explain_raised
from kernelgate.repair.failed_build import Explained, FailedBuild, missing_header, undeclared_name
from kernelgate.repair.flag_errors import unknown_flag
from kernelgate.repair.hidden_names import HIDDEN_NAMES
from kernelgate.repair.includes import header_of
from kernelgate.repair.insertion import insertion
from kernelgate.repair.known_errors import KNOWN_ERRORS
from kernelgate.repair.line_edits import rewritten
from kernelgate.repair.name_errors import NAME_ERRORS, stream_of_torch, tensor_in_small_letters
from kernelgate.repair.pointer_errors import POINTER_ERRORS
from kernelgate.repair.python_in_cpp import PYTHON_IN_CPP
from kernelgate.repair.units import Units
from kernelgate.report.bounded import one_line
from kernelgate.report.types import Edit, Failure

__all__ = ["explain_compiler", "explain_inputs", "explain_raised", "parse_compiler_log"]

# A prototype with these words alone means in cpp_sources what it means in cuda_sources.
_KNOWN_WORDS = re.compile(
    r"(?:torch|at|c10|std|Tensor|TensorOptions|ScalarType|IntArrayRef|optional|vector|tuple|string|const|unsigned"
    r"|signed|void|bool|char|short|int|long|float|double|size_t|u?int(?:8|16|32|64)_t)"
)


_INSTALL = {
    "nvcc": "Install the CUDA toolkit and set CUDA_HOME",
    "g++": "Install it: sudo apt install g++, sudo dnf install gcc-c++, or conda install -c conda-forge gxx",
    "c++": "Install it: sudo apt install g++, sudo dnf install gcc-c++, or conda install -c conda-forge gxx",
}
_CUTLASS = (
    "CUTLASS",
    "Install it: pip install nvidia-cutlass, and pass the folder of its headers in extra_include_paths",
)
_OF_THE_TOOLKIT = "Install the whole CUDA toolkit and set CUDA_HOME"
_LIBRARIES = {
    "cutlass": _CUTLASS,
    "cute": _CUTLASS,
    "cudnn": ("cuDNN", "Install it: pip install nvidia-cudnn-cu13, and pass the folder of its headers"),
    "nccl": ("NCCL", "Install it: pip install nvidia-nccl-cu13, and pass the folder of its headers"),
    "nvshmem": ("NVSHMEM", "Install it: pip install nvidia-nvshmem-cu13, and pass the folder of its headers"),
    "cublas_v2": ("cuBLAS", _OF_THE_TOOLKIT),
    "cublasLt": ("cuBLAS", _OF_THE_TOOLKIT),
    "cufft": ("cuFFT", _OF_THE_TOOLKIT),
    "curand": ("cuRAND", _OF_THE_TOOLKIT),
    "cusparse": ("cuSPARSE", _OF_THE_TOOLKIT),
    "cusolverDn": ("cuSOLVER", _OF_THE_TOOLKIT),
}
_MAX_FIX = 4000  # characters, as in `report.types`


class BuildFailed(NamedTuple):
    """The verdict's sentence and the failure. `lacks`: what the machine lacks, as half a sentence; "" if it is the
    program that is wrong."""

    sentence: str
    failure: Failure
    lacks: str


def explain_compiler(candidate: Candidate, failed: CompilerFailed) -> BuildFailed:
    """Of the first error.

    The units compile at the same time and end in any order: main.cpp is looked at first, then cuda.cu, then
    the rest, so that the same program always fails for the same reason.
    """
    diagnostics = failed.diagnostics or parse_compiler_log(failed.log)
    order = {"main.cpp": 0, "cuda.cu": 1}
    errors = sorted(
        (each for each in diagnostics if each.severity == "error"), key=lambda e: order.get(e.unit, 2)
    )
    log, log_lines = bounded_log(failed.log)
    build = FailedBuild(candidate, failed, errors, Units(candidate, failed, diagnostics))
    if errors:
        first = errors[0]
        explained = next(found for rule in _RULES if (found := rule(build, first)) is not None)
        what = f"error: {_without_strange_guess(build, first.message)}"
    else:
        what = _last_words(failed.log)
        explained = Explained(
            "the build ended without naming an error",
            build.units.argument_place("name"),
            "Read the end of the compiler's output",
        )
    fits = explained.fix is not None and len(explained.fix) <= _MAX_FIX
    failure = Failure(
        stage="build",
        what=one_line(what, 600),
        where=explained.place,
        next_step=one_line(explained.next_step, 600),
        fix=explained.fix if fits else None,
        edit=explained.edit if fits else None,
        log=log,
        log_lines=log_lines,
    )
    lacks = one_line(explained.about, 400) if explained.lacks else ""
    return BuildFailed(one_line(f"Does not compile: {explained.about}", 600), failure, lacks)


def _without_strange_guess(build: FailedBuild, message: str) -> str:
    """The message without a compiler's guess at a name that is not the program's own, as PyInit_k is not for k."""
    said, _, guess = message.partition("; did you mean ")
    words = re.findall(r"\w+", guess)
    own = f"{build.failed.cpp_sources}\n{build.failed.cuda_sources}"
    return message if words and re.search(rf"\b{words[-1]}\b", own) else said


def _undeclared_binding(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A name in `functions` that cpp_sources does not declare, where load_inline binds it."""
    name = undeclared_name(error)
    if error.unit != "main.cpp" or name not in build.failed.functions:
        return None
    defined = [each for each in functions.functions(build.failed.cuda_sources) if each.name == name]
    hosts = [each for each in defined if each.kind == "host"]
    if any(each.kind == "kernel" for each in defined) and not hosts:
        return _kernel_listed(build, name)
    if not hosts:
        return _defined_nowhere(build, name)
    if all(each.hidden for each in hosts):
        return Explained(
            f"{name} is static, a template or in an unnamed namespace",
            build.units.argument_place("functions"),
            f"Make {name} an ordinary function, and declare it in cpp_sources",
        )
    misnamed = misnamed_declaration(build, name, hosts)
    if misnamed is not None:
        return misnamed
    fix = _prototypes(build)
    several = fix is not None and "\n" in fix
    return Explained(
        f"cpp_sources declares no {name}",
        build.units.argument_place("cpp_sources"),
        f"Add {'these declarations' if several else 'this declaration'} to cpp_sources"
        if fix is not None
        else f"Declare {name} in cpp_sources, as cuda_sources defines it",
        fix,
        _insertion(build, "cpp_sources", fix, "end") if fix is not None else None,
    )


def _kernel_listed(build: FailedBuild, name: str) -> Explained:
    """functions names a kernel: the host functions that the program calls are meant."""
    sources = build.failed.cuda_sources
    hosts = {
        each.name
        for each in functions.functions(sources)
        if each.kind == "host" and each.defined and not each.hidden and not each.namespaces
    }
    called = [host for host in sorted(hosts) if re.search(rf"\.{host}\b", build.candidate.python)]
    unlisted = [host for host in called if host not in build.failed.functions]
    call = build.candidate.extension(build.failed.extension, build.failed.call_line)
    changed = None
    step = f"Write a host function that launches {name}, and name that one in functions"
    if call is not None and not re.search(rf"\.{name}\b", build.candidate.python):
        if len(unlisted) == 1:
            changed = rewrites.listed_instead(build.candidate, call, name, unlisted[0])
            step = f"Name {unlisted[0]} in functions, which launches it"
        elif called and not unlisted:
            changed = rewrites.listed_instead(build.candidate, call, name, None)
            step = f"Take {name} out of functions"
    found = rewritten(build.candidate, changed) if changed is not None else None
    return Explained(
        f"{name} is a CUDA kernel, and functions names host functions",
        build.units.argument_place("functions"),
        step,
        *(found or (None, None)),
    )


def _insertion(build: FailedBuild, argument: str, fix: str, at: Literal["top", "end"]) -> Edit | None:
    call = build.candidate.extension(build.failed.extension, build.failed.call_line)
    return insertion(build.candidate, call, argument, fix, at)


def _defined_nowhere(build: FailedBuild, name: str) -> Explained:
    """functions names what no source defines: nothing calls it, or another function is meant."""
    sources = f"{build.failed.cpp_sources}\n{build.failed.cuda_sources}"
    known = [each.name for each in functions.functions(sources) if each.kind == "host" and not each.hidden]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5) or (known if len(set(known)) == 1 else [])
    meant = f"; likely cause: {near[0]} is meant" if near else ""
    define = f"Define {name} in cuda_sources, or correct its name in functions{meant}"
    step = define
    call = build.candidate.extension(build.failed.extension, build.failed.call_line)
    changed = None
    if call is not None and not re.search(rf"\.{name}\b", build.candidate.python):
        unneeded = not near or near[0] in build.failed.functions
        changed = rewrites.listed_instead(build.candidate, call, name, None if unneeded else near[0])
        step = f"Take {name} out of functions" if unneeded else f"Name {near[0]} in functions"
    elif call is not None and near and near[0] not in build.failed.functions:
        changed = rewrites.listed_instead(build.candidate, call, name, near[0])
        step = f"Name {near[0]} in functions, and call it by that name"
    found = rewritten(build.candidate, changed) if changed is not None else None
    return Explained(
        f"no function {name} is defined",
        build.units.argument_place("functions"),
        step if found is not None else define,
        *(found or (None, None)),
    )


def _prototypes(build: FailedBuild) -> str | None:
    """Declarations of all undeclared functions; None where one of them is not certain."""
    lines = []
    for name in dict.fromkeys(undeclared_name(each) for each in build.errors if each.unit == "main.cpp"):
        if name not in build.failed.functions:
            continue
        hosts = [
            each
            for each in functions.functions(build.failed.cuda_sources)
            if each.name == name and each.kind == "host"
        ]
        prototypes = {each.prototype for each in hosts if not each.hidden}
        # Two of a name: the binding would not know which. cpp_sources knows no types of the program's own.
        if len(prototypes) != 1 or hosts[0].namespaces or not _portable(hosts[0]):
            return None
        lines.append(prototypes.pop())
    return "\n".join(lines) or None


def _portable(function: functions.Function) -> bool:
    types = [function.returns, *(parameter.type for parameter in function.parameters)]
    words = [word for text in types for word in re.findall(r"[A-Za-z_]\w*", text)]
    return all(_KNOWN_WORDS.fullmatch(word) for word in words)


def _missing_header(build: FailedBuild, error: Diagnostic) -> Explained | None:
    header = missing_header(error)
    if header is None:
        return None
    if (library := _LIBRARIES.get(re.split(r"[/.]", header)[0])) is not None:
        name, step = library
        return Explained(f"{name} is not installed: there is no {header}", build.units.place(error), step, lacks=True)
    next_step = (
        "Correct the include, or install the library and pass its folder in extra_include_paths"
        if build.units.text(error)
        else "Install the library that has this header, with its development files"
    )
    return Explained(f"there is no header {header}", build.units.place(error), next_step)


def _missing_include(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A well-known name whose header the source does not include."""
    name = undeclared_name(error)
    if name is None or error.unit not in ("main.cpp", "cuda.cu"):
        return None
    known = header_of(name, build.units.text(error))
    if known is None:
        return None
    used, header = known
    source = build.units.source(error.unit)
    if re.search(rf"^[ \t]*#[ \t]*include[ \t]*[<\"]{re.escape(header)}[>\"]", source, re.MULTILINE):
        return None
    argument = "cuda_sources" if error.unit == "cuda.cu" else "cpp_sources"
    where = "the CUDA source" if build.candidate.language == "cuda" else argument
    fix = f"#include <{header}>"
    return Explained(
        f"{used} needs <{header}>",
        build.units.place(error),
        f"Add this include at the top of {where}",
        fix,
        _insertion(build, argument, fix, "top"),
    )


def _undefined_name(build: FailedBuild, error: Diagnostic) -> Explained | None:
    name = undeclared_name(error)
    if not name:
        return None
    next_step = f"Declare {name} before this line, include its header, or correct the name"
    return Explained(error.message, build.units.place(error), next_step)


def _tool(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """An error of a tool that names no line."""
    if error.line:
        return None
    place = build.units.argument_place("name")
    if "not found" in error.message:
        return Explained(
            f"{error.unit} is not installed",
            place,
            _INSTALL.get(error.unit, f"Install {error.unit}"),
            lacks=True,
        )
    if "Killed signal" in error.message:
        return Explained("the compiler ran out of memory", place, "Free memory, and run again", lacks=True)
    if error.unit == "ld" and "multiple definition" in error.message:
        return Explained(error.message, place, "Define it in one source, and declare it in the other")
    if error.unit == "ld" and (library := re.search(r"cannot find -l(?:cu|nccl|nv)\w+", error.message)) is not None:
        about = f"the library {library[0].removeprefix('cannot find -l')} is not installed"
        return Explained(about, place, "Install the CUDA toolkit with its libraries, or take it out", lacks=True)
    if error.unit == "ld":
        return Explained(error.message, place, "Give the library in extra_ldflags, or define what is missing")
    return Explained(error.message, place, "Correct the source or the compiler flags that this names")


def _any_error(build: FailedBuild, error: Diagnostic) -> Explained | None:
    place = build.units.place(error)
    next_step = "Correct this line" if build.units.text(error) else "Read the compiler's output"
    return Explained(error.message, place, next_step)


# The first one with an answer explains; the last always has one.
_RULES: tuple[Callable[[FailedBuild, Diagnostic], Explained | None], ...] = (
    misnamed_extension,
    functions_beside_module,
    _undeclared_binding,
    undeclared_in_module,
    defined_twice,
    kernels_in_cpp,
    stream_of_torch,
    tensor_in_small_letters,
    *PYTHON_IN_CPP,
    *POINTER_ERRORS,
    unknown_flag,
    *KNOWN_ERRORS,
    _tool,
    _missing_header,
    _missing_include,
    *NAME_ERRORS,
    *HIDDEN_NAMES,
    _undefined_name,
    _any_error,
)


def _last_words(log: str) -> str:
    rows = [row for row in log[-4000:].split("\n") if row.strip() and not row.startswith("ninja:")]
    return rows[-1] if rows else "The compiler gave no output"
