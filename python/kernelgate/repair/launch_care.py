"""What careful host code does around a launch, written into a program that does not do it.

In: a program's text. Out: its text with what launches and host functions lack: PyTorch's current stream, a check of the
launch, a device guard, input without gaps and aligned to its vectors, no launch for no elements, 64-bit counts of
elements. A rule makes one change, and finds nothing more in what it has changed. Not here: whether the program passes
with them (`commands.fix` tries).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from kernelgate.cuda_source import functions
from kernelgate.program import Source, read
from kernelgate.program.advice import DEFAULT_STREAM, GUARD, LAUNCH_CHECK
from kernelgate.program.candidate import Candidate
from kernelgate.program.source import ProgramError
from kernelgate.repair.edits import rewritten
from kernelgate.repair.kernel_fixes import POINTER, host_sources, indent_of, launching, read_as_they_lie
from kernelgate.repair.names import HEADERS
from kernelgate.repair.rewrites import with_rows
from kernelgate.report.edits import edited

_STREAM = "at::cuda::getCurrentCUDAStream()"
_WRITTEN = ("getCurrentCUDAStream", "C10_CUDA_KERNEL_LAUNCH_CHECK", "CUDAGuard")
_MOST_CHANGES = 24
_MOST_ROWS = 12  # of a launch
_VECTOR = r"(?:float|half|__half|int|uint|double|u?short)[248]?[248]"


@dataclass(frozen=True)
class Change:
    python: str
    step: str


@dataclass(frozen=True)
class Careful:
    """A program's text with its changes. `steps`: each with its line, in words."""

    text: str
    steps: tuple[str, ...]


def with_care(text: str, label: str) -> Careful:
    """A program with all that its launches lack; without steps where they lack nothing that can be written."""
    steps = list[str]()
    for _ in range(_MOST_CHANGES):
        try:
            candidate = read(Source(text, label))
        except ProgramError:
            break
        found = next((change for rule in _RULES if (change := rule(candidate)) is not None), None)
        placed = rewritten(candidate, found.python) if found is not None else None
        if found is None or placed is None:
            break
        steps.append(f"line {placed[1].line}: {found.step}")
        text = edited(text, placed[1])
    return Careful(text, tuple(steps))


def _missing_header(candidate: Candidate) -> Change | None:
    """A header of what the rules below have written."""
    for literal in host_sources(candidate):
        for name in _WRITTEN:
            header = HEADERS[name]
            if name not in literal.value or f"<{header}>" in literal.value:
                continue
            rows = enumerate(literal.value.split("\n"), start=1)
            # load_inline includes PyTorch for a source that includes nothing itself.
            last = max((at for at, row in rows if re.match(r"[ \t]*#[ \t]*include\b", row)), default=1)
            row = f"#include <{header}>"
            return Change(with_rows(candidate, literal.line_of(last), [row]), f"include <{header}>")
    return None


def _current_stream(candidate: Candidate) -> Change | None:
    python = candidate.python
    for start, end in _configurations(candidate):
        parts = functions.split(python[start:end], ",")
        if len(parts) == 4 and parts[3].strip() not in DEFAULT_STREAM:
            continue
        written = [part.strip() for part in parts[:3]] + ["0"] * (3 - len(parts)) + [_STREAM]
        changed = f"{python[:start]}{', '.join(written)}{python[end:]}"
        return Change(changed, "launch on PyTorch's current stream")
    return None


def _checked_launch(candidate: Candidate) -> Change | None:
    for literal in host_sources(candidate):
        if LAUNCH_CHECK.search(functions.blank(literal.value)):
            continue
        for at in reversed([each.line for each in functions.launches(literal.value)]):
            rows = candidate.python.split("\n")
            first = literal.line_of(at)
            until = min(first + _MOST_ROWS, len(rows) + 1)
            last = next((n for n in range(first, until) if rows[n - 1].rstrip().endswith(");")), 0)
            if not last or "<<<" not in rows[first - 1] or "{" in rows[last - 1]:
                continue
            row = f"{indent_of(rows[first - 1])}C10_CUDA_KERNEL_LAUNCH_CHECK();"
            return Change(with_rows(candidate, last, [row]), "check the launch")
    return None


def _device_guard(candidate: Candidate) -> Change | None:
    texts = (functions.without_directives(functions.blank(literal.value)) for literal in candidate.literals)
    if any(map(GUARD.search, texts)):
        return None
    for host in launching(candidate):
        row = f"const c10::cuda::CUDAGuard device_guard({host.tensors[0].name}.device());"
        changed = with_rows(candidate, host.body_line, [f"{host.indent}{row}"])
        return Change(changed, "make the input's device the current one")
    return None


