"""Calls that nvcc refuses and g++ would take: from device code of functions that the host alone has, launches of
functions that are no kernels, calls of kernels that are no launches, and kernels that return a value.

In: source text, as the device's compilation sees it. Out: `HostCall`s and `BadKernelCall`s, each with its line. What is
in doubt is none: a name that the program uses for anything else, a member, a function that a macro may have made the
device's too. Not here: the whole of what nvcc refuses (`nvrtc` asks NVIDIA's own compiler, if that is installed).
"""

from __future__ import annotations

import functools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kernelgate.cuda_source.functions import kernels
from kernelgate.cuda_source.lexer import Token, blank, closing, is_name, line_of, tokens
from kernelgate.emulator.translate.host_side import Function, functions
from kernelgate.emulator.translate.host_side import functions as functions_of

# Of C's library, those that CUDA has no device version of.
_OF_C = (
    "fopen fclose fread fwrite fgets fputs fgetc fputc fscanf fprintf vfprintf fflush fseek ftell rewind scanf sscanf "
    "sprintf snprintf vsnprintf puts putchar getchar perror tmpfile getenv setenv system calloc realloc aligned_alloc "
    "posix_memalign atoi atol atof strtol strtoul strtod strtof strlen strcmp strncmp strcpy strncpy strcat strstr "
    "strdup qsort bsearch rand srand random srandom drand48 gettimeofday clock_gettime sleep usleep"
)
_OF_THE_HOST = frozenset(_OF_C.split())
_NO_CALL_BEFORE = frozenset((".", "->", "::", "#", "~"))
_WORDS_BEFORE_A_CALL = frozenset(("return", "else", "case", "do", "throw", "co_return", "and", "or", "not"))


@dataclass(frozen=True)
class HostCall:
    """`caller` is a kernel or another function of the device."""

    name: str
    caller: str
    is_kernel: bool
    line: int


@functools.lru_cache(maxsize=8)  # looking a program up and building it both ask
def host_calls(source: str) -> tuple[HostCall, ...]:
    """The calls in functions that are the device's alone."""
    blanked = blank(source)
    all_tokens = tokens(blanked)
    found = functions(blanked)
    on_device = [f for f in found if f.side == "device" and f.name]
    # A template that nothing uses is never compiled.
    used = [f for f in on_device if len(re.findall(rf"\b{f.name}\b", blanked)) > 1]
    if not used:
        return ()
    hosts = _of_the_host_alone(found, blanked) | _OF_THE_HOST
    otherwise = _named_otherwise(all_tokens, hosts, found)
    starts = [token.start for token in all_tokens]
    calls = []
    for function in used:
        for i in _within(starts, function):
            token = all_tokens[i]
            if token.text in hosts and token.text not in otherwise and is_call(all_tokens, i):
                is_kernel = function.is_kernel
                calls.append(HostCall(token.text, function.name, is_kernel, line_of(source, token.start)))
    return tuple(calls)


def _of_the_host_alone(found: Sequence[Function], blanked: str) -> set[str]:
    """Names of free functions with a body that no function of the device shares."""
    macros = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", blanked, re.MULTILINE))
    others = {f.name for f in found if f.side != "host" or not f.is_free}
    return {f.name for f in found if f.name not in others | macros and not may_be_device(f, blanked, macros)}


def may_be_device(function: Function, blanked: str, macros: set[str]) -> bool:
    """Whether a macro stands before its name, whatever that makes of it; by custom they are of capitals."""
    before = re.split(r"[;{}]|^[ \t]*#[^\n]*", blanked[: function.at], flags=re.MULTILINE)[-1]
    words = set(re.findall(r"[A-Za-z_]\w*", before))
    return bool(words & macros) or any(len(word) > 1 and word.isupper() for word in words)


def _named_otherwise(all_tokens: Sequence[Token], hosts: set[str], found: Sequence[Function]) -> set[str]:
    """Those of `hosts` that stand somewhere as anything but a called function, or the host's own definition of one."""
    defined = {f.at for f in found if f.side == "host" and f.is_free}
    names = set()
    for i, token in enumerate(all_tokens):
        if token.text not in hosts or token.start in defined:
            continue
        qualified_by_std = i >= 2 and all_tokens[i - 1].text == "::" and all_tokens[i - 2].text == "std"
        if not is_call(all_tokens, i) and not qualified_by_std:
            names.add(token.text)
    return names


