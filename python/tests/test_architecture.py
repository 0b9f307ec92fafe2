"""The map is true: what ARCHITECTURE.md and the texts for contributors name exists."""

from __future__ import annotations

import ast
import itertools
import re
import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


STAGES = ROOT / "python" / "kernelgate" / "judge" / "stages"


def test_the_map_names_every_stage_in_the_order_in_which_the_pipeline_runs_them() -> None:
    listed = (ROOT / "ARCHITECTURE.md").read_text().partition("in this order:")[2].partition(".\n")[0]
    named = re.findall(r"`(\w+)\.py`", listed)
    assert sorted(named) == sorted(file.stem for file in STAGES.glob("*.py") if file.stem != "__init__")
    pipeline = (STAGES.parent / "pipeline.py").read_text()
    calls = {
        "gates": "try_gates(",
        "time": "time.time_candidate(",
        "profile": "profile.profile(",
    }
    places = [pipeline.index(calls.get(name, f" {name}(")) for name in named]
    assert places == sorted(places)


def test_only_the_pipeline_and_the_live_report_write_the_report() -> None:
    judge = STAGES.parent
    writers = {
        file.relative_to(judge).as_posix()
        for file in judge.rglob("*.py")
        if re.search(r"\breport(\.\w+)+ (\+|)= ", file.read_text())
    }
    assert writers == {"pipeline.py", "run/live_report.py"}


PATH = re.compile(r"`((?:src|python|examples|ui-tests|bench|docs|scripts|style|catalogue-src)(?:/[\w./-]+)?)`")
TEXTS = ("ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "README.md")


@pytest.mark.parametrize("text", TEXTS)
def test_every_path_that_a_text_names_exists(text: str) -> None:
    words = (ROOT / text).read_text()
    named = PATH.findall(words) + re.findall(r"\b(docs/[\w-]+\.md)\b", words)
    placeholders = [path for path in named if {"ID", "NAME"} & set(path.split("/"))]
    assert named
    assert [path for path in named if path not in placeholders and not (ROOT / path).exists()] == []


def test_the_map_names_every_folder_of_the_package_and_every_one_of_the_emulators() -> None:
    package = ROOT / "python" / "kernelgate"
    folders = [file.parent for file in package.rglob("__init__.py") if file.parent != package]
    folders += [entry for entry in (package / "emulator").iterdir() if entry.is_dir() and entry.name != "__pycache__"]
    named = set(PATH.findall((ROOT / "ARCHITECTURE.md").read_text()))
    assert {folder.relative_to(ROOT).as_posix() for folder in folders} - named == set()


def run_steps() -> list[str]:
    """The numbered steps of "One run, file by file"."""
    section = (
        (ROOT / "ARCHITECTURE.md").read_text().partition("## One run, file by file")[2].partition("\n## ")[0]
    )
    return re.findall(r"^\d+\. (.*?)(?=^\d+\. |\n\n|\Z)", section, re.MULTILINE | re.DOTALL)


def test_the_path_of_a_run_passes_each_folder_once_or_twice() -> None:
    folders = [PATH.findall(step)[0].split("/")[2] for step in run_steps()]
    stays = [folder for folder, _same in itertools.groupby(folders)]
    assert len(stays) > 8
    assert {folder: stays.count(folder) for folder in stays if stays.count(folder) > 2} == {}


@pytest.mark.parametrize("step", run_steps(), ids=lambda step: PATH.findall(step)[0])
def test_a_step_of_a_run_names_files_and_what_they_define(step: str) -> None:
    paths = [ROOT / path for path in PATH.findall(step)]
    beside = [paths[0].parent / name for name in re.findall(r"`(\w+\.py)`", step)]
    files = [path for path in paths if path.suffix == ".py"]
    files += [path for path in beside if path.name not in {stage.name for stage in STAGES.glob("*.py")}]
    assert [file for file in files if not file.is_file()] == []
    text = "\n".join(file.read_text() for file in files)
    defined = set(re.findall(r"^(?:def|class) (\w+)", text, re.MULTILINE))
    named = set(re.findall(r"`(_?[A-Za-z]\w*)`", step)) - {stage.stem for stage in STAGES.glob("*.py")}
    assert named - defined <= {"load_inline"}  # PyTorch's


MOST_LINES, MOST_LINES_OF_A_FUNCTION = 400, 60
# Made from other files, or kernels, or generated.
LONGER = re.compile(r"^python/kernelgate/catalogue/\w+/model_new\.py$|\.cuh?$")


def source_files() -> list[Path]:
    folders = ("python", "bench", "scripts", "examples", "catalogue-src", "ui-tests")
    kinds = {".py", ".cpp", ".h", ".inc", ".cu", ".cuh"}
    return [
        file
        for folder in folders
        for file in (ROOT / folder).rglob("*")
        if file.suffix in kinds and not {"node_modules", "labextension"} & set(file.parts)
    ]


def test_no_file_is_over_400_lines_but_kernels_and_generated_ones() -> None:
    lengths = {file.relative_to(ROOT).as_posix(): file.read_text().count("\n") for file in source_files()}
    long = {name: lines for name, lines in lengths.items() if lines > MOST_LINES}
    assert {name: lines for name, lines in long.items() if not LONGER.search(name)} == {}


def test_no_function_is_over_60_lines() -> None:
    long = []
    for file in source_files():
        if file.suffix != ".py" or "catalogue-src" in file.parts:
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                if lines > MOST_LINES_OF_A_FUNCTION:
                    long.append(f"{file.relative_to(ROOT)}:{node.lineno} {node.name}: {lines} lines")
    assert long == []


@pytest.mark.parametrize(
    "decision",
    [
        'if end.sentence.startswith("Wrong result"):\n    pass',
        'if "in the order of elements" in how:\n    pass',
        '_STRAYS = "Illegal memory access"\nstrays = sentence.startswith(_STRAYS)',
        're.compile(rf"the result is {got} instead of")',
    ],
)
def test_nothing_decides_by_reading_our_own_sentences(decision: str) -> None:
    own_words = runpy.run_path(str(ROOT / "scripts" / "own_words.py"))
    assert own_words["main"]() == 0
    assert len(list(own_words["places"](decision))) == 1
    assert not list(own_words["places"]('if contract in ("not run", "by name") or name == "not run":\n    pass'))


def test_what_benches_scripts_and_examples_import_from_the_package_exists() -> None:
    imports = [
        (file.name, node.module, name.name)
        for folder in ("bench", "scripts", "examples")
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "kernelgate"
        for name in node.names
    ]
    assert len(imports) > 100
    assert [one for one in imports if not defines(ROOT / "python" / Path(*one[1].split(".")), one[2])] == []


def test_what_a_bench_imports_from_another_bench_exists() -> None:
    imports = [
        (file.name, node.module, name.name)
        for file in (ROOT / "bench").glob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.ImportFrom) and (ROOT / "bench" / f"{node.module}.py").is_file()
        for name in node.names
    ]
    assert len(imports) > 40
    assert [one for one in imports if not defines(ROOT / "bench" / one[1], one[2])] == []


def defines(module: Path, name: str) -> bool:
    """Whether a module, or a package, has a name: as a submodule, or as a word of its text."""
    if module.is_dir() and ((module / name).is_dir() or (module / f"{name}.py").is_file()):
        return True
    file = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
    return file.is_file() and re.search(rf"\b{name}\b", file.read_text()) is not None
