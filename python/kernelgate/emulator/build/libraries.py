"""The emulator's own libraries, compiled at first use: the runtime, the facade of torch's C++, and the allocator, which
knows torch itself.

In: the cache. Out: a library's path. Not here: loading them (`native`).
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from kernelgate.emulator.build.cache import building_alone, entry_path, is_whole, publish, scratch
from kernelgate.emulator.build.commands import Compiling, run_commands
from kernelgate.emulator.build.extension import succeed
from kernelgate.emulator.build.keys import entry_key
from kernelgate.emulator.build.toolchain import Compiler, find_compiler, python_headers
from kernelgate.emulator.errors import CompileFailed, ToolchainMissing
from kernelgate.emulator.translate.units import HERE

OwnLibrary = Literal["runtime", "facade", "allocator"]

_SOURCES = {"runtime": "library.cpp", "facade": "facade.cpp", "allocator": "allocator.cpp"}
# Nobody puts functions of their own in the place of these, so that small ones may be inlined.
_FAST_CALLS = "-fno-semantic-interposition"
_FLAGS = ("-std=c++20", "-O2", "-g1", "-fPIC", _FAST_CALLS, "-pthread", "-isystem", str(HERE / "include"))


def find_library(name: OwnLibrary, cache: Path) -> Path | None:
    """The library, where the cache holds it."""
    path = _entry(name, cache, find_compiler())
    return path if is_whole(path) else None


def build_library(name: OwnLibrary, cache: Path, compiling: Compiling = run_commands) -> Path:
    """The library, from the cache or newly compiled. Raises ToolchainMissing."""
    compiler = find_compiler()
    path = _entry(name, cache, compiler)
    if is_whole(path):
        return path
    with building_alone(path):
        if not is_whole(path):
            _build(name, path, compiler, cache, compiling)
    return path


def _build(name: OwnLibrary, path: Path, compiler: Compiler, cache: Path, compiling: Compiling) -> None:
    flags, links = _recipe(name)
    source = HERE / "runtime" / _SOURCES[name]
    with scratch(cache) as folder:
        command = [*compiler.command, *flags, "-shared", str(source), "-o", f"{name}.so", *links]
        try:
            succeed(name, compiling(folder, [command]), cache)
        except CompileFailed as exc:
            raise ToolchainMissing(
                f"{compiler.identity} cannot compile the emulator's {name} library: {exc.log[:2000]}"
            ) from exc
        publish(folder / f"{name}.so", path)


def _entry(name: OwnLibrary, cache: Path, compiler: Compiler) -> Path:
    return entry_path(cache, f"{name}-{entry_key(name, compiler, [], _recipe(name))}")


def _recipe(name: OwnLibrary) -> tuple[Sequence[str], Sequence[str]]:
    """Flags, and what is linked."""
    if name == "runtime":
        return _FLAGS, ()
    if name == "facade":
        folders = [HERE / "torch_cuda", HERE / "torch_facade", python_headers()]
        # Its process holds torch's own functions by the same names; `KERNELGATE_IN_LIBRARY` marks what may be seen.
        return (*_FLAGS, "-fvisibility=hidden", *(part for f in folders for part in ("-isystem", str(f)))), ()
    import torch

    root = Path(torch.__file__).parent
    flags = (
        *_FLAGS,
        f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}",
        f"-DKERNELGATE_TORCH={torch.__version__}",  # part of the key: another torch, another library
        "-isystem",
        str(root / "include"),
    )
    return flags, (f"-L{root / 'lib'}", "-lc10")
