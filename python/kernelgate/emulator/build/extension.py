"""Builds the sources of a load_inline program as a Python extension for the CPU, through a content-addressed cache.

In: the strings that load_inline gets. Out: `Built`, or `Refused`, `CompileFailed`, `ToolchainMissing`.
It compiles the two units separately and at the same time, as load_inline does: in a single unit, a name from the
other's headers would be visible, and a program would build here that does not build on a GPU.
Not here: loading the library (`torch_surface`), the runtime's own libraries (`libraries`), compilers' processes
(`toolchain`).
"""

from __future__ import annotations

import platform
import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from kernelgate.emulator.build.cache import (
    NoLibrary,
    building_alone,
    entry_key,
    entry_path,
    is_whole,
    left_file,
    no_room,
    once_path,
    publish,
    scratch,
)
from kernelgate.emulator.build.headers import begin_with, pays, precompile
from kernelgate.emulator.build.kept_units import (
    keep_object,
    keep_units,
    kept_object,
    kept_units,
    object_path,
    units_path,
)
from kernelgate.emulator.build.own_headers import (
    OwnHeaders,
    Searched,
    dependencies,
    environment_folders,
    missed,
    own_headers,
)
from kernelgate.emulator.build.toolchain import Compiler, Compiling, Finished, find_compiler, run_commands
from kernelgate.emulator.errors import CompileFailed, Diagnostic, Severity, ToolchainMissing
from kernelgate.emulator.translate.lanes import blame, first_lane, next_lane
from kernelgate.emulator.translate.units import (
    INCLUDE_FLAG,
    Functions,
    Lane,
    Sources,
    Unit,
    make_units,
    torch_libraries,
)

LOG_LIMIT = 20_000

_FLAGS: tuple[str, ...] = (
    "-std=c++20",
    "-O1",
    "-g1",
    "-fPIC",
    "-w",
    "-fdiagnostics-color=never",
    "-ffp-contract=off",  # nothing is fused behind the source's back
    "-fwrapv",  # overflow wraps, as on a GPU
    "-fstack-clash-protection",  # a large local array cannot step over the guard page of a thread's stack
    "-fsanitize=alignment",  # a GPU refuses misaligned accesses, this processor would not
    "-fsanitize-undefined-trap-on-error",
    "-fcheck-new",  # new gives null in a kernel if the heap is full
    "-fno-strict-aliasing",  # float4 views of float arrays are everywhere in CUDA
    "-ftrivial-auto-var-init=pattern",  # a local variable that nothing sets is no zero by luck
)
# aarch64 divides by zero silently, and its compiler's traps look alike; a GPU's `char` is signed.
_OF_AARCH64 = ("-fsigned-char", "-fsanitize=integer-divide-by-zero", "-fno-sanitize-recover=all")
if platform.machine() == "aarch64":
    _FLAGS = (*(flag for flag in _FLAGS if flag != "-fsanitize-undefined-trap-on-error"), *_OF_AARCH64)
# Instead of those: every access, overflow and index calls the runtime (`runtime/callbacks.cpp`). The sanitizers'
# own libraries are never linked.
_NOT_EXAMINED = ("-fwrapv", "-fsanitize-undefined-trap-on-error", "-fno-sanitize-recover=all")
_EXAMINED = (
    "-fsanitize=thread",
    "-fno-tree-sra",  # what the source reads at once stays one access
    "--param=tsan-instrument-func-entry-exit=0",
    "--param=tsan-distinguish-volatile=1",
    "-fsanitize=signed-integer-overflow,integer-divide-by-zero,bounds",
    "-fsanitize-recover=all",
)
# malloc and new in a kernel take memory of the device (`runtime/heap.cpp`); clock counts how often it is read; a false
# assert in a kernel is a fault with its line.
_WRAPPED = (
    *("malloc", "free", "_Znwm", "_Znam", "_ZnwmRKSt9nothrow_t", "_ZnamRKSt9nothrow_t"),
    *("clock", "__assert_fail"),
    *("_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm", "_ZdlPvRKSt9nothrow_t", "_ZdaPvRKSt9nothrow_t"),
)
# In host code no sanitizer is called for these. In an examined build they count as accesses, too.
_WRAPPED_IF_EXAMINED = ("memcpy", "memmove", "memset")
_MESSAGE = re.compile(
    r"^(?P<file>[^:\n]+):(?P<line>\d+):(?P<column>\d+): "
    r"(?:fatal )?(?P<severity>error|warning|note): (?P<text>.*)$"
)


@dataclass(frozen=True)
class Built:
    name: str
    library: Path
    cached: bool
    seconds: float
    compiler: str
    flags: tuple[str, ...]
    lane: Lane


