"""What ncu counted at a line stands beside what emulation counted there, at the person's line."""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from judge.examined import RIGHT, leaky, line_of
from kernelgate.judge.endings.findings import Sources
from kernelgate.judge.stages.line_costs import beside, lines_of
from kernelgate.program import Source, read
from kernelgate.report import cost_words
from kernelgate.report.line_facts import LineCost
from kernelgate.tools.ncu_lines import LineReading

PROGRAM = leaky(RIGHT)
LOAD = "float v = i < n ? x[i] : 0;"
STORE = "if (i < n) y[i]"
BEFORE = 3  # lines that load_inline puts before the program's


def compiled_line(code: str) -> int:
    """As nvcc counts: from the first line of the literal."""
    return BEFORE + line_of(PROGRAM, code) - line_of(PROGRAM, 'source = r"""') + 1


def reading(code: str, access: str, sectors: int = 4096, kernel: str = "leaky(const float *, float *, float, int)"):
    return LineReading(
        kernel, "/tmp/a/cuda.cu", compiled_line(code), "", "global", access, 128, 4096, sectors, 512, 0, 0
    )


def costs_of(*readings: LineReading) -> list[LineCost]:
    candidate = read(Source(PROGRAM, "python"))
    sources = Sources()
    text = PROGRAM.split('"""')[1]
    sources.note("", text, includes=True)
    sources.note("", text, includes=True)  # for emulation
    return lines_of(candidate, sources, readings)


def counted(code: str, access: str) -> LineCost:
    return LineCost(
        kernel="leaky",
        line=line_of(PROGRAM, code),
        space="global",
        access=access,
        requests=8,
        lanes=32,
        asked_bytes=8 * 128,
        moved_bytes=8 * 128,
        passes=0,
        least_passes=0,
    )


def test_a_line_of_ncu_is_the_persons_line():
    load, store = costs_of(reading(LOAD, "load"), reading(STORE, "store", 512))
    assert (load.line, load.text) == (line_of(PROGRAM, LOAD), LOAD)
    assert store.line == line_of(PROGRAM, STORE)
    assert (cost_words.cost(load), cost_words.gpu_cost(load)) == ("", "32 sectors for 128 bytes")
    assert cost_words.mark(load) == "Global load: 32 sectors for 128 bytes"
    assert cost_words.advice(load).startswith("Neighbouring lanes are far apart")


def test_lanes_that_leave_gaps_are_told_what_they_use_of_them():
    gaps = structs.replace(counted(LOAD, "load"), moved_bytes=8 * 512, stride_bytes=16)
    assert cost_words.cost(gaps) == "16 sectors for 128 bytes"
    assert cost_words.advice(gaps).startswith("Neighbouring lanes are 16 bytes apart and each uses 4 of them: ")


def test_the_same_line_and_kind_stand_beside_each_other_and_others_are_kept():
    own = costs_of(reading(LOAD, "load"), reading(STORE, "store", 512))
    first, second, third = beside([counted(LOAD, "load"), counted(LOAD, "store")], own)
    assert (cost_words.cost(first), cost_words.gpu_cost(first)) == (
        "4 sectors for 128 bytes",
        "32 sectors for 128 bytes",
    )
    assert (second.access, second.gpu) == ("store", None)
    assert (third.line, third.counted) == (line_of(PROGRAM, STORE), False)


def test_instances_of_a_template_are_one_line_and_other_files_none():
    one = reading(LOAD, "load", kernel="void leaky<float>(const float *)")
    header = replace(one, file="/usr/local/cuda/include/cuda_fp16.hpp")
    (line,) = costs_of(one, replace(one, kernel="void leaky<__half>(const __half *)", sectors=512), header)
    assert (line.requests, line.moved_bytes, line.lanes) == (256, 32 * (4096 + 512), 32)
    assert line.gpu is not None and line.gpu.moved_bytes == line.moved_bytes
