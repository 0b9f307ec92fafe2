"""Chooses the lane that builds a program, and says whose fault it is when none does.

In: sources. Out: the lane to begin with, and what a failure in both means.
What a lane lacks must never count as a mistake of the program. So an error counts as the program's only if it is about
the program's own names alone, or if both lanes stop at the same line of the program.
Not here: compiling (`build`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection

from kernelgate.cuda_source.lexer import blank
from kernelgate.emulator.errors import CompileFailed, Diagnostic, Refused
from kernelgate.emulator.translate.refusals import HERE, left_out
from kernelgate.emulator.translate.units import (
    Functions,
    Lane,
    Sources,
    beyond_facade,
    in_torch,
    torch_folder,
)

_UNITS = ("main.cpp", "cuda.cu")
# What programs call cooperative_groups and nvcuda::wmma; CUDA's headers declare neither name.
_NAMES_OF_PROGRAMS = ("cg", "wmma")
# Names that torch's headers, or CUDA's, may have and ours lack.
_OF_TORCH = re.compile(
    r"\b(?:torch|at|c10|py|pybind11|caffe2)::|\b(?:TORCH|AT|C10|PYBIND11)_\w+|\bTensor\w*\b|\bScalar\w*\b"
    r"|\b(?:ATen|c10|torch)/"
)
_OF_CUDA = re.compile(
    r"'(?:\w+::)*(?:__\w+|cuda\w*|cu[A-Z]\w+|CUDART_\w+|atomic\w+|make_\w+|(?:tex|surf)(?:[123]D|Cubemap)\w*|"
    r"h2?(?:exp|log|r?sqrt|sin|cos|tan|floor|ceil|rint|trunc|rcp)\w*|cyl_bessel\w+|r?norm\w*)'"
    r"|'(?:class |struct )?(?:cub|cg|cooperative_groups|nvcuda|wmma|cuda)\b|\bkernelgate\b|: No such file or directory"
)
# PyTorch's headers take half a minute, and can hold neither of these: what begins with two underscores is CUDA's or the
# compiler's, and a macro of PyTorch's has its whole name in one of its headers.
_NEVER_OF_TORCH = re.compile(r"__\w+")
_MACRO_OF_TORCH = re.compile(r"(?:TORCH|AT|C10|PYBIND11)_[A-Z0-9_]+")
# The headers that declare all that a tensor can do, as a method.
_OF_TENSOR = ("ATen/core/TensorBody.h", "ATen/core/TensorBase.h")
# PyTorch had these once; no version that a program may ask for has them.
_REMOVED = re.compile(r"\bTHC?/\w+\.(?:h|cuh|hpp): No such file or directory")
_NO_HEADER_OF_TORCH = re.compile(r"^(?P<name>(?:ATen|c10|torch)/[\w./+-]+): No such file or directory")
# What today's PyTorch takes no more than our own headers do: AT_DISPATCH on x.type() or x.dtype(), a pointer to
# elements of another type, and a tensor where a pointer is meant.
_IN_NEITHER = re.compile(
    r"'const at::DeprecatedTypeProperties' to 'c10::ScalarType'|\bdetail::scalar_type\(caffe2::TypeMeta\)"
    r"|cannot convert '(?:(?:const )?[\w:]+ ?\*|(?:at|torch)::Tensor)' to '(?:const )?[\w:]+ ?\*'"
)
# What PyTorch's own headers say of a type in an operator that a program registers.
_OF_SCHEMA = re.compile(r"INVALID TYPE: \w+ is not supported")
_CUDA_IN_CPP = re.compile(r"\b__global__\b|<<<")
# What the linker says of a function that both sources define, or of two modules in one extension.
_TWICE = re.compile(r"multiple definition of [`']")
_MISSING = re.compile(
    r"'(?:\w+::)*(\w+)(?:<[^']*)?' (?:was not declared|is not a member|has not been declared|does not name|"
    r"is not a class|undeclared)|has no member named '(\w+)'|: No such file or directory"
)
# Whatever else has that name: PyTorch's own class or namespace may have it too.
_NOT_IN_TORCH = re.compile(
    r"'(?:const )?(?:class |struct )?(?:at|c10|torch)::[^']*' has no member named|is not a member of '(?:at|c10|torch)'"
)
_NO_MEMBER = re.compile(r"^'(\w+)' is not a member of '(?:at|c10|torch)'")
_DECLARED_TYPE = re.compile(r"^(?:using|class|struct) (\w+)(?= [={:]|;)", re.MULTILINE)


@functools.cache
def _known_words() -> frozenset[str]:
    """Every word in our own headers: if one of these names is not declared, its #include is missing, here as on a
    GPU."""
    words: set[str] = set()
    for folder in ("include", "torch_cuda", "torch_facade"):
        for path in (HERE / folder).rglob("*"):
            if path.is_file():
                words.update(re.findall(r"[A-Za-z_]\w*", blank(path.read_text(encoding="utf-8"))))
    return frozenset(words)


@functools.cache
def _known_types() -> frozenset[str]:
    """Of PyTorch's types, those that our own headers declare: if one is no member of its namespace, its #include is
    missing, here as on a GPU."""
    folders = (HERE / "torch_facade" / name for name in ("ATen", "c10"))
    texts = [blank(path.read_text(encoding="utf-8")) for folder in folders for path in folder.rglob("*.h")]
    return frozenset(name for text in texts for name in _DECLARED_TYPE.findall(text))


def first_lane(sources: Sources) -> Lane:
    return "real headers" if beyond_facade(sources) and torch_folder() is not None else "facade"


def next_lane(lane: Lane, failed: CompileFailed, sources: Sources) -> Lane | None:
    """The lane to try after `failed`, if that can help."""
    if lane != "facade" or torch_folder() is None:
        return None
    if any(_in_no_lane(error) for error in _first_of_each_file(failed)):
        return None
    firsts = _first_errors(failed)
    speaks = [d for d in firsts if _speaks_of_torch(d, sources) and _may_lack(d, sources.functions)]
    return "real headers" if speaks or not firsts else None


def blame(
    failures: list[CompileFailed], sources: Sources, headers: Collection[str] = ()
) -> CompileFailed | Refused:
    """What to raise when every lane that was tried has failed; the last failure is the best informed. `headers`: names
    of the person's own, which are compiled as they are, without what emulation rewrites in a source."""
    last = failures[-1]
    for error in last.diagnostics:
        if error.severity == "error" and error.unit in headers:
            return _not_built(f"line {error.line} of {error.unit}: {error.message}", None)
    if any(error.severity == "error" and _OF_SCHEMA.search(error.message) for error in last.diagnostics):
        return last
    firsts = _first_errors(last)
    if not firsts and (_TWICE.search(last.log) or not sources.name.isidentifier()):
        return last
    if not firsts:
        return _not_built("the compiler's message names no line of the program", None)
    for error in firsts:
        if error.unit == "main.cpp" and _CUDA_IN_CPP.search(blank(sources.cpp)):
            return last  # which nvcc is not given either
        if _OF_CUDA.search(error.message) and _lacks(error, sources.functions):
            return _not_built(error.message, error)
        if _MISSING.search(error.message) and not _names_function(error, sources.functions):
            for _, what in left_out(sources.cpp if error.unit == "main.cpp" else sources.cuda):
                return Refused(f"{what} (its headers are taken as empty: {error.message})", error.unit, error.line)
    if len(failures) == 1:
        return last
    places = [{(d.unit, d.line) for d in _first_errors(failure)} for failure in failures]
    return last if places[0] & places[1] else _not_built(firsts[0].message, firsts[0])


