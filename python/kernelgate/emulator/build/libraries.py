"""The emulator's own libraries, compiled at first use: the runtime, the facade of torch's C++, and the allocator, which
knows torch itself. Their units are compiled side by side: one after another they would take longer than all the rest of
a first run.

In: the cache. Out: a library's path; and what builds in this process, unless `install` is given another builder: one
that runs untrusted programs should not be able to write to the cache. Not here: loading them (`native`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, Protocol, get_args

from kernelgate.emulator.build.cache import (
    building_alone,
    building_where_free,
    entry_key,
    entry_path,
    is_whole,
    publish,
    scratch,
    shim_digest,
)
from kernelgate.emulator.build.extension import Built, Extension, build, succeed
from kernelgate.emulator.build.toolchain import (
    Command,
    Compiler,
    Compiling,
    find_compiler,
    python_headers,
    run_commands,
)
from kernelgate.emulator.errors import CompileFailed, ToolchainMissing
from kernelgate.emulator.translate.refusals import HERE

OwnLibrary = Literal["runtime", "facade", "allocator"]

_ALL: tuple[OwnLibrary, ...] = get_args(OwnLibrary)
# The longest first.
_SOURCES: dict[OwnLibrary, tuple[str, ...]] = {
    "runtime": ("library_threads.cpp", "library_memory.cpp", "library_checks.cpp", "library_words.cpp"),
    "facade": ("facade.cpp",),
    "allocator": ("allocator.cpp",),
}
# Nobody puts functions of their own in the place of these, so that small ones may be inlined, and are called directly.
_FAST_CALLS = "-fno-semantic-interposition"
_LINK_FLAGS = ("-shared", "-pthread", "-Wl,-Bsymbolic-functions")
_FLAGS = ("-O2", "-g1", "-fPIC", _FAST_CALLS, "-pthread", "-isystem", str(HERE / "include"))
# The runtime needs nothing newer, and the standard library then takes less time to compile: its strings and vectors are
# no constant expressions.
_RUNTIME_FLAGS = ("-std=c++17", *_FLAGS)
_TORCH_FLAGS = ("-std=c++20", *_FLAGS)


def know_ahead() -> None:
    """Asks the compiler and reads the emulator's headers, as every process that looks for a library would."""
    with contextlib.suppress(ToolchainMissing):
        find_compiler()
    shim_digest()


def find_library(name: OwnLibrary, cache: Path) -> Path | None:
    """The library, where the cache holds it."""
    path = _entry(name, cache, find_compiler())
    return path if is_whole(path) else None


def build_library(name: OwnLibrary, cache: Path, compiling: Compiling = run_commands) -> Path:
    """The library, from the cache or newly compiled, and then the others with it. Raises ToolchainMissing."""
    return find_library(name, cache) or _build_all(cache, compiling)[name]


def _build_all(cache: Path, compiling: Compiling) -> dict[OwnLibrary, Path]:
    """The libraries, from the cache or newly compiled at the same time."""
    compiler = find_compiler()
    paths = {name: _entry(name, cache, compiler) for name in _ALL}
    with contextlib.ExitStack() as held:
        ours = [name for name in _ALL if held.enter_context(building_where_free(paths[name]))]
        _build([name for name in ours if not is_whole(paths[name])], paths, compiler, cache, compiling)
    for name in _ALL:
        if name not in ours:  # another process was at it
            with building_alone(paths[name]):
                if not is_whole(paths[name]):
                    _build([name], paths, compiler, cache, compiling)
    return paths


def _build(
    names: Sequence[OwnLibrary],
    paths: dict[OwnLibrary, Path],
    compiler: Compiler,
    cache: Path,
    compiling: Compiling,
) -> None:
    if not names:
        return
    with scratch(cache) as folder:
        units = [_compile_command(name, source, compiler) for name in names for source in _SOURCES[name]]
        links = [_link_command(name, compiler) for name in names]
        try:
            for commands in (units, links):
                succeed(" and ".join(names), compiling(folder, commands), cache)
        except CompileFailed as exc:
            what = f"the emulator's {' and '.join(names)}"
            raise ToolchainMissing(f"{compiler.identity} cannot compile {what}: {exc.log[:2000]}") from exc
        for name in names:
            publish(folder / f"{name}.so", paths[name])


def _compile_command(name: OwnLibrary, source: str, compiler: Compiler) -> Command:
    flags, _links = _recipe(name)
    return [*compiler.command, *flags, "-c", str(HERE / "runtime" / source), "-o", _object(source)]


def _link_command(name: OwnLibrary, compiler: Compiler) -> Command:
    _flags, links = _recipe(name)
    objects = [_object(source) for source in _SOURCES[name]]
    return [*compiler.command, *_LINK_FLAGS, *objects, "-o", f"{name}.so", *links]


def _object(source: str) -> str:
    return f"{Path(source).stem}.o"


def _entry(name: OwnLibrary, cache: Path, compiler: Compiler) -> Path:
    key = entry_key(name, compiler, _SOURCES[name], (*_recipe(name), _LINK_FLAGS))
    return entry_path(cache, f"{name}-{key}")


def _recipe(name: OwnLibrary) -> tuple[Sequence[str], Sequence[str]]:
    """Flags, and what is linked beside its own units."""
    if name == "runtime":
        return _RUNTIME_FLAGS, ()
    if name == "facade":
        folders = [HERE / "torch_cuda", HERE / "torch_facade", python_headers()]
        # Its process holds torch's own functions by the same names; `KERNELGATE_IN_LIBRARY` marks what may be seen.
        return (*_TORCH_FLAGS, "-fvisibility=hidden", *(part for f in folders for part in ("-isystem", str(f)))), ()
    import torch

    root = Path(torch.__file__).parent
    flags = (
        *_TORCH_FLAGS,
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
        f"-DKERNELGATE_TORCH={torch.__version__}",  # part of the key: another torch, another library
        "-isystem",
        str(root / "include"),
    )
    return flags, (f"-L{root / 'lib'}", "-lc10")


class Builder(Protocol):
    """Raises the same as `build` and `build_library`."""

    def extension(self, extension: Extension) -> Built: ...

    def library(self, name: OwnLibrary) -> Path: ...


class OwnBuilder:
    """This process."""

    def __init__(self, cache: Path) -> None:
        self._cache = cache

    def extension(self, extension: Extension) -> Built:
        return build(extension, self._cache)

    def library(self, name: OwnLibrary) -> Path:
        return build_library(name, self._cache)
