"""Which lines the preprocessor will drop for certain, what stands there being neither rewritten nor refused; and what a
text may include, whatever its conditions and macros.

In: source text and -D flags. Out: the same text with dropped lines blanked, every line number unchanged; `Included`.
A condition on a name that a header may define is not decided, and both branches stay: more may be named than is
included, because a header may decide the branch, and `__has_include` asks. Not here: macros' bodies.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence
from dataclasses import dataclass

from kernelgate.cuda_source.lexer import blank

# What conditions of host functions ask for instead of __CUDA_ARCH__: see `host_side`.
HOST_ARCH = "__CUDA_ARCH_OF_HOST__"
# What torch gives nvcc.
CUDA_DEFINES = (
    "-D__CUDA_NO_HALF_OPERATORS__",
    "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-D__CUDA_NO_HALF2_OPERATORS__",
)
# What nvcc and torch define for a .cu file, as `include/kernelgate/nvcc.h` does, and what they never define.
_KNOWN: dict[str, int | None] = {
    "__CUDA_ARCH__": 800,
    "__CUDACC__": 1,
    "__NVCC__": 1,
    "__CUDACC_VER_MAJOR__": 13,
    "__CUDACC_VER_MINOR__": 0,
    "CUDART_VERSION": 13000,
    "CUDA_VERSION": 13000,
    "__cplusplus": 202002,
    "__linux__": 1,
    **dict.fromkeys(
        (
            "USE_ROCM",
            "__HIPCC__",
            "__HIP_PLATFORM_AMD__",
            "__HIP_DEVICE_COMPILE__",
            "_WIN32",
            "_MSC_VER",
            HOST_ARCH,
            "__CUDA_ARCH_FEAT_SM90_ALL",
            "__CUDA_ARCH_FEAT_SM100_ALL",
        )
    ),
}
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)((?:[^\n]|(?<=\\)\n)*)", re.MULTILINE)
_NUMBER = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b")
_LONGEST_CONDITION = 2000


def without_dropped_lines(source: str, defines: Sequence[str] = (), *, cuda: bool = True) -> str:
    """`source` with the lines that no compilation will see turned to spaces; `cuda` says that nvcc compiles it."""
    known = dict(_KNOWN)
    if not cuda:
        known |= dict.fromkeys(name for name in known if name.startswith(("__CUDA", "__NVCC")))
    for flag in defines:
        macro, _, given = flag[2:].partition("=")
        known[macro] = None if flag.startswith("-U") else _integer(given or "1")
    # For each open #if: the truth of its branch, and of every one before it in the chain; None is undecided.
    open_ifs: list[tuple[bool | None, bool | None]] = []
    dropped: list[tuple[int, int]] = []
    drop_from: int | None = None
    unsure: set[str] = set()  # defined in a branch that may not be taken
    for m in _DIRECTIVE.finditer(blank(source)):
        word, rest = m[1], m[2].replace("\\\n", " ").strip()
        if drop_from is not None and word in ("if", "ifdef", "ifndef", "elif", "elifdef", "else", "endif"):
            dropped.append((drop_from, m.start()))
            drop_from = None
        if word in ("if", "ifdef", "ifndef"):
            truth = _condition(word, rest, known, unsure)
            open_ifs.append((truth, truth))
        elif word in ("elif", "else") and open_ifs:
            _, before = open_ifs[-1]
            own = True if word == "else" else _condition("if", rest, known, unsure)
            open_ifs[-1] = (_and(_not(before), own), _or(before, own))
        elif word == "endif" and open_ifs:
            open_ifs.pop()
        elif word in ("define", "undef") and (defined := re.match(r"\w+", rest)):
            name = defined[0]
            if any(truth is None for truth, _ in open_ifs):
                unsure.add(name)
            elif all(truth for truth, _ in open_ifs):
                value = rest[defined.end() :]
                known[name] = None if word == "undef" else _integer(value)
                unsure.discard(name)
                if word == "define" and known[name] is None:
                    known[name] = 1  # defined, whatever it stands for
                    if value.strip():
                        unsure.add(name)
        if drop_from is None and any(truth is False for truth, _ in open_ifs):
            drop_from = m.end()
    if drop_from is not None:
        dropped.append((drop_from, len(source)))
    return _blanked(source, dropped)


def _blanked(source: str, spans: Sequence[tuple[int, int]]) -> str:
    parts = []
    at = 0
    for start, end in spans:
        parts += [source[at:start], re.sub(r"[^\n]", " ", source[start:end])]
        at = end
    return "".join([*parts, source[at:]])


def _integer(text: str) -> int | None:
    text = text.strip().strip("()")
    m = _NUMBER.fullmatch(text)
    return int(m[1], 0) if m and (m[1] == "0" or m[1][0] != "0" or m[1][1:2] in "xX") else None


def _condition(word: str, text: str, known: dict[str, int | None], unsure: set[str]) -> bool | None:
    if word in ("ifdef", "ifndef"):
        name = text.split()[0] if text.split() else ""
        found = _defined(name, known, unsure)
        return found if word == "ifdef" else _not(found)
    if len(text) > _LONGEST_CONDITION:
        return None
    text = re.sub(r"\bdefined\s*\(?\s*(\w+)\s*\)?", r"defined__\1", text)
    text = _NUMBER.sub(r"\1", text).replace("&&", " and ").replace("||", " or ")
    text = re.sub(r"!(?!=)", " not ", text)
    try:
        value = _evaluate(ast.parse(text.strip(), mode="eval").body, known, unsure)
    except (SyntaxError, ValueError, RecursionError):
        return None
    return None if value is None else bool(value)


def _defined(name: str, known: dict[str, int | None], unsure: set[str]) -> bool | None:
    if name in known:
        return known[name] is not None
    return None


def _evaluate(node: ast.expr, known: dict[str, int | None], unsure: set[str]) -> int | None:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.Name(id=name) if name.startswith("defined__"):
            found = _defined(name.removeprefix("defined__"), known, unsure)
            return None if found is None else int(found)
        case ast.Name(id=name):
            return (known[name] or 0) if name in known and name not in unsure else None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            inner = _evaluate(operand, known, unsure)
            return None if inner is None else int(not inner)
        case ast.BoolOp(op=op, values=values):
            truths = [_evaluate(value, known, unsure) for value in values]
            decisive = isinstance(op, ast.Or)
            if any(truth is not None and bool(truth) == decisive for truth in truths):
                return int(decisive)
            return None if None in truths else int(not decisive)
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            a, b = _evaluate(left, known, unsure), _evaluate(right, known, unsure)
            if a is None or b is None:
                return None
            relations = {
                ast.Eq: a == b,
                ast.NotEq: a != b,
                ast.Lt: a < b,
                ast.LtE: a <= b,
                ast.Gt: a > b,
                ast.GtE: a >= b,
            }
            return int(relations[type(op)]) if type(op) in relations else None
    return None


def _not(a: bool | None) -> bool | None:
    return None if a is None else not a


def _and(a: bool | None, b: bool | None) -> bool | None:
    return False if a is False or b is False else None if a is None or b is None else True


def _or(a: bool | None, b: bool | None) -> bool | None:
    return _not(_and(_not(a), _not(b)))


_SPLICE = re.compile(r"\\[ \t]*\r?\n")
_INCLUDING = re.compile(r"^[ \t\v\f]*(?:#|%:|\?\?=)[ \t]*(?:include_next|include|import|embed)\b[ \t]*", re.MULTILINE)
_ASKED = re.compile(r"\b__has_(?:include_next|include|embed)\s*\(\s*")
_NAME = re.compile(r"<([^>\n]+)>|\"([^\"\n]+)\"")
_BY_ASSEMBLER = re.compile(r"\bincbin\b|\"[^\"\n]*\.include\b")
_JOINED = re.compile(r"\"\s*\"")


@dataclass(frozen=True)
class Included:
    """`names` as they stand between <> or quotes; `complete` where the text names all that it may include: no macro
    gives a name, and the assembler reads no file."""

    names: frozenset[str]
    complete: bool


def included(text: str) -> Included:
    """What a text itself includes or asks for, not what its headers include."""
    spliced = _SPLICE.sub("", text)
    seen = blank(spliced)
    names: set[str] = set()
    complete = _BY_ASSEMBLER.search(_JOINED.sub("", spliced)) is None
    for found in (*_INCLUDING.finditer(seen), *_ASKED.finditer(seen)):
        name = _NAME.match(spliced, found.end())
        if name is None:
            complete = False
        else:
            names.add(name[1] or name[2])
    return Included(frozenset(names), complete)
