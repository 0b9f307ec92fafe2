"""A caller that is a program fixes a broken program from `kernelgate verify --for-model` alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from judge.candidates import RIGHT_CUDA, cuda_program

from .commands import PACKAGE

CALLER = Path(__file__).parents[3] / "examples" / "fix_from_answers.py"


@pytest.mark.drawn
def test_the_example_ends_with_a_program_that_passes(tmp_path: Path, cache: Path) -> None:
    prototype = "torch::Tensor leaky_forward(torch::Tensor x, double slope);"
    program = tmp_path / "broken.py"
    program.write_text(cuda_program(RIGHT_CUDA).replace(prototype, ""))
    options = ["--problem", "leakyrelu", "--device", "emulated", "--shape", "8x64"]
    words = [sys.executable, str(CALLER), str(program), *options]
    environment = {**os.environ, "PYTHONPATH": PACKAGE, "KERNELGATE_CACHE": str(cache)}
    done = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert prototype in done.stdout and "fixes applied: 1" in done.stderr
