"""What a program's text shows before it runs. It never decides anything: a program can be written to avoid it.

In: a candidate. Out: `Advice`, one sentence and the person's line each. Not here: writing what is missing
(`repair.launch_care`).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from kernelgate.cuda_source import functions
from kernelgate.program.candidate import Candidate
from kernelgate.report.types import Advice

_MOST = 20
GUARD = re.compile(r"CUDAGuard|DeviceGuard|cudaSetDevice")
LAUNCH_CHECK = re.compile(r"LAUNCH_CHECK|cudaGetLastError|cudaPeekAtLastError")
_TYPE_CHECK = re.compile(r"AT_DISPATCH|scalar_type|\.dtype\(|kFloat")
LAYOUT = re.compile(r"contiguous|stride|accessor|suggest_memory_format|non_overlapping")
DEFAULT_STREAM = {"0", "NULL", "nullptr", "cudaStreamLegacy", "cudaStreamDefault"}
_GLOBAL_FLAGS = {"allow_tf32", "deterministic", "benchmark", "fp32_precision"}
_GLOBAL_CALLS = {
    "set_default_dtype",
    "set_default_device",
    "set_default_tensor_type",
    "set_float32_matmul_precision",
    "use_deterministic_algorithms",
    "set_grad_enabled",
    "manual_seed",
}


def advise(candidate: Candidate) -> list[Advice]:
    """In the order of the person's lines; advice without a line comes first."""
    found = [
        *([Advice(text=candidate.reading)] if candidate.reading else []),
        *_of_cuda(candidate),
        *_of_load_inline(candidate),
        *_of_python(candidate),
    ]
    return sorted(found, key=lambda advice: advice.line or 0)[:_MOST]


def advise_on_reference(reference: str, candidate: Candidate) -> list[Advice]:
    """Where a reference and the program come from the same answer: their author may have made them agree."""
    same = reference.strip() == candidate.source.text.strip()
    if not same and re.search(r"^\s*class\s+ModelNew\b", reference, re.MULTILINE) is None:
        return []
    words = (
        "The reference comes from the same answer as the program. It runs as trusted code, and a pass says only that "
        "the two agree"
    )
    return [Advice(text=words)]


def _of_cuda(candidate: Candidate) -> Iterator[Advice]:
    # It may be in the host's source, away from the launches.
    seen_whole = (functions.without_directives(functions.blank(literal.value)) for literal in candidate.literals)
    guarded = any(map(GUARD.search, seen_whole))
    strides_are_handled = _handles_strides(candidate)
    for literal in candidate.literals:
        if "<<<" not in literal.value:
            continue
        seen = functions.blank(literal.value)
        launches = functions.launches(literal.value)
        if not launches:
            continue

        def at(value_line: int, literal_lines: tuple[int, ...] = literal.lines) -> int | None:
            return candidate.line(literal_lines[min(value_line, len(literal_lines)) - 1])

        on_default = [
            each
            for each in launches
            if each.configuration[3:4] == () or each.configuration[3] in DEFAULT_STREAM
        ]
        if on_default:
            text = "The kernel is launched on the default stream, not on PyTorch's current one"
            yield Advice(text=text, line=at(on_default[0].line))
        if not guarded:
            text = "No device guard: an input on another GPU than the current one is not handled"
            yield Advice(text=text, line=at(launches[0].line))
        if not LAUNCH_CHECK.search(seen):
            text = "The launch is not checked: one that fails goes unnoticed"
            yield Advice(text=text, line=at(launches[0].line))
        fixed = re.search(r"data_ptr\s*<\s*float\s*>", seen)
        if fixed and not _TYPE_CHECK.search(seen):
            text = "data_ptr<float> refuses every dtype but float32"
            yield Advice(text=text, line=at(functions.line_at(seen, fixed.start())))
        pointer = re.search(r"data_ptr", seen)
        if pointer and not strides_are_handled:
            text = "Strides are never looked at: a strided input would be read from the wrong places"
            yield Advice(text=text, line=at(functions.line_at(seen, pointer.start())))


def _handles_strides(candidate: Candidate) -> bool:
    """Whether the program's code looks at strides: in C++, or in Python, before it calls the launcher."""
    sources = (literal.value for literal in candidate.literals if ";" in literal.value)  # no docstrings
    if any(LAYOUT.search(functions.blank(source)) for source in sources):
        return True
    calls = (node.func for node in ast.walk(candidate.tree) if isinstance(node, ast.Call))
    return any(isinstance(called, ast.Attribute) and LAYOUT.search(called.attr) for called in calls)


def _of_load_inline(candidate: Candidate) -> Iterator[Advice]:
    for call in candidate.extensions:
        if call.called_in:
            often = "for every instance" if call.called_in == "__init__" else "in every call"
            text = f"load_inline is called {often}; call it once, at module level"
            yield Advice(text=text, line=candidate.line(call.line))
        if call.functions and call.cpp_sources is not None and not call.cpp_sources.strip():
            text = f"cpp_sources is empty, so that nothing declares {', '.join(call.functions)[:200]}"
            yield Advice(text=text, line=candidate.line(call.line_of("cpp_sources")))


def _of_python(candidate: Candidate) -> Iterator[Advice]:
    for node in ast.walk(candidate.tree):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for name in filter(None, map(_torch_name, targets)):
                if name.split(".")[-1] in _GLOBAL_FLAGS:
                    text = f"{name} is set for the whole process"
                else:
                    text = f"{name} is replaced for the whole process"
                yield Advice(text=text, line=candidate.line(node.lineno))
        elif isinstance(node, ast.Call):
            called = _torch_name(node.func)
            if called is not None and called.split(".")[-1] in _GLOBAL_CALLS:
                yield Advice(text=f"{called} acts on the whole process", line=candidate.line(node.lineno))
            if isinstance(node.func, ast.Name) and node.func.id == "setattr" and len(node.args) == 3:
                owner, attribute = _torch_name(node.args[0], alone=True), node.args[1]
                if owner is not None and isinstance(attribute, ast.Constant):
                    text = f"{owner}.{str(attribute.value)[:80]} is replaced for the whole process"
                    yield Advice(text=text, line=candidate.line(node.lineno))


def _torch_name(node: ast.expr, alone: bool = False) -> str | None:
    """ "torch.cuda.Event" for such an expression; `alone` lets plain "torch" pass."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute) and len(parts) < 10:
        parts.insert(0, node.attr[:80])
        node = node.value
    if isinstance(node, ast.Name) and node.id == "torch" and (parts or alone):
        return ".".join(["torch", *parts])
    return None
