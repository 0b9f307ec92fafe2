"""A candidate that prints, takes or closes without measure, and builds that come to nothing."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from judge.candidates import RIGHT_CUDA, cuda_program, forward

import kernelgate
from kernelgate.run import Limits

from .conftest import RIGHT, Check, Survived
from .traces import Place

pytestmark = pytest.mark.drawn

PACKAGE = Path(kernelgate.__file__).parents[1]

TAKES_MEMORY = "kept = []\nwhile True:\n    kept.append(bytearray(50_000_000))"
IN_A_CHILD = f"import subprocess, sys\nsubprocess.run([sys.executable, '-c', {TAKES_MEMORY!r}])"


def test_a_hundred_thousand_lines_of_output(fault: Check) -> None:
    report = fault(f"for number in range(100_000):\n    print('line', number)\n{RIGHT}", limits=Limits())
    assert report.verdict is not None and report.verdict.outcome == "pass", report.verdict
    assert report.output.startswith("line 0\n") and report.output.rstrip().endswith("line 99999")
    assert "bytes left out" in report.output and len(report.output) <= 20000


@pytest.mark.parametrize("body", [TAKES_MEMORY, IN_A_CHILD], ids=["its own", "that of a process it started"])
def test_memory_without_end(fault: Check, body: str) -> None:
    report = fault(forward(body), limits=Limits(memory_bytes=1_500_000_000))
    assert report.verdict is not None
    assert report.verdict.sentence.startswith("Took too much memory"), report.verdict


def test_closed_descriptors(fault: Check) -> None:
    report = fault(forward("import os\nos.closerange(0, 4096)\nreturn F.leaky_relu(x, s)"))
    assert report.verdict is not None and report.verdict.kind == "fault", report.verdict


def test_opened_descriptors(fault: Check) -> None:
    report = fault(forward("import os\nwhile True:\n    os.dup(0)"))
    assert report.verdict is not None and report.verdict.outcome == "fail", report.verdict


def test_a_build_on_a_disk_that_is_full(fault: Check, small_disk: Path) -> None:
    report = fault(cuda_program(RIGHT_CUDA), cache=str(small_disk), limits=Limits())
    assert report.verdict is not None and report.verdict.kind in ("build", "environment"), report.verdict
    assert "No space left on device" in str(report.failure)


def test_a_build_that_may_not_write_enough(place: Place, survived: Survived, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(cuda_program(f"{RIGHT_CUDA} // not enough"))
    command = [sys.executable, "-m", "kernelgate.cli", "verify", str(tmp_path / "program.py")]
    done = subprocess.run(
        [*command, "--problem", "leakyrelu", "--shape", "4x8", "--device", "emulated"],
        # Python would keep the half of a module's bytecode that fits, and fail to load it ever after.
        env={
            **os.environ,
            "KERNELGATE_CACHE": str(place.cache),
            "PYTHONPATH": str(PACKAGE),
            "PYTHONDONTWRITEBYTECODE": "1",
        },
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096)),
        capture_output=True,
        text=True,
        check=False,
    )
    place.wait_until_clean(120)  # its fork server may still be importing what a next run would need
    survived()
    assert "larger files than this process may write" in done.stdout, done
    assert done.returncode == 2


def test_a_build_that_is_cut_short_does_not_block_the_next_one(fault: Check, check: Check) -> None:
    text = cuda_program(f"{RIGHT_CUDA} // cut short")
    report = fault(text, limits=Limits(build_s=0.3))
    assert report.verdict is not None and report.verdict.kind == "timeout", report.verdict
    again = check(text)
    assert again.verdict is not None and again.verdict.outcome == "pass", again.verdict


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 64 KiB, where this user may make one."""
    if os.geteuid() != 0:
        pytest.skip("mounting a file system needs root")
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no file system may be mounted here")
    try:
        yield tmp_path
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
