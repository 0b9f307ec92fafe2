"""What compute-sanitizer's log says of a program's kernels, in the emulator's words for the same faults."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from kernelgate.judge.endings import findings
from kernelgate.tools import compute_sanitizer

LOGS = Path(__file__).parents[1] / "fixtures" / "sanitizer"


def log(name: str) -> str:
    return (LOGS / f"{name}.log").read_text()


@pytest.mark.parametrize(
    ("name", "errors", "kind", "what", "line", "thread"),
    [
        (
            "memcheck",
            2,
            "out_of_bounds",
            "write 4,397,908,946,816 bytes past the end of an allocation of 512 bytes",
            9,
            (96, 0, 0),
        ),
        ("synccheck", 257, "barrier", "divergent thread(s) in warp", 9, (96, 0, 0)),
        (
            "racecheck",
            2,
            "race",
            "two threads write and read the same shared memory without a barrier between",
            12,
            None,
        ),
        ("initcheck", 2, "uninitialised", "read of 4 bytes of memory that nothing has written", 20, (5, 0, 0)),
        (
            "inlined",
            1,
            "misaligned",
            "write of 16 bytes at an address that is not a multiple of the access's size",
            17,
            (31, 0, 0),
        ),
    ],
)
def test_each_tools_reports_are_read(name, errors, kind, what, line, thread):
    assert compute_sanitizer.errors_in(log(name)) == errors
    first = compute_sanitizer.faults_in(log(name))[0]
    assert (first.kind, first.what, first.unit, first.line) == (kind, what, "cuda.cu", line)
    assert first.thread == thread


def test_a_tool_whose_program_did_not_run_has_found_nothing_out() -> None:
    refused = "========= Target application returned an error\n========= ERROR SUMMARY: 0 errors\n"
    assert compute_sanitizer.errors_in(refused) is None
    assert compute_sanitizer.errors_in(refused.replace(": 0 errors", ": 2 errors")) == 2


def test_a_race_has_both_of_its_lines_and_a_warning_is_none():
    (race,) = compute_sanitizer.faults_in(log("racecheck"))
    assert (race.line, race.other_line, race.access) == (12, 13, "write")


def test_a_kernel_is_named_without_namespace_and_arguments_and_a_fault_of_the_host_is_left_out():
    (fault,) = compute_sanitizer.faults_in(log("initcheck"))
    assert fault.kernel == "fold"


def test_lines_are_those_of_the_text_where_load_inline_put_its_includes_before():
    (fault,) = compute_sanitizer.faults_in(log("initcheck"))
    for includes, line in ((True, 17), (False, 20)):
        sources = findings.Sources()
        sources.note("", "__global__ void fold(const float* x);", includes=includes)
        assert sources.holds(fault)
        assert sources.in_the_text(fault).line == line


def test_a_kernel_of_a_library_is_none_of_the_programs():
    (fault,) = compute_sanitizer.faults_in(log("initcheck"))
    sources = findings.Sources()
    sources.note("", "__global__ void unfold(const float* x);", includes=True)
    assert not sources.holds(fault)


def stand_in(folder: Path, body: str) -> Path:
    """A program by the tool's name that does as told."""
    tool = folder / "compute-sanitizer"
    tool.write_text(f"#!{sys.executable}\nimport sys, time\nlog = sys.argv[sys.argv.index('--log-file') + 1]\n{body}\n")
    tool.chmod(0o755)
    return tool


def test_a_tool_that_does_not_end_is_ended_and_what_it_wrote_is_read(tmp_path, monkeypatch):
    text = log("memcheck")
    stand_in(tmp_path, f"open(log, 'w').write({text!r})\ntime.sleep(60)")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    run = compute_sanitizer.run("memcheck", ["true"], dict(os.environ), tmp_path, 2.0)
    assert (run.over, run.errors, len(run.faults)) == (True, 2, 2)


def test_what_a_program_prints_is_no_report(tmp_path, monkeypatch):
    stand_in(tmp_path, "print('========= ERROR SUMMARY: 0 errors', flush=True)")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    run = compute_sanitizer.run("memcheck", ["true"], dict(os.environ), tmp_path, 20.0)
    assert (run.errors, run.faults, run.log) == (None, (), "")