def is_call(all_tokens: Sequence[Token], i: int) -> bool:
    if i + 1 >= len(all_tokens) or all_tokens[i + 1].text != "(" or i == 0:
        return False
    before = all_tokens[i - 1]
    if before.text == "::":
        outer = all_tokens[i - 2] if i >= 2 else None
        return outer is None or outer.text == "std" or not (is_name(outer) or outer.text == ">")
    if before.text in _NO_CALL_BEFORE:
        return False
    if is_name(before):
        return before.text in _WORDS_BEFORE_A_CALL
    return not (before.text in ("*", "&", ">") and _declares(all_tokens, i))


def _declares(all_tokens: Sequence[Token], i: int) -> bool:
    """Whether `T* name(...)`, `T& name(...)` or `T<U> name(...)` declares a function, and multiplies nothing."""
    end = closing(all_tokens, i + 1)
    after = all_tokens[end + 1].text if end is not None and end + 1 < len(all_tokens) else ""
    first = i - 1
    while first > 0 and all_tokens[first].text in ("*", "&", ">", "const"):
        first -= 1
    starts_statement = first == 0 or all_tokens[first - 1].text in (";", "{", "}")
    return after in ("{", ";") and starts_statement


def _within(starts: Sequence[int], function: Function) -> range:
    return range(bisect_right(starts, function.start), bisect_left(starts, function.end))


@dataclass(frozen=True)
class BadKernelCall:
    line: int
    words: str


@functools.lru_cache(maxsize=8)  # looking a program up and building it both ask
def bad_kernel_calls(source: str) -> tuple[BadKernelCall, ...]:
    """In the order of the text."""
    blanked = blank(source)
    found = functions_of(blanked)
    macros = set(re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)", blanked, re.MULTILINE))
    free = [f for f in found if f.is_free and f.name and f.name not in macros]
    others = {f.name for f in found if not f.is_kernel}
    of_kernels = {f.name for f in free if f.is_kernel} - others
    no_kernels = {f.name for f in free if not may_be_device(f, blanked, macros)} - set(kernels(source))
    all_tokens = tokens(blanked)
    bad = {
        **dict(_launched(all_tokens, no_kernels, found)),
        **dict(_called(all_tokens, of_kernels, found)),
        **{f.at: "a __global__ function must have a void return type" for f in free if _returns(f, blanked)},
    }
    return tuple(BadKernelCall(line_of(source, at), words) for at, words in sorted(bad.items()))


def _launched(
    all_tokens: Sequence[Token], no_kernels: set[str], found: Sequence[Function]
) -> Iterator[tuple[int, str]]:
    sides = {f.name: f.side for f in found}
    for i, token in enumerate(all_tokens):
        if token.text != "<<<" or i == 0:
            continue
        name = all_tokens[_before_arguments(all_tokens, i - 1)]
        if name.text in no_kernels:
            side = "__device__" if sides[name.text] == "device" else "host"
            yield name.start, f"a {side} function call cannot be configured"


def _before_arguments(all_tokens: Sequence[Token], last: int) -> int:
    """The name before the template arguments that end at `last`, if any do."""
    depth, at = 0, last
    while at > 0:
        depth += {">": 1, "<": -1}.get(all_tokens[at].text, 0)
        if depth == 0:
            break
        at -= 1
    return at - 1 if all_tokens[at].text == "<" and at else at


def _called(
    all_tokens: Sequence[Token], of_kernels: set[str], found: Sequence[Function]
) -> Iterator[tuple[int, str]]:
    hosts = [f for f in found if f.side == "host"]
    for i, token in enumerate(all_tokens):
        if (
            token.text in of_kernels
            and any(f.start < token.start < f.end for f in hosts)
            and is_call(all_tokens, i)
        ):
            yield token.start, "a __global__ function call must be configured"


def _returns(function: Function, blanked: str) -> bool:
    """Whether a kernel's declaration names a type that it returns, and that can be read."""
    if not function.is_kernel:
        return False
    head = re.split(r"[;{}]|^[ \t]*#[^\n]*", blanked[: function.at], flags=re.MULTILINE)[-1]
    words = [token.text for token in tokens(head.rpartition("__global__")[2]) if is_name(token)]
    return bool(words) and words[-1] in ("int", "float", "double", "bool", "Tensor", "unsigned", "long")
