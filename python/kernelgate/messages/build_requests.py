"""A worker's orders to the build server, which alone writes to the build cache, and the answers.

Orders come from a process that runs a candidate, so they are checked for type and size when they are decoded: plain
data in, the path of a library out. An answer is trusted. Not here: building (`compile.cuda_library`,
`kernelgate.emulator`), the processes (`compile.build_server`, `worker.build_client`).
"""

from __future__ import annotations

import builtins
import contextlib
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from kernelgate.emulator import (
    CompileFailed,
    Diagnostic,
    Extension,
    Lane,
    OwnLibrary,
    Refused,
    ToolchainMissing,
)

Line = Annotated[str, Meta(max_length=2000)]


class BuiltExtension(msgspec.Struct):
    """One extension, built or found in the cache. `seconds` is wall time, `compiler` its name and version, `library`
    the path of what was built."""

    name: Line
    lane: Literal["emulation", "load_inline"]
    seconds: Annotated[float, Meta(ge=0)]
    cached: bool
    compiler: Line = ""
    library: Line = ""
    quick: bool = False
    """Whether its two sides were compiled apart."""


MAX_TEXT = 4_000_000
_MANY = 1000
BUILDER_ENDED = "the process that builds extensions has ended"
COMPILER_ENDED = "the process that compiles ended without a result"

Text = Annotated[str, Meta(max_length=MAX_TEXT)]
Texts = Annotated[list[Text], Meta(max_length=_MANY)]
TextByName = Annotated[dict[Text, Text], Meta(max_length=_MANY)]
# It becomes the name of a file.
Name = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_][A-Za-z0-9_.+-]{0,199}$")]
Parameter = Annotated[str, Meta(max_length=100)]

Setting = Literal[
    "TORCH_CUDA_ARCH_LIST",
    "MAX_JOBS",
    "CC",
    "CXX",
    "PYTORCH_NVCC",
    "NVCC_CCBIN",
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "PATH",
    "CPATH",
    "C_INCLUDE_PATH",
    "CPLUS_INCLUDE_PATH",
    "LIBRARY_PATH",
]
"""Environment variables by which a program may instruct a compiler."""


class CudaExtension(msgspec.Struct, tag="cuda_extension", frozen=True):
    """A call of load_inline. `arguments`: by name, without `name` and what says where to build; `tuples`: those that
    are no lists, which PyTorch does not always take for the same. `settings`: those that the program has changed, None
    if it has removed one, and what to build for."""

    name: Name
    arguments: Annotated[dict[Parameter, Text | bool | Texts | TextByName | None], Meta(max_length=40)]
    tuples: Annotated[list[Parameter], Meta(max_length=40)] = []
    settings: dict[Setting, Text | None] = {}
    quick: bool = False
    """Whether its two sides may be built apart (`compile.split_units`)."""


class EmulatedExtension(msgspec.Struct, tag="emulated_extension"):
    """An `Extension` of the emulator."""

    name: Text
    cpp_sources: Text | Texts
    cuda_sources: Text | Texts
    functions: Text | Texts | TextByName | None
    defines: Texts
    implicit_headers: bool
    examine: bool
    include_paths: Texts = []

    def extension(self) -> Extension:
        return Extension(**msgspec.structs.asdict(self))


class EmulatorLibrary(msgspec.Struct, tag="emulator_library"):
    """One of the emulator's own."""

    name: OwnLibrary


Order = CudaExtension | EmulatedExtension | EmulatorLibrary


class Published(msgspec.Struct, tag="published"):
    """The library lies in the cache. The rest is what the emulator knows of an extension."""

    library: str
    cached: bool = False
    compiler: str = ""
    flags: list[str] = []
    lane: Lane = "facade"


class NotBuilt(msgspec.Struct, tag="not_built"):
    """An exception: the name of its class, its text, the number of a system error, and the further fields of the
    emulator's exceptions."""

    error: str
    message: str
    number: int | None = None
    unit: str | None = None
    line: int | None = None
    diagnostics: list[Diagnostic] = []
    extension: str = ""


Answer = Published | NotBuilt


def as_failure(exc: Exception) -> NotBuilt:
    """An exception as data."""
    name = type(exc).__name__
    if isinstance(exc, Refused):
        return NotBuilt(name, exc.what, unit=exc.unit, line=exc.line)
    if isinstance(exc, CompileFailed):
        return NotBuilt(name, exc.log, diagnostics=list(exc.diagnostics), extension=exc.extension)
    return NotBuilt(name, str(exc)[:MAX_TEXT], exc.errno if isinstance(exc, OSError) else None)


def as_exception(failure: NotBuilt) -> Exception:
    """The exception again: with the same text, and of the same class if that is the emulator's or Python's own."""
    if failure.error == Refused.__name__:
        return Refused(failure.message, failure.unit, failure.line)
    if failure.error == CompileFailed.__name__:
        return CompileFailed(failure.extension, failure.message, tuple(failure.diagnostics))
    if failure.error == ToolchainMissing.__name__:
        return ToolchainMissing(failure.message)
    kind = getattr(builtins, failure.error, None)
    if isinstance(kind, type) and issubclass(kind, Exception):
        with contextlib.suppress(TypeError):  # it takes more than a text
            again = kind(failure.message)
            if isinstance(again, OSError):
                again.errno = failure.number
            return again
    return RuntimeError(f"{failure.error}: {failure.message}")
