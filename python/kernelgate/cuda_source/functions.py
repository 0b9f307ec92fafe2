"""Reads CUDA C++ as far as KernelGate needs it: functions at namespace scope, kernels, launches.

In: CUDA C++ text. Out: names, signatures and lines, counted from 1 in that text.
It reads shapes of text, not types: macros stay unexpanded. It decides no verdict.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

_UNSEEN = re.compile(
    r"""
    //(?:\\\n|[^\n])*                                             # line comment
  | /\*.*?(?:\*/|\Z)                                              # block comment
  | (?<!\w)(?:u8|[uUL])?R"(?P<mark>[^()\\\s"]{0,16})\(.*?(?:\)(?P=mark)"|\Z)
  | "(?:\\.|[^"\\\n])*"?
  | (?<!\w)'(?:\\.|[^'\\\n])*'?                                   # not a digit separator
    """,
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.MULTILINE)
_KERNEL = re.compile(r"\b__global__\b([^;{}]{0,2000}?[;{])", re.DOTALL)
_BRACE = re.compile(r"[{}]")
_PARENTHESIS = re.compile(r"[()]")
_CALLED = re.compile(r"([A-Za-z_][\w:]*)\s*\(")
_ATTRIBUTES = {
    "__launch_bounds__",
    "__cluster_dims__",
    "__block_size__",
    "__maxnreg__",
    "__attribute__",
    "__declspec",
    "__align__",
    "alignas",
    "decltype",
    "noexcept",
    "throw",
    "requires",
    "defined",
}
_QUALIFIERS = re.compile(
    r"\b(?:static|inline|extern|constexpr|__host__|__device__|__global__|__forceinline__|__noinline__"
    r"|TORCH_API|C10_EXPORT)\b|\[\[[^\]]*\]\]|\"[^\"]*\""
)
_TENSOR = re.compile(r"(?<![\w:])(?:(?:::)?(?:torch|at)::)?Tensor\b")


def blank(text: str) -> str:
    """`text` with comments and the insides of literals as spaces: same length, same lines."""
    return _UNSEEN.sub(lambda found: _spaces(found.group()), text)


def line_at(text: str, position: int) -> int:
    return text.count("\n", 0, position) + 1


def _line_ends(text: str) -> list[int]:
    return [found.start() for found in re.finditer("\n", text)]


@dataclass(frozen=True)
class Parameter:
    """One parameter of a host function; `name` is "" if the declaration names none."""

    type: str
    name: str

    @property
    def is_tensor(self) -> bool:
        return "Tensor" in self.type and "vector" not in self.type and "TensorList" not in self.type

    def __str__(self) -> str:
        return f"{self.type} {self.name}".rstrip()


@dataclass(frozen=True)
class Function:
    """A function at namespace scope; `hidden` where another source file cannot name it: static, a template,
    in an unnamed namespace.
    """

    name: str
    returns: str
    parameters: tuple[Parameter, ...]
    line: int
    kind: Literal["host", "device", "kernel"]
    namespaces: tuple[str, ...]
    hidden: bool
    defined: bool

    @property
    def returns_tensor(self) -> bool:
        return re.fullmatch(r"(?:const )?(?:(?:::)?(?:torch|at)::)?Tensor", self.returns) is not None

    @property
    def prototype(self) -> str:
        """Its declaration for another source file, without default arguments."""
        signature = f"{self.returns} {self.name}({', '.join(map(str, self.parameters))});"
        signature = _TENSOR.sub(
            lambda found: found.group() if "::" in found.group() else "torch::Tensor", signature
        )
        for namespace in reversed(self.namespaces):
            signature = f"namespace {namespace} {{ {signature} }}"
        return signature


@dataclass(frozen=True)
class Launch:
    """`<<<...>>>`; `configuration` holds its two to four arguments."""

    line: int
    configuration: tuple[str, ...]


def kernels(text: str) -> list[str]:
    """Names of the __global__ functions, in the order of their first appearance."""
    names: dict[str, None] = {}
    for found in _KERNEL.finditer(without_directives(blank(text))):
        for call in _CALLED.finditer(found.group(1)):
            if call.group(1) not in _ATTRIBUTES:
                names[call.group(1)] = None
                break
    return list(names)


def launches(text: str) -> list[Launch]:
    seen = blank(text)
    ends = _line_ends(seen)
    found = []
    for opening in re.finditer("<<<", seen):
        closing = seen.find(">>>", opening.end(), opening.end() + 2000)
        if closing >= 0:
            parts = tuple(part.strip() for part in split(seen[opening.end() : closing], ","))
            found.append(Launch(bisect_left(ends, opening.start()) + 1, parts))
    return found


def functions(text: str) -> list[Function]:
    """Functions declared or defined at namespace scope, in order."""
    return list(_functions(without_directives(blank(text))))


def _functions(seen: str) -> Iterator[Function]:
    scopes: list[str] = []  # names of the open namespaces; "" for extern "C"
    start = 0
    open_parentheses = 0
    ends = _line_ends(seen)
    for stop in re.finditer(r"[;{}()]", seen):
        position, mark = stop.start(), stop.group()
        if position < start:
            continue  # inside a body already passed
        if mark in "()":
            open_parentheses = max(0, open_parentheses + (1 if mark == "(" else -1))
        if mark in "()" or open_parentheses:
            continue  # a default argument may be {}
        head, begin = seen[start:position], start
        start = position + 1
        if mark == "{":
            namespace = re.fullmatch(r"\s*(?:inline\s+)?namespace\b\s*([\w:]*)\s*", head)
            if namespace is not None or re.fullmatch(r'\s*extern\s*"[^"]*"\s*', head):
                scopes.append((namespace.group(1) or "(unnamed)") if namespace is not None else "")
                continue
            start = closing(seen, position) + 1
        elif mark == "}" and scopes:
            scopes.pop()
        if "(" in head:
            line = bisect_left(ends, begin + len(head) - len(head.lstrip())) + 1
            function = _function(head, line, tuple(scopes), defined=mark == "{")
            if function is not None:
                yield function


def _function(head: str, line: int, scopes: tuple[str, ...], *, defined: bool) -> Function | None:
    named = None
    for opening, closing in _groups(head):
        before = re.search(r"([A-Za-z_]\w*)\s*$", head[:opening])
        if before is not None and before.group(1) not in _ATTRIBUTES:
            named = (before.start(), before.group(1), opening, closing)
            break
    if named is None or len(head) > 20_000:
        return None
    start, name, opening, closing = named
    lead, tail = head[:start], head[closing + 1 :]
    template = re.match(r"\s*template\s*<", lead) is not None
    lead = _without_template(lead)
    for attribute in ("__launch_bounds__", "__attribute__", "__cluster_dims__"):
        lead = re.sub(rf"\b{attribute}\s*\((?:[^()]|\([^()]*\))*\)", " ", lead)
    returns = _plain(_QUALIFIERS.sub(" ", lead))
    arrow = re.match(r"\s*->\s*([^{;]+)", tail)
    if returns == "auto" and arrow is not None:
        returns = _plain(arrow.group(1))
    # "=" before the name: a variable; no return type: a macro; "::" at the end: a member of a class.
    if (
        not returns
        or returns.endswith("::")
        or "=" in lead
        or re.match(r"(?:return|using|typedef|class|struct)\b", returns)
    ):
        return None
    kind: Literal["host", "device", "kernel"] = "host"
    if "__global__" in lead:
        kind = "kernel"
    elif "__device__" in lead and "__host__" not in lead:
        kind = "device"
    return Function(
        name=name,
        returns=returns,
        parameters=tuple(_parameters(head[opening + 1 : closing])),
        line=line,
        kind=kind,
        namespaces=tuple(scope for scope in scopes if scope),
        hidden=template or "(unnamed)" in scopes or re.search(r"\bstatic\b", lead) is not None,
        defined=defined,
    )


def _parameters(text: str) -> Iterator[Parameter]:
    for part in split(text, ","):
        declared = _plain(split(part, "=")[0])
        if not declared or declared == "void":
            continue
        name = re.search(r"(?<=[\s&*>])([A-Za-z_]\w*)\s*((?:\[[^\]]*\])*)$", declared)
        if name is None or name.group(1) in {
            "int",
            "float",
            "double",
            "long",
            "short",
            "char",
            "unsigned",
            "const",
        }:
            yield Parameter(declared, "")
        else:
            yield Parameter(declared[: name.start()].rstrip(), name.group(1) + name.group(2))


def split(text: str, separator: str) -> list[str]:
    """Splits if no bracket is open."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "([{<":
            depth += 1
        elif character in ")]}" or (character == ">" and text[position - 1 : position] != "-"):
            depth -= 1
        elif character == separator and depth <= 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def _groups(head: str) -> Iterator[tuple[int, int]]:
    """Outermost (...) of a declaration's head."""
    depth, start = 0, 0
    for position, character in enumerate(head):
        if character == "(":
            if depth == 0:
                start = position
            depth += 1
        elif character == ")" and depth:
            depth -= 1
            if depth == 0:
                yield start, position


def _without_template(lead: str) -> str:
    found = re.match(r"\s*template\s*<", lead)
    if found is None:
        return lead
    depth = 1
    for position in range(found.end(), len(lead)):
        depth += {"<": 1, ">": -1}.get(lead[position], 0)
        if depth == 0:
            return lead[position + 1 :]
    return ""


def closing(seen: str, opening: int) -> int:
    """Where the brace or parenthesis that opens there is closed, in a blanked text; its length if it is not."""
    depth, opens = 0, seen[opening : opening + 1]
    for brace in (_PARENTHESIS if opens == "(" else _BRACE).finditer(seen, opening):
        depth += 1 if brace.group() == opens else -1
        if depth == 0:
            return brace.start()
    return len(seen)


def without_directives(seen: str) -> str:
    """A blanked text with the preprocessor's lines as spaces as well."""
    return _DIRECTIVE.sub(lambda found: _spaces(found.group()), seen)


def _plain(text: str) -> str:
    text = " ".join(text.split())
    return re.sub(r"\s+([&*,>])", r"\1", re.sub(r"([<(])\s+", r"\1", text))


def _spaces(text: str) -> str:
    if text[:1] == '"':  # quotes stay, so that extern "C" can be seen
        return '"' + re.sub(r"[^\n]", " ", text[1:-1]) + text[-1:] if len(text) > 1 else text
    return re.sub(r"[^\n]", " ", text)
