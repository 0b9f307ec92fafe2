"""Builds what the cache does not hold in this process, unless `install` is given another builder.

A process that runs untrusted programs should not be able to write to the cache. It asks another process instead.
"""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from kernelgate.emulator.build.extension import Built, Extension, build
from kernelgate.emulator.build.libraries import OwnLibrary, build_library


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
