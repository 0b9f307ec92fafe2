"""What `kernelgate scaffold` writes: a problem and a program for it, which the judge passes as they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from kernelgate.cli.main import main
from kernelgate.program.from_expression.read import CLASSES
from kernelgate.program.scaffold import elementwise, scaffold

from .test_sources import outcome, verify


@pytest.mark.drawn
@pytest.mark.parametrize(
    ("expression", "inputs", "launches"),
    [
        ("torch.nn.GELU", ["9x17"], 1),
        ("torch.nn.LeakyReLU(0.2)", ["9x17"], 1),
        ("torch.nn.functional.softplus", ["9x17"], 1),
        ("torch.nn.LayerNorm(24)", ["6x24"], 0),
        ("torch.matmul", ["6x8", "8x5"], 0),
    ],
)
def test_a_scaffold_passes_and_its_kernel_runs_where_it_is_elementwise(
    expression: str, inputs: list[str], launches: int
) -> None:
    made = scaffold(expression, inputs)
    report = verify(made.program, made.problem)
    assert outcome(report)[0] == "pass", (outcome(report), report.failure)
    assert report.candidate.launches == launches
    assert report.candidate.kernels_matter is (True if launches else None)


@pytest.mark.drawn
def test_a_scaffold_that_is_made_wrong_fails() -> None:
    made = scaffold("torch.nn.GELU", ["9x17"])
    wrong = made.program.replace("0.70710678118654752f", "0.7f")
    assert wrong != made.program and outcome(verify(wrong, made.problem))[0] == "fail"


@pytest.mark.parametrize("name", sorted(filter(elementwise, CLASSES)))
def test_every_elementwise_module_gets_a_kernel(name: str) -> None:
    made = scaffold(f"torch.nn.{name}()", [])
    assert "place to start from" in made.program and "get_inputs" in made.problem


def test_the_files_are_written_once_and_never_over_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["scaffold", "torch.nn.SiLU"]) == 0
    names = ["silu_model_new.py", "silu_problem.py"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    assert "kernelgate verify silu_model_new.py --reference silu_problem.py" in capsys.readouterr().out
    Path("silu_model_new.py").write_text("mine")
    Path("silu_problem.py").unlink()
    assert main(["scaffold", "torch.nn.SiLU"]) == 2
    assert Path("silu_model_new.py").read_text() == "mine" and not Path("silu_problem.py").exists()
    assert "silu_model_new.py is there already" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["torch.nn.LayerNorm(768)"], "What torch.nn.LayerNorm(768) takes is not known"),
        (["torch.nn.GELU("], "'(' was never closed"),
        (["GELU"], "The reference GELU is not a name of torch"),
        (["torch.nn.GELUU()", "--input", "64x64"], "torch.nn has no GELUU. Write torch.nn.GELU"),
        (["nn.Sequential(nn.ReLU(), F.foo)", "--input", "64x64"], "torch.nn.functional has no foo"),
    ],
)
def test_what_cannot_be_scaffolded_says_why(
    words: list[str], says: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["scaffold", *words, "--folder", str(tmp_path)]) == 2
    assert says in capsys.readouterr().err and not list(tmp_path.iterdir())
