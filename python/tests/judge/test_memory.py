"""Where memory runs out the problem is judged at a smaller size, and the report says so."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

from kernelgate.json_decode import decoded
from kernelgate.report import Report

from .memory_programs import REFERENCE, THRIFTY

LIMIT_BYTES = 14 << 30  # of a process's data: half of what the reference takes at its own size fits


@pytest.mark.drawn
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux holds a process to RLIMIT_DATA")
def test_a_problem_whose_reference_runs_out_of_memory_is_judged_at_the_next_smaller_size(
    tmp_path: Path,
) -> None:
    reference, program = tmp_path / "reference.py", tmp_path / "program.py"
    reference.write_text(REFERENCE)
    program.write_text(THRIFTY)
    verify = [sys.executable, "-m", "kernelgate.cli", "verify", str(program), "--reference", str(reference)]
    done = subprocess.run(
        [*verify, "--json", "--device", "emulated"],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_DATA, (LIMIT_BYTES, LIMIT_BYTES)),
    )
    assert done.returncode == 0, done.stdout + done.stderr
    report = decoded(done.stdout, Report)
    assert (report.problem.shape, report.problem.full_shape) == ("65536", "131072")
    assert report.scaled == "from 131072, to fit into free memory"
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
