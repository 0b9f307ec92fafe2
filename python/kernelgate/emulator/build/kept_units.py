"""Translated units, kept in the build cache beside the library that was built of them: each process of a run looks for
that library, and translating takes longer than loading it.

In: what a translation goes by. Out: its units, or None if none are kept. Only a build keeps some. As for a library,
the last bytes are a digest of the rest.
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

from kernelgate.emulator.build.cache import is_whole, read_entry, write_entry
from kernelgate.emulator.build.keys import shim_digest
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
