"""The device part of a CUDA source: what a compiler of device code can compile, with lines unchanged.

In: a source as load_inline gets it. Out: `DevicePart`: the same text with host functions reduced to declarations,
PyTorch's macros and headers blanked, and every host function marked, so that its use in device code shows.
Not here: a compiler. A wrong cut shows as an error on a line of host code, which is then blanked as well.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

from kernelgate.cuda_source.functions import without_directives
from kernelgate.cuda_source.lexer import Edit, Token, apply, blank, closing, is_name, tokens

MARK = "kernelgate: host"
"""What the compiler's warning says where a host function is used."""

Kind = Literal[
    "device",  # __device__, __global__, __constant__, ...
    "both",  # __host__ __device__: nvcc lets it call host functions, with a warning
    "constexpr",  # callable on the device, because PyTorch compiles with --expt-relaxed-constexpr
    "host",  # a function without any of these
    "type",
    "variable",
    "macro",  # PYBIND11_MODULE(...) {...} and its like
]

_OF_THE_DEVICE = {"__device__", "__global__", "__constant__", "__shared__", "__managed__"}
_WITH_PARENTHESES = {
    "__launch_bounds__",
    "__maxnreg__",
    "__cluster_dims__",
    "__attribute__",
    "__align__",
    "alignas",
    "decltype",
    "noexcept",
    "explicit",
    "requires",
    "C10_LAUNCH_BOUNDS_1",
    "C10_LAUNCH_BOUNDS_2",
}
_CLASSES = {"struct", "class", "union"}
_NO_FUNCTION = {"using", "typedef", "static_assert", "friend", "concept", "return", "asm", "public", "private"}
# No device function can be handed one of these, and NVRTC has no headers for them.
_TYPES_OF_THE_HOST = {"torch", "at", "c10", "std", "Tensor", "auto", "TORCH_API", "pybind11", "py", "dim3"}
_MACROS_OF_TORCH = {"C10_DEVICE": {"__device__"}, "C10_HOST_DEVICE": {"__host__", "__device__"}}
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\n|[^\n])*)", re.MULTILINE)
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include\b[^\n]*", re.MULTILINE)
_HEADER = re.compile(r"[<\"]([^>\"\n]+)[>\"]")
# Headers of device code; all others are the host's.
_TAKEN = re.compile(
    r"cuda_(?:fp16|bf16|fp8|fp6|fp4|pipeline\w*|awbarrier\w*)\.h|mma\.h|cooperative_groups(?:\.h|/.+)|cub/.+|cuda/.+"
    r"|curand_(?:kernel|uniform|normal|philox4x32_x)\.h|math_constants\.h|cuComplex\.h"
)
_WITH_LIBCUXX = re.compile(r"cuda_(?:pipeline|awbarrier)\w*\.h|cooperative_groups.*|cub/.+|cuda/.+|curand_kernel\.h")
# torch/types.h brings the half types as well.
_OF_TORCH = re.compile(
    r"\b(?:at|c10|torch)\s*::|\bC10_[A-Z]\w*|\bCUDA_KERNEL_[A-Z]\w*|\b(?:__)?half2?\b|\b__nv_bfloat16"
)


@dataclass(frozen=True)
class Item:
    """A declaration at namespace scope, or in the class that `inside` names. Positions are those of the source.

    `parameters`: a template's, as they are written: "typename T", "int V"; `name_end`: where a mark goes, None if
    there is no place for one; `body`: with its braces.
    """

    kind: Kind
    name: str
    start: int
    end: int
    name_end: int | None = None
    body: tuple[int, int] | None = None
    parameters: tuple[str, ...] | None = None
    kernel: bool = False
    inside: str = ""
    scope: str = ""
    words: frozenset[str] = frozenset()

    @property
    def template(self) -> bool:
        return self.parameters is not None


@dataclass(frozen=True)
class DevicePart:
    """`text` for the compiler, line for line that of `source`; `headers` are those that it includes."""

    text: str
    source: str
    items: tuple[Item, ...]
    headers: tuple[str, ...]
    edits: tuple[Edit, ...]

    @property
    def needs_libcuxx(self) -> bool:
        return any(_WITH_LIBCUXX.fullmatch(header) for header in self.headers)

    @property
    def uses_torch(self) -> bool:
        return _OF_TORCH.search(blank(self.text)) is not None

    @cached_property
    def seen(self) -> str:
        """The source without comments, insides of literals and directives; same positions."""
        return without_directives(blank(self.source))

    def position(self, line: int, column: int) -> int | None:
        """The position in the source behind a line and a column, both from 1, of `text`."""
        rows = self.text.split("\n")
        if not 1 <= line <= len(rows):
            return None
        at = sum(len(row) + 1 for row in rows[: line - 1]) + min(max(column, 1) - 1, len(rows[line - 1]))
        shift = 0  # what `text` is longer by, up to here
        for edit in self.edits:
            kept_lines = max(0, self.source.count("\n", edit.start, edit.end) - edit.text.count("\n"))
            length = len(edit.text) + kept_lines
            if at < edit.start + shift + length:
                return min(at - shift, edit.start)
            shift += length - (edit.end - edit.start)
        return at - shift

    def item_at(self, position: int) -> Item | None:
        """The innermost declaration at a position of the source."""
        around = [item for item in self.items if item.start <= position < item.end]
        return min(around, key=lambda item: item.end - item.start, default=None)


