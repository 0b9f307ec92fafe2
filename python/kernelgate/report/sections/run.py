"""What somebody needs to repeat a run, and what the program printed in it, as sections."""

from __future__ import annotations

from kernelgate.report import numbers, wording
from kernelgate.report.blocks import Section
from kernelgate.report.sections.making import items, section, text
from kernelgate.report.types import Report

_SHOWN_HASH = 12


def output(report: Report) -> Section | None:
    if not report.output:
        return None
    said = text("Output of the program", report.output, folded=False)
    return section("output", "Output", f"the program printed {numbers.counted(said.lines, 'line')}", [said])


def details(report: Report) -> Section | None:
    candidate, build, env = report.candidate, report.build, report.environment
    language = "Python" if candidate.language == "python" else "CUDA C++"
    named = (("torch", env.torch), ("CUDA", env.cuda), ("driver", env.driver), ("Python", env.python))
    versions = [f"{name} {version}" for name, version in (("kernelgate", env.kernelgate), *named) if version]
    built = wording.built(build) if build is not None and build.lane != "none" else ""
    device = ", ".join(filter(None, [report.device.name, report.device.detail]))
    device = device if report.device.kind != "none" else ""
    rows = [
        ("Program", f"{candidate.label}, {numbers.counted(candidate.lines, 'line')} of {language}"),
        ("Source sha256", candidate.source_sha256[:_SHOWN_HASH]),
        ("CUDA kernels", ", ".join(candidate.cuda_kernels)),
        ("PyTorch operators", ", ".join(candidate.operators)),
        ("Contract", report.contract),
        ("Device", device),
        ("Shape", f"scaled {wording.scaled(report)}" if wording.scaled(report) else ""),
        ("Build", built or ("nothing to compile" if build is not None else "")),
        ("Arithmetic", report.arithmetic),
        ("Versions", ", ".join(filter(None, [*versions, env.platform]))),
        ("Confined", wording.confinement(env)),
        ("Seed", f"`--seed {report.seed}` repeats the run" if report.seed else ""),
        ("Started", f"{report.created}, took {numbers.duration(report.elapsed_s)}"),
    ]
    kernels = numbers.counted(len(candidate.cuda_kernels), "CUDA kernel") if candidate.cuda_kernels else ""
    said = [built, kernels, f"torch {env.torch}" if env.torch else "", f"kernelgate {env.kernelgate}"]
    return section("details", "Details", " · ".join(filter(None, said)), [items(rows)])
