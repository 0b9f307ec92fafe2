"""Which kernels a source launches: their template arguments, and threads and shared memory where these are literal.

In: a device part. Out: `Instance`s, whose names a compiler takes as expressions. Names of the host function around a
launch are replaced by their values. The compiler refuses what is then still not a literal, and it is left out.
"""

from __future__ import annotations

import ast
import itertools
import math
import operator
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kernelgate.cuda_source.device_part import DevicePart, Item
from kernelgate.cuda_source.functions import split
from kernelgate.cuda_source.launches import Launch, launches

_MOST = 64
_DEPTH = 4
_TYPE = re.compile(r"\b(?:using\s+(\w+)\s*=\s*([^;]+)|typedef\s+([^;]+?)\s+(\w+))\s*;")
_VALUE = re.compile(
    r"\b(?:const|constexpr)\s+(?:(?:static|const|unsigned|long|int|auto|size_t|bool|u?int\d+_t)\s+)+"
    r"(\w+)\s*(?:=\s*|\{)([^;}]+)"
)
_PLAIN = re.compile(r"\b(?:int|unsigned|auto|size_t|u?int\d+_t)\s+(\w+)\s*=\s*(\d+)\s*;")
_DIM3 = re.compile(r"\bdim3\s+(\w+)\s*[({]([^;]*)[)}]\s*;")
_DEFINED = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]+)$", re.MULTILINE)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)\(([^)]*)\)(?:\\\n|[^\n])*", re.MULTILINE)
_HALVES = re.compile(r"AT_DISPATCH_\w*HALF\w*|\bkHalf\b")
_ARITHMETIC = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.LShift: operator.lshift,
}


@dataclass(frozen=True)
class Instance:
    """`name` as the compiler takes it: "scale<float, 4>". `guessed`: an argument is not in the text, float was taken.

    `threads` of a block and `dynamic_bytes` of shared memory: None if the launch computes them.
    """

    name: str
    kernel: Item
    guessed: bool = False
    threads: int | None = None
    dynamic_bytes: int | None = None


def instances(part: DevicePart) -> list[Instance]:
    """Every kernel: once if it is no template, else once for each set of arguments that the text names."""
    reader = _Reader(part)
    found: dict[str, Instance] = {}
    for launch in launches(part.source):
        for instance in reader.of_launch(launch):
            found.setdefault(instance.name, instance)
    for instance in reader.named():  # kernels that are launched by their address
        found.setdefault(instance.name, instance)
    launched = {instance.kernel for instance in found.values()}
    for item in part.items:
        if item.kernel and item.body and not item.template and item not in launched:
            found.setdefault(item.scope + item.name, Instance(item.scope + item.name, item))
    return list(found.values())[:_MOST]


def chosen(found: Sequence[Instance], most: int) -> list[Instance]:
    """At most so many: one of each kernel before a second of any, float first, guessed ones last."""
    by_kernel: dict[Item, list[Instance]] = {}
    for one in sorted(found, key=lambda one: (one.guessed, "float" not in re.findall(r"\w+", one.name))):
        by_kernel.setdefault(one.kernel, []).append(one)
    rounds = itertools.zip_longest(*by_kernel.values())
    return [one for same in rounds for one in same if one is not None][:most]


@dataclass(frozen=True)
class _Known:
    """What names stand for in one instantiation of a host function; `guessed` as in Instance."""

    names: dict[str, str]
    guessed: bool = False


