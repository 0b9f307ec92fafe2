"""The cache by content of what NVIDIA's compiler says of a source. Only the judge reads and writes it.

In: a `Compile`, and a worker's `Compiled`. Out: what was stored for the same source, headers, flags and compiler.
"""

from __future__ import annotations

import contextlib
import hashlib
from pathlib import Path

import msgspec

from kernelgate import cuda_source, nvrtc
from kernelgate.atomic_write import write_whole
from kernelgate.emulator.build.own_headers import Searched, own_headers
from kernelgate.json_decode import decoded
from kernelgate.messages.worker import Compile, Compiled
from kernelgate.nvrtc.library import candidates


def remembered(request: Compile) -> tuple[Path | None, Compiled | None]:
    """Where the answer to a request is kept, and the answer if it is there. A worker writes no cache. None where the
    source may include what its text does not name."""
    headers = own_headers([request.cuda], Searched(()))
    if not headers.complete:
        return None, None
    own = [
        path.read_bytes()
        for package in (nvrtc, cuda_source)
        for path in sorted(Path(str(package.__file__)).parent.rglob("*.*"))
        if path.suffix in (".py", ".h", ".cuh")
    ]
    libraries = [str(path) for path in candidates()]
    parts = [request.cuda, request.archs, request.flags, request.listing, request.lines, libraries, headers.digests]
    key = hashlib.sha256(msgspec.json.encode(parts) + b"".join(own)).hexdigest()
    path = Path(request.cache) / "nvrtc" / f"{key[:32]}.json"
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return path, decoded(path.read_bytes(), Compiled)
    return path, None


def remember(path: Path | None, answer: Compiled) -> None:
    """Keeps what was compiled; a cache that cannot be written only costs time."""
    if path is not None and any(result.state == "compiled" for result in answer.results):
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, msgspec.json.encode(answer))
