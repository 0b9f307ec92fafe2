"""Fixes of a kernel, its launch, or what its host allocates: a barrier, zeros, shared memory, inputs without gaps, a
constant, a bound.

In: a candidate, and the kind and the lines of a fault. Out: `Fix`, with its line if the failure names it; None if the
text shows no place for it. Edits of a bound are guesses, the likeliest first. The judge proves each change. Not here:
what is said of a fault (`judge.endings.findings`).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass

from kernelgate.cuda_source import functions
from kernelgate.program.advice import LAYOUT
from kernelgate.program.candidate import Candidate
from kernelgate.program.literals import Literal
from kernelgate.repair.edits import Fix, rewriting
from kernelgate.repair.rewrites import with_rows
from kernelgate.report.bounded import to_lines
from kernelgate.report.types import Edit

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


_EMPTY = re.compile(r"\b(torch|at)::empty(_like)?(?=\s*\()")
_ADDS = re.compile(r"\batomic\w+\s*\(|[+|&^]=|-=")


def zeroed(candidate: Candidate) -> Fix | None:
    """The one tensor that a launching function makes, as zeros, where a kernel adds to memory."""
    if not any(_ADDS.search(literal.value) for literal in candidate.literals if "<<<" in literal.value):
        return None
    for host in launching(candidate):
        rows = candidate.python.split("\n")
        body = range(host.body_line, host.body_line + host.body.count("\n"))
        made = [at for at in body if at < len(rows) and _EMPTY.search(rows[at])]
        if len(made) == 1:
            rows[made[0]] = _EMPTY.sub(lambda found: f"{found[1]}::zeros{found[2] or ''}", rows[made[0]])
            return rewriting(candidate, "\n".join(rows), "Allocate it with zeros: the kernel adds to it")
    return None


_MADE = re.compile(r"\b((?:torch|at)::(?:empty|zeros))\(\s*(\{[^{}]*\})\s*(?:,[^;]*)?\);")


def like_input(candidate: Candidate) -> Fix | None:
    """The one tensor that a launching function makes by its sizes, with dtype and device of the first input."""
    for host in launching(candidate):
        rows = candidate.python.split("\n")
        body = range(host.body_line, min(host.body_line + host.body.count("\n"), len(rows)))
        made = [at for at in body if _MADE.search(rows[at])]
        if len(made) == 1:
            rows[made[0]] = _MADE.sub(rf"\1(\2, {host.tensors[0].name}.options());", rows[made[0]])
            step = "Make the result with the input's dtype and device: options()"
            return rewriting(candidate, "\n".join(rows), step)
    return None


def contiguous_inputs(candidate: Candidate) -> tuple[Fix, int] | None:
    """Inputs without gaps in the first host function that looks at no stride, and the line of its body."""
    step = "Make the inputs contiguous first: the kernel takes the elements as they lie in memory"
    for host in launching(candidate):
        named = read_as_they_lie(host)
        if named:
            rows = [f"{host.indent}{each.name} = {each.name}.contiguous();" for each in named]
            fix = rewriting(candidate, with_rows(candidate, host.body_line, rows), step)
            return (fix, host.body_line) if fix is not None else None
    return None


_NUMBER = re.compile(r"(?<![\w.])(?P<digits>\d+\.\d*|\.\d+)(?P<suffix>[fF]?)(?![\w.])|(?P<comment>//.*|#.*)")


def constant(candidate: Candidate, got: float, wanted: float) -> tuple[Fix, int] | None:
    """The one number of the program that is `got`, as `wanted`, and its line."""
    rows = candidate.python.split("\n")
    found = [
        (at, number)
        for at, row in enumerate(rows)
        for number in _NUMBER.finditer(row)
        if number["digits"] and math.isclose(float(number["digits"]), got, rel_tol=1e-5)
    ]
    if len(found) != 1:
        return None
    at, number = found[0]
    right = f"{wanted:.6g}{number['suffix']}"
    rows[at] = rows[at][: number.start()] + right + rows[at][number.end() :]
    fix = rewriting(candidate, "\n".join(rows), f"Write {right} in place of {number[0]}")
    return (fix, at + 1) if fix is not None else None


_LAUNCHES = re.compile(r"^(?P<indent>[ \t]*)(?P<kernel>[A-Za-z_][\w:]*(?:<[^;]*>)?)[ \t]*<<<")
_ALLOWED = "cudaFuncAttributeMaxDynamicSharedMemorySize"


def allowed_memory(candidate: Candidate) -> Fix | None:
    """Every launch that passes an amount of dynamic shared memory, with its kernel allowed as much."""
    rows = candidate.python.split("\n")
    above: dict[int, str] = {}
    for literal in candidate.literals:
        for launch in functions.launches(literal.value):
            row = literal.line_of(launch.line)
            found = _LAUNCHES.match(rows[row - 1])
            amount = launch.configuration[2] if len(launch.configuration) > 2 else "0"
            if found is None or amount == "0" or not _begins(rows[row - 2]):
                continue
            request = f"cudaFuncSetAttribute({found['kernel']}, {_ALLOWED}, {amount});"
            if request not in literal.value:
                above[row] = f"{found['indent']}{request}"
    for row, request in sorted(above.items(), reverse=True):
        rows.insert(row - 1, request)
    step = "Allow the kernel that much dynamic shared memory before the launch"
    return rewriting(candidate, "\n".join(rows), step)


def _begins(row: str) -> bool:
    """Whether a statement begins below a row."""
    code = row.partition("//")[0].rstrip()
    return not code or code.endswith((";", "{", "}"))


def barrier(candidate: Candidate, line: int, other: int | None) -> Fix | None:
    """__syncthreads() behind the first of two rows of the Python; behind the branches that the row stands in, since
    every thread of the block must come to it."""
    rows = candidate.python.split("\n")
    at = min(line, other or line)
    if not rows[at - 1].rstrip().endswith(";") or "__syncthreads" in rows[at - 1]:
        return None
    indent = _depth(rows[at - 1])
    while (header := _header(rows, at, indent)) is not None and re.match(
        r"\s*(?:\}\s*else\b|(?:else\s+)?if\b|else\b)", rows[header - 1]
    ):
        indent = _depth(rows[header - 1])
        if rows[header - 1].rstrip().endswith("{"):
            closing = (
                n
                for n in range(at + 1, len(rows) + 1)
                if rows[n - 1].strip() and _depth(rows[n - 1]) <= indent
            )
            at = next(closing, at)
    changed = with_rows(candidate, at, [f"{' ' * indent}__syncthreads();"])
    step = "Let all threads of the block wait between the two: __syncthreads()"
    return rewriting(candidate, changed, step)


def _header(rows: list[str], at: int, indent: int) -> int | None:
    """The line above that is indented less: of the block around."""
    return next(
        (n for n in range(at - 1, 0, -1) if rows[n - 1].strip() and _depth(rows[n - 1]) < indent), None
    )


def _depth(row: str) -> int:
    return len(row) - len(row.lstrip())


_MOST_LINES = 400  # of a kernel
_TOO_FAR = re.compile(r"(?<![<>=!])<=(?!=)|(?<=[\w)\]\s])>(?![>=])(?=[^;{}]*\)\s*\{?\s*return\b)")
_INDEX = re.compile(
    r"^([ \t]*)[\w :]*?\b(\w+)\s*=(?=[^;=]*\bblockIdx\.x\b)(?=[^;=]*\bthreadIdx\.x\b)[^;=]*;", re.MULTILINE
)
_INTEGER = re.compile(r"\b(?:int|long|unsigned|size_t|u?int(?:32|64)_t)\b(?!.*[*&])")
_WAITS = re.compile(r"__sync|\bsync\(|__shfl|__ballot")


def bound_edits(text: str, line: int, *, may_lack: bool) -> list[tuple[Edit, str]]:
    """With each what it does. `may_lack`: a check may be missing, not only wrong."""
    rows = to_lines(text)
    head = next((at for at in range(min(line, len(rows)) - 1, -1, -1) if "__global__" in rows[at]), None)
    if head is None:
        return []
    kernel = _whole(functions.blank("\n".join(rows[head : head + _MOST_LINES])))
    found = sorted(_looser(kernel, rows, head), key=lambda each: abs(each[0].line - line))
    return [*found, *(_checks(kernel, rows, head) if may_lack else ())]


def _whole(seen: str) -> str:
    """From its head to the brace that ends its body."""
    depth = 0
    for at, sign in enumerate(seen):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "}" and depth == 0:
            return seen[: at + 1]
    return seen


def _looser(kernel: str, rows: list[str], head: int) -> Iterator[tuple[Edit, str]]:
    """Comparisons that let one index too many through."""
    for found in _TOO_FAR.finditer(kernel):
        at = head + kernel.count("\n", 0, found.start())
        column = found.start() - (kernel.rfind("\n", 0, found.start()) + 1)
        new = "<" if found[0] == "<=" else ">="
        row = rows[at][:column] + new + rows[at][column + len(found[0]) :]
        yield Edit(line=at + 1, column=0, text=f"{row}\n", replaces=1), f"Write {new} for {found[0]}"


def _checks(kernel: str, rows: list[str], head: int) -> Iterator[tuple[Edit, str]]:
    """A return of the threads that have no element. No thread may leave where others wait for it."""
    index, known = _INDEX.search(kernel), functions.functions(kernel)
    if index is None or not known or _WAITS.search(kernel):
        return
    if re.search(rf"\b(?:(?:if|while)\s*\(|for\s*\([^;{{}}]*;)[^;{{}}]*\b{index[2]}\b[^;{{}}]*[<>]", kernel):
        return
    sizes = [each.name for each in known[0].parameters if _INTEGER.search(each.type)]
    at = head + kernel.count("\n", 0, index.end())
    for size in dict.fromkeys([*([" * ".join(sizes)] if len(sizes) in (2, 3) else []), *sizes]):
        row = f"\n{index[1]}if ({index[2]} >= {size}) return;"
        yield Edit(line=at + 1, column=len(rows[at]), text=row, replaces=0), f"Return where {index[2]} is past the end"


def fix_of_fault(candidate: Candidate, kind: str, line: int | None, other: int | None) -> Fix | None:
    """`line` and `other` are those of the person's cell."""
    if kind == "uninitialised":
        return zeroed(candidate)
    if kind in ("host_memory", "host_access"):
        return like_input(candidate)
    at, second = _python_line(candidate, line), _python_line(candidate, other)
    if kind == "race" and at is not None:
        return barrier(candidate, at, second)
    return None


def _python_line(candidate: Candidate, line: int | None) -> int | None:
    count = candidate.python.count("\n") + 1
    return next((n for n in range(1, count + 1) if line is not None and candidate.line(n) == line), None)
