"""The library of an extension by PyTorch's `load_inline`, with a cache by content: equal sources and flags are built
once, and never mixed up with others.

PyTorch's own cache goes by the extension's name. A killed build leaves its lock there for ever, and one failure makes
later builds fail. Here a library is published once it is complete, by the process that may write to the cache. Entries
are as in the emulator's cache. The compiled C++ side is an entry too, so that a change of a kernel has nvcc alone
compile; and a build reads no more of PyTorch's headers than it has to (`compile.narrow_headers`).
In: an extension, as data. Out: the path of its library; nothing of it is loaded.
Not here: loading it (`compile.cuda`), the confined process (`sandbox.confined_process`).
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from kernelgate.compile.narrow_headers import WHOLE_HEADERS, narrow_headers
from kernelgate.compile.split_units import instances, sides
from kernelgate.emulator.build.cache import (
    NoLibrary,
    building_alone,
    entry_path,
    is_whole,
    left_file,
    once_path,
    publish,
    read_entry,
    scratch,
    write_entry,
)
from kernelgate.emulator.build.own_headers import (
    OwnHeaders,
    Searched,
    environment_folders,
    is_toolchains,
    missed,
    own_headers,
    searched,
)
from kernelgate.emulator.translate.units import torch_folder
from kernelgate.messages.build_requests import CudaExtension

Compiling = Callable[[Path, Callable[[], None]], None]
"""Has PyTorch compile in a separate process, which writes to that folder. Raises what that raises."""
NARROW_WORDS = "only the PyTorch headers that it uses"
QUICK_WORDS = "its two sides apart"
_NARROW, _QUICK = "cuda-narrow-", "cuda-quick-"


def is_narrow(library: Path) -> bool:
    """Whether it was built with only the PyTorch headers that the program uses."""
    return library.name.startswith(_NARROW)


def is_quick(library: Path) -> bool:
    """Whether its two sides were built apart."""
    return library.name.startswith(_QUICK)


def cached_library(extension: CudaExtension, cache: Path) -> Path | None:
    """Where the library lies; None if it is not there, or not all of its inputs are known, so that it is built
    anew."""
    headers = read_headers(extension)
    found = _cached(_entry(extension, headers, cache), _narrow_entry(extension, headers, cache), headers)
    if found is None and extension.quick and (apart := _apart(extension)) is not None:
        found = apart.cached(cache)
    return found


def _cached(path: Path, narrow: Path | None, headers: OwnHeaders) -> Path | None:
    if not headers.complete:
        return None
    return next((one for one in (narrow, path) if one is not None and is_whole(one)), None)


def _entry(extension: CudaExtension, headers: OwnHeaders, cache: Path) -> Path:
    return entry_path(cache, f"cuda-{_key(extension, headers)}")


def _narrow_entry(extension: CudaExtension, headers: OwnHeaders, cache: Path) -> Path | None:
    """Of a build with fewer of PyTorch's headers; None if there is none."""
    files = _narrow_headers(extension)
    if not headers.complete or files is None:
        return None
    return entry_path(cache, f"{_NARROW}{_key(extension, headers, files)}")


def _key(extension: CudaExtension, headers: OwnHeaders, files: Mapping[str, str] | None = None) -> str:
    import torch

    own = msgspec.to_builtins(msgspec.structs.replace(extension, quick=False))
    what = [torch.__version__, torch.version.cuda, sys.version, own, headers.digests]
    text = json.dumps([*what, files] if files is not None else what, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:40]


def _narrow_headers(extension: CudaExtension) -> dict[str, str] | None:
    folder = torch_folder()
    given = extension.arguments
    if folder is None:
        return None
    cpp, cuda = (_texts(given.get(name)) for name in ("cpp_sources", "cuda_sources"))
    implicit = not given.get("no_implicit_headers")
    return narrow_headers(cpp, cuda, folder / "include", implicit=implicit)


def read_headers(extension: CudaExtension) -> OwnHeaders:
    """The person's own headers that PyTorch's compilers may read for an extension, as they are now."""
    given = extension.arguments
    texts = [text for name in ("cpp_sources", "cuda_sources") for text in _texts(given.get(name))]
    environment: dict[str, str | None] = {**os.environ}
    environment.update({str(name): value for name, value in extension.settings.items()})
    flags = [flag for name in ("extra_cflags", "extra_cuda_cflags") for flag in _texts(given.get(name))]
    for name in ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"):
        flags += (environment.get(name) or "").split()
    by_flags = searched(flags)
    folders = (*_texts(given.get("extra_include_paths")), *by_flags.folders)
    own_libraries = any(_is_file(flag) for flag in _texts(given.get("extra_ldflags")))
    where = Searched(
        (*folders, *environment_folders(environment.items())),
        by_flags.files,
        by_flags.complete and not own_libraries,
    )
    return own_headers(texts, where)


