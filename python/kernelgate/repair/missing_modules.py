"""A module that a program imports and that is not there: what to do, and which one is meant.

In: the module's dotted name. Out: words, or a name. Packages are looked up on the disk; nothing is imported.
"""

from __future__ import annotations

import difflib
import importlib.util
import pkgutil
from collections.abc import Sequence
from pathlib import Path

from kernelgate.machine import version_of

_INSTALLABLE = (
    *("apex", "cuda", "cupy", "cutlass", "einops", "flash_attn", "jax", "ninja", "numba", "numpy", "pybind11"),
    *("pycuda", "scipy", "tilelang", "torchvision", "transformer_engine", "transformers", "triton", "xformers"),
)


# What pip calls it where that is another name.
_OF_PIP = {
    "cuda.tile": "cuda-tile",
    "cuda.bindings": "cuda-python",
    "cuda.core": "cuda-core",
    "cutlass": "nvidia-cutlass-dsl",
    "flash_attn": "flash-attn",
    "transformer_engine": "'transformer-engine[pytorch]'",
}


def not_installed(name: str) -> str:
    """The package that an import lacks; "" if it is installed, and has no such module."""
    of_pip = _of_pip(name)
    if of_pip is not None:
        return of_pip[0]
    package = name.split(".")[0]
    return "" if _is_installed(package) else package


def _of_pip(name: str) -> tuple[str, str] | None:
    """A part of the name, and what pip installs for it."""
    package, two = name.split(".")[0], ".".join(name.split(".")[:2])
    if package == "cupy" and not _is_installed(package):
        return package, f"cupy-cuda{(version_of('torch') or '').partition('+cu')[2][:2] or 13}x"
    for part in (two, package):
        if part in _OF_PIP and not _is_installed(part):
            return part, _OF_PIP[part]
    return None


def _is_installed(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def next_step(name: str) -> str:
    package = name.split(".")[0]
    if (of_pip := _of_pip(name)) is not None:
        return f"Install it where the notebook's kernel runs: pip install {of_pip[1]}"
    meant = module_meant(name)
    if meant is not None:
        return f"Import {meant} instead"
    if "." in name and _folders(package):
        return f"Correct the name, or remove the import: {package} has no such module here"
    if package in _INSTALLABLE:
        return f"Install it where the notebook's kernel runs: pip install {package}"
    return f"Replace the import: {package} is no known package; if it is your own, install it in this kernel"


def module_meant(name: str) -> str | None:
    """The module of an installed package with nearly this name: torch.utils.cpp_extension for
    torch.utils.cpp_extensions."""
    package, *inner = name.split(".")
    folders, path = _folders(package), package
    for part in inner:
        names = [each.name for each in pkgutil.iter_modules(map(str, folders))]
        if part not in names:
            near = difflib.get_close_matches(part, names, n=1, cutoff=0.8)
            return ".".join([path, *near]) if near and part == inner[-1] else None
        folders, path = [each / part for each in folders if (each / part).is_dir()], f"{path}.{part}"
    return None


def _folders(package: str) -> Sequence[Path]:
    """Of a package that is installed."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return []
    return [Path(each) for each in spec.submodule_search_locations or []] if spec is not None else []
