"""Certain fixes of what a launch passes: blocks for all elements, bytes of dynamic shared memory, pointers of the
tensors' own type.

In: a candidate. Out: its Python with the change, or None where the text does not show it. Not here: grids that are
rounded down (`rounded_grid`), blocks that are too large (`fewer_threads`), and what asks for a change. The judge
proves it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.program.literals import Literal
from kernelgate.repair import rewrites

_LAUNCH = re.compile(
    r"\b(?P<kernel>\w+)\s*(?:<[^;{}<>]*>)?\s*<<<(?P<given>[^;{}]*?)>>>\s*\((?P<arguments>[^;]*)\)\s*;"
)
_INDEX = re.compile(r"\b(?P<name>\w+)\s*=[^;=]*\bblockIdx\.x\b[^;]*\bthreadIdx\.x\b|"
                    r"\b(?P<other>\w+)\s*=[^;=]*\bthreadIdx\.x\b[^;]*\bblockIdx\.x\b")  # fmt: skip
_DYNAMIC = re.compile(
    r"\bextern\s+__shared__\s+(?:__align__\s*\(\s*\d+\s*\)\s*)?(?P<type>[\w:]+)\s+\w+\s*\[\s*\]"
)


@dataclass(frozen=True)
class _Launch:
    """`given`: the configuration as it is written; `body`: of its kernel, comments blanked."""

    literal: Literal
    given: str
    line: int
    arguments: tuple[str, ...]
    kernel: functions.Function
    body: str

    @property
    def configuration(self) -> tuple[str, ...]:
        return tuple(each.strip() for each in functions.split(self.given, ","))

    def threads(self) -> str | None:
        """The number of threads of a block, where it is a number, or a name that holds one or a dim3."""
        block = self.configuration[1] if len(self.configuration) > 1 else ""
        if not re.fullmatch(r"\w+", block):
            return None
        three = re.search(rf"\bdim3\s+{block}\s*[({{]([^;]*)[)}}]\s*;", functions.blank(self.literal.value))
        if three is None:
            return block
        sizes = len(functions.split(three[1], ","))
        return " * ".join(f"{block}.{axis}" for axis in "xyz"[:sizes])

    def with_configuration(self, candidate: Candidate, parts: list[str]) -> str | None:
        written = re.escape(f"<<<{self.given}>>>")
        return rewrites.replaced_in_source(
            candidate, self.literal.value, written, f"<<<{', '.join(parts)}>>>".replace("\\", r"\\")
        )


def _launches(candidate: Candidate) -> Iterator[_Launch]:
    for literal in candidate.literals:
        if "<<<" not in literal.value:
            continue
        seen = functions.blank(literal.value)
        known = functions.functions(literal.value)
        for found in _LAUNCH.finditer(seen):
            kernels = [each for each in known if each.name == found["kernel"] and each.kind == "kernel"]
            kernels = [each for each in kernels if each.defined]
            if len(kernels) != 1:
                continue
            rest = "\n".join(seen.split("\n")[kernels[0].line - 1 :])
            opening = rest.find("{")
            body = rest[opening : functions.closing(rest, opening)]
            arguments = tuple(each.strip() for each in functions.split(found["arguments"], ","))
            line = literal.line_of(functions.line_at(seen, found.start("given")))
            yield _Launch(literal, found["given"], line, arguments, kernels[0], body)


def blocks_for_all(candidate: Candidate) -> tuple[str, int] | None:
    """A grid that is a number, for a kernel that handles one element a thread: as many blocks as the elements need."""
    for launch in _launches(candidate):
        parts, threads = list(launch.configuration), launch.threads()
        count = _count(launch)
        if len(parts) < 2 or not parts[0].isdigit() or "gridDim" in launch.body or count is None:
            continue
        if threads is None or "*" in threads:
            continue
        parts[0] = f"({count} + {threads} - 1) / {threads}"
        changed = launch.with_configuration(candidate, parts)
        if changed is not None:
            return changed, launch.line
    return None


def _count(launch: _Launch) -> str | None:
    """What the launch passes as the bound of its kernel's one index."""
    found = [each["name"] or each["other"] for each in _INDEX.finditer(launch.body)]
    if len(found) != 1:
        return None
    bound = re.search(rf"\bif\s*\(\s*{found[0]}\s*(?:<|>=)\s*(\w+)\s*\)", launch.body)
    names = [each.name for each in launch.kernel.parameters]
    if bound is None or bound[1] not in names or len(launch.arguments) != len(names):
        return None
    count = launch.arguments[names.index(bound[1])]
    return count if re.fullmatch(r"[\w.]+(?:\(\w*\))?", count) else f"({count})"


def with_shared_bytes(candidate: Candidate) -> tuple[str, int] | None:
    """A launch of a kernel with dynamic shared memory that passes no bytes, or elements for bytes: one element a
    thread, in bytes."""
    for launch in _launches(candidate):
        found, threads = _DYNAMIC.search(launch.body), launch.threads()
        parts = list(launch.configuration)
        if found is None or threads is None or len(parts) < 2:
            continue
        given = parts[2] if len(parts) > 2 else "0"
        if given not in ("0", parts[1], threads):
            continue
        parts[2:3] = [f"{threads} * sizeof({found['type']})"]
        changed = launch.with_configuration(candidate, parts)
        if changed is not None:
            return changed, launch.line
    return None


_NAMES = {
    "Half": ("at::Half", "c10::Half", "torch::Half"),
    "BFloat16": ("at::BFloat16", "c10::BFloat16", "torch::BFloat16"),
    "Float": ("float",),
    "Double": ("double",),
    "Long": ("int64_t", "long", "long long"),
    "Int": ("int", "int32_t"),
}


def pointers_of(candidate: Candidate, asked: str, held: str) -> tuple[str, int] | None:
    """The pointers that a program takes as one type, and the kernels' parameters for them, as the type that the tensors
    hold. Both by PyTorch's names: Half, Float."""
    if asked not in _NAMES or held not in _NAMES:
        return None
    wrong = "|".join(map(re.escape, _NAMES[asked]))
    pointer = rf"\b((?:const_|mutable_)?data_ptr\s*<\s*(?:const\s+)?)(?:{wrong})(?=\s*>)"
    new = _NAMES[held][0]
    for literal in candidate.literals:
        at = re.search(pointer, functions.blank(literal.value))
        if at is None:
            continue
        variable = rf"\b(?:{wrong})(?=\s*\*\s*(?:__restrict__\s+)?(\w+)\s*=\s*\w+\s*\.\s*(?:\w+_)?data_ptr\s*<)"
        held_in = {found.group(1) for found in re.finditer(variable, functions.blank(literal.value))}
        names = {
            launch.kernel.parameters[place].name
            for launch in _launches(candidate)
            if launch.literal == literal
            for place, argument in enumerate(launch.arguments[: len(launch.kernel.parameters)])
            if argument in held_in or re.search(pointer, argument)
        }
        parameter = (
            rf"\b(?:{wrong})(?=\s*\*[^,(){{}};]*?\b(?:{'|'.join(sorted(names))})\s*[,)])" if names else None
        )
        pattern = "|".join(filter(None, [pointer, variable, parameter]))
        changed = rewrites.replaced_in_source(
            candidate, literal.value, pattern, lambda found: f"{found.group(1) or ''}{new}"
        )
        if changed is not None:
            return changed, literal.line_of(functions.line_at(literal.value, at.start()))
    return None
