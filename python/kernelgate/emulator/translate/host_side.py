"""`__CUDA_ARCH__` in code for the host: nvcc compiles a source twice, and defines it for the device only.

g++ compiles once, with it defined. In: source text. Out: the same text, where the conditions within a host function ask
for a name that nothing defines, as the host's compilation sees it; `Refused` where one function would have to be both,
or where a function is the host's alone. Other code at file scope is the device's.
Not here: what a condition drops (`preprocessor`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from kernelgate.cuda_source.lexer import Edit, Token, apply, blank, closing, is_name, line_of, tokens
from kernelgate.cuda_source.preprocessor import HOST_ARCH, without_dropped_lines
from kernelgate.emulator.errors import Refused

_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]|(?<=\\)\n)*", re.MULTILINE)
_CONDITION = re.compile(r"[ \t]*#[ \t]*(?:el)?if")
_ARCH = re.compile(r"\b__CUDA_ARCH__\b")
_WORD = re.compile(r"[A-Za-z_]\w*")
_NO_FUNCTIONS = (
    *("__launch_bounds__", "__maxnreg__", "__attribute__", "__align__"),
    *("alignas", "decltype", "noexcept", "requires", "sizeof"),
)
_STEP_INTO = {"namespace", "class", "struct", "union", "extern"}


@dataclass(frozen=True)
class Function:
    """A function with a body, which lies between `start` and `end` in the source. `at`: where its name begins.
    `is_free`: no member of a class."""

    name: str
    side: Literal["host", "device", "both"]
    start: int
    end: int
    at: int = 0
    is_free: bool = True
    is_kernel: bool = False


def as_host_sees_it(source: str, unit: str = "cuda.cu") -> str:
    """`source` with the conditions of its host functions decided for the host, lines unchanged. Raises Refused."""
    blanked = blank(source)
    conditions = [d for d in _DIRECTIVE.finditer(blanked) if _CONDITION.match(d[0])]
    asked = [d.start() + m.start() for d in conditions for m in _ARCH.finditer(d[0])]
    if not asked:
        return source
    found = functions(blanked)
    reached = _reached_from_host(found, blanked)
    of_host, of_file = [], []
    for position in asked:
        around = [f for f in found if f.start < position < f.end]
        if not around:
            of_file.append(position)
            continue
        function = max(around, key=lambda f: f.start)
        if function.side == "host":
            of_host.append(position)
        elif function.side == "both" and function.name in reached:
            raise Refused(
                f"a compilation for the host alone (`{function.name}` asks for __CUDA_ARCH__, and host code calls it)",
                unit,
                line_of(source, position),
            )
    decided = _renamed(source, of_host)
    if of_file:
        _refuse_host_alone(decided, _renamed(source, asked), unit)
    return decided


def _renamed(source: str, positions: Sequence[int]) -> str:
    return apply(source, [Edit(p, p + len("__CUDA_ARCH__"), HOST_ARCH) for p in positions])


def _refuse_host_alone(device: str, host: str, unit: str) -> None:
    """Raises Refused for a function that is defined for the host and not for the device."""
    here = {f.name for f in functions(blank(without_dropped_lines(device)))}
    for function in functions(blank(without_dropped_lines(host))):
        if function.side != "device" and function.name not in here:
            raise Refused(
                f"a compilation for the host alone (`{function.name}` is left out if __CUDA_ARCH__ is defined)",
                unit,
                line_of(host, function.start),
            )


def functions(blanked: str) -> list[Function]:
    """The functions with a body, and lambdas for the device in them, which have no name."""
    without_directives = _DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), blanked)
    all_tokens = tokens(without_directives)
    found: list[Function] = []
    i = first = 0  # `first`: where the declaration begins that token `i` belongs to
    class_ends: list[int] = []
    while i < len(all_tokens):
        text = all_tokens[i].text
        if text in (";", "}"):
            first = i + 1
        elif text in ("(", "{"):
            head, end = all_tokens[first:i], closing(all_tokens, i)
            if end is None:
                break
            position = _name(head)
            name = None if position is None else first + position
            if text == "{" and name is not None:
                qualified = name > first and all_tokens[name - 1].text == "::"
                found.append(
                    Function(
                        all_tokens[name].text,
                        _side(head),
                        all_tokens[i].start,
                        all_tokens[end].start,
                        all_tokens[name].start,
                        is_free=not qualified and not any(i < class_end for class_end in class_ends),
                        is_kernel=any(token.text == "__global__" for token in head),
                    )
                )
                found += _device_lambdas(all_tokens, i + 1, end)
                first = end + 1
            # `struct S table[] = {` begins no class: its rows are values, and there may be thousands.
            values = bool(head) and head[-1].text == "="
            if text == "(" or values or name is not None or not _STEP_INTO & {token.text for token in head}:
                i = end
            else:
                if {"class", "struct", "union"} & {token.text for token in head}:
                    class_ends.append(end)
                first = i + 1
        i += 1
    return found


def _name(head: Sequence[Token]) -> int | None:
    """Index of the name that a declaration declares as a function: the first one before a parenthesis."""
    for i, (name, after) in enumerate(itertools.pairwise(head)):
        if after.text == "(" and is_name(name) and name.text not in _NO_FUNCTIONS:
            return i
    return None


def _side(head: Sequence[Token]) -> Literal["host", "device", "both"]:
    words = {token.text for token in head}
    if "__global__" in words:
        return "device"
    if "__device__" in words:
        return "both" if "__host__" in words else "device"
    return "both" if "constexpr" in words else "host"  # torch lets kernels call constexpr functions


def _device_lambdas(all_tokens: Sequence[Token], first: int, last: int) -> Iterator[Function]:
    for i in range(first, last):
        if all_tokens[i].text != "__device__":
            continue
        body = next((k for k in range(i, last) if all_tokens[k].text in ("{", ";")), last)
        end = closing(all_tokens, body) if all_tokens[body].text == "{" else None
        if end is not None:
            yield Function("", "device", all_tokens[body].start, all_tokens[end].start)


def _reached_from_host(functions: Sequence[Function], blanked: str) -> set[str]:
    """Names in the bodies of host functions, and in those of the functions for both that are among them."""
    words = {f: set(_WORD.findall(blanked[f.start : f.end])) for f in functions if f.side != "device"}
    reached: set[str] = set()
    waiting = [f for f in words if f.side == "host"]
    while waiting:
        reached |= words.pop(waiting.pop())
        waiting = waiting or [f for f in words if f.name in reached]
    return reached
