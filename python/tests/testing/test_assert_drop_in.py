"""`assert_drop_in` in a person's own tests, and KernelBench's function, judged by KernelGate."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from cli.commands import PACKAGE
from judge.candidates import forward

from kernelgate.catalogue import operators
from kernelgate.run import UsageError
from kernelgate.testing import _expression, _source, _taken, assert_drop_in
from kernelgate.testing.kernelbench import eval_kernel_against_ref

TESTS = """
import torch.nn as nn
import torch.nn.functional as F


class Fast(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)


class Faster(Fast):
    def forward(self, x):
        return F.relu(x)


def test_it(assert_drop_in):
    assert_drop_in(Faster, nn.LeakyReLU(0.01), "8x64")
"""


def test_in_a_persons_tests_what_is_no_drop_in_fails_with_the_report(tmp_path: Path, cache: Path) -> None:
    (tmp_path / "test_mine.py").write_text(TESTS)
    words = [
        "-p",
        "kernelgate.testing.pytest_plugin",
        "-q",
        "--kernelgate-device",
        "emulated",
        "test_mine.py",
    ]
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
    assert "1 failed" in done.stdout, done.stdout
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


def test_the_example_of_the_page_runs(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    page = (Path(__file__).parents[3] / "docs" / "formats.md").read_text()
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    exec(example, {"ModelNew": forward("return F.leaky_relu(x, s)")})


def test_kernelbenchs_function_has_kernelbenchs_fields(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KERNELGATE_CACHE", str(cache))
    reference = operators()["leakyrelu"].problem_text.replace("393216", "64")
    found = eval_kernel_against_ref(reference, forward("return F.relu(x)"), 42, device="emulated")
    assert (found.compiled, found.correctness, found.runtime, found.runtime_stats) == (True, False, -1.0, {})
    assert found.metadata["verdict"].startswith("Wrong result")
    unreadable = eval_kernel_against_ref(reference, "class ModelNew(", device="emulated")
    assert (unreadable.compiled, unreadable.correctness) == (False, False)
