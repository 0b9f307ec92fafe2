"""What a person gets who types something that cannot be: one sentence, and what to do next."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelgate.catalogue import operators
from kernelgate.cli.main import main

MODEL = """import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return x
"""
INPUTS = "def get_inputs():\n    return [torch.ones(4)]\n"
KERNEL = "#include <torch/extension.h>\n__global__ void one(float* x) { x[0] = 1; }\n"
FILES = {
    "mine.py": operators()["leakyrelu"].program_text or "",
    "empty.py": "",
    "model.py": MODEL,
    "module.py": f"import nowhere_at_all\n{MODEL}{INPUTS}",
    "syntax.py": MODEL.replace("(self, x):", "(self, x)") + INPUTS,
    "kernel.cu": KERNEL,
    "host.cu": f"{KERNEL}torch::Tensor f(torch::Tensor x) {{ return x; }}\n",
}
OURS = "verify mine.py --problem leakyrelu"
NORM = "verify mine.py --reference torch.nn.LayerNorm(768)"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cache: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        ("verify empty.py --problem leakyrelu", 1, "there is no program: the text is empty WHERE empty.py NEXT define"),
        ("verify kernel.cu --problem leakyrelu", 1, "the CUDA source has no host function that takes a tensor"),
        ("verify host.cu", 2, "No problem is named. Name one: --problem ID or --reference WHAT."),
        ("verify mine.py empty.py --problem leakyrelu", 2, "'empty.py' is one word too many."),
        (f"{OURS} --shape 0x5", 2, "'0x5' is not a shape. Write sizes with x between them"),
        (f"{OURS} --shape 5", 2, "LeakyReLU has 2 sizes, not 1. Give them as batch_sizexdim."),
        (f"{OURS} --device gpu", 2, "There is no device 'gpu'. Choose auto, cuda, cuda:1 or emulated."),
        (NORM, 2, "has no inputs. Give each of them, as --input 64x768"),
        ("evaluate my_programs --problem leakyrelu", 2, "There is no file my_programs. Name candidates, a folder of"),
        ("scaffold torch.nn.GELUU --input 4", 2, "torch.nn has no GELUU. Write torch.nn.GELU, or another"),
        ("operator x*2 --folder no/op", 2, "no/op cannot be made: No such file or directory. Name another --folder."),
        ("operator x*2 --folder mine.py", 2, "mine.py cannot be made: File exists. Name another --folder."),
    ],
)  # fmt: skip
def test_a_wrong_input_is_told_in_one_sentence_with_a_next_step(
    words: str, status: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told(words, status, says, capsys)


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("words", "says"),
    [
        (f"{NORM} --input 64x700", "the reference does not take its own inputs, 64x700 WHERE"),
        ("verify mine.py --reference model.py", "model.py defines no get_inputs"),
        ("verify mine.py --reference module.py", "install it where the kernel runs: pip install nowhere_at_all"),
        ("verify mine.py --reference syntax.py", "is not valid Python: expected ':' WHERE syntax.py, line 3"),
    ],
)
def test_a_reference_that_is_none_is_told_in_one_sentence_with_a_next_step(
    words: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told(words, 2, says, capsys)


def told(words: str, status: int, says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words.split()) == status
    out, err = capsys.readouterr()
    assert says in " ".join((out + err).split()), out + err
    assert "Traceback" not in out + err


@pytest.mark.parametrize("what", ["operator x*2", "scaffold torch.nn.GELU --input 4"])
def test_files_are_written_into_a_new_folder_and_over_no_others(
    what: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*what.split(), "--folder", "op"]
    assert main(words) == 0
    written = {path.name: path.read_text() for path in (folder / "op").iterdir()}
    assert len(written) == 2
    assert main(words) == 2
    assert "is there already. Rename it, or name another --folder." in capsys.readouterr().err
    assert {path.name: path.read_text() for path in (folder / "op").iterdir()} == written
