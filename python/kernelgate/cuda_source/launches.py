"""`kernel<T, 4><<<grid, block, bytes, stream>>>(arguments)` as a call of `kernelgate::launch`.

In: source text. Out: the same text with each launch rewritten, every line number unchanged.
Not here: the call's meaning (`include/kernelgate/launch.h`), `__shared__` (`shared`).
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kernelgate.cuda_source import Refused
from kernelgate.cuda_source.functions import without_directives
from kernelgate.cuda_source.lexer import (
    Edit,
    Token,
    apply,
    blank,
    closing,
    is_name,
    line_of,
    opening,
    opening_angle,
    tokens,
)


@dataclass(frozen=True)
class Launch:
    """What stands before and between `<<<` and `>>>`, and where in the source the launch begins."""

    kernel: str
    configuration: str
    start: int


_SPECIFIERS = ("__launch_bounds__", "__maxnreg__", "__attribute__", "__align__", "alignas")


def rewrite_launches(source: str, unit: str = "cuda.cu") -> str:
    """`source` with its launches rewritten. Raises Refused for a launch that cannot be read."""
    blanked = blank(source)
    all_tokens = tokens(blanked)
    parameters, bodies = _device_functions(all_tokens)
    edits = [
        _edit(source, all_tokens, i, unit, parameters)
        for i, token in enumerate(all_tokens)
        if token.text == "<<<"
    ]
    for edit in edits:
        if any(start < edit.start < end for start, end in bodies):
            raise Refused("a kernel that launches a kernel", unit, line_of(source, edit.start))
    for outer, inner in itertools.pairwise(edits):
        if inner.start < outer.end:
            raise Refused("a launch inside another launch", unit, line_of(source, inner.start))
    return apply(source, edits)


def rewritten(source: str, called: Callable[[str, str, str], str]) -> str:
    """`source` with each launch as `called` writes it of the kernel, the configuration and the arguments. Raises
    Refused for a launch that cannot be read."""
    all_tokens = tokens(blank(source))
    edits = []
    for at, token in enumerate(all_tokens):
        if token.text != "<<<":
            continue
        read = _read(source, all_tokens, at)
        last = None if read is None else closing(all_tokens, read[1])
        if read is None or last is None:
            raise Refused("a launch that cannot be read", "cuda.cu", line_of(source, token.start))
        launch, after = read
        arguments = source[all_tokens[after].end : all_tokens[last].start]
        text = called(launch.kernel, launch.configuration, arguments)
        edits.append(Edit(launch.start, all_tokens[last].end, text))
    return apply(source, edits)


def launches(source: str) -> list[Launch]:
    """The launches that can be read, in order."""
    all_tokens = tokens(blank(source))
    read = (_read(source, all_tokens, at) for at, token in enumerate(all_tokens) if token.text == "<<<")
    return [launch for launch, _after in filter(None, read)]


def _read(source: str, all_tokens: Sequence[Token], at: int) -> tuple[Launch, int] | None:
    """The launch of a `<<<`, and the token that opens its arguments; None if it cannot be read."""
    first, after = _kernel_start(all_tokens, at), _configuration_end(all_tokens, at)
    if first is None or after is None:
        return None
    start = all_tokens[first].start
    configuration = source[all_tokens[at].end : all_tokens[after - 1].end - 3]
    return Launch(source[start : all_tokens[at - 1].end], configuration, start), after


def bad_launches(source: str) -> Iterator[tuple[int, str]]:
    """Of each launch that C++ cannot read its line in the source and nvcc's words for it. The rest of one in a macro
    may stand where the macro is used."""
    seen = without_directives(blank(source))
    all_tokens = tokens(seen)
    for at, token in enumerate(all_tokens):
        if token.text != "<<<" or _kernel_start(all_tokens, at) is None:
            continue
        after = _configuration_end(all_tokens, at)
        if after is None:
            lacks = "(" if _CLOSED.match(seen, token.end) else ">>>"
        elif closing(all_tokens, after) is None:
            lacks = ")"
        else:
            continue
        yield line_of(source, token.start), f'expected a "{lacks}"'


_CLOSED = re.compile(r"[^;{}]*?>>>")


def _edit(
    source: str, all_tokens: Sequence[Token], at: int, unit: str, parameters: Mapping[str, str]
) -> Edit:
    line = line_of(source, all_tokens[at].start)
    first = _kernel_start(all_tokens, at)
    after = _configuration_end(all_tokens, at)
    last = None if after is None else closing(all_tokens, after)
    if first is None or after is None or last is None:
        raise Refused("a launch that cannot be read", unit, line)

    open_angles, close_angle = all_tokens[at], all_tokens[after - 1]
    kernel_end = all_tokens[at - 1].end
    kernel = source[all_tokens[first].start : kernel_end]
    configuration = source[open_angles.end : close_angle.end - 3]
    gap = source[kernel_end : open_angles.start] + source[close_angle.end : all_tokens[after].start]
    arguments = _with_null_pointers(source, all_tokens, after, last)
    separator = ", " if last > after + 1 else ""
    text = (
        f"::kernelgate::launch(::kernelgate::shape({configuration}), "
        f'{{"{_as_literal(kernel)}", "{unit}", {line}{_parameters(all_tokens, at, parameters)}}}, '
        f"[=](auto... kernelgate_arguments) {{ {kernel}(kernelgate_arguments...); }}"
        f"{gap}{separator}{arguments})"
    )
    return Edit(all_tokens[first].start, all_tokens[last].end, text)


def _parameters(all_tokens: Sequence[Token], at: int, parameters: Mapping[str, str]) -> str:
    """The names of the kernel's parameters as a further initialiser; nothing if its definition is not found."""
    before = opening_angle(all_tokens, at - 1) if all_tokens[at - 1].text == ">" else at
    if before is None or not is_name(all_tokens[before - 1]):
        return ""
    return parameters.get(all_tokens[before - 1].text, "")


