"""Compiling device code in a worker that has no candidate, and the cache by content of what came of it.

In: a `Compile`. Out: `Compiled`. Not here: what it means for the run (`judge.second_opinion`).
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import msgspec

from kernelgate import nvrtc
from kernelgate.decoding import decoded
from kernelgate.judge.protocol import Compile, Compiled
from kernelgate.nvrtc.library import candidates
from kernelgate.nvrtc.library import nvrtc as library
from kernelgate.nvrtc.opinion import look
from kernelgate.nvrtc.records import Opinion
from kernelgate.whole import write_whole

_PATIENCE_S = 6.0


def compile_device_code(request: Compile) -> Compiled:
    """The opinions in the order of the architectures. After one that took long, no further one is asked for."""
    found = library()
    version = found.version if found is not None else ""
    opinions: list[Opinion] = []
    slow: Opinion | None = None
    for arch in request.archs:
        if slow is not None:
            why = f"{slow.arch} alone took {slow.seconds:.0f} s"
            opinions.append(Opinion(arch, "not looked at", why))
            continue
        opinions.append(look(request.cuda, arch, request.flags, listing=request.listing))
        if opinions[-1].seconds > _PATIENCE_S and opinions[-1].state == "compiled":
            slow = opinions[-1]
    return Compiled(version, opinions)


def remembered(request: Compile) -> tuple[Path, Compiled | None]:
    """Where the answer to a request is kept, and the answer if it is there. For the judge: a worker writes no cache."""
    folder = Path(nvrtc.__file__).parent
    own = [path.read_bytes() for path in sorted(folder.rglob("*.*")) if path.suffix in (".py", ".h", ".cuh")]
    libraries = [str(path) for path in candidates()]
    parts = [request.cuda, request.archs, request.flags, request.listing, libraries]
    key = hashlib.sha256(msgspec.json.encode(parts) + b"".join(own)).hexdigest()
    path = Path(request.cache) / "nvrtc" / f"{key[:32]}.json"
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return path, decoded(path.read_bytes(), Compiled)
    return path, None


def remember(path: Path, answer: Compiled) -> None:
    """Keeps what was compiled; a cache that cannot be written only costs time."""
    if any(opinion.state == "compiled" for opinion in answer.opinions):
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, msgspec.json.encode(answer))
