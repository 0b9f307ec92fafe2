"""What the toolkit's programs print, as data."""

from __future__ import annotations

from kernelgate.tools.cuobjdump import Resources, parsed
from kernelgate.tools.ncu import parsed as counted
from kernelgate.tools.ncu_lines import parsed_lines

# As cuobjdump 13.0 prints it of an extension for sm_80 and sm_90.
DUMPED = """
Fatbin elf code:
================
arch = sm_80
code version = [1,8]
host = linux
compile_size = 64bit

Resource usage:
 Common:
  GLOBAL:0
 Function leaky(float const*, float*, long, float):
  REG:14 STACK:0 SHARED:0 LOCAL:0 CONSTANT[0]:380 TEXTURE:0 SURFACE:0 SAMPLER:0

Fatbin elf code:
================
arch = sm_90
Resource usage:
 Common:
  GLOBAL:0
 Function void tiled<float>(float const*):
  REG:255 STACK:16 SHARED:16384 LOCAL:40 CONSTANT[0]:568 TEXTURE:0 SURFACE:0 SAMPLER:0
"""

# As ncu 2025.3 prints it with --csv --page raw --print-units base.
COUNTED = """==PROF== Connected to process 839
"ID","Process ID","Kernel Name","dram__bytes.sum","gpu__time_duration.sum",OCCUPANCY
"","","","byte","ns","%"
"0","839","void leaky_relu_packed<float>(const T1 *, T1 *, long, T1)","12,884,901,888","3001000","88.5"
"1","839","other(int)","n/a","1000","12"
==PROF== Disconnected
""".replace("OCCUPANCY", '"sm__warps_active.avg.pct_of_peak_sustained_active"')

# The form of `ncu --page source --csv --print-source cuda,sass --print-units base`: the path of a file, the kernel, the
# titles, then each line with its instructions. The row of a line sums them; "..." stands for what is left out.
AT_LINES = """==PROF== Disconnected from process 839
"File Path","/tmp/build/cuda.cu"
"Function Name","scale<float>(const float *, float *, int)"
"Line No","Source","Address","Source",TITLES
"4","__global__ void scale(const float* x, float* y, int n) {","-","-","-","-","-","-","-","-","-","-"
"","","0x7f3c00","      S2R R0, SR_TID.X ","128","4096","4096","-","-","-","-","-"
"5","  y[i] = x[i * 8 % n] + s[t * 2, 0];","-","-","640","20480","16384","512","384","256","4,608","1,024"
"","","...","...","-","-","-","-","-","-","-","-"
"","","0x7f3c10","@!P0  LDG.E R2, desc[UR4][R2.64] ","128","4096","2048","128","-","-","4,096","512"
"","","0x7f3c20","      LDS R4, [R3+0x4] ","128","4096","4096","0","256","128","0","0"
"","","0x7f3c30","      LDGSTS.E.BYPASS.128 [R9], [R2.64] ","128","4096","4096","128","128","128","256","256"
"","","0x7f3c38","      LD.E R4, [R8.64] ","128","4096","4096","0","64","32","0","0"
"","","0x7f3c40","      STG.E desc[UR4][R6.64], R4 ","128","4096","4096","128","0","0","512","512"
"File Path","/usr/local/cuda/include/sm_20.hpp"
"Function Name","scale<float>(const float *, float *, int)"
"Line No","Source","Address","Source",TITLES
"90","","-","-","-","-","-","-","-","-","-","-"
"","","0x7f3c50","      REDG.E.ADD.F32.FTZ.RN [R2.64], R4 ","4","128","128","4","-","-","4","16"
""".replace(
    "TITLES",
    '"Instructions Executed","Thread Instructions Executed","Predicated-On Thread Instructions Executed",'
    '"L1 Tag Requests Global","L1 Wavefronts Shared","L1 Wavefronts Shared Ideal",'
    '"L2 Theoretical Sectors Global","L2 Theoretical Sectors Global Ideal"',
)


