"""What the machine says of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelgate.machine import driver_version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        (
            "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  (root@host)\n"
            "GCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n",
            "580.159.04",
        ),
        ("NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.86  Wed Jul 12\n", "535.86"),
        ("something else\n", ""),
    ],
)
def test_the_drivers_version_is_read_from_what_its_module_writes(
    tmp_path: Path, text: str, version: str
) -> None:
    told = tmp_path / "version"
    told.write_text(text)
    assert driver_version(told) == version


def test_without_a_driver_there_is_no_version(tmp_path: Path) -> None:
    assert driver_version(tmp_path / "missing") == ""