def _not_built(message: str, error: Diagnostic | None) -> Refused:
    what = f"what this program asks of it, so that it could not build it ({message})"
    return Refused(what, error.unit if error else None, error.line if error else None)


def _first_errors(failed: CompileFailed) -> list[Diagnostic]:
    """The first error of each unit, if it is in the program's own text."""
    return [error for error in _first_of_each_file(failed) if error.unit in _UNITS]


def _first_of_each_file(failed: CompileFailed) -> list[Diagnostic]:
    """Later errors may follow from the first."""
    found: dict[str, Diagnostic] = {}
    for diagnostic in failed.diagnostics:
        if diagnostic.severity == "error":
            found.setdefault(diagnostic.unit, diagnostic)
    return list(found.values())


def _in_no_lane(error: Diagnostic) -> bool:
    """Whether a name or a header is missing that PyTorch's own headers do not have either."""
    if _is_no_header(error) or _IN_NEITHER.search(error.message):
        return True
    missing = _MISSING.search(error.message)
    name = (missing[1] or missing[2] or "") if missing is not None else ""
    if _MACRO_OF_TORCH.fullmatch(name):
        return name not in _known_words() and not _in_torchs_headers(name)
    if missing is not None and missing[2] and re.search(r"'class at::Tensor' has no member", error.message):
        return not _is_method(name)
    return _NEVER_OF_TORCH.fullmatch(name) is not None


def _is_no_header(error: Diagnostic) -> bool:
    """Whether the header that is missing is none of the installed PyTorch either."""
    if _REMOVED.search(error.message):
        return True
    found = _NO_HEADER_OF_TORCH.search(error.message)
    return found is not None and not in_torch(found["name"])


def _in_torchs_headers(name: str) -> bool:
    root = torch_folder()
    files = (root / "include").rglob("*.h*") if root is not None else ()
    return any(name.encode() in path.read_bytes() for path in files if path.is_file())


def _is_method(name: str) -> bool:
    """Whether PyTorch's tensors have it; if that cannot be read, they may."""
    root = torch_folder()
    files = [root / "include" / each for each in _OF_TENSOR] if root is not None else []
    texts = [each.read_text(encoding="utf-8", errors="replace") for each in files if each.is_file()]
    return len(texts) < len(_OF_TENSOR) or any(re.search(rf"\b{name}\s*[(<]", text) for text in texts)


def _may_lack(error: Diagnostic, functions: Functions) -> bool:
    """Whether the error may come from what our headers do not have, and not from a name that they do have."""
    if (of_torch := _NO_MEMBER.search(error.message)) and of_torch[1] in _known_types():
        return False
    if _MISSING.search(error.message) is None or _NOT_IN_TORCH.search(error.message):
        return True
    return _lacks(error, functions)


def _lacks(error: Diagnostic, functions: Functions) -> bool:
    missing = _MISSING.search(error.message)
    if missing is None or _names_function(error, functions) or _is_no_header(error):
        return False
    name = missing[1] or missing[2]
    return name is None or not (name in _known_words() or name in _NAMES_OF_PROGRAMS)


def _names_function(error: Diagnostic, functions: Functions) -> bool:
    names = [functions] if isinstance(functions, str) else list(functions or ())
    return any(error.message.startswith(f"'{name}' was not declared") for name in names)


def _speaks_of_torch(error: Diagnostic, sources: Sources) -> bool:
    if _OF_TORCH.search(error.message):
        return True
    if _MISSING.search(error.message) is None:
        return False
    lines = (sources.cpp if error.unit == "main.cpp" else sources.cuda).split("\n")
    return not 0 < error.line <= len(lines) or _OF_TORCH.search(lines[error.line - 1]) is not None
