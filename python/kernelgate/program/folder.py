"""Modules that lie beside a program: the program itself finds them, after every other place, and nothing else does.

In: the folder of a run. Out: imports that stand in a program's text, or in a module of that folder, find modules there.
PyTorch looks for packages that may be missing, and so do we: what a stranger named as one must not be found.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import FrameType, ModuleType

_FOR_ANY_PYTHON = {"sitecustomize", "usercustomize"}
_MOST = 5


def open_to_program(folder: str) -> None:
    """In this process a program finds the modules of the folder. "" is no folder."""
    if folder:
        sys.meta_path.append(_Folder(folder))


class _Folder(MetaPathFinder):
    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._found: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if path is not None or not self._is_of_program(_importer()):
            return None
        found = PathFinder.find_spec(fullname, [self._folder])
        if found is not None:
            self._found.add(fullname)
        return found

    def _is_of_program(self, importer: FrameType | None) -> bool:
        """A program is compiled from a text, which has no file."""
        if importer is None:
            return False
        module = str(importer.f_globals.get("__name__")).partition(".")[0]
        return importer.f_code.co_filename.startswith("<") or module in self._found


def _importer() -> FrameType | None:
    """The frame of the code that imports."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and frame.f_code.co_filename.startswith(("<frozen ", str(importlib.__file__))):
        frame = frame.f_back
    return frame


def name_shadows(folder: str) -> str:
    """A sentence about the folder's modules that have the name of one that is imported from elsewhere; "" for none."""
    found = pkgutil.iter_modules([folder] if folder else [])
    files = [one.name if one.ispkg else f"{one.name}.py" for one in found if _is_elsewhere(one.name, Path(folder))]
    if not files:
        return ""
    more = f" and {len(files) - _MOST} more" if len(files) > _MOST else ""
    return (
        f"The folder of this run has {', '.join(files[:_MOST])}{more}: names of modules that Python, PyTorch or "
        "KernelGate import. This run did not use them, but other programs would: rename them"
    )


def _is_elsewhere(name: str, folder: Path) -> bool:
    loaded = sys.modules.get(name)
    if loaded is None:
        return name in _FOR_ANY_PYTHON
    return name != "__main__" and Path(getattr(loaded, "__file__", None) or "").parent not in (folder, folder / name)
