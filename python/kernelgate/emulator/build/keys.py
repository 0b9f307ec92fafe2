"""Keys of the build cache: hashes of everything that decides what a compiler will make. Not here: the cache itself."""

from __future__ import annotations

import functools
import hashlib
import sys
from collections.abc import Sequence

from kernelgate.emulator.build.toolchain import Compiler
from kernelgate.emulator.translate.refusals import HERE

FORMAT = 4  # raise it when the way of building, or the set of writers, changes in a way that no key holds


def entry_key(
    name: str,
    compiler: Compiler,
    texts: Sequence[str],
    flags: Sequence[Sequence[str]],
    headers: Sequence[tuple[str, str]] = (),
) -> str:
    """The key of a library: of everything that decides its content. `headers`: the person's own, path and digest."""
    own = (FORMAT, name, compiler.identity, sys.version, shim_digest())
    what = (*own, tuple(texts), [*map(tuple, flags)], tuple(headers))
    return hashlib.sha256(repr(what).encode()).hexdigest()[:40]


@functools.cache
def shim_digest() -> str:
    """Of the headers and the runtime of the emulator."""
    digest = hashlib.sha256()
    for folder in ("include", "torch_cuda", "torch_facade", "runtime"):
        for path in sorted((HERE / folder).rglob("*")):
            if path.is_file():
                digest.update(str(path.relative_to(HERE)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
