"""Names that a compiler does not know and that are meant for another: misspelt, of a namespace that lacks them, or of a
PyTorch that is gone.

In: a failed build and one of its errors. Out: `Explained`, or None for another error. A certain change is given as a
fix; the judge proves it. Not here: names without their include or their namespace (`repair.known_errors`,
`repair.diagnostics`).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable

from kernelgate.cuda_source import functions
from kernelgate.messages.failures import Diagnostic
from kernelgate.repair import rewrites
from kernelgate.repair.failed_build import Explained, FailedBuild, explained, undeclared_name

_IN_CUDA = r"\btorch::cuda::(?=getCurrentCUDAStream|getDefaultCUDAStream|getStreamFromPool)"


def stream_of_torch(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """torch::cuda is a namespace of the C++ front end, without streams: at::cuda has them."""
    found = re.search(_IN_CUDA + r"(\w+)", build.units.text(error))
    if found is None or undeclared_name(error) is None:
        return None
    source = build.units.source(error.unit)
    changed = rewrites.replaced_in_source(build.candidate, source, _IN_CUDA, "at::cuda::")
    about = f"torch::cuda has no {found[1]}: at::cuda has it"
    return explained(build, error, about, f"Write at::cuda::{found[1]}", changed)


_SMALL_TENSOR = r"\b(torch|at)::tensor\b(?!\s*\()"


def tensor_in_small_letters(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """torch::tensor is a function, which makes a tensor: the type is torch::Tensor."""
    found = re.search(_SMALL_TENSOR, build.units.text(error))
    if found is None or "tensor" not in error.message:
        return None
    source = build.units.source(error.unit)
    changed = rewrites.replaced_in_source(build.candidate, source, _SMALL_TENSOR, r"\1::Tensor")
    about = f"{found.group()} is a function, and stands where a type must"
    return explained(build, error, about, f"Write {found[1]}::Tensor", changed)


_REMOVED = re.compile(r"\b(?:THC?\w*(?:State|Tensor|Storage)\w*|THC_API|THC\w+_\w+)\b")
_STATE = r"(?m)^[ \t]*(?:extern\s+)?THCState\s*\*\s*\w+\s*(?:=[^;\n]*)?;[ \t]*\n?"


def _removed_type(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """Names of TH and THC, PyTorch's libraries until 1.10."""
    name = undeclared_name(error) or ""
    found = _REMOVED.fullmatch(name)
    if found is None:
        return None
    about = f"PyTorch has no {name} any more"
    if name != "THCState":
        step = "Take torch::Tensor and its functions instead: THC is gone since PyTorch 1.11"
        return explained(build, error, about, step)
    changed = rewrites.replaced_in_source(build.candidate, build.units.source(error.unit), _STATE, "")
    step = "Remove it: no function of PyTorch's takes a state"
    return explained(build, error, about, step, changed)


_WITHOUT_MASK = r"__(?:shfl(?:_up|_down|_xor)?|any|all|ballot)"
_DELETED = re.compile(r"use of deleted function '[^'(]*?(?P<name>__\w+)\(")


