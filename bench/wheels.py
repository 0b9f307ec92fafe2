"""What is wanted of a wheel, by pip: headers of a PyTorch of 800 MB, or a compiler's library, without the rest."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path


def unpacked(requirements: Sequence[str], wanted: Callable[[str], bool], cache: Path) -> Path:
    """A folder with those files of some wheels whose path in them is `wanted`; kept in `cache` from then on.

    requirements: as pip takes them, for this Python. Their own requirements are not looked at.
    Raises CalledProcessError if pip finds no such wheel.
    """
    folder = cache / "+".join(one.replace("==", "-").removesuffix(".*") for one in requirements)
    if folder.is_dir():
        return folder
    # Beside its place, if it is moved when it is whole.
    with tempfile.TemporaryDirectory(dir=cache) as made:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
        subprocess.run([*command, "--dest", made, *requirements], check=True)
        for wheel in Path(made).glob("*.whl"):
            with zipfile.ZipFile(wheel) as archive:
                members = [name for name in archive.namelist() if not name.endswith("/") and wanted(name)]
                archive.extractall(Path(made) / "files", members)
        (Path(made) / "files").rename(folder)
    return folder
