"""`load_inline` with a cache that goes by content: equal sources and flags are built once, others never mixed up.

PyTorch's own cache goes by the extension's name, keeps a lock that a killed build leaves behind for ever, and stays
failed after one failure. Here every build has a folder of its own, which gets its final name only when it is whole.
Not here: emulation's builds (`kernelgate.emulator`), what an error means (`build.diagnostics`).
"""

from __future__ import annotations

import functools
import hashlib
import importlib.machinery
import importlib.util
import inspect
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from kernelgate.build.records import BuiltExtension

OnBuild = Callable[[BuiltExtension], None]


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


def cached_load_inline(cache: Path, arch: str | None, on_build: OnBuild) -> Callable[..., Any]:
    """A replacement for torch.utils.cpp_extension.load_inline; same arguments, same result, same errors."""
    import torch
    from torch.utils import cpp_extension

    build: Callable[..., Any] = cpp_extension.load_inline

    signature = inspect.signature(build)
    architectures = arch_list(arch)

    @functools.wraps(build)
    def load_inline(*args: Any, **kwargs: Any) -> Any:
        # By name from here on: the order of the parameters differs between versions of PyTorch.
        given = dict(signature.bind(*args, **kwargs).arguments)
        given.update(given.pop("kwargs", {}))
        # Verbose builds print the compiler's output instead of putting it into the error.
        given["verbose"] = False
        given.pop("build_directory", None)
        # A precompiled header would lie in PyTorch's own folder, which a worker cannot write.
        given.pop("use_pch", None)
        versions = [torch.__version__, torch.version.cuda, sys.version, architectures]
        key = hashlib.sha256(json.dumps([sorted(given.items()), versions], default=str).encode()).hexdigest()
        published = cache / "cuda" / key[:32]
        started = time.monotonic()
        module = _load(published, is_python_module=bool(given.get("is_python_module", True)))
        cached = module is not None
        if module is None:
            module = _build(build, given, published)
        on_build(
            BuiltExtension(
                name=str(given["name"]),
                lane="load_inline",
                seconds=time.monotonic() - started,
                cached=cached,
                compiler=f"nvcc, CUDA {torch.version.cuda}, sm_{architectures.replace('.', '')}",
                library=next((str(path) for path in published.glob("*.so")), ""),
            )
        )
        return module

    return load_inline


def install_cached_load_inline(cache: Path, arch: str | None, on_build: OnBuild) -> None:
    """Puts the cached build in place of torch's in this process, for good; so is the architecture to build for, which a
    program with flags of its own may ask for."""
    os.environ["TORCH_CUDA_ARCH_LIST"] = arch_list(arch)
    from torch.utils import cpp_extension

    cpp_extension.load_inline = cached_load_inline(cache, arch, on_build)
    # For a build without one, PyTorch removes it there, which would fail.
    cpp_extension.remove_extension_h_precompiler_headers = lambda: None


def _load(published: Path, *, is_python_module: bool) -> ModuleType | str | None:
    """The extension in a published folder; None where there is none, or none that can be loaded. One that is no Python
    module registers operators, and is given back by its path, as PyTorch does."""
    import torch

    libraries = list(published.glob("*.so"))
    if len(libraries) != 1:
        return None
    if not is_python_module:
        try:
            torch.ops.load_library(str(libraries[0]))
        except OSError:
            shutil.rmtree(published, ignore_errors=True)  # spoilt: build it again
            return None
        return str(libraries[0])
    name = libraries[0].stem
    loader = importlib.machinery.ExtensionFileLoader(name, str(libraries[0]))
    spec = importlib.util.spec_from_file_location(name, libraries[0], loader=loader)
    if spec is None:
        return None
    try:
        module = importlib.util.module_from_spec(spec)
        loader.exec_module(module)
    except ImportError:
        shutil.rmtree(published, ignore_errors=True)  # spoilt: build it again
        return None
    return module


def _build(build: Callable[..., Any], given: dict[str, Any], published: Path) -> Any:
    published.parent.mkdir(parents=True, exist_ok=True)
    # With this process in its name: who ends it can remove the folder.
    folder = Path(tempfile.mkdtemp(prefix=f".building-{os.getpid()}-", dir=published.parent))
    try:
        module = build(**given, build_directory=str(folder))
        try:
            folder.rename(published)
        except OSError:  # another process was first; what it built is the same
            shutil.rmtree(folder, ignore_errors=True)
        return module
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
