"""Sources of a load_inline program to a Python extension for the CPU, through a content-addressed cache.

In: the strings that load_inline gets. Out: `Built`, or `Refused`, `CompileFailed`, `ToolchainMissing`.
The two units are compiled apart, as load_inline compiles them, and at the same time: in one unit a name that
only the other's headers bring would be seen, and a program would build here that does not build on a GPU.
Not here: loading the library (`torch_surface`), the runtime's own libraries (`native`).
"""

from __future__ import annotations

import functools
import hashlib
import re
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from .cache import entry_path, is_whole, no_room, publish, scratch
from .errors import CompileFailed, Diagnostic, Severity, ToolchainMissing
from .lanes import blame, first_lane, next_lane
from .toolchain import Compiler, compiler_environment, find_compiler
from .units import HERE, Lane, Sources, Unit, make_units, torch_libraries

LOG_LIMIT = 20_000
FORMAT = 1  # raise it when the way of building changes in a way that no key holds

_FLAGS = (
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
    "-fno-strict-aliasing",  # float4 views of float arrays are everywhere in CUDA
)
# Instead of those: every access, overflow and index calls the runtime (`runtime/callbacks.cpp`). The sanitizers'
# own libraries are never linked.
_NOT_EXAMINED = ("-fwrapv", "-fsanitize-undefined-trap-on-error")
_EXAMINED = (
    "-fsanitize=thread",
    "--param=tsan-instrument-func-entry-exit=0",
    "--param=tsan-distinguish-volatile=1",
    "-fsanitize=signed-integer-overflow,integer-divide-by-zero,bounds",
    "-fsanitize-recover=all",
)
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


def build_extension(
    name: str,
    cpp_sources: str | Sequence[str],
    cuda_sources: str | Sequence[str],
    functions: str | Sequence[str] | Mapping[str, str] | None,
    *,
    defines: Sequence[str] = (),
    cache: Path,
    implicit_headers: bool = True,
    examine: bool = False,
) -> Built:
    """The extension `name`, from the cache or newly compiled.

    `functions` are bound as load_inline binds them; `defines` are -D and -U flags for both units. With
    `examine` its kernels can be examined (`Emulation.findings`), and run several times slower. The
    compiler runs in the caller's process group. Raises Refused, before compiling or where emulation itself
    may be what lacks something, CompileFailed, or ToolchainMissing.
    """
    started = time.perf_counter()
    sources = Sources(name, _joined(cpp_sources), _joined(cuda_sources), functions, implicit_headers)
    flags = (*_flags(examine), *defines)
    host_flags = (*_FLAGS, *defines)
    failures: list[CompileFailed] = []
    lane: Lane | None = first_lane(sources)
    while lane is not None:
        units = make_units(sources, flags, host_flags, lane)
        try:
            path, cached, compiler = _build(name, units, lane, cache)
        except CompileFailed as failed:
            failures.append(failed)
            lane = next_lane(lane, failed, sources)
            continue
        told = tuple(dict.fromkeys(flag for unit in units for flag in unit.flags))
        return Built(name, path, cached, time.perf_counter() - started, compiler.identity, told, lane)
    raise blame(failures, sources)


def _build(name: str, units: Sequence[Unit], lane: Lane, cache: Path) -> tuple[Path, bool, Compiler]:
    compiler = find_compiler()
    key = _key(name, compiler, [u.text for u in units], [u.flags for u in units])
    path = entry_path(cache, f"extension-{key}")
    if is_whole(path):
        return path, True, compiler
    with scratch(cache) as folder:
        library = folder / "extension.so"
        objects = _compile(name, compiler, units, folder)
        links = torch_libraries() if lane == "real headers" else []
        _run(name, [*compiler.command, "-shared", *objects, "-o", library.name, *links], folder)
        publish(library, path)
    return path, False, compiler


def build_library(name: str, source: Path, flags: Sequence[str], links: Sequence[str], cache: Path) -> Path:
    """One of the emulator's own libraries, compiled at first use. Raises ToolchainMissing."""
    compiler = find_compiler()
    key = _key(name, compiler, [], [tuple(flags), tuple(links)])
    path = entry_path(cache, f"{name}-{key}")
    if not is_whole(path):
        with scratch(cache) as folder:
            command = [*compiler.command, *flags, "-shared", str(source), "-o", f"{name}.so", *links]
            try:
                _run(name, command, folder)
            except CompileFailed as exc:
                raise ToolchainMissing(
                    f"{compiler.identity} cannot compile the emulator's {name} library: {exc.log[:2000]}"
                ) from exc
            publish(folder / f"{name}.so", path)
    return path


def _joined(sources: str | Sequence[str]) -> str:
    return sources if isinstance(sources, str) else "\n".join(sources)


def _flags(examine: bool) -> tuple[str, ...]:
    if not examine:
        return _FLAGS
    return (*(flag for flag in _FLAGS if flag not in _NOT_EXAMINED), *_EXAMINED)


def _key(name: str, compiler: Compiler, texts: Sequence[str], flags: Sequence[tuple[str, ...]]) -> str:
    what = (FORMAT, name, compiler.identity, sys.version, _shim_digest(), tuple(texts), tuple(flags))
    return hashlib.sha256(repr(what).encode()).hexdigest()[:40]


@functools.cache
def _shim_digest() -> str:
    digest = hashlib.sha256()
    for folder in ("include", "torch_cuda", "torch_facade", "runtime"):
        for path in sorted((HERE / folder).rglob("*")):
            if path.is_file():
                digest.update(str(path.relative_to(HERE)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _compile(name: str, compiler: Compiler, units: Sequence[Unit], folder: Path) -> list[str]:
    """Object files of the units, compiled side by side. Raises CompileFailed with what both said."""
    running: list[tuple[str, subprocess.Popen[str]]] = []
    for unit in units:
        source = folder / f"{Path(unit.name).stem}.unit.cpp"
        source.write_text(unit.text, encoding="utf-8")
        target = f"{Path(unit.name).stem}.o"
        # Built in its own folder by relative names: neither messages nor debug lines hold the cache's path.
        command = [
            *compiler.command,
            *unit.flags,
            f"-ffile-prefix-map={folder}=.",
            "-c",
            source.name,
            "-o",
            target,
        ]
        running.append((target, _start(command, folder)))
    try:
        logs = [process.communicate()[0] for _, process in running]
    finally:
        for _, process in running:
            if process.poll() is None:  # the build was interrupted
                process.kill()
                process.wait()
    if any(process.returncode for _, process in running):
        raise _failure(name, "".join(logs), folder)
    return [target for target, _ in running]


def _run(name: str, command: Sequence[str], folder: Path) -> None:
    process = _start(command, folder)
    log, _ = process.communicate()
    if process.returncode:
        raise _failure(name, log, folder)


def _start(command: Sequence[str], folder: Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        list(command),
        cwd=folder,
        env=compiler_environment(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )


def _failure(name: str, log: str, folder: Path) -> CompileFailed | ToolchainMissing:
    """What a compiler's log says: of the program, or of a disk that is full, or files that may not be larger."""
    if "No space left on device" in log:
        return ToolchainMissing(no_room(folder.parent))
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