def device_part(source: str, *, marked: bool = True, without: Collection[Item] = ()) -> DevicePart:
    """`marked`: whether host functions carry a mark; `without`: declarations to blank as well, which an earlier attempt
    could not compile."""
    items = tuple(declarations(source))
    on_the_device = {(i.inside, i.name) for i in items if i.kind in ("device", "both", "constexpr")}
    edits, headers = [], []
    for directive in _INCLUDE.finditer(blank(source)):
        header = _HEADER.search(source, directive.start(), directive.end())
        if header is not None and _TAKEN.fullmatch(header[1]):
            headers.append(header[1])
        else:
            edits.append(Edit(directive.start(), directive.end(), ""))
    for item in items:
        if item in without or item.kind == "macro":
            edits.append(Edit(item.start, item.end, ""))
        elif item.kind == "host":
            if not item.inside and (item.name_end is None or item.words & _TYPES_OF_THE_HOST):
                edits.append(Edit(item.start, item.end, ""))
                continue
            free = (item.inside, item.name) not in on_the_device
            if marked and free and item.name_end is not None:
                edits.append(Edit(item.name_end, item.name_end, f' [[deprecated("{MARK}")]] '))
            if item.body is not None and not item.inside:
                edits.append(Edit(*item.body, ";"))
    kept = tuple(_outermost(edits))
    return DevicePart(apply(source, kept), source, items, tuple(headers), kept)


def _outermost(edits: list[Edit]) -> Iterator[Edit]:
    end = -1
    for edit in sorted(edits, key=lambda each: (each.start, -each.end)):
        if edit.start >= end:
            yield edit
            end = edit.end


def declarations(source: str) -> list[Item]:
    """Everything declared at namespace scope, and in classes there."""
    seen = without_directives(blank(source))
    reader = _Reader(seen, tokens(seen), _macros(source))
    return reader.read(0, len(reader.tokens), "", "")


def _macros(source: str) -> dict[str, set[str]]:
    """The words in the body of each macro, and in those of the macros in it; of all bodies that it has anywhere."""
    macros = {name: set(words) for name, words in _MACROS_OF_TORCH.items()}
    for found in _DEFINE.finditer(blank(source)):
        macros.setdefault(found[1], set()).update(re.findall(r"[A-Za-z_]\w*", found[2]))
    return {name: words.union(*(macros[word] for word in words & macros.keys())) for name, words in macros.items()}


