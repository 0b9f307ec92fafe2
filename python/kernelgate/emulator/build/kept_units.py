"""What is kept in the build cache beside a library: its translated units, and the object of main.cpp.

Each process of a run looks for the library by its units, and translating takes longer than loading it. Bindings seldom
change while a person works on a kernel, and the two libraries of a program, one of them examined, may have the same.
Only a build keeps some. As for a library, the last bytes are a digest of the rest; a linker does not read them.
Not here: the translation itself (`emulator.translate`).
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import asdict, astuple
from pathlib import Path

from kernelgate.emulator.build.cache import (
    entry_key,
    is_whole,
    left_file,
    read_entry,
    shim_digest,
    write_entry,
)
from kernelgate.emulator.build.own_headers import OwnHeaders
from kernelgate.emulator.build.toolchain import Compiler
from kernelgate.emulator.translate.refusals import HERE
from kernelgate.emulator.translate.units import Lane, Sources, Unit, torch_folder


def _sources_of_the_translation() -> Iterator[Path]:
    for folder in (HERE, HERE.parent / "cuda_source"):
        yield from sorted(folder.rglob("*.py"))


_TRANSLATOR = hashlib.sha256(b"".join(path.read_bytes() for path in _sources_of_the_translation())).hexdigest()
"""Of the code as it was imported."""


def units_path(
    cache: Path, sources: Sources, flags: Sequence[str], host_flags: Sequence[str], lane: Lane
) -> Path:
    """Where the units of a translation are kept: named by everything that it goes by."""
    own = (_TRANSLATOR, shim_digest(), str(HERE), sys.version, sysconfig.get_path("include"))
    of_torch = (str(torch_folder()), importlib.metadata.version("torch"))
    what = (own, of_torch, asdict(sources), tuple(flags), tuple(host_flags), lane)
    return cache / f"units-{hashlib.sha256(repr(what).encode()).hexdigest()[:40]}.json"


def kept_units(path: Path) -> list[Unit] | None:
    if not is_whole(path):
        return None
    return [
        Unit(name, before, source, tuple(flags), begins_with, tuple(header_flags))
        for name, before, source, flags, begins_with, header_flags in json.loads(read_entry(path))
    ]


def keep_units(units: Sequence[Unit], path: Path, scratch: Path) -> None:
    """`scratch`: a folder on the cache's file system that no compiler writes to."""
    write_entry(json.dumps([astuple(unit) for unit in units]).encode(), path, scratch)


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
