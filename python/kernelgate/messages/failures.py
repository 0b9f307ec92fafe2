"""How a worker reports a failed build or an exception of the candidate: plain, bounded, untrusted data.

`repair.diagnostics` turns these into words and places of the person's own text.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

Text = Annotated[str, Meta(max_length=2_000_000)]
Line = Annotated[str, Meta(max_length=2000)]


class Frame(msgspec.Struct):
    """One frame of a traceback. `line` is a line of the candidate's program where `in_candidate`."""

    line: int
    in_candidate: bool
    function: Line


class Raised(msgspec.Struct):
    """An exception of the candidate, innermost frame last. `extension`: the extension whose function raised. `unit` and
    `unit_line`: the check in its C++ that failed, "cuda.cu" or "main.cpp", if that is known."""

    type: Line
    message: Line
    frames: Annotated[list[Frame], Meta(max_length=50)]
    extension: Line | None = None
    unit: Line | None = None
    unit_line: int | None = None


class Diagnostic(msgspec.Struct):
    """One message of a compiler. `unit` is "cuda.cu", "main.cpp", or a header's name; lines count in that unit."""

    unit: Line
    line: int
    column: int
    severity: Literal["error", "warning", "note"]
    message: Line


class CompilerFailed(msgspec.Struct):
    """load_inline failed. The sources are those that the program passed, joined with a newline."""

    extension: Line
    log: Text
    diagnostics: Annotated[list[Diagnostic], Meta(max_length=200)]
    cpp_sources: Text
    cuda_sources: Text
    functions: Annotated[list[Line], Meta(max_length=200)]
    call_line: int | None = None
