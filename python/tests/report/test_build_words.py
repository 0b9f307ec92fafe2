"""What the instructions of a line say, and where something helps."""

from __future__ import annotations

from kernelgate.report import build_words
from kernelgate.report.line_facts import InstructionCount, LineBuild


def line(number: int, **counts: int) -> LineBuild:
    kinds = [InstructionCount(kind=kind.replace("_", " "), count=count) for kind, count in counts.items()]
    return LineBuild(kernel="k", line=number, counts=kinds)


def test_local_memory_and_fp64_between_conversions_are_marked_with_what_would_help() -> None:
    local = line(9, integer=2, local_load=1, local_store=4)
    assert build_words.words(local) == "2 integer, 1 local load, 4 local store"
    assert build_words.mark(local) == "Local memory: 1 local load, 4 local store"
    assert "stays in registers" in build_words.advice(local)
    double = line(3, conversion=2, fp64=1)
    assert build_words.mark(double) == "Double precision: 2 conversion, 1 fp64"
    assert "0.1f" in build_words.advice(double)


def test_a_kernel_of_doubles_and_an_ordinary_line_are_not_marked() -> None:
    for one in (line(1, fp64=4, integer=2), line(2, fp32=4, conversion=1, global_load=1)):
        assert (build_words.advice(one), build_words.mark(one)) == ("", "")


def test_lines_where_something_helps_come_first() -> None:
    lines = [line(1, integer=50), line(2, fp32=1), line(3, local_load=1)]
    assert [one.line for one in build_words.worst_first(lines)] == [3, 1, 2]
