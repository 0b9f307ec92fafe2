"""`load_inline` with a cache by content: equal sources and flags are built once, and never mixed up with others.

PyTorch's own cache goes by the extension's name. A killed build leaves its lock there for ever, and one failure makes
later builds fail. Here a library is published once it is complete, by the process that may write to the cache; the
process that loads it only reads there. Entries are as in the emulator's cache.
Not here: emulation's builds (`kernelgate.emulator`), what an error means (`build.diagnostics`), processes (`judge`).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib.machinery
import importlib.util
import inspect
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import msgspec

from kernelgate.build.narrow_headers import narrow_headers
from kernelgate.emulator.build.cache import (
    NoLibrary,
    building_alone,
    entry_path,
    is_whole,
    left_file,
    once_path,
    publish,
    scratch,
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
from kernelgate.json_decode import decoded
from kernelgate.messages.build_requests import CudaExtension, Setting
from kernelgate.messages.built import BuiltExtension

OnBuild = Callable[[BuiltExtension], None]
Build = Callable[[CudaExtension], Path]
Compiling = Callable[[Path, Callable[[], None]], None]
"""Has PyTorch compile in a separate process, which writes to that folder. Raises what that raises."""


def arch_list(arch: str | None) -> str:
    """TORCH_CUDA_ARCH_LIST for "sm_80" or "sm_90a", or for the current device where None."""
    import torch

    if arch is None:
        major, minor = torch.cuda.get_device_capability()
        return f"{major}.{minor}"
    digits = arch.removeprefix("sm_")
    suffix = digits[-1] if digits[-1].isalpha() else ""
    number = digits.removesuffix(suffix)
    return f"{number[:-1]}.{number[-1]}{suffix}"


# --- in the process that loads ----------------------------------------------------------------------------------------


def cached_load_inline(cache: Path, arch: str | None, on_build: OnBuild, build: Build) -> Callable[..., Any]:
    """A replacement for torch.utils.cpp_extension.load_inline; same arguments, same result, same errors. `build` is
    asked for what the cache does not hold."""
    import torch
    from torch.utils import cpp_extension

    original: Callable[..., Any] = cpp_extension.load_inline
    signature = inspect.signature(original)
    architectures = arch_list(arch)
    at_first = {name: os.environ.get(name) for name in get_args(Setting)}
    versions: dict[str, tuple[int, CudaExtension]] = {}

    @functools.wraps(original)
    def load_inline(*args: Any, **kwargs: Any) -> Any:
        # By name from here on: versions of PyTorch order the parameters differently.
        given = dict(signature.bind(*args, **kwargs).arguments)
        given.update(given.pop("kwargs", {}))
        given.pop("build_directory", None)
        # Verbose builds print the compiler's output instead of putting it into the error.
        given["verbose"] = False
        flags = given.get("extra_cuda_cflags") or []
        if given.get("cuda_sources") and isinstance(flags, list | tuple) and "-lineinfo" not in flags:
            # The lines of faults and counters, for compute-sanitizer and ncu; the code stays the same.
            given["extra_cuda_cflags"] = type(flags)((*flags, "-lineinfo"))
        # A precompiled header would lie in PyTorch's own folder, which a worker cannot write.
        given.pop("use_pch", None)
        settings = {name: os.environ.get(name) for name in at_first if os.environ.get(name) != at_first[name]}
        settings.setdefault("TORCH_CUDA_ARCH_LIST", architectures)
        extension = _extension(given, settings)
        if extension is None:  # not plain data: PyTorch takes it or raises its own error, and nothing is cached
            return original(**given, build_directory=tempfile.mkdtemp(prefix="load_inline-"))
        extension = _versioned(extension, versions)
        started = time.monotonic()
        library = cached_library(extension, cache)
        cached = library is not None
        if library is None:
            library = build(extension)
        module = _load(extension, library)
        narrow = f"; {NARROW_WORDS}" if library.name.startswith(_NARROW) else ""
        on_build(
            BuiltExtension(
                name=str(given["name"]),
                lane="load_inline",
                seconds=time.monotonic() - started,
                cached=cached,
                compiler=f"nvcc, CUDA {torch.version.cuda}, sm_{architectures.replace('.', '')}{narrow}",
                library=str(library),
            )
        )
        return module

    return load_inline


def install_cached_load_inline(cache: Path, arch: str | None, on_build: OnBuild, build: Build) -> None:
    """Puts the cached build in place of torch's in this process, for good. A program with flags of its own finds the
    architecture that a person asked for in the environment; nothing without such a wish, as in a notebook."""
    if arch is None:
        os.environ.pop("TORCH_CUDA_ARCH_LIST", None)
    else:
        os.environ["TORCH_CUDA_ARCH_LIST"] = arch_list(arch)
    from torch.utils import cpp_extension

    cpp_extension.load_inline = cached_load_inline(cache, arch, on_build, build)
    _leave_precompiled_headers()


def _leave_precompiled_headers() -> None:
    """For a build without one, PyTorch removes it in its own folder, which would fail."""
    from torch.utils import cpp_extension

    cpp_extension.remove_extension_h_precompiler_headers = lambda: None


def _extension(given: dict[str, Any], settings: dict[str, str | None]) -> CudaExtension | None:
    """The call as data; None where that would lose something."""
    plain = dict(given)
    paths = plain.get("extra_include_paths")
    if isinstance(paths, list):  # PyTorch resolves them from this process's folder
        with contextlib.suppress(TypeError):
            plain["extra_include_paths"] = [str(Path(path).absolute()) for path in paths]
    tuples = [name for name, value in plain.items() if isinstance(value, tuple)]
    plain |= {name: list(plain[name]) for name in tuples}
    try:
        if json.loads(json.dumps(plain)) != plain:
            return None
        what = {"name": plain.pop("name"), "arguments": plain, "tuples": tuples, "settings": settings}
        return decoded(json.dumps(what), CudaExtension)
    except (TypeError, ValueError):
        return None


def _versioned(extension: CudaExtension, versions: dict[str, tuple[int, CudaExtension]]) -> CudaExtension:
    """With the name under which PyTorch builds it: another extension of the same name gets a number, so that both can
    be loaded."""
    version, last = versions.get(extension.name, (-1, None))
    if last != extension:
        version += 1
    versions[extension.name] = version, extension
    return msgspec.structs.replace(extension, name=f"{extension.name}_v{version}") if version else extension


def _load(extension: CudaExtension, library: Path) -> ModuleType | str:
    """The extension's module. A library that only registers operators is returned by its path, as PyTorch does."""
    import torch

    if not extension.arguments.get("is_python_module", True):
        torch.ops.load_library(str(library))
        return str(library)
    loader = importlib.machinery.ExtensionFileLoader(extension.name, str(library))
    spec = importlib.util.spec_from_file_location(extension.name, library, loader=loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


# --- in the process that builds ---------------------------------------------------------------------------------------


_NARROW = "cuda-narrow-"
NARROW_WORDS = "with those headers of PyTorch that it uses"


def cached_library(extension: CudaExtension, cache: Path) -> Path | None:
    """Where the library lies; None where it is not there, or not all of its inputs are known, so that it is built
    anew."""
    headers = read_headers(extension)
    return _cached(_entry(extension, headers, cache), _narrow_entry(extension, headers, cache), headers)


def _cached(path: Path, narrow: Path | None, headers: OwnHeaders) -> Path | None:
    if not headers.complete:
        return None
    return next((one for one in (narrow, path) if one is not None and is_whole(one)), None)


def _entry(extension: CudaExtension, headers: OwnHeaders, cache: Path) -> Path:
    return entry_path(cache, f"cuda-{_key(extension, headers)}")


def _narrow_entry(extension: CudaExtension, headers: OwnHeaders, cache: Path) -> Path | None:
    """Of a build with fewer of PyTorch's headers; None where there is none."""
    files = _narrow_headers(extension)
    if not headers.complete or files is None:
        return None
    return entry_path(cache, f"{_NARROW}{_key(extension, headers, files)}")


def _key(extension: CudaExtension, headers: OwnHeaders, files: Mapping[str, str] | None = None) -> str:
    import torch

    what = [torch.__version__, torch.version.cuda, sys.version, msgspec.to_builtins(extension), headers.digests]
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
    return [value] if isinstance(value, str) else list(value) if isinstance(value, list) else []


def _is_file(flag: str) -> bool:
    """Whether a flag has the linker read a file of the person's: an object, an archive, or what lies in a folder. An
    empty flag, as programs of language models give, means nothing."""
    path = flag.removeprefix("-L")
    names_file = flag.startswith("-L") or not flag.startswith("-")
    return bool(flag.strip()) and names_file and not is_toolchains(f"{path}/any")


def build(extension: CudaExtension, cache: Path, compiling: Compiling) -> Path:
    """The library, from the cache or newly compiled; nothing of it is loaded. Raises what PyTorch's load_inline raises,
    or ToolchainMissing where the cache cannot be written."""
    headers = read_headers(extension)
    path, narrow = _entry(extension, headers, cache), _narrow_entry(extension, headers, cache)
    there = _cached(path, narrow, headers)
    if there is not None:
        return there
    with building_alone(path):
        there = _cached(path, narrow, headers)
        if there is not None:
            return there
        if narrow is not None:
            # Whatever fails so fails with PyTorch's own headers as well, or not at all.
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
) -> Path:
    with scratch(cache) as folder:
        compiling(folder, lambda: _compile(extension, folder, narrow or {}))
        try:
            read = _read(folder)
            known = headers.complete and bool(read) and not missed(read, headers)
            if not known or read_headers(extension) != headers:
                if narrow:
                    raise NoLibrary("it has read more than was known")
                path = once_path(cache)
            publish(folder / f"{extension.name}.so", path)
        except NoLibrary as exc:
            raise RuntimeError(f"Error building extension '{extension.name}': {exc}") from exc
    return path


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


def _compile(extension: CudaExtension, folder: Path, narrow: Mapping[str, str]) -> None:
    from torch.utils import cpp_extension

    for name, value in extension.settings.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value
    _leave_precompiled_headers()
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
    cpp_extension.load_inline(**arguments)
    _list_read(folder)
