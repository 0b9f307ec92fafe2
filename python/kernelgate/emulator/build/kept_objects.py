"""Objects of main.cpp, kept in the build cache: bindings seldom change while a person works on a kernel, and the two
libraries of a program, one of them examined, may have the same.

In: a unit. Out: its object by content, if one is kept. Only a build keeps some. As for a library, the last bytes
are a digest of the rest; a linker does not read them.
"""

from __future__ import annotations

from pathlib import Path

from kernelgate.emulator.build.cache import is_whole, left_file, write_entry
from kernelgate.emulator.build.keys import entry_key
from kernelgate.emulator.build.own_headers import OwnHeaders
from kernelgate.emulator.build.toolchain import Compiler
from kernelgate.emulator.translate.units import Unit


def object_path(unit: Unit, compiler: Compiler, headers: OwnHeaders, cache: Path) -> Path | None:
    """Where the unit's object is kept; None for a unit of which none is."""
    if unit.name != "main.cpp" or not headers.complete:
        return None
    key = entry_key("object", compiler, [unit.text], [unit.flags], headers.digests)
    return cache / f"object-{key}.o"


def kept_object(path: Path | None) -> Path | None:
    return path if path is not None and is_whole(path) else None


def keep_object(built: Path, path: Path) -> None:
    """`built`: in a `scratch` folder. Raises NoLibrary."""
    write_entry(left_file(built), path, built.parent.parent)