class _Reader:
    def __init__(self, part: DevicePart) -> None:
        self._part = part
        self._kernels = {item.name: item for item in part.items if item.kernel and item.body}
        self._global = {found[1]: found[2].strip() for found in _DEFINED.finditer(part.source)}
        for item in part.items:
            if item.kind in ("variable", "device") and item.body is None and not item.inside:
                self._global |= _values(part.seen[item.start : item.end])

    def of_launch(self, launch: Launch) -> Iterator[Instance]:
        name, _, given = launch.kernel.partition("<")
        for known in self._around(launch.start):
            # A macro or a parameter may stand for the kernel.
            kernel = self._kernels.get(_replaced(name, known.names).strip().rpartition("::")[2])
            if kernel is not None:
                yield from self._of(kernel, given.rpartition(">")[0], known, launch)

    def named(self) -> Iterator[Instance]:
        for kernel in self._kernels.values():
            for start, given in self._uses(kernel.name) if kernel.template else ():
                for known in self._around(start):
                    yield from self._of(kernel, given, known, None)

    def _of(self, kernel: Item, given: str, known: _Known, launch: Launch | None) -> Iterator[Instance]:
        threads, dynamic = _configuration(launch, known.names) if launch is not None else (None, None)
        full = kernel.scope + kernel.name
        if kernel.parameters is None:
            yield Instance(full, kernel, False, threads, dynamic)
            return
        arguments = [_evaluated(_replaced(each, known.names).strip()) for each in split(given, ",") if each.strip()]
        missing = [each for each in kernel.parameters[len(arguments) :] if "=" not in each]
        # Deduced from pointers, whose types only the host's compiler knows.
        if all(re.match(r"(?:typename|class)\s+\w", each) for each in missing):
            arguments += ["float"] * len(missing)
            written = f"{full}<{', '.join(arguments)}>"
            yield Instance(written, kernel, known.guessed or bool(missing), threads, dynamic)

    def _around(self, position: int, depth: int = 0) -> list[_Known]:
        """What names stand for at a position: one for each way in which the function around it is instantiated."""
        part = self._part
        host = part.item_at(position)
        if host is None:
            return [_Known(self._global | found) for found in self._macro_arguments(position)] or [_Known(self._global)]
        text = part.seen[host.start : position]
        inside = self._global | _values(text)
        whole = part.source[host.start : host.end]
        scalars = [("float", False)]
        if "AT_DISPATCH" in whole and _HALVES.search(whole):
            scalars.append(("c10::Half", False))
        found = []
        for outer in self._instantiated(host, depth):
            for scalar, guessed in scalars if "AT_DISPATCH" in whole else []:
                names = inside | {"scalar_t": scalar} | outer.names
                found.append(_Known(names, outer.guessed or guessed))
            if "AT_DISPATCH" not in whole:
                found.append(_Known(inside | outer.names, outer.guessed))
        return found[:_MOST]

    def _instantiated(self, host: Item, depth: int) -> list[_Known]:
        """The arguments that a host function's template is given anywhere; a guess if nothing is."""
        if not host.parameters:
            return [_Known({})]
        names = [match[0] if (match := re.search(r"\w+(?=\s*(?:=|$))", each)) else "" for each in host.parameters]
        defaults = [each.partition("=")[2].strip() for each in host.parameters]
        found: list[_Known] = []
        for start, given in self._uses(host.name) if depth < _DEPTH else ():
            arguments = [each.strip() for each in split(given, ",") if each.strip()]
            arguments += defaults[len(arguments) :]
            if len(arguments) == len(names) and all(arguments):
                for known in self._around(start, depth + 1):
                    values = [_replaced(each, known.names) for each in arguments]
                    found.append(_Known(dict(zip(names, values, strict=True)), known.guessed))
        if not found:
            types = [bool(re.match(r"(?:typename|class)\b", each)) for each in host.parameters]
            guesses = {name: "float" for name, is_type in zip(names, types, strict=True) if is_type}
            found = [_Known(guesses, guessed=True)]
        unlike = {tuple(known.names.items()): known for known in found}
        return list(unlike.values())[:_MOST]

    def _uses(self, name: str) -> Iterator[tuple[int, str]]:
        """Where a template is named with arguments, and these."""
        seen = self._part.seen
        for found in re.finditer(rf"\b{re.escape(name)}\s*<(?!<)", seen):
            depth = 1
            for at in range(found.end(), min(len(seen), found.end() + 400)):
                depth += (seen[at] == "<") - (seen[at] == ">")
                if depth == 0:
                    yield found.start(), self._part.source[found.end() : at]
                    break
                if seen[at] in ";{":
                    break

    def _macro_arguments(self, position: int) -> list[dict[str, str]]:
        """What a macro's parameters stand for, once for each time that it is used."""
        source = self._part.source
        macro = next((m for m in _MACRO.finditer(source) if m.start() <= position < m.end()), None)
        if macro is None:
            return []
        names = [name.strip() for name in macro[2].split(",")]
        found = []
        for use in re.finditer(rf"\b{macro[1]}\s*\(", self._part.seen):
            end = closing_parenthesis(self._part.seen, use.end() - 1)
            given = [each.strip() for each in split(source[use.end() : end], ",")]
            for known in self._around(use.start()):
                values = zip(names, given, strict=False)
                found.append({n: _replaced(v, known.names) for n, v in values if n != "..."})
        return found[:_MOST]


