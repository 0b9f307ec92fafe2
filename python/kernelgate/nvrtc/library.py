"""NVRTC, NVIDIA's compiler as a library: found beside torch, in its own wheel, or in a CUDA toolkit.

In: device code, an architecture, flags. Out: `Compiled`: a cubin, PTX and the compiler's log. It needs no GPU.
A source may break the compiler: compile an untrusted one in a process that may end.
Not here: which part of a program is device code (`cuda_source.device_part`), what a log means (`nvrtc.compile_check`).
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kernelgate.safe_path import elsewhere

MISSING = "NVRTC is not installed: pip install 'kernelgate[nvrtc]'"
_OURS = Path(__file__).parent / "include"
_FOLDERS = ("nvidia/cu*/lib", "nvidia/cuda_nvrtc/lib")
_MOST_LOG = 1 << 20


@dataclass(frozen=True)
class Compiled:
    """`lowered`: the mangled name of each name that was asked for; what failed has no cubin."""

    succeeded: bool
    log: str
    cubin: bytes = b""
    ptx: str = ""
    lowered: Mapping[str, str] = field(default_factory=dict)


class Nvrtc:
    """The loaded library; `includes` are the folders of CUDA's headers that lie beside it."""

    def __init__(self, library: Path) -> None:
        # It looks for its built-in functions by name, if no search path may lead.
        for builtins in sorted(library.parent.glob("libnvrtc-builtins.so*")):
            ctypes.CDLL(str(builtins), mode=ctypes.RTLD_GLOBAL)
        self._library = ctypes.CDLL(str(library))
        major, minor = ctypes.c_int(), ctypes.c_int()
        self._library.nvrtcVersion(ctypes.byref(major), ctypes.byref(minor))
        self.version = f"{major.value}.{minor.value}"
        root = library.parent.parent
        folders = [root / "include", root.parent / "cuda_runtime/include", *root.parent.glob("*/include")]
        folders += [folder / "cccl" for folder in folders]
        self.includes = [f for f in dict.fromkeys(folders) if (f / "cuda_fp16.h").is_file() or f.name == "cccl"]
        self.includes = [folder for folder in self.includes if folder.is_dir()]

    def has_header(self, name: str) -> bool:
        return any((folder / name).is_file() for folder in self.includes)

    def compile(
        self, text: str, arch: str, flags: Sequence[str] = (), names: Sequence[str] = (), unit: str = "cuda.cu"
    ) -> Compiled:
        """`names`: kernels to keep or to instantiate, as expressions: "scale<float, 4>". Raises OSError if NVRTC
        itself does not work."""
        library, program = self._library, ctypes.c_void_p()
        source = text.encode(errors="replace")
        if library.nvrtcCreateProgram(ctypes.byref(program), source, unit.encode(), 0, None, None):
            raise OSError("NVRTC takes no source")
        try:
            for name in names:
                library.nvrtcAddNameExpression(program, name.encode(errors="replace"))
            given = [f"--gpu-architecture={arch}", *flags, f"--include-path={_OURS}"]
            given += [f"--include-path={folder}" for folder in self.includes]
            options = (ctypes.c_char_p * len(given))(*(flag.encode(errors="replace") for flag in given))
            status = library.nvrtcCompileProgram(program, len(given), options)
            log = self._text(program, "ProgramLog")[:_MOST_LOG].decode(errors="replace").replace("\0", "\n")
            if status:
                return Compiled(succeeded=False, log=log)
            lowered = {name: found for name in names if (found := self._lowered(program, name))}
            ptx = self._text(program, "PTX").decode(errors="replace")
            return Compiled(True, log, self._bytes(program, "CUBIN"), ptx, lowered)
        finally:
            library.nvrtcDestroyProgram(ctypes.byref(program))

    def _lowered(self, program: ctypes.c_void_p, name: str) -> str | None:
        found = ctypes.c_char_p()
        given = name.encode(errors="replace")
        if self._library.nvrtcGetLoweredName(program, given, ctypes.byref(found)) or not found.value:
            return None
        return found.value.decode(errors="replace")

    def _text(self, program: ctypes.c_void_p, what: str) -> bytes:
        return self._bytes(program, what).rstrip(b"\0")

    def _bytes(self, program: ctypes.c_void_p, what: str) -> bytes:
        size = ctypes.c_size_t()
        if getattr(self._library, f"nvrtcGet{what}Size")(program, ctypes.byref(size)) or not size.value:
            return b""
        data = ctypes.create_string_buffer(size.value)
        getattr(self._library, f"nvrtcGet{what}")(program, data)
        return data.raw


@functools.cache
def nvrtc() -> Nvrtc | None:
    """The first NVRTC that loads; None if there is none."""
    for library in candidates():
        try:
            return Nvrtc(library)
        except (OSError, AttributeError):
            continue
    return None


def candidates() -> list[Path]:
    """The libraries to try. Wheels first: they are of the version that torch uses."""
    folders = [folder for path in elsewhere(sys.path) for part in _FOLDERS for folder in sorted(Path(path).glob(part))]
    home = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH") or "/usr/local/cuda"
    folders += [Path(home) / "lib64"]
    return [library for folder in folders for library in sorted(folder.glob("libnvrtc.so*"))[:1]]