def _device_functions(all_tokens: Sequence[Token]) -> tuple[dict[str, str], list[tuple[int, int]]]:
    """The parameters of each kernel by its name, and where the bodies of all device functions lie in the source."""
    parameters: dict[str, str] = {}
    bodies: list[tuple[int, int]] = []
    for i, token in enumerate(all_tokens):
        if token.text not in ("__global__", "__device__"):
            continue
        name = _declared_name(all_tokens, i + 1)
        end = closing(all_tokens, name + 1) if name is not None else None
        if name is None or end is None:
            continue
        if token.text == "__global__":
            names = ",".join(_parameter_names(all_tokens[name + 2 : end]))
            parameters.setdefault(all_tokens[name].text, f', "{names}"' if names.strip(",") else "")
        is_host_too = any(t.text == "__host__" for t in all_tokens[max(0, i - 1) : name])
        if not is_host_too and end + 1 < len(all_tokens) and all_tokens[end + 1].text == "{":
            last = closing(all_tokens, end + 1)
            if last is not None:
                bodies.append((all_tokens[end + 1].start, all_tokens[last].start))
    return parameters, bodies


def _declared_name(all_tokens: Sequence[Token], i: int) -> int | None:
    """Index of the name of the function that is declared from token `i` on."""
    while i + 1 < len(all_tokens) and all_tokens[i].text not in (";", "{", "}"):
        if is_name(all_tokens[i]) and all_tokens[i + 1].text == "(":
            if all_tokens[i].text not in _SPECIFIERS:
                return i
            i = closing(all_tokens, i + 1) or i + 1
        i += 1
    return None


def _parameter_names(parameters: Sequence[Token]) -> list[str]:
    """The last name of each parameter, before a default; "" for one without."""
    names = [""]
    depth, skipping = 0, False
    for token in parameters:
        depth += (token.text in ("(", "[", "{", "<")) - (token.text in (")", "]", "}", ">"))
        if token.text == "," and depth == 0:
            names.append("")
            skipping = False
        elif token.text == "=" and depth == 0:
            skipping = True
        elif is_name(token) and depth == 0 and not skipping:
            names[-1] = token.text
    return names


def _kernel_start(all_tokens: Sequence[Token], at: int) -> int | None:
    """Index of the first token of what is launched: a name, template-id, chain of them, or (expression)."""
    i = at - 1
    while i >= 0:
        start: int | None
        if all_tokens[i].text == ">":
            angle = opening_angle(all_tokens, i)
            if angle is None or angle == 0 or not is_name(all_tokens[angle - 1]):
                return None
            start = angle - 1
        elif all_tokens[i].text in (")", "]"):
            start = opening(all_tokens, i)
            if start is None:
                return None
            if all_tokens[i].text == "]":
                i = start - 1
                continue
        elif is_name(all_tokens[i]):
            start = i
        else:
            return None
        before = all_tokens[start - 1].text if start > 0 else ""
        if before == "template":
            start -= 1
            before = all_tokens[start - 1].text if start > 0 else ""
        if before == "::" and (
            start < 2 or not (is_name(all_tokens[start - 2]) or all_tokens[start - 2].text == ">")
        ):
            return start - 1  # ::kernel
        if before not in ("::", ".", "->", "##"):
            return start
        i = start - 2
    return None


def _configuration_end(all_tokens: Sequence[Token], at: int) -> int | None:
    """Index of the parenthesis after the `>>>` that ends the configuration.

    The last one of the statement, because `f<A<B<int>>>(n)` may stand inside.
    """
    depth = 0
    found = None
    for i in range(at + 1, len(all_tokens) - 3):
        text = all_tokens[i].text
        if text in ("(", "[", "{"):
            depth += 1
        elif text in (")", "]", "}"):
            depth -= 1
            if depth < 0:
                break
        elif depth == 0 and text in (";", "<<<"):
            break
        elif depth == 0 and text == ">" and all_tokens[i + 3].text == "(":
            a, b, c = all_tokens[i : i + 3]
            if b.text == c.text == ">" and b.start == a.end and c.start == b.end:
                found = i + 3
    return found


def _with_null_pointers(source: str, all_tokens: Sequence[Token], first: int, last: int) -> str:
    # NULL as an argument of its own would be deduced as long, which is no pointer.
    begin = all_tokens[first].end
    edits = []
    depth = 0
    for i in range(first + 1, last):
        token = all_tokens[i]
        depth += (token.text in ("(", "[", "{")) - (token.text in (")", "]", "}"))
        alone = (i == first + 1 or all_tokens[i - 1].text == ",") and (
            i == last - 1 or all_tokens[i + 1].text == ","
        )
        if token.text == "NULL" and depth == 0 and alone:
            edits.append(Edit(token.start - begin, token.end - begin, "nullptr"))
    return apply(source[begin : all_tokens[last].start], edits)


def _as_literal(kernel: str) -> str:
    return re.sub(r"\s+", " ", kernel.replace("\\\n", " ")).replace("\\", "\\\\").replace('"', "'").strip()
