"""Launches of functions that are no kernels, calls of kernels that are no launches, and kernels that return a value:
nvcc refuses them, and g++ would take them.

In: source text, as the device's compilation sees it. Out: `BadKernelCall`s, each with its line and nvcc's words. What
is in doubt is none: a name that a macro defines, or that is a kernel's and another function's.
Not here: calls of host functions in kernels (`host_calls`).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kernelgate.cuda_source.functions import kernels
from kernelgate.cuda_source.lexer import Token, blank, is_name, line_of, tokens
from kernelgate.emulator.translate.host_calls import is_call, may_be_device
from kernelgate.emulator.translate.host_side import Function
from kernelgate.emulator.translate.host_side import functions as functions_of


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