def _texts(value: object) -> list[str]:
    return [value] if isinstance(value, str) else list(value) if isinstance(value, list | tuple) else []


def _is_file(flag: str) -> bool:
    """Whether a flag has the linker read a file of the person's: an object, an archive, or what lies in a folder. An
    empty flag, as programs of language models give, means nothing."""
    path = flag.removeprefix("-L")
    names_file = flag.startswith("-L") or not flag.startswith("-")
    return bool(flag.strip()) and names_file and not is_toolchains(f"{path}/any")


def build(extension: CudaExtension, cache: Path, compiling: Compiling) -> Path:
    """The library, from the cache or newly compiled; nothing of it is loaded. Raises what PyTorch's load_inline raises,
    or ToolchainMissing if the cache cannot be written."""
    headers = read_headers(extension)
    if extension.quick and (apart := _apart(extension)) is not None:
        with contextlib.suppress(Exception):  # what cannot be cut is built whole, and only that error counts
            return apart.build(cache, compiling)
    path, narrow = _entry(extension, headers, cache), _narrow_entry(extension, headers, cache)
    there = _cached(path, narrow, headers)
    if there is not None:
        return there
    with building_alone(path):
        there = _cached(path, narrow, headers)
        if there is not None:
            return there
        if narrow is not None:
            # What fails here is built again with PyTorch's own headers, and only that error counts.
            with contextlib.suppress(Exception):
                return _built(extension, headers, narrow, cache, compiling, _narrow_headers(extension))
        return _built(extension, headers, path, cache, compiling)


def _built(
    extension: CudaExtension,
    headers: OwnHeaders,
    path: Path,
    cache: Path,
    compiling: Compiling,
    narrow: Mapping[str, str] | None = None,
    *,
    device: str = "",
) -> Path:
    """`device`: the text of the device's side, if the two are compiled apart."""
    kept = _kept_object(extension, headers, cache, narrow)
    there = headers.complete and is_whole(kept)
    with scratch(cache) as folder:
        if there:
            (folder / _KEPT).write_bytes(read_entry(kept))
        compiling(folder, lambda: _compile(extension, folder, narrow or {}, device))
        try:
            read = _read(folder)
            known = headers.complete and bool(read) and not missed(read, headers)
            if not known or read_headers(extension) != headers:
                if narrow:
                    raise NoLibrary("it has read more than was known")
                path = once_path(cache)
            elif not there and extension.arguments.get("cuda_sources"):
                write_entry(left_file(folder / _OBJECT), kept, folder.parent)
            publish(folder / f"{extension.name}.so", path)
        except NoLibrary as exc:
            raise RuntimeError(f"Error building extension '{extension.name}': {exc}") from exc
    return path


_OBJECT, _KEPT = "main.o", "kept.o"


def _kept_object(
    extension: CudaExtension, headers: OwnHeaders, cache: Path, narrow: Mapping[str, str] | None
) -> Path:
    """Where the compiled C++ side lies, or will lie, which a change of a kernel leaves as it is. Its key holds all but
    the CUDA source, since the flags of either compiler may name a program that writes to the folder of both."""
    arguments = {name: value for name, value in extension.arguments.items() if name != "cuda_sources"}
    own = msgspec.structs.replace(extension, arguments=arguments)
    return entry_path(cache, f"object-{_key(own, headers, narrow)}")


def _without_cpp(arguments: dict[str, Any], folder: Path) -> None:
    """Has the linker take the kept object in place of the C++ side."""
    arguments.pop("functions", None)
    arguments["cpp_sources"] = [""]
    arguments["extra_ldflags"] = [*_texts(arguments.get("extra_ldflags")), str(folder / _KEPT)]
    extension_header = folder / "narrow" / "torch" / "extension.h"
    if extension_header.exists():  # which main.cpp includes all the same
        text = extension_header.read_text(encoding="utf-8")
        extension_header.write_text(f"#ifdef __CUDACC__\n{text}#endif\n", encoding="utf-8")


_LISTED = "read.txt"


def _read(folder: Path) -> list[str]:
    """The files that the compilers have read, as `ninja -t deps` prints them: indented, under each target."""
    lines = left_file(folder / _LISTED).decode(errors="surrogateescape").splitlines()
    return [line.strip() for line in lines if line.startswith(" ")]


def _list_read(folder: Path) -> None:
    """Ninja keeps the compilers' lists to itself. A build without them serves once: what it read is not known."""
    listed = b""
    with contextlib.suppress(OSError, subprocess.SubprocessError):
        listed = subprocess.run(
            ["ninja", "-t", "deps"], cwd=folder, capture_output=True, timeout=60, check=False
        ).stdout
    (folder / _LISTED).write_bytes(listed)


