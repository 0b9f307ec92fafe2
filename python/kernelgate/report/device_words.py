"""Phrases on what a GPU's compiler makes of a program, which text and HTML share."""

from __future__ import annotations

from collections.abc import Sequence

from kernelgate.report import numbers, wording
from kernelgate.report.measured import BuildFacts, DeviceCode, KernelFacts
from kernelgate.report.types import Fact, Report

GPUS = {"sm_70": "V100", "sm_75": "T4", "sm_80": "A100", "sm_90": "H100"}
"""What an architecture is best known as."""


def device_code(report: Report) -> str:
    """What a GPU's compiler says of the program: "compiles for the A100 (sm_80): 32 registers, no spills"."""
    found = report.device_code
    if found is None or wording.ended_by(report) is not None:
        return ""
    compiled = [build.arch for build in found.builds if build.state == "compiled"]
    if not compiled:
        open_ones = [build for build in found.builds if build.state != "compiled"]
        return f"not looked at by a GPU's compiler: {open_ones[0].why}" if open_ones else ""
    where = " and ".join(f"the {GPUS[arch]} ({arch})" if arch in GPUS else arch for arch in compiled)
    others = [f"not for {build.arch}: {build.why}" for build in found.builds if build.state == "unsupported"]
    facts = device_facts(found.kernels, compiled[0])
    words = [f"compiles for {where}, not run there", f"{compiled[0]}: {facts}" if facts else "", *others]
    return "; ".join(filter(None, words))


def device_code_place(found: DeviceCode) -> str:
    """the A100, compiled and not run"""
    shown = [build.arch for build in found.builds if build.state == "compiled"]
    return f"the {GPUS.get(shown[0], shown[0])}, compiled and not run" if shown else "a GPU"


def compiled_fact(found: DeviceCode) -> Fact | None:
    """What the kernels take on a GPU that is not here; None if no compiler built them."""
    if not any(build.state == "compiled" for build in found.builds):
        return None
    answer, place = wording.upper_first(device_code_conclusion(found)), device_code_place(found)
    return Fact(question="On a GPU?", answer=answer, evidence=f"built for {place}")


def device_code_conclusion(found: DeviceCode) -> str:
    """What the kernels take on the first GPU that they compile for, or why there is none."""
    shown = [build.arch for build in found.builds if build.state == "compiled"]
    if shown:
        return device_facts(found.kernels, shown[0])
    return found.builds[0].state if found.builds else ""


def device_facts(kernels: Sequence[BuildFacts], arch: str) -> str:
    """The most that any kernel takes there: "at most 32 registers, no spills, occupancy 50 %"."""
    here = [kernel for kernel in kernels if kernel.arch == arch]
    if not here:
        return ""
    most = "at most " if len(here) > 1 else ""
    registers = numbers.counted(max(kernel.registers for kernel in here), "register")
    spilled = max(kernel.spill_bytes for kernel in here)
    shares = [kernel.occupancy for kernel in here if kernel.occupancy is not None]
    least = "at least " if len(shares) > 1 and min(shares) < 1 else ""
    return ", ".join(
        [
            most + registers,
            f"spills {numbers.thousands(spilled)} B" if spilled else "no spills",
            *([f"occupancy {least}{numbers.share(min(shares))}"] if shares else []),
        ]
    )


def occupancy(facts: KernelFacts | BuildFacts) -> str:
    """50%, limited by registers"""
    if facts.occupancy is None:
        return ""
    limit = f", limited by {facts.occupancy_limit}" if facts.occupancy_limit else ""
    return f"{numbers.share(facts.occupancy)}{limit}"
