"""Which of PyTorch's headers is meant by a name that PyTorch does not have.

In: what stands between < and >. Out: the header of the installed PyTorch, or None. Nothing is imported.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from kernelgate.emulator.translate.units import in_torch, torch_folder

_FOLDERS = ("ATen", "c10", "torch")


def meant(name: str) -> str | None:
    """The only header of that file name, in whatever folder: ATen/cuda/CUDAGuard.h is c10/cuda/CUDAGuard.h. Else the
    nearest name in the same folder: torch/extensions.h is torch/extension.h. None for a header that PyTorch has."""
    root = torch_folder()
    folder, _, file = name.rpartition("/")
    if root is None or folder.split("/")[0] not in _FOLDERS or in_torch(name):
        return None
    include = root / "include"
    same = _headers(include, f"**/{file}")
    if same:
        return same[0] if len(same) == 1 else None
    beside = {Path(each).name: each for each in _headers(include, "*.*", folder)}
    near = difflib.get_close_matches(file, beside, n=1, cutoff=0.8)
    return beside[near[0]] if near else None


def _headers(include: Path, pattern: str, folder: str = "") -> list[str]:
    """Those of PyTorch that a program may include, by name; none where `folder` is no folder of its."""
    roots = [include / folder] if folder else [include / each for each in _FOLDERS]
    found = (path.relative_to(include).as_posix() for root in roots for path in root.glob(pattern))
    return sorted(each for each in found if not each.startswith("torch/csrc/"))
