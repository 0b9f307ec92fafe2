"""What the toolkit's programs print, as data."""

from __future__ import annotations

from kernelgate.tools.cuobjdump import Resources, parsed
from kernelgate.tools.ncu import parsed as counted

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
