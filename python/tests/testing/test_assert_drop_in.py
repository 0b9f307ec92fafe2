"""`assert_drop_in` in a person's own tests."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
from cli.commands import PACKAGE
from judge.candidates import forward
from pages import block

from kernelgate.run import UsageError
from kernelgate.testing import _expression, _source, _taken, assert_drop_in

TWO = """

class Faster(ModelNew):
    def forward(self, x):
        return F.relu(x)
"""


@pytest.mark.drawn
def test_the_pages_test_passes_and_with_what_is_no_drop_in_fails_with_the_report(
    tmp_path: Path, cache: Path
) -> None:
    (tmp_path / "my_leaky.py").write_text(forward("return F.leaky_relu(x, s)") + TWO)
    example = block("formats.md", "python", "my_leaky")
    (tmp_path / "test_mine.py").write_text(example)
    (tmp_path / "test_other.py").write_text(example.replace("import ModelNew", "import Faster as ModelNew"))
    (command,) = block("formats.md", "sh", "pytest").splitlines()
    words = ["-p", "kernelgate.testing.pytest_plugin", "-q", *command.split()[1:]]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words],
        cwd=tmp_path,
        env={
            "PATH": "/usr/bin:/bin",
            "PYTHONPATH": PACKAGE,
            "KERNELGATE_CACHE": str(cache),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # the same plugin, where this package is installed
        },
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout
    assert "AssertionError: not a drop-in" in done.stdout and "FAILED" in done.stdout


@pytest.mark.parametrize(
    ("module", "text", "size"),
    [
        (torch.nn.LeakyReLU(0.01), "torch.nn.LeakyReLU(negative_slope=0.01)", "64x768"),
        (torch.nn.Linear(20, 30), "torch.nn.Linear(in_features=20, out_features=30, bias=True)", "64x20"),
        (
            torch.nn.LayerNorm(48),
            "torch.nn.LayerNorm((48,), eps=1e-05, elementwise_affine=True, bias=True)",
            "64x48",
        ),
        (torch.nn.Conv2d(3, 8, 3), "torch.nn.Conv2d(3, 8, kernel_size=(3, 3), stride=(1, 1))", "4x3x24x24"),
    ],
)
def test_a_module_of_pytorch_is_written_as_what_makes_it_anew(
    module: torch.nn.Module, text: str, size: str
) -> None:
    assert (_expression(module), _taken(module)) == (text, size)
    assert repr(eval(text)) == repr(module)


def test_what_does_not_say_how_it_is_made_is_refused() -> None:
    with pytest.raises(UsageError, match="A Sequential does not say how it is made"):
        assert_drop_in(forward("return x"), torch.nn.Sequential(torch.nn.ReLU()))

    class Inside(torch.nn.Module):
        pass

    with pytest.raises(UsageError, match="is defined within something else"):
        _source(Inside)


@pytest.mark.drawn
def test_the_example_of_the_page_runs(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    example = block("formats.md", "python", "import assert_drop_in")
    exec(example, {"ModelNew": forward("return F.leaky_relu(x, s)")})
