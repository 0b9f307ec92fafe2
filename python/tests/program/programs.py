"""The eleven real programs, from ../shared/programs beside the project; tests skip where it is absent."""

from pathlib import Path

import pytest

from kernelgate.program import Candidate, Source, read

FOLDER = Path(__file__).resolve().parents[4] / "shared" / "programs"
NAMES = ["000-0", "000-1", "000-2", "001-0", "001-1", "002-0", "002-1", "003-0", "003-1", "004-0", "004-1"]


def program_text(name: str) -> str:
    path = FOLDER / f"{name}.py"
    if not path.exists():
        pytest.skip(f"the real programs are not here: {path} is absent")
    return path.read_text(encoding="utf-8")


def real_program(name: str) -> Candidate:
    return read(Source(program_text(name), "cell [4]"))
