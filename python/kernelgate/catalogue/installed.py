"""The folders of operators that other installed packages bring.

In: the entry points `kernelgate.operators` of installed packages. Each names a package; its folder holds a folder an
operator. Out: those folders. Nothing of the packages is imported, and the current directory is not searched: the front
end asks for the operators when a stranger's notebook is opened, beside the stranger's files.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder
from importlib.metadata import distributions
from pathlib import Path

from kernelgate.safe_path import elsewhere

GROUP = "kernelgate.operators"


def operator_folders() -> list[Path]:
    """The folders of all installed operators, in the order of their paths."""
    paths = elsewhere(sys.path)
    names = {
        point.value
        for distribution in distributions(path=paths)
        for point in distribution.entry_points.select(group=GROUP)
    }
    return sorted(
        folder for name in names for root in _folders_of(name, paths) for folder in _operators_in(root)
    )


def _folders_of(package: str, paths: list[str]) -> list[Path]:
    """Where a package lies, found as an import would, but without one."""
    first, *rest = package.split(".")
    spec = PathFinder.find_spec(first, paths)
    locations = spec.submodule_search_locations if spec is not None else None
    return [Path(location, *rest) for location in locations or []]


def _operators_in(folder: Path) -> list[Path]:
    return [path.parent for path in folder.glob("*/operator.json")]
