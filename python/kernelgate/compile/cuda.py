"""A worker's `load_inline`: what the build cache holds is loaded, and what it lacks is asked for.

In: a program's call. Out: the module, as PyTorch's own gives it, and a `BuiltExtension` for the report.
Not here: building (`compile.cuda_library`), emulation's builds (`kernelgate.emulator`), what an error means
(`repair.diagnostics`).
"""

from __future__ import annotations

import contextlib
import functools
import importlib.machinery
import importlib.util
import inspect
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

import msgspec

from kernelgate.compile.cuda_library import (
    NARROW_WORDS,
    QUICK_WORDS,
    cached_library,
    is_narrow,
    is_quick,
    leave_precompiled_headers,
)
from kernelgate.json_decode import decoded
from kernelgate.messages.build_requests import BuiltExtension, CudaExtension, Setting

OnBuild = Callable[[BuiltExtension], None]
Build = Callable[[CudaExtension], Path]


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


def cached_load_inline(
    cache: Path, arch: str | None, on_build: OnBuild, build: Build, *, quick: bool = False
) -> Callable[..., Any]:
    """A replacement for torch.utils.cpp_extension.load_inline; same arguments, same result, same errors. `build` is
    asked for what the cache does not hold; `quick`: for a build of both sides apart, if none of PyTorch's own is
    there."""
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
        extension = msgspec.structs.replace(_versioned(extension, versions), quick=quick)
        started = time.monotonic()
        library = cached_library(extension, cache)
        cached = library is not None
        if library is None:
            library = build(extension)
        module = _load(extension, library)
        words = f"; {QUICK_WORDS}" if is_quick(library) else f"; {NARROW_WORDS}" if is_narrow(library) else ""
        on_build(
            BuiltExtension(
                name=str(given["name"]),
                lane="load_inline",
                seconds=time.monotonic() - started,
                cached=cached,
                compiler=f"nvcc, CUDA {torch.version.cuda}, sm_{architectures.replace('.', '')}{words}",
                library=str(library),
                quick=is_quick(library),
            )
        )
        return module

    return load_inline


def install_cached_load_inline(
    cache: Path, arch: str | None, on_build: OnBuild, build: Build, *, quick: bool = False
) -> None:
    """Puts the cached build in place of torch's in this process, for good. A program with flags of its own finds the
    architecture that a person asked for in the environment; nothing without such a wish, as in a notebook."""
    if arch is None:
        os.environ.pop("TORCH_CUDA_ARCH_LIST", None)
    else:
        os.environ["TORCH_CUDA_ARCH_LIST"] = arch_list(arch)
    from torch.utils import cpp_extension

    cpp_extension.load_inline = cached_load_inline(cache, arch, on_build, build, quick=quick)
    leave_precompiled_headers()


def _extension(given: dict[str, Any], settings: dict[str, str | None]) -> CudaExtension | None:
    """The call as data; None if that would lose something."""
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
