"""A candidate's exception as an answer: refused by emulation, not compiled, no tools, or an exception of its own.

In: an exception and the build that was under way. Out: an `Answer` of plain data, bounded in size.
"""

from __future__ import annotations

import traceback
from typing import Any

from kernelgate.messages.failures import CompilerFailed, Diagnostic, Frame, Raised
from kernelgate.messages.worker import Answer, Broke, NotCompiled, NoToolchain, Refused
from kernelgate.program.candidate import CANDIDATE_FILE

_MAX_TEXT = 1_000_000


class BuildCall:
    """The arguments of one call of load_inline, kept in case it fails."""

    def __init__(self, arguments: dict[str, Any], line: int | None) -> None:
        self.name = str(arguments.get("name", ""))[:200]
        self.cpp_sources = _joined(arguments.get("cpp_sources"))
        self.cuda_sources = _joined(arguments.get("cuda_sources"))
        flags = arguments.get("extra_cuda_cflags")
        self.cuda_flags = [str(flag)[:200] for flag in flags][:64] if isinstance(flags, list | tuple) else []
        self.includes = not arguments.get("no_implicit_headers")
        functions = arguments.get("functions")
        self.functions = (
            [functions] if isinstance(functions, str) else [str(f) for f in functions or []][:200]
        )
        self.line = line


def _joined(sources: Any) -> str:
    if sources is None:
        return ""
    parts = [sources] if isinstance(sources, str) else [str(part) for part in sources]
    return "\n".join(parts)[:_MAX_TEXT]


def explain(exc: BaseException, call: BuildCall | None) -> Answer:
    """The answer that reports an exception. `call`: the build that failed, if one did."""
    from kernelgate.emulator import CompileFailed, ToolchainMissing
    from kernelgate.emulator import Refused as EmulationRefused

    for cause in _chain(exc):
        if isinstance(cause, EmulationRefused):
            sources = {"cuda.cu": call.cuda_sources, "main.cpp": call.cpp_sources} if call else {}
            return Refused(
                what=str(cause.what)[:2000],
                unit=cause.unit,
                line=cause.line,
                unit_text=sources.get(cause.unit or "", ""),
                python_line=_line_in_candidate(cause),
            )
        if isinstance(cause, ToolchainMissing) or _no_cuda_toolchain(cause):
            return NoToolchain(what=str(cause)[:2000])
        if call is not None and _message(cause).startswith("Error building extension"):
            found = cause.diagnostics if isinstance(cause, CompileFailed) else ()
            diagnostics = [
                Diagnostic(d.unit[:200], d.line, d.column, d.severity, d.message[:1500]) for d in found
            ]
            return NotCompiled(
                CompilerFailed(
                    extension=call.name,
                    log=(cause.log if isinstance(cause, CompileFailed) else _message(cause))[:_MAX_TEXT],
                    diagnostics=diagnostics[:200],
                    cpp_sources=call.cpp_sources,
                    cuda_sources=call.cuda_sources,
                    functions=call.functions,
                    call_line=call.line,
                )
            )
    return Broke(_raised(exc))


def _chain(exc: BaseException) -> list[BaseException]:
    chain: list[BaseException] = []
    link: BaseException | None = exc
    while link is not None and len(chain) < 10:
        chain.append(link)
        link = link.__cause__ or link.__context__
    return chain


def _no_cuda_toolchain(exc: BaseException) -> bool:
    text = _message(exc)
    return (isinstance(exc, OSError) and "CUDA_HOME" in text) or (
        isinstance(exc, RuntimeError) and text.startswith("Ninja is required")
    )


def _raised(exc: BaseException) -> Raised:
    frames = [
        Frame(
            line=entry.lineno or 0,
            in_candidate=entry.filename == CANDIDATE_FILE,
            function=entry.name[:200],
        )
        for entry in traceback.extract_tb(exc.__traceback__)[-50:]
    ]
    return Raised(type=type(exc).__name__[:200], message=_message(exc)[:2000], frames=frames)


def passes_through_the_program(exc: BaseException) -> bool:
    return any(entry.filename == CANDIDATE_FILE for entry in traceback.extract_tb(exc.__traceback__))


def _line_in_candidate(exc: BaseException) -> int | None:
    """The candidate's own line that an exception came through last."""
    return next((frame.line for frame in reversed(_raised(exc).frames) if frame.in_candidate), None)


def _message(exc: BaseException) -> str:
    try:
        return str(exc)
    except BaseException:  # a candidate's exception may fail to print
        return ""