class _Reader:
    def __init__(self, seen: str, all_tokens: list[Token], macros: dict[str, set[str]]) -> None:
        self.tokens = all_tokens
        self._seen = seen
        self._macros = macros

    def read(self, i: int, end: int, inside: str, scope: str) -> list[Item]:
        """The declarations from token `i` to token `end`, in the class `inside` or the namespace `scope`."""
        items: list[Item] = []
        scopes = [scope]
        start = i
        while i < end:
            text = self.tokens[i].text
            if text in ("(", "["):
                closed = closing(self.tokens, i)
                if closed is None:
                    return items  # nobody reads what stands here
                i = closed
            elif text == ":" and i == start + 1 and self.tokens[start].text in ("public", "private", "protected"):
                start = i + 1
            elif text == "}":
                if len(scopes) > 1:
                    scopes.pop()
                start = i + 1
            elif text == "{":
                namespace = self._namespace(start, i)
                if namespace is not None:
                    scopes.append(f"{scopes[-1]}{namespace}::" if namespace else scopes[-1])
                    start = i + 1
                else:
                    closed = closing(self.tokens, i)
                    if closed is None:
                        return items
                    if self._parameters(start, i) is not None:
                        items.append(self._item(start, i, closed, inside, scopes[-1]))
                        start = closed + 1
                    else:
                        name = self._class(start, i)
                        if name is not None:
                            items += self.read(i + 1, closed, name, f"{scopes[-1]}{name}::")
                    i = closed
            elif text == ";":
                if i > start:
                    items.append(self._item(start, i, None, inside, scopes[-1]))
                start = i + 1
            i += 1
        return items

    def _namespace(self, start: int, brace: int) -> str | None:
        """The name of the namespace that opens here; "" for one without, and for extern "C"."""
        words = [token.text for token in self.tokens[start:brace]]
        if words[:1] == ["extern"] and len(words) == 2 and words[1].startswith('"'):
            return ""
        inline = words[:1] == ["inline"]
        if words[inline : inline + 1] == ["namespace"]:
            return "".join(word for word in words[inline + 1 :] if is_name(Token(word, 0)) or word == "::")
        return None

    def _after_template(self, i: int, end: int) -> tuple[int, tuple[str, ...] | None]:
        """Where a declaration begins behind its template parameters, and these."""
        parameters: tuple[str, ...] | None = None
        while i + 1 < end and self.tokens[i].text == "template" and self.tokens[i + 1].text == "<":
            closed = self._closing_angle(i + 1, end)
            if closed is None:
                break
            inner = self._seen[self.tokens[i + 1].end : self.tokens[closed].start]
            parameters = tuple(part.strip() for part in _split(inner) if part.strip())
            i = closed + 1
        return i, parameters

    def _closing_angle(self, i: int, end: int) -> int | None:
        depth = 0
        while i < end:
            text = self.tokens[i].text
            if text in ("(", "["):
                i = closing(self.tokens, i) or end
            elif text in ("{", ";"):
                return None
            else:
                depth += (text == "<") - (text == ">")
                if depth == 0:
                    return i
            i += 1
        return None

    def _class(self, start: int, brace: int) -> str | None:
        i, _ = self._after_template(start, brace)
        if "enum" in (token.text for token in self.tokens[i:brace]):
            return None
        keyword = next((k for k in range(i, brace) if self.tokens[k].text in _CLASSES), None)
        if keyword is None or any(self.tokens[k].text == "=" for k in range(i, brace)):
            return None
        for k in range(keyword + 1, brace):
            text = self.tokens[k].text
            if is_name(self.tokens[k]) and text not in _WITH_PARENTHESES:
                return text
        return ""

    def _parameters(self, start: int, end: int) -> int | None:
        """Index of the parenthesis that opens the parameters, where a function is declared."""
        i, _ = self._after_template(start, end)
        first = i
        while i < end:
            token = self.tokens[i]
            if token.text in _NO_FUNCTION or token.text == "=" or token.text == "{":
                return None
            if token.text == "operator":
                i += 3 if self.tokens[i + 1].text == "(" else 1
                while i < end and self.tokens[i].text != "(":
                    i += 1
                return i if i < end else None
            if token.text == "(":
                before = self.tokens[i - 1]
                if i > first and is_name(before) and before.text not in _WITH_PARENTHESES:
                    return i
                i = closing(self.tokens, i) or end
            elif token.text == "<" and i > first and is_name(self.tokens[i - 1]):
                i = self._closing_angle(i, end) or i
            i += 1
        return None

    def _item(self, start: int, end: int, closed: int | None, inside: str, scope: str) -> Item:
        """A declaration up to token `end`, the brace of its body where `closed` closes it, or a semicolon."""
        begin, template = self._after_template(start, end)
        last = end if closed is None else closed
        span = self.tokens[start].start, self.tokens[last].end
        opening = self._parameters(start, end)
        # Of what is no function, the head: a class may have members for the device.
        head = next((k for k in range(begin, end) if self.tokens[k].text == "{"), end)
        words = self._words(begin, head if opening is None else opening)
        device = bool(words & _OF_THE_DEVICE)
        if opening is None:
            types = {"using", "typedef", "enum", "static_assert", "concept", *_CLASSES}
            kind: Kind = "device" if device else "type" if words & types else "variable"
            name = self._variable(begin, head) if kind != "type" else self._class(start, head) or ""
            return Item(
                kind, name, *span, inside=inside, scope=scope, parameters=template, words=frozenset(words)
            )
        named = self.tokens[opening - 1]
        name = named.text
        operator = next((k for k in range(begin, opening) if self.tokens[k].text == "operator"), None)
        first = opening - 1
        if operator is not None:
            first = operator
            name = "".join(token.text for token in self.tokens[operator:opening])
        before = self.tokens[first - 1].text if first > begin else ""
        qualified = before == "::"
        conversion = operator is not None and is_name(self.tokens[operator + 1])
        if first == begin and not inside and not qualified and operator is None:
            # No type in front: a macro, of the program's own or of PyTorch.
            known = name in self._macros
            kind = "device" if words & _OF_THE_DEVICE else "variable" if known else "macro"
        elif device:
            kind = "both" if "__host__" in words else "device"
        elif words & {"constexpr", "consteval"}:
            kind = "constexpr"
        else:
            kind = "host"
        words |= self._words(opening, closing(self.tokens, opening) or opening)
        tail = [token.text for token in self.tokens[closing(self.tokens, opening) or opening : end]]
        if tail[-2:] in (["=", "default"], ["=", "delete"]) or "friend" in words:
            kind = "constexpr" if kind == "host" else kind  # callable on either side, or on neither
        return Item(
            kind,
            name,
            *span,
            name_end=None if qualified or conversion or before == "~" else named.end,
            body=(self.tokens[end].start, self.tokens[closed].end) if closed is not None else None,
            parameters=template,
            kernel="__global__" in words,
            inside=inside,
            scope=scope,
            words=frozenset(words),
        )

    def _words(self, start: int, end: int) -> set[str]:
        words = {token.text for token in self.tokens[start:end] if is_name(token)}
        return words.union(*(self._macros[word] for word in words & self._macros.keys()))

    def _variable(self, start: int, end: int) -> str:
        """The last name before an initialiser or an extent."""
        name = ""
        for i in range(start, end):
            if self.tokens[i].text in ("=", "[", "{", "("):
                break
            if is_name(self.tokens[i]):
                name = self.tokens[i].text
        return name


def _split(text: str) -> list[str]:
    """At commas if no bracket is open."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth <= 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]
