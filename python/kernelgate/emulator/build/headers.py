"""Precompiles the headers that every extension begins with: reading them takes half of a build's time.

In: units, and the cache. Out: arguments for the compiler. A compiler reads its precompiled header only if everything
agrees, flags and macros too, and else reads the text: only a build's time depends on one, never its result.
It does not pay for one or two extensions, and takes 80 MB: it is made when the cache already holds a few, or ahead of
need (`ahead`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from kernelgate.emulator.build.cache import NoLibrary, building_alone, entry_key, publish, scratch
from kernelgate.emulator.build.toolchain import Compiler, Compiling
from kernelgate.emulator.errors import ToolchainMissing
from kernelgate.emulator.translate.units import Unit

_PAYS_AFTER = 3  # extensions that the cache holds
_INSTANTIATED = "#include <kernelgate/instantiated.h>\n"  # last: it declares nothing


@dataclass(frozen=True)
class _Header:
    path: Path
    text: str
    flags: tuple[str, ...]

    @property
    def compiled(self) -> Path:
        return self.path.with_name(f"{self.path.name}.gch")  # where the compiler looks for it


def begin_with(unit: Unit, compiler: Compiler, cache: Path) -> list[str]:
    """Arguments that make the unit begin with its precompiled header; none if there is none."""
    header = _header(unit, compiler, cache)
    return ["-include", str(header.path)] if header is not None and header.compiled.is_file() else []


def pays(cache: Path) -> bool:
    return len(list(cache.glob("extension-*.so"))) >= _PAYS_AFTER


def precompile(units: Sequence[Unit], compiler: Compiler, cache: Path, compiling: Compiling) -> None:
    """Precompiles the headers of all units at the same time, if they do not exist. A failure fails no build."""
    found = [header for unit in units if (header := _header(unit, compiler, cache)) is not None]
    if not _missing(found):
        return
    with building_alone(found[0].compiled):
        _precompile(_missing(found), compiler, cache, compiling)


def _missing(headers: Sequence[_Header]) -> list[_Header]:
    return [header for header in headers if not header.compiled.is_file()]


def _precompile(missing: Sequence[_Header], compiler: Compiler, cache: Path, compiling: Compiling) -> None:
    if not missing:
        return
    with contextlib.suppress(ToolchainMissing, NoLibrary, OSError), scratch(cache) as folder:
        commands = []
        for header in missing:
            (folder / header.path.name).write_text(header.text, encoding="utf-8")
            target = ["-x", "c++-header", header.path.name, "-o", header.compiled.name]
            commands.append([*compiler.command, *header.flags, *target])
        ended = compiling(folder, commands)
        for header, finished in zip(missing, ended, strict=True):
            if finished.status == 0:
                text = folder.with_name("text")
                text.write_text(header.text, encoding="utf-8")
                text.replace(header.path)
                publish(folder / header.compiled.name, header.compiled)


def _header(unit: Unit, compiler: Compiler, cache: Path) -> _Header | None:
    if not unit.begins_with:
        return None
    text = unit.begins_with + _INSTANTIATED
    key = entry_key("headers", compiler, [text], [unit.header_flags])
    return _Header(cache / f"headers-{key}.h", text, unit.header_flags)