def test_resources_are_read_for_every_kernel_and_architecture() -> None:
    assert parsed(DUMPED) == [
        Resources("leaky(float const*, float*, long, float)", "sm_80", 14, 0, 0),
        Resources("void tiled<float>(float const*)", "sm_90", 255, 16384, 56),
    ]
    assert parsed("cuobjdump fatal: no such file") == []


def test_counters_are_read_with_their_units() -> None:
    found = list(counted(COUNTED))
    first = {reading.name: (reading.value, reading.unit) for reading in found if "packed" in reading.kernel}
    assert first == {
        "DRAM bytes": (12884901888.0, "B"),
        "duration": (3.001e-3, "s"),
        "achieved occupancy": (88.5, "%"),
    }
    assert {reading.name for reading in found if "other" in reading.kernel} == {
        "duration",
        "achieved occupancy",
    }
    assert list(counted("==ERROR== ERR_NVGPUCTRPERM")) == []


def test_counters_at_lines_are_those_of_each_kind_of_access() -> None:
    found = parsed_lines(AT_LINES)
    ours = {(one.space, one.access): one for one in found if one.file == "/tmp/build/cuda.cu"}
    assert {(one.kernel, one.line) for one in ours.values()} == {("scale<float>(const float *, float *, int)", 5)}
    assert {one.text for one in ours.values()} == {"y[i] = x[i * 8 % n] + s[t * 2, 0];"}
    load = ours["global", "load"]
    # An asynchronous copy counts as a load of global memory and a store to shared memory.
    assert (load.requests, load.lanes, load.sectors, load.least_sectors) == (256, 2048 + 4096, 4352, 768)
    assert (load.passes, load.in_vain) == (0, 4352 - 768)
    assert (ours["shared", "store"].passes, ours["shared", "store"].in_vain) == (128, 0)
    # A load by an address of any memory is what it was seen to be.
    assert (ours["shared", "load"].passes, ours["shared", "load"].least_passes) == (320, 160)
    assert ours["global", "store"].in_vain == 0
    (update,) = [one for one in found if one.file.endswith(".hpp")]
    assert (update.line, update.access, update.in_vain) == (90, "atomic", 0)


def test_an_instruction_that_is_printed_twice_in_its_line_counts_once() -> None:
    twice = []
    of_a_line: list[str] = []
    for row in AT_LINES.splitlines():
        if not row.startswith('"","","0x'):
            twice += of_a_line
            of_a_line = []
        else:
            of_a_line.append(row)
        twice.append(row)
    assert len(twice) > len(AT_LINES.splitlines())
    assert parsed_lines("\n".join(twice)) == parsed_lines(AT_LINES)
    # A kernel that was launched twice is printed as two blocks, and both count.
    (*_, first), (*_, both) = parsed_lines(AT_LINES), parsed_lines(f"{AT_LINES}\n{AT_LINES}")
    assert (both.line, both.requests) == (first.line, 2 * first.requests)


def test_lines_are_read_where_a_row_has_both_a_line_and_an_instruction() -> None:
    rows = [row.split(",", 2) for row in AT_LINES.splitlines() if row.startswith('"","","0x7f3c10"')]
    joined = "\n".join([*AT_LINES.splitlines()[:4], f'"5","y[i] =",{rows[0][2]}'])
    (one,) = parsed_lines(joined)
    assert (one.line, one.text, one.sectors) == (5, "y[i] =", 4096)


def test_a_page_without_source_or_of_another_form_has_no_lines() -> None:
    assert parsed_lines("") == []
    assert parsed_lines("==ERROR== No source files were imported") == []
    assert parsed_lines('"Kernel Name","k"\n"Address","Source","L1 Wavefronts Shared"\n"0x10","LDS R4","3"\n') == []
    assert parsed_lines(AT_LINES.replace("Line No", "No")) == []