def _compile(extension: CudaExtension, folder: Path, narrow: Mapping[str, str], device: str) -> None:
    from torch.utils import cpp_extension

    for name, value in extension.settings.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    leave_precompiled_headers()
    # What it builds is loaded elsewhere.
    cpp_extension._import_module_from_library = lambda *_arguments: None
    arguments: dict[str, Any] = {**extension.arguments, "name": extension.name, "build_directory": str(folder)}
    for parameter in extension.tuples:
        arguments[parameter] = tuple(arguments[parameter])
    if narrow:
        for header, text in narrow.items():
            file = folder / "narrow" / header
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        arguments["extra_include_paths"] = [
            str(folder / "narrow"),
            *_texts(arguments.get("extra_include_paths")),
        ]
    if device:
        _ask_for_kernels(folder, device)
    if (folder / _KEPT).exists():
        _without_cpp(arguments, folder)
    cpp_extension.load_inline(**arguments)
    _list_read(folder)


def _ask_for_kernels(folder: Path, device: str) -> None:
    """Has the C++ side compiled first if kernels are templates, and asks the device's side for those that it calls.
    Afterwards none may lack."""
    from torch.utils import cpp_extension

    ninja = cpp_extension._run_ninja_build

    def lacking(file: str) -> list[str]:
        said = subprocess.run(["nm", "-C", "-u", file], cwd=folder, capture_output=True, text=True, check=True)
        return instances(said.stdout, device)

    def in_turn(build_directory: str, *more: Any, **named: Any) -> None:
        if "template" in device:
            kept = (folder / _KEPT).exists()
            if not kept:
                subprocess.run(["ninja", _OBJECT], cwd=folder, capture_output=True, check=True)
            asked = [f"template __global__ void {one};" for one in lacking(_KEPT if kept else _OBJECT) if "<" in one]
            with (folder / "cuda.cu").open("a", encoding="utf-8") as file:
                file.write("\n".join(["", *asked, ""]))
        ninja(build_directory, *more, **named)
        if any(lacking(library.name) for library in folder.glob("*.so")):
            raise NoLibrary("a kernel is in neither side")

    cpp_extension._run_ninja_build = in_turn


@dataclass(frozen=True)
class _Apart:
    """An extension whose two sides are compiled apart, which takes a third of the time: PyTorch's headers are read
    once, by g++, and a change of a kernel leaves the C++ side as it is."""

    extension: CudaExtension
    headers: Mapping[str, str]
    device: str

    def cached(self, cache: Path) -> Path | None:
        own = read_headers(self.extension)
        return _cached(self._entry(own, cache), None, own)

    def build(self, cache: Path, compiling: Compiling) -> Path:
        """Raises what a build raises."""
        own = read_headers(self.extension)
        path = self._entry(own, cache)
        with building_alone(path):
            there = _cached(path, None, own)
            given = self.extension, own, path, cache, compiling, self.headers
            return there or _built(*given, device=self.device)

    def _entry(self, own: OwnHeaders, cache: Path) -> Path:
        return entry_path(cache, f"{_QUICK}{_key(self.extension, own, self.headers)}")


def _apart(extension: CudaExtension) -> _Apart | None:
    """None for one that cannot be cut."""
    given = extension.arguments
    cpp, cuda = (_texts(given.get(name)) for name in ("cpp_sources", "cuda_sources"))
    both = sides("\n".join(cuda)) if cuda else None
    if both is None:
        return None
    files = _narrow_headers(extension) or {name: f"#include_next <{name}>\n" for name in sorted(WHOLE_HEADERS)}
    headers = {name: f"#ifndef __CUDACC__\n{text}#endif\n" for name, text in files.items()}
    flags = _texts(given.get("extra_cuda_cflags"))
    if both.templates and _hides_stubs():
        flags.append("-static-global-template-stub=false")
    arguments = {**given, "cpp_sources": [*cpp, both.host], "cuda_sources": [both.device], "extra_cuda_cflags": flags}
    return _Apart(msgspec.structs.replace(extension, arguments=arguments, quick=False), headers, both.device)


def _hides_stubs() -> bool:
    """Whether nvcc keeps the host's stub of a kernel's instance to its own unit, as it does since CUDA 13."""
    import torch

    return int((torch.version.cuda or "0").split(".")[0]) >= 13


def leave_precompiled_headers() -> None:
    """For a build without one, PyTorch removes it in its own folder, which would fail."""
    from torch.utils import cpp_extension

    cpp_extension.remove_extension_h_precompiler_headers = lambda: None
