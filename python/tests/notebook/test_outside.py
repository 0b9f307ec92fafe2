"""`kernelgate.verify` in plain Python, without IPython: the report on standard output, progress on standard error."""

from __future__ import annotations

import subprocess
import sys

import pytest

from .kernels import PACKAGE

pytestmark = pytest.mark.drawn


def test_without_a_notebook_the_report_is_printed_once_and_ipython_is_not_needed() -> None:
    code = """
import sys
sys.modules["IPython"] = None  # importing it fails
import kernelgate
report = kernelgate.verify("leakyrelu", shape="8x64")
assert report.verdict.outcome == "pass"
assert repr(report).startswith("<report kg-")
try:
    kernelgate.verify("leakyrelu", cell=3)
except Exception as exc:
    print(f"{type(exc).__name__}: {exc}")
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=PACKAGE, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("KernelGate  our program: LeakyReLU 8x64 float32") == 1
    assert done.stdout.endswith(
        "UsageError: There are no cells outside of a notebook. Pass the program as source=.\n"
    )
    assert "checking" not in done.stdout and "compiling" not in done.stdout
