"""A module that a program imports and that is not there: what to do, and which one is meant.

In: the module's dotted name. Out: words, or a name. Packages are looked up on the disk; nothing is imported.
"""

from __future__ import annotations

import difflib
import importlib.util
import pkgutil
from collections.abc import Sequence
from pathlib import Path

_INSTALLABLE = (
    *("apex", "cuda", "cupy", "cutlass", "einops", "flash_attn", "jax", "ninja", "numba", "numpy", "pybind11"),
    *("pycuda", "scipy", "tilelang", "torchvision", "transformer_engine", "transformers", "triton", "xformers"),
)


def next_step(name: str) -> str:
    package = name.split(".")[0]
    meant = module_meant(name)
    if meant is not None:
        return f"Import {meant} instead"
    if "." in name and _folders(package):
        return f"Correct the name, or remove the import: {package} has no such module here"
    if package in _INSTALLABLE:
        return f"Install {package} where the notebook's kernel runs, or replace the import"
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