def _without_mask(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A warp function from before sm_70, without a mask. The judge proves that the full mask is right."""
    deleted = _DELETED.search(error.message)
    name = deleted["name"] if deleted is not None else undeclared_name(error) or ""
    if re.fullmatch(_WITHOUT_MASK, name) is None:
        return None
    source = build.units.source(error.unit)
    called = rf"(?<!\w)({_WITHOUT_MASK})(\s*\()"
    changed = rewrites.replaced_in_source(build.candidate, source, called, r"\1_sync\g<2>0xffffffff, ")
    about = f"CUDA has no {name} any more, since sm_70"
    return explained(build, error, about, f"Write {name}_sync, with the mask of the lanes that call it first", changed)


_WORD = re.compile(r"[A-Za-z_]\w+")
_DISPATCHES = (
    "AT_DISPATCH_FLOATING_TYPES",
    "AT_DISPATCH_FLOATING_TYPES_AND_HALF",
    "AT_DISPATCH_FLOATING_TYPES_AND",
    "AT_DISPATCH_FLOATING_TYPES_AND2",
    "AT_DISPATCH_ALL_TYPES",
    "AT_DISPATCH_ALL_TYPES_AND",
    "AT_DISPATCH_ALL_TYPES_AND2",
    "AT_DISPATCH_INTEGRAL_TYPES",
)
_KINDS = (
    "FLOATING|ALL|INTEGRAL|COMPLEX|REDUCED_FLOATING|FLOATING_AND_COMPLEX|FLOATING_AND_INTEGRAL|QINT|FLOAT8|BAREBONES"
)
_KNOWN_DISPATCH = re.compile(
    rf"AT_DISPATCH_(?:(?:{_KINDS})_TYPES(?:_AND\w*)?|SWITCH|CASE\w*|V2|INDEX_TYPES|NO_CASE\w*)"
)


def _unknown_dispatch(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A macro that is none of PyTorch's: g++ takes it for a function, and complains of scalar_t in its lambda."""
    name, source = undeclared_name(error) or "", build.units.source(error.unit)
    if name != "scalar_t" and not name.startswith("AT_DISPATCH"):
        return None
    used = [each for each in re.finditer(r"\bAT_DISPATCH_\w+", functions.blank(source))]
    wrong = next((each for each in used if _KNOWN_DISPATCH.fullmatch(each.group()) is None), None)
    if wrong is None:
        return None
    macro = wrong.group()
    place = build.units.place_in(error.unit, functions.line_at(source, wrong.start()))
    near = difflib.get_close_matches(macro, _DISPATCHES, n=1, cutoff=0.8)
    if not near:
        step = "Take AT_DISPATCH_FLOATING_TYPES, or another of ATen/Dispatch.h"
        return explained(build, error, f"PyTorch has no {macro}", step, place=place)
    changed = rewrites.replaced_in_source(build.candidate, source, rf"\b{macro}\b", near[0])
    return explained(build, error, f"PyTorch has no {macro}", f"Write {near[0]}", changed, place)


def _misspelt(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A name that is nearly one that the function around it, or the source, has."""
    name, text = undeclared_name(error) or "", build.units.text(error)
    if not _WORD.fullmatch(name) or not re.search(rf"(?<![\w:.>]){name}\b", text):
        return None
    meant = _meant(build, error, name)
    if meant is None:
        return None
    row = build.units.row(error)
    changed = None
    if row is not None:
        changed = rewrites.replaced_in_statement(build.candidate, row, rf"(?<![\w:.>]){name}\b", meant)
    about = f"{name} is not declared; likely cause: {meant} is meant"
    return explained(build, error, about, f"Write {meant}, or declare {name} before this line", changed)


def _meant(build: FailedBuild, error: Diagnostic, name: str) -> str | None:
    source = build.units.source(error.unit)
    seen = functions.blank(source)
    known = functions.functions(source)
    line = build.units.line(error)
    around = [each for each in known if each.line <= line and each.defined]
    names = {each.name for each in known} | set(re.findall(r"#[ \t]*define\s+(\w+)", seen))
    if around:
        above = "\n".join(seen.split("\n")[around[-1].line - 1 : line])
        names |= {each.name for each in around[-1].parameters}
        names |= set(re.findall(r"\b\w+(?:\s*<[\w:, ]*>)?[\s&*]+(\w+)\s*(?=[=;,)\[({])", above))
    # One letter differs in too many names for a guess at a short one.
    near = difflib.get_close_matches(
        name, sorted(names - {name}), n=2, cutoff=0.75 if len(name) > 3 else 0.85
    )
    return near[0] if near else None


_NO_TYPE = r"(?:return|delete|goto|else|throw)\b"


def _declared_below(build: FailedBuild, error: Diagnostic) -> Explained | None:
    """A variable that the same function declares further down."""
    name, source, at = undeclared_name(error) or "", build.units.source(error.unit), build.units.line(error)
    if not re.fullmatch(r"\w+", name):
        return None
    seen = functions.blank(source)
    rows = seen.split("\n")
    around = [each for each in functions.functions(source) if each.defined and each.line <= at]
    if not around:
        return None
    opening = seen.find("{", sum(len(row) + 1 for row in rows[: around[-1].line - 1]))
    last = functions.line_at(source, functions.closing(seen, opening)) if opening >= 0 else at
    declares = re.compile(rf"^\s*(?!{_NO_TYPE})(?:(?:const|constexpr|unsigned|long)\s+)*[\w:]+[\s*&]+{name}\s*[=;\[]")
    line = next((n for n in range(at + 1, last + 1) if declares.match(rows[n - 1])), None)
    if line is None:
        return None
    whole = rows[line - 1].rstrip().endswith(";") and rows[line - 1].count(";") == 1
    changed = rewrites.row_moved(build.candidate, source, line, at) if whole else None
    below = build.units.place_in(error.unit, line).line
    about = f"{name} is used above its declaration" + (f" in line {below}" if below else "")
    return explained(build, error, about, f"Declare {name} before this line", changed)


NAME_ERRORS: tuple[Callable[[FailedBuild, Diagnostic], Explained | None], ...] = (
    _removed_type,
    _unknown_dispatch,
    _without_mask,
    _declared_below,
    _misspelt,
)
"""In order; the first that knows an error explains it. They come behind the rules for includes and namespaces."""
