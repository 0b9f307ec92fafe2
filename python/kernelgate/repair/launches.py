"""The host functions of a program that launch kernels, as text.

In: a candidate. Out: `Host`, and the literals that hold them. Not here: what is written into them (`kernel_fixes`,
`launch_care`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kernelgate.cuda_source import functions
from kernelgate.program.advice import LAYOUT
from kernelgate.program.candidate import Candidate
from kernelgate.program.literals import Literal

POINTER = r"\s*\.\s*(?:mutable_|const_)?data_ptr"


@dataclass(frozen=True)
class Host:
    """A host function that launches; `body_line`: the line of Python in which its body opens."""

    name: str
    parameters: tuple[functions.Parameter, ...]
    tensors: tuple[functions.Parameter, ...]
    body: str
    body_line: int
    indent: str


def launching(candidate: Candidate) -> Iterator[Host]:
    """The host functions that launch, where their body opens at the end of a row."""
    for literal in host_sources(candidate):
        seen = functions.blank(literal.value)
        rows = seen.split("\n")
        for each in functions.functions(literal.value):
            tensors = tuple(one for one in each.parameters if one.is_tensor and one.name)
            if each.kind != "host" or not each.defined or not tensors:
                continue
            opens = next(
                (n for n in range(each.line, len(rows) + 1) if rows[n - 1].rstrip().endswith("{")), 0
            )
            offset = sum(len(row) + 1 for row in rows[: opens - 1]) + len(rows[opens - 1].rstrip())
            body = seen[offset : functions.closing(seen, offset - 1)]
            if opens and "<<<" in body:
                yield Host(
                    each.name,
                    each.parameters,
                    tensors,
                    body,
                    literal.line_of(opens),
                    indent_of(rows[opens]) or "    ",
                )


def read_as_they_lie(host: Host) -> list[functions.Parameter]:
    """The tensors of which a host function takes pointers, where it looks at no stride and may assign them."""
    named = [each for each in host.tensors if re.search(rf"\b{each.name}{POINTER}", host.body)]
    fixed = any("&" in each.type or "const" in each.type for each in named)
    return [] if fixed or LAYOUT.search(host.body) else named


def host_sources(candidate: Candidate) -> Iterator[Literal]:
    """The literals with launches that know PyTorch's tensors, where an include can be added to them."""
    for literal in candidate.literals:
        includes = re.search(r"#[ \t]*include[ \t]*<(?:torch|ATen)/", literal.value)
        begins = literal.value.startswith("\n") and re.search(r"\b(?:torch|at)::Tensor\b", literal.value)
        if "<<<" in literal.value and (includes or begins):
            yield literal


def indent_of(row: str) -> str:
    return row[: len(row) - len(row.lstrip())]