@dataclass(frozen=True)
class Extension:
    """An extension to build. `functions` are bound as load_inline binds them; `defines` are -D and -U flags for both
    units. With `examine` its kernels can be memory-checked (`Emulation.findings`), and run several times slower."""

    name: str
    cpp_sources: str | Sequence[str]
    cuda_sources: str | Sequence[str]
    functions: Functions
    defines: Sequence[str] = ()
    implicit_headers: bool = True
    examine: bool = False
    include_paths: Sequence[str] = ()
    """Folders of the person's own headers, absolute."""

    @property
    def sources(self) -> Sources:
        cpp, cuda = _joined(self.cpp_sources), _joined(self.cuda_sources)
        return Sources(self.name, cpp, cuda, self.functions, self.implicit_headers)

    @property
    def header_folders(self) -> tuple[str, ...]:
        """Where headers of the person's own are looked for, after those of the emulator."""
        return (*self.include_paths, *environment_folders())


def build_extension(
    name: str,
    cpp_sources: str | Sequence[str],
    cuda_sources: str | Sequence[str],
    functions: Functions,
    *,
    defines: Sequence[str] = (),
    cache: Path,
    implicit_headers: bool = True,
    examine: bool = False,
    include_paths: Sequence[str] = (),
) -> Built:
    """`build` of an `Extension`, from its parts."""
    return build(
        Extension(
            name, cpp_sources, cuda_sources, functions, defines, implicit_headers, examine, include_paths
        ),
        cache,
    )


def build(extension: Extension, cache: Path, compiling: Compiling = run_commands) -> Built:
    """The extension, from the cache or newly compiled.

    `compiling` runs the compiler, if not in the caller's process group. Raises Refused, before compiling or
    where emulation itself may be what lacks something, CompileFailed, or ToolchainMissing.
    """
    started = time.perf_counter()
    failures: list[CompileFailed] = []
    lane: Lane | None = first_lane(extension.sources)
    while lane is not None:
        plan = _planned(extension, lane, cache)
        cached = plan.is_there()
        if not cached:
            try:
                with building_alone(plan.path):
                    cached = plan.is_there()
                    plan = plan if cached else _compile(plan, cache, compiling)
            except CompileFailed as failed:
                failures.append(failed)
                lane = next_lane(lane, failed, extension.sources)
                continue
        return plan.built(started, cached=cached)
    raise blame(failures, extension.sources, plan.headers.names)


def find(extension: Extension, cache: Path) -> Built | None:
    """What `build` would find in the cache; it compiles and writes nothing. None also if the first
    lane has failed before: only a build knows. Raises Refused or ToolchainMissing."""
    started = time.perf_counter()
    plan = _planned(extension, first_lane(extension.sources), cache)
    return plan.built(started, cached=True) if plan.is_there() else None


def precompile_for(extension: Extension, cache: Path) -> None:
    """Precompiles the headers that such an extension begins with, if they are not there. Raises ToolchainMissing."""
    plan = _planned(extension, first_lane(extension.sources), cache)
    precompile(plan.units, plan.compiler, cache, run_commands)


@dataclass(frozen=True)
class _Plan:
    """What is compiled, with what, in which lane, and where it goes."""

    name: str
    units: Sequence[Unit]
    compiler: Compiler
    lane: Lane
    folders: tuple[str, ...]
    headers: OwnHeaders
    path: Path
    kept_at: Path
    """Where the units themselves are kept."""

    def read_headers(self) -> OwnHeaders:
        return own_headers([unit.text for unit in self.units], Searched(self.folders))

    def is_there(self) -> bool:
        return self.headers.complete and is_whole(self.path)

    def built(self, started: float, *, cached: bool) -> Built:
        flags = tuple(dict.fromkeys(flag for unit in self.units for flag in unit.flags))
        seconds = time.perf_counter() - started
        return Built(self.name, self.path, cached, seconds, self.compiler.identity, flags, self.lane)


def _planned(extension: Extension, lane: Lane, cache: Path) -> _Plan:
    name, defines = extension.name, extension.defines
    folders = extension.header_folders
    given = (*defines, *(f"{INCLUDE_FLAG}{folder}" for folder in folders))
    flags, host_flags = (*_flags(extension.examine), *given), (*_FLAGS, *given)
    kept_at = units_path(cache, extension.sources, flags, host_flags, lane)
    units = kept_units(kept_at) or make_units(extension.sources, flags, host_flags, lane)
    compiler = find_compiler()
    headers = own_headers([unit.text for unit in units], Searched(folders))
    key = entry_key(name, compiler, [u.text for u in units], [u.flags for u in units], headers.digests)
    path = entry_path(cache, f"extension-{key}")
    return _Plan(name, units, compiler, lane, folders, headers, path, kept_at)


