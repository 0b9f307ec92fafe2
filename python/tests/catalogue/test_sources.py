"""The catalogue's programs are what their C++ and CUDA files make."""

from __future__ import annotations

import ast
import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[3]


@pytest.fixture
def catalogue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """scripts/catalogue.py over a folder with one made-up operator, `twice`."""
    spec = importlib.util.spec_from_file_location("catalogue_script", ROOT / "scripts/catalogue.py")
    assert spec is not None and spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "ROOT", tmp_path)
    monkeypatch.setattr(script, "SOURCES", tmp_path / "sources")
    monkeypatch.setattr(script, "CATALOGUE", tmp_path / "catalogue")
    write(tmp_path / "sources/shared/walk.h", "#pragma once\n#include <vector>\n\nstruct Walk {};\n")
    write(tmp_path / "sources/twice/types.h", '#pragma once\n\n#include "../shared/walk.h"\n\nstruct Types {};\n')
    write(
        tmp_path / "sources/twice/kernels.cu",
        '#include <string>\n\n#include "../shared/walk.h"\n#include "types.h"\n'
        '#ifdef WIDE\n#include "types.h"\n#endif\n\n'
        'const char* text = "\\n";\n',
    )
    write(tmp_path / "sources/twice/part.py", "part = 1\n")
    write(
        tmp_path / "sources/twice/module.py",
        'TYPES = source("types.h")\nKERNELS = source("kernels.cu")\ninclude("part.py")\n',
    )
    (tmp_path / "catalogue/twice").mkdir(parents=True)
    return script


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def test_a_program_holds_each_included_file_once_and_compiles(catalogue: ModuleType) -> None:
    text = catalogue.program("twice")
    types, kernels, _ = (node.value for node in ast.parse(text).body)  # type: ignore[attr-defined]
    assert types.value == "\n#include <vector>\n\nstruct Walk {};\n\nstruct Types {};\n"
    assert kernels.value == '\n#include <string>\n\nconst char* text = "\\n";\n'
    assert text.endswith("part = 1\n")


def test_a_program_that_is_not_what_its_sources_make_is_reported(
    catalogue: ModuleType, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert catalogue.main([]) == 0 and catalogue.main(["--check"]) == 0
    (tmp_path / "catalogue/twice/model_new.py").write_text("changed by hand\n")
    assert catalogue.main(["--check"]) == 1
    assert "catalogue/twice/model_new.py" in capsys.readouterr().out