def _without_gaps(candidate: Candidate) -> Change | None:
    """Kernels that look at no stride get tensors without gaps; one that works element by element keeps their order."""
    for host in launching(candidate):
        body = host.body
        named = read_as_they_lie(host)
        if not named:
            continue
        elementwise = len(named) == 1 and re.search(rf"\bempty_like\(\s*{named[0].name}\s*\)", body)
        rows = [
            f"if (!{x.name}.is_non_overlapping_and_dense()) {x.name} = torch::empty_like({x.name}).copy_({x.name});"
            if elementwise
            else f"{x.name} = {x.name}.contiguous();"
            for x in named
        ]
        step = "copy an input that has gaps" if elementwise else "make the inputs contiguous"
        return Change(with_rows(candidate, host.body_line, [f"{host.indent}{row}" for row in rows]), step)
    return None


def _aligned(candidate: Candidate) -> Change | None:
    """Tensors that are read as float4 and its kin begin at a multiple of 16 bytes: a slice need not."""
    for host in launching(candidate):
        vectors = rf"reinterpret_cast<\s*(?:const\s+)?{_VECTOR}\s*\*>\(\s*(\w+){POINTER}"
        read_so = {found.group(1) for found in re.finditer(vectors, host.body)}
        named = [
            each for each in host.tensors if each.name in read_so and not re.search("[&]|const", each.type)
        ]
        if not named or "% 16" in host.body:
            continue
        rows = [
            f"if (reinterpret_cast<uintptr_t>({x.name}.data_ptr()) % 16 != 0) {x.name} = {x.name}.clone();"
            for x in named
        ]
        step = "copy an input that is not aligned to 16 bytes"
        return Change(with_rows(candidate, host.body_line, [f"{host.indent}{row}" for row in rows]), step)
    return None


_MADE = re.compile(
    r"^[ \t]*(?:auto|(?:(?:torch|at)::)?Tensor)\s+(?P<name>\w+)\s*=\s*(?:torch|at)::\w+\(.*;[ \t]*$"
)
_ASKS_IF_EMPTY = re.compile(r"(?:==|!=|>|<=)\s*0\b|\bif\s*\(\s*!?\w+(?:\.numel\(\))?\s*\)")


def _nothing_to_launch(candidate: Candidate) -> Change | None:
    """A grid of no blocks is an error: a result without elements is returned as it is made."""
    for host in launching(candidate):
        rows = candidate.python.split("\n")
        body = range(host.body_line, min(host.body_line + host.body.count("\n"), len(rows)))
        made = [(at, found["name"]) for at in body if (found := _MADE.match(rows[at])) is not None]
        if len(made) != 1 or _ASKS_IF_EMPTY.search(host.body):
            continue
        at, name = made[0]
        if re.search(rf"\breturn\s+{name}\s*;\s*$", host.body.rstrip("} \n")) is not None:
            row = f"{host.indent}if ({name}.numel() == 0) return {name};"
            return Change(with_rows(candidate, at + 1, [row]), "return a result without elements at once")
    return None


_COUNT = re.compile(r"\bint\s+(\w+)(?=\s*=\s*\w+\.numel\(\))")
_INDEX = re.compile(
    r"\bint(\s+\w+\s*=\s*)(?:blockIdx\.x\s*\*\s*blockDim\.x\s*\+\s*threadIdx\.x"
    r"|threadIdx\.x\s*\+\s*blockIdx\.x\s*\*\s*blockDim\.x|blockDim\.x\s*\*\s*blockIdx\.x\s*\+\s*threadIdx\.x)"
)


def _wide_counts(candidate: Candidate) -> Change | None:
    """The number of elements, and the index that counts up to it, in 64 bits."""
    for literal in host_sources(candidate):
        count = _COUNT.search(literal.value)
        if count is None:
            continue
        name = count.group(1)

        def in_kernel(found: re.Match[str], name: str = name) -> str:
            return re.sub(rf"\bint(?=\s+{name}\b)", "int64_t", found.group())

        rows = candidate.python.split("\n")
        first, last = min(literal.lines), max(literal.lines)
        text = "\n".join(rows[first - 1 : last])
        text = _COUNT.sub(r"int64_t \1", text)
        text = re.sub(r"__global__[^{}]*?\{", in_kernel, text)
        text = _INDEX.sub(r"int64_t\1blockIdx.x * int64_t(blockDim.x) + threadIdx.x", text)
        return Change("\n".join([*rows[: first - 1], text, *rows[last:]]), "count elements in 64 bits")
    return None


_RULES: tuple[Callable[[Candidate], Change | None], ...] = (
    _missing_header,
    _current_stream,
    _checked_launch,
    _nothing_to_launch,
    _wide_counts,
    _aligned,
    _without_gaps,
    _device_guard,
)


def _configurations(candidate: Candidate) -> Iterator[tuple[int, int]]:
    """Where the configurations of launches stand in the program's Python."""
    python = candidate.python
    starts = [0]
    for row in python.split("\n"):
        starts.append(starts[-1] + len(row) + 1)
    for literal in host_sources(candidate):
        begin, end = starts[min(literal.lines) - 1], starts[max(literal.lines)] - 1
        seen = functions.blank(python[begin:end].replace('"""', "   ").replace("'''", "   "))
        for opening in re.finditer("<<<", seen):
            closing = seen.find(">>>", opening.end())
            if closing >= 0:
                yield begin + opening.end(), begin + closing