def _compile(plan: _Plan, cache: Path, compiling: Compiling) -> _Plan:
    """Compiles the units at the same time, links and publishes. Returns the plan with the library's place, which no
    other build looks at if not all that was read is known. Raises CompileFailed, ToolchainMissing."""
    places = {unit.name: object_path(unit, plan.compiler, plan.headers, cache) for unit in plan.units}
    kept = {name: found for name, place in places.items() if (found := kept_object(place)) is not None}
    compiled = [unit for unit in plan.units if unit.name not in kept]
    if pays(cache):
        precompile(compiled, plan.compiler, cache, compiling)
    with scratch(cache) as folder:
        commands = [_command(unit, plan, folder, cache) for unit in compiled]
        succeed(plan.name, compiling(folder, commands), cache)
        library = "extension.so"
        links = torch_libraries() if plan.lane == "real headers" else []
        # cuda.cu first: of an inline function in both units, the examined one is linked.
        objects = [str(kept.get(unit.name, _object(unit))) for unit in reversed(plan.units)]
        examined = any(_EXAMINED[0] in unit.flags for unit in plan.units)
        wrapped = (*_WRAPPED, *(_WRAPPED_IF_EXAMINED if examined else ()))
        wraps = [f"-Wl,--wrap={name}" for name in wrapped]
        link = [*plan.compiler.command, "-shared", *wraps, *objects, "-o", library, *links]
        succeed(plan.name, compiling(folder, [link]), cache)
        try:
            read = [path for unit in compiled for path in _read_by(folder / f"{Path(unit.name).stem}.d")]
            known = plan.headers.complete and not missed(read, plan.headers)
            if not known or plan.read_headers() != plan.headers:
                plan = replace(plan, path=once_path(cache))
            else:
                for unit in compiled:
                    if (place := places[unit.name]) is not None:
                        keep_object(folder / _object(unit), place)
            publish(folder / library, plan.path)
            keep_units(plan.units, plan.kept_at, folder.parent)
        except NoLibrary as exc:
            raise CompileFailed(plan.name, str(exc), ()) from exc
    return plan


def _object(unit: Unit) -> str:
    return f"{Path(unit.name).stem}.o"


def _command(unit: Unit, plan: _Plan, folder: Path, cache: Path) -> list[str]:
    """What compiles the unit in the folder, where its text is written."""
    stem = Path(unit.name).stem
    source = f"{stem}.unit.cpp"
    (folder / source).write_text(unit.text, encoding="utf-8")
    # Built in its own folder by relative names: neither messages nor debug lines hold the cache's path.
    nameless = f"-ffile-prefix-map={folder}=."
    begins = begin_with(unit, plan.compiler, cache)
    listed = ["-MD", "-MF", f"{stem}.d"]
    command = plan.compiler.command
    return [*command, *begins, *unit.flags, nameless, *listed, "-c", source, "-o", _object(unit)]


def _read_by(rule: Path) -> list[str]:
    return dependencies(left_file(rule).decode(errors="surrogateescape"))


def succeed(name: str, finished: Sequence[Finished], cache: Path) -> None:
    """Returns if all commands for the library `name` succeeded. Raises CompileFailed with the output of all, or
    ToolchainMissing."""
    if any(command.status for command in finished):
        raise _failure(name, "".join(command.log for command in finished), cache)


def _joined(sources: str | Sequence[str]) -> str:
    return sources if isinstance(sources, str) else "\n".join(sources)


def _flags(examine: bool) -> tuple[str, ...]:
    if not examine:
        return _FLAGS
    return (*(flag for flag in _FLAGS if flag not in _NOT_EXAMINED), *_EXAMINED)


def _failure(name: str, log: str, cache: Path) -> CompileFailed | ToolchainMissing:
    """The failure that a compiler's log shows: the program's, or that of a full disk or a limit on file sizes."""
    if "No space left on device" in log:
        return ToolchainMissing(no_room(cache))
    if "File too large" in log or "File size limit exceeded" in log:
        return ToolchainMissing("a build needs larger files than this process may write: raise that limit")
    found = []
    for line in log.splitlines():
        if m := _MESSAGE.match(line):
            unit = Path(m["file"]).name
            found.append(
                Diagnostic(unit, int(m["line"]), int(m["column"]), cast(Severity, m["severity"]), m["text"])
            )
    return CompileFailed(name, log[:LOG_LIMIT], tuple(found[:200]))
