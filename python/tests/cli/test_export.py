"""`kernelgate export`: what passes becomes a package that the `kernels` library of Hugging Face reads and loads."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import msgspec
import pytest
from judge.candidates import cuda_program, forward

from kernelgate.cli.main import main
from kernelgate.formats.kernel_package import PackageNames, package_files
from kernelgate.report import Report

PAGE = Path(__file__).parents[3] / "docs" / "formats.md"
REPORTS = Path(__file__).parents[1] / "fixtures" / "reports"
SMALL = ["--problem", "leakyrelu", "--device", "emulated", "--shape", "8x64"]
PROGRAM = forward("return F.leaky_relu(x, s)")


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory, cache: Path) -> Path:
    """What the command of docs/formats.md writes, run on a small problem."""
    (words,) = re.findall(r"^kernelgate (export .*)$", PAGE.read_text(), re.M)
    root = tmp_path_factory.mktemp("export")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("KERNELGATE_CACHE", str(cache))
        patch.chdir(root)
        Path("my_leaky.py").write_text(PROGRAM)
        assert main([*shlex.split(words), "--device", "emulated", "--shape", "8x64"]) == 0
    return root / "leaky-kernel"


def report_of(package: Path) -> Report:
    return msgspec.json.decode((package / "report.json").read_bytes(), type=Report)


@pytest.mark.drawn
def test_the_package_has_the_program_that_was_judged_and_its_report(package: Path) -> None:
    for folder in ("torch-ext/my_leaky", "build/torch-cuda"):
        assert (package / folder / "model_new.py").read_text() == PROGRAM
    report = report_of(package)
    assert report.verdict is not None and report.verdict.outcome == "pass"
    card = (package / "CARD.md").read_text()
    assert card.startswith("---\nlibrary_name: kernels\nlicense: apache-2.0\n---\n")
    assert f"| Verdict | {report.verdict.sentence} |" in card
    assert report.candidate.source_sha256 in card and report.seed in card


def test_the_kernels_library_reads_and_loads_it(package: Path) -> None:
    kernels = pytest.importorskip("kernels")
    import torch
    from kernels._rust import Build, Digest, DigestAlgorithm, Metadata

    assert [str(backend) for backend in Build.open(package).general.backends] == ["cuda"]
    built = package / "build" / "torch-cuda"
    metadata = Metadata.read_from_file(built / "metadata.json")
    assert metadata.name.python_name == "my_leaky"
    assert metadata.digest is not None
    metadata.digest.validate(Digest.hash_variant(DigestAlgorithm.SHA256, built))
    loaded = kernels.get_local_kernel(package, backend="cuda")
    x = torch.tensor([-1.0, 2.0])
    assert torch.equal(loaded.ModelNew()(x), torch.nn.LeakyReLU()(x))


def test_what_does_not_pass_is_not_written_and_its_report_says_why(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    monkeypatch.chdir(tmp_path)
    Path("wrong.py").write_text(forward("return F.leaky_relu(x, 0.011)"))
    assert main(["export", "wrong.py", *SMALL]) == 1
    out = capsys.readouterr().out
    assert "negative inputs are multiplied by 0.011" in out and "Nothing is written" in out
    assert [path.name for path in tmp_path.iterdir()] == ["wrong.py"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--name", "Leaky"], "A kernel package cannot be called 'Leaky'. Give --name lower-case letters"),
        (["--license", "my own"], "There is no license 'my own'"),
        (["--repo-id", "leaky"], "'leaky' is no repository. Write it as somebody/my-leaky."),
        (["--to", "."], ". is there already. Remove it, or name another folder with --to."),
        (["--to", "no/folder"], "There is no folder"),
        ([], "Line 1 of the program imports numpy. Leave it out"),
    ],
)
def test_what_cannot_be_a_package_is_refused_before_the_run(
    words: list[str],
    says: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("my_leaky.py").write_text(f"import numpy\n{PROGRAM}")
    assert main(["export", "my_leaky.py", *SMALL, *words]) == 2
    captured = capsys.readouterr()
    assert says in captured.err and captured.out == ""


def test_words_of_a_report_are_no_markup_and_no_template_in_the_card() -> None:
    report = msgspec.json.decode((REPORTS / "pass.json").read_bytes(), type=Report)
    assert report.verdict is not None
    report.verdict.sentence = "{{ license }} | <img src=x> {% raw %}"
    report.problem.name = "`](evil)"
    card = package_files(cuda_program("y[i] = x[i];"), report, PackageNames("leaky", "mit"))["CARD.md"]
    assert not re.search(r"\{[{%#]", card)
    assert r"\| \<img src=x\>" in card and r"\`\](evil)" in card
