"""The shell command on files and options that cannot be: status 2, one line, nothing written; and what it writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from kernelgate.catalogue import operators
from kernelgate.cli.main import main

from .commands import PACKAGE, command, without_torch

OURS = operators()["leakyrelu"].program_text or ""
VERIFY = "verify FILE --problem leakyrelu"


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "mine.py"
    path.write_text(OURS)
    return path


def test_a_file_that_is_no_program_is_named_with_what_is_wrong_with_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, latin, large, binary = (
        tmp_path / name for name in ("folder", "latin.py", "large.py", "binary.py")
    )
    folder.mkdir()
    latin.write_bytes("x = 1\n# café\n".encode("latin-1"))
    with large.open("wb") as file:
        file.truncate(100_000_000)
    binary.write_bytes(b"\x7fELF\x02\x01\x01\x00\xd0\x03")
    wanted = {
        tmp_path / "none.py": "There is no file {}. Name the file of a program.",
        folder: "{} is a folder. Name the file of a program in it.",
        latin: "{} is not UTF-8 text: byte 0xe9 in line 2. Save it as UTF-8 text.",
        binary: "{} is not UTF-8 text: byte 0xd0 in line 1. Save it as UTF-8 text.",
        large: "{} is larger than a program may be, 1,000,000 bytes. Give the program alone, without data in it.",
    }
    for path, says in wanted.items():
        assert main(["verify", str(path), "--problem", "leakyrelu"]) == 2
        out, err = capsys.readouterr()
        assert (out, err) == ("", f"kernelgate: {says.format(path)}\n")


def test_a_problem_that_is_not_there_is_asked_for_as_a_problem(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "program.py"
    program.write_text("x = 1\n")
    assert main(["verify", str(program), "--reference", "none.py"]) == 2
    assert capsys.readouterr().err == "kernelgate: There is no file none.py. Name the file of a problem.\n"


def test_a_name_that_pytorch_lacks_is_said_before_inputs_are_asked_for(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["scaffold", "torch.nn.Nope"]) == 2
    assert capsys.readouterr().err.startswith("kernelgate: torch.nn has no Nope. ")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("verfy", "There is no verb 'verfy'. Did you mean verify?"),
        ("verify", "The following arguments are required: FILE. See kernelgate verify --help."),
        ("verify FILE", "No problem is named. Name one: --problem ID or --reference WHAT."),
        ("verify FILE --problm x", "There is no option --problm. Did you mean --problem?"),
        (
            "verify FILE --problem x",
            f"There is no problem 'x'. Choose one of: {', '.join(operators())}.",
        ),
        (f"{VERIFY} --set dim", "--set dim sets nothing. Write it as --set batch_size=64."),
        (
            f"{VERIFY} --shape 4by4",
            "'4by4' is not a shape. Write sizes with x between them, for example 4096x393216.",
        ),
        (f"{VERIFY} --timeout nan", "A run cannot take nan s. Give --timeout a number of seconds above 0."),
        (
            f"{VERIFY} --html no/r.html",
            "There is no folder no. Make it, or name another file than no/r.html.",
        ),
        ("show leakyrelo", "There is no problem 'leakyrelo'. Did you mean leakyrelu?"),
    ],
)
def test_a_mistake_in_the_words_is_one_line_and_status_2(
    words: list[str],
    says: str,
    program: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(program.parent)
    before = set(program.parent.iterdir())
    assert main(words.replace("FILE", program.name).split()) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"kernelgate: {says}\n")
    assert set(program.parent.iterdir()) == before


def test_json_goes_to_standard_output_alone_and_the_page_is_whole(
    program: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = program.with_name("report.html")
    page.write_text("an older page")
    words = ["verify", str(program), "--problem", "leakyrelu", "--device", "emulated", "--shape", "8x64"]
    assert main([*words, "--json", "--html", str(page)]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"]["outcome"] == "pass"
    assert page.read_text().startswith("<!doctype html>") and page.read_text().endswith("</html>\n")
    assert sorted(path.name for path in program.parent.iterdir()) == ["mine.py", "report.html"]


def test_a_page_that_does_not_fit_on_the_disk_leaves_the_older_one_and_no_scrap(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("an older page")
    (sample, *_) = sorted((Path(__file__).parents[1] / "fixtures" / "reports").glob("*.json"))
    code = f"""
import pathlib, resource, sys, msgspec
from kernelgate.commands.program_files import write_page
from kernelgate.run import UsageError
from kernelgate.report import Report
report = msgspec.json.decode(pathlib.Path({str(sample)!r}).read_bytes(), type=Report)
sys.dont_write_bytecode = True  # half of it would fit
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
try:
    write_page(report, "report.html")
except UsageError as refused:
    print(refused)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": PACKAGE},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "report.html cannot be written: file too large. Name another file.\n", done.stderr
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        ("report.html", "an older page")
    ]


@pytest.mark.drawn
def test_without_a_compiler_there_is_no_verdict_and_the_fix_is_named(program: Path, tmp_path: Path) -> None:
    done = command(
        "verify", str(program), "--problem", "leakyrelu", "--device", "emulated", PATH=str(tmp_path)
    )
    assert done.returncode == 2
    assert "REASON   no C++ compiler found (looked for g++, g++-14, g++-13, g++-12)\n" in done.stdout
    assert "NEXT     install it (Debian and Ubuntu: sudo apt install g++;" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_without_pytorch_there_is_no_verdict_and_the_fix_is_named(program: Path, tmp_path: Path) -> None:
    done = command("verify", str(program), "--problem", "leakyrelu", PYTHONPATH=without_torch(tmp_path))
    assert done.returncode == 2
    assert (
        "NOT RUN  PyTorch cannot be imported in this kernel\nREASON   ModuleNotFoundError: No module named 'torch'\n"
        in done.stdout
    )
    assert "NEXT     install it where the kernel runs: pip install torch\n" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr


def test_list_and_show_print_the_catalogue(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    assert "%%leakyrelu_cuda" in capsys.readouterr().out
    assert main(["show", "leakyrelu"]) == 0
    assert capsys.readouterr().out == OURS