def closing_parenthesis(text: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] == "(") - (text[at] == ")")
        if depth == 0:
            return at
    return len(text)


def _values(text: str) -> dict[str, str]:
    known = {}
    for found in _TYPE.finditer(text):
        known[found[1] or found[4]] = (found[2] or found[3]).strip()
    for pattern in (_PLAIN, _DIM3):
        known |= {found[1]: found[2].strip() for found in pattern.finditer(text)}
    for found in _VALUE.finditer(text):
        # A constant is a value, and no macro: what it is a part of must not take it apart.
        value = found[2].strip()
        known[found[1]] = value if re.fullmatch(r"[\w.:]+", value) else f"({value})"
    return known


def _replaced(text: str, known: dict[str, str]) -> str:
    text = " ".join(text.split())
    for _ in range(_DEPTH):
        again = re.sub(r"(?<![\w:.])[A-Za-z_]\w*\b(?!\s*::)", lambda m: known.get(m[0], m[0]), text)
        if again == text or len(again) > 400:
            break
        text = again
    return text


def _configuration(launch: Launch, known: dict[str, str]) -> tuple[int | None, int | None]:
    """Threads of a block and bytes of dynamic shared memory, where both are literal in the end."""
    parts = [part.strip() for part in split(launch.configuration, ",")]
    if len(parts) < 2:
        return None, None
    threads = _threads(_replaced(parts[1], known))
    return threads, _integer(_replaced(parts[2], known)) if len(parts) > 2 else 0


def _threads(text: str) -> int | None:
    inner = re.fullmatch(r"dim3\s*[({](.*)[)}]", text)
    sizes = [_integer(part) for part in split(inner[1] if inner is not None else text, ",")]
    known = [size for size in sizes if size is not None]
    product = math.prod(known)
    return product if len(known) == len(sizes) and 0 < product <= 1024 else None


def _evaluated(argument: str) -> str:
    value = _integer(argument)
    return argument if value is None else str(value)


def _integer(text: str) -> int | None:
    """The value of an expression of whole numbers."""
    text = re.sub(r"\bsizeof\s*\(\s*(float|int|unsigned|double|__half|half)\s*\)", _size, text)
    text = re.sub(r"\b(\d+)[uUlL]+\b", r"\1", text)
    if not re.fullmatch(r"[\d\s+*()/<-]{1,80}", text):
        return None
    try:
        return _value(ast.parse(text.strip().replace("/", "//"), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _size(found: re.Match[str]) -> str:
    return {"double": "8", "__half": "2", "half": "2"}.get(found[1], "4")


def _value(node: ast.expr) -> int:
    match node:
        case ast.Constant(value=int() as value) if value < 1 << 31:
            return value
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            a, b = _value(left), _value(right)
            if b < 0 or (isinstance(op, ast.LShift) and b > 31):
                raise ValueError
            return int(_ARITHMETIC[type(op)](a, b))
    raise ValueError
