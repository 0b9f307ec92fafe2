"""What this machine lacks for a program, as an exception of it says: nothing about the program.

In: an exception, as plain data, or a module's dotted name. Out: words. Packages are looked up on the disk; nothing is
imported. Not here: what a compiler lacks (`toolchain`).
"""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Collection

from kernelgate.machine import version_of
from kernelgate.messages.failures import Raised

NO_MODULE = re.compile(r"No module named '(?P<name>[\w.]+)'")
_NO_LIBRARY = re.compile(r"(?P<name>lib[\w+-]+\.so[\w.]*): cannot open shared object file")

_KNOWN = (
    "apex cuda cupy cutlass einops flash_attn jax ninja numba numpy pybind11 pycuda scipy tilelang torchvision "
    "transformer_engine transformers triton xformers"
)
_INSTALLABLE = frozenset(_KNOWN.split())

# What pip calls it if that is another name.
_OF_PIP = {
    "cuda.tile": "cuda-tile",
    "cuda.bindings": "cuda-python",
    "cuda.core": "cuda-core",
    "cutlass": "nvidia-cutlass-dsl",
    "flash_attn": "flash-attn",
    "transformer_engine": "'transformer-engine[pytorch]'",
}


def what_is_missing(raised: Raised, built: Collection[str] = ()) -> str:
    """the package cupy is not installed; "" if it says nothing of that. `built`: names of the program's own extensions,
    which torch.compile imports as if they were packages."""
    found = NO_MODULE.match(raised.message)
    if raised.type == "ModuleNotFoundError" and found is not None:
        name = _not_installed(found["name"]) if found["name"] not in built else ""
        return f"the package {name} is not installed" if name else ""
    if (
        raised.type in ("ImportError", "OSError")
        and (found := _NO_LIBRARY.search(raised.message)) is not None
    ):
        return f"the library {found['name']} is not installed"
    if "no kernel image is available" in raised.message:
        return "the program is built for other GPUs than this one"
    if "PTX was compiled with an unsupported toolchain" in raised.message:
        return "the driver is older than the CUDA toolkit"
    return ""


def _not_installed(name: str) -> str:
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
    if "." in name and _is_installed(package):
        return f"Correct the name, or remove the import: {package} has no such module here"
    if package in _INSTALLABLE:
        return f"Install it where the notebook's kernel runs: pip install {package}"
    return f"Replace the import: {package} is no known package; if it is your own, install it in this kernel"
