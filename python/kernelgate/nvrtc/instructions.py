"""What NVIDIA's compiler makes of each line of a kernel: the instructions of its PTX, by kind.

In: PTX that was made with -lineinfo. Out: `LineInstructions`, by kernel and line of the unit, in the source's order.
PTX is what ptxas makes machine code of: how often a line is there is not how often it runs, and a spill is not in it.
Format: PTX ISA, sections "Directives" (.loc, .file) and "Instruction Set".
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

from kernelgate.messages.device_compile import LineInstructions

_MOST_LINES = 400
_FUNCTION = re.compile(r"^(?:\.\w+ )*\.(?:entry|func)\s+(?:\([^)]*\)\s*)?([\w$]+)")
_FILE = re.compile(r'^\s*\.file\s+(\d+)\s+"([^"]*)"')
_LOC = re.compile(r"^\s*\.loc\s+(\d+)\s+(\d+)\s+\d+(?:.*inlined_at\s+(\d+)\s+(\d+))?")
_INSTRUCTION = re.compile(r"^\s*(?:@!?%\w+\s+)?([a-z][\w.:]*)\s*(?:[%\[{_\d$-].*)?;")
# By the beginning of the opcode, the first that fits; None: no instruction of the machine.
_KINDS: tuple[tuple[re.Pattern[str], str | None], ...] = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (r"ld\.param|st\.param|mov\b|cvta|call_prolog|pragma", None),
        (r"ld(?:\.volatile|\.relaxed|\.acquire)?(?:\.\w+)*?\.local", "local load"),
        (r"st(?:\.volatile|\.relaxed|\.release)?(?:\.\w+)*?\.local", "local store"),
        (r"cp\.|st\.async|mbarrier\.", "asynchronous copy"),
        (r"mma\.|wmma\.|wgmma\.|ldmatrix|stmatrix|movmatrix", "tensor core"),
        (r"ld\.(?:\w+\.)*?shared|ld\.shared", "shared load"),
        (r"st\.(?:\w+\.)*?shared|st\.shared", "shared store"),
        (r"atom|red\.", "atomic"),
        (r"ldu?\.", "global load"),
        (r"st\.", "global store"),
        (r"tex|tld4|suld|sust|sured", "texture"),
        (r"bar\.|barrier|membar|fence|nanosleep", "barrier"),
        (r"shfl|vote|match|redux|activemask", "warp"),
        (r"bra|brx|call|ret|exit|trap", "branch"),
        (r"set|selp|slct|testp", "comparison"),
        (r"cvt", "conversion"),
        (r"(?:sin|cos|lg2|ex2|tanh|rcp|rsqrt|sqrt|div)\.(?:\w+\.)*f(?:16|32)", "special function"),
        (r"(?:div|rem)\.[us]", "integer division"),
        (r"\w+(?:\.\w+)*\.f64", "fp64"),
        (r"\w+(?:\.\w+)*\.(?:f16|bf16)", "fp16"),
        (r"\w+(?:\.\w+)*\.f32", "fp32"),
        (r"", "integer"),
    )
)


def by_line(ptx: str, names: Mapping[str, str], unit: str) -> list[LineInstructions]:
    """`names`: of the functions, by their symbols; what has none keeps its symbol. An instruction of a header counts
    for the line of the unit that it was inlined at."""
    files = {found[1] for row in ptx.splitlines() if (found := _FILE.match(row)) and found[2].split("/")[-1] == unit}
    counts: dict[tuple[str, int], Counter[str]] = {}
    function, line = "", 0
    for row in ptx.splitlines():
        if found := _FUNCTION.match(row):
            function, line = names.get(found[1], found[1]), 0
        elif found := _LOC.match(row):
            own, outer = (found[1], found[2]), (found[3], found[4])
            line = next((int(number) for file, number in (own, outer) if file in files), line)
        elif line and (found := _INSTRUCTION.match(row)):
            kind = next(kind for pattern, kind in _KINDS if pattern.match(found[1]))
            if kind is not None:
                counts.setdefault((function, line), Counter())[kind] += 1
    ordered = sorted(counts.items(), key=lambda item: (item[0][1], item[0][0]))
    return [LineInstructions(name[:300], line, dict(of_line)) for (name, line), of_line in ordered[:_MOST_LINES]]
