"""Reads NVRTC's log: what it found where, and what ptxas says that each kernel takes.

In: a log. Out: `Found`s and `Used`s, and whose fault an error of ptxas is; kernels' names as
people write them, by the C++ library that torch and NVRTC need as well.
Not here: what they mean for the program (`nvrtc.compile_check`).
"""

from __future__ import annotations

import ctypes
import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kernelgate.messages.device_compile import Refusal
from kernelgate.repair.compiler_log import parse_compiler_log

_HEAD = re.compile(r"^\S[^\n]*\(\d+\): [a-z ]+?(?: #[\w-]+)?: ", re.MULTILINE)
_CARET = re.compile(r"^( *)\^$", re.MULTILINE)
_PTXAS = re.compile(r"^ptxas (?:application ptx input, line \d+; )?(?:fatal|error)\s*: (.+)$", re.MULTILINE)
_USED = re.compile(
    r"Compiling entry function '(?P<name>\w+)' for '\w+'.*?"
    r"(?P<stack>\d+) bytes stack frame, (?P<stores>\d+) bytes spill stores, (?P<loads>\d+) bytes spill loads.*?"
    r"Used (?P<registers>\d+) registers(?P<rest>[^\n]*)",
    re.DOTALL,
)
_INDENT = 2  # of a quoted line


@dataclass(frozen=True)
class Found:
    """One message. `instantiated`: it was found while a template was instantiated."""

    unit: str
    line: int
    column: int
    error: bool
    message: str
    instantiated: bool


@dataclass(frozen=True)
class Used:
    """`name` is mangled; `shared_bytes`: what the kernel declares, a launch may ask for more."""

    name: str
    registers: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    shared_bytes: int
    constant_bytes: int

    @property
    def spilled_bytes(self) -> int:
        return self.spill_store_bytes + self.spill_load_bytes


def messages(log: str) -> Iterator[Found]:
    heads = list(_HEAD.finditer(log))
    for i, head in enumerate(heads):
        block = log[head.start() : heads[i + 1].start() if i + 1 < len(heads) else len(log)]
        found = parse_compiler_log(block.split("\n", 1)[0])
        if not found:
            continue
        caret = _CARET.search(block)
        column = max(1, len(caret[1]) - _INDENT + 1) if caret is not None else 1
        one = found[0]
        # What is said of a template follows the note on a mark, if there is one.
        context = block
        if i + 1 < len(heads) and 'because of a "deprecated" attribute' in _line(log, heads[i + 1].start()):
            context += log[heads[i + 1].start() : heads[i + 2].start() if i + 2 < len(heads) else len(log)]
        during = "detected during" in context
        yield Found(one.unit, one.line, column, one.severity == "error", one.message, during)


def _line(text: str, start: int) -> str:
    end = text.find("\n", start)
    return text[start : end if end >= 0 else len(text)]


def ptxas_errors(log: str) -> list[str]:
    return [found[1] for found in _PTXAS.finditer(log)]


def used(log: str) -> list[Used]:
    """In the log's order, of a compilation with --ptxas-options=-v."""
    return [
        Used(
            found["name"],
            int(found["registers"]),
            int(found["stack"]),
            int(found["stores"]),
            int(found["loads"]),
            _bytes(found["rest"], r"(\d+) bytes smem"),
            _bytes(found["rest"], r"(\d+) bytes cmem"),
        )
        for found in _USED.finditer(log)
    ]


def _bytes(text: str, pattern: str) -> int:
    return sum(int(number) for number in re.findall(pattern, text))


_ASM = re.compile(r"\b(?:__)?asm(?:__)?\b[^(;{}]*\(.*?\)\s*;", re.DOTALL)
_OF_THE_TOOLKIT = re.compile(r"requires|version|supported|resource|too (?:much|many)|aborted", re.IGNORECASE)
_NAMED = re.compile(r"'([^']+)'")
_NEXT = "Correct the PTX; its instructions are described in NVIDIA's PTX ISA. A newer toolkit may know a newer one"


def refused_ptx(source: str, errors: Sequence[str]) -> Refusal | None:
    """`errors`: each message of ptxas, the first first."""
    statements = list(_ASM.finditer(source))
    if not errors or not statements or _OF_THE_TOOLKIT.search(errors[0]):
        return None
    named = _NAMED.search(errors[0])
    about = [one for one in statements if named is not None and _has_word(one[0], named[1])]
    line = source.count("\n", 0, about[0].start()) + 1 if len(about) == 1 else 0
    return Refusal(f"inline PTX: {errors[0].strip()}"[:1500], line, 0, _NEXT)


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) is not None


@functools.cache
def _library() -> ctypes.CDLL | None:
    try:
        library = ctypes.CDLL("libstdc++.so.6")
        library.__cxa_demangle.restype = ctypes.c_void_p
    except (OSError, AttributeError):
        return None
    return library


def demangled(symbol: str) -> str:
    library = _library()
    status = ctypes.c_int()
    text = None
    if library is not None and symbol.startswith("_Z"):
        text = library.__cxa_demangle(symbol.encode(), None, None, ctypes.byref(status))
    if not text or library is None:
        return symbol
    name = (ctypes.c_char_p(text).value or b"").decode(errors="replace")
    ctypes.CDLL(None).free(ctypes.c_void_p(text))
    name = name.replace("(anonymous namespace)::", "").removeprefix("void ")
    depth = 0
    for position, character in enumerate(name):
        depth += (character == "<") - (character == ">")
        if character == "(" and depth == 0:
            return name[:position]
    return name
