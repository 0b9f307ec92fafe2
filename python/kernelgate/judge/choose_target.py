"""Which target a run gets: the GPU it asks for, emulation, or none.

In: a job, and the candidate. Out: a `Target` and how the report names it; `NotJudged` if there is none, with what
to do.
"""

from __future__ import annotations

from kernelgate.backend.target import EMULATED, Target
from kernelgate.emulator import supported
from kernelgate.judge.endings import failures
from kernelgate.judge.endings.run_ended import NotJudged
from kernelgate.machine import driver_version
from kernelgate.messages.job import Job
from kernelgate.program import Candidate
from kernelgate.report import Device, Environment, one_line


def note_versions(environment: Environment) -> None:
    """Writes the versions of PyTorch, CUDA and the driver. Raises NotJudged without PyTorch."""
    try:
        import torch
    except (ImportError, OSError) as exc:  # an OSError where a library that it needs is missing
        raise NotJudged.here(
            "PyTorch cannot be imported in this kernel",
            f"{type(exc).__name__}: {exc}",
            "Install it where the kernel runs: pip install torch",
        ) from None
    environment.torch = one_line(torch.__version__, 120)
    environment.cuda = one_line(torch.version.cuda or "", 120)
    environment.driver = one_line(driver_version(), 120)


def choose_target(job: Job, candidate: Candidate) -> tuple[Target, Device]:
    """Where a job runs, and the same for its report. Needs PyTorch. Raises NotJudged if there is no such place."""
    import torch

    kind, _, number = job.device.partition(":")
    index = int(number or 0)
    if kind in ("auto", "cuda"):
        count = torch.cuda.device_count() if torch.cuda.is_available() else 0
        if index < count:
            return Target("cuda", index), _gpu(index)
        if kind == "cuda":
            raise NotJudged.here(
                f"there is no device {job.device}",
                f"PyTorch sees {count or 'no'} CUDA device{'' if count < 2 else 's'} here",
                "Choose --device emulated to check without a GPU, or a kernel that has one",
            )
    why = supported()
    if why is not None:
        raise NotJudged(
            "environment",
            "Not run: no GPU here, and emulation does not work on this machine",
            failures.missing(why, None),
        )
    return EMULATED, _emulated(candidate)


def _emulated(candidate: Candidate) -> Device:
    if not candidate.triton_kernels:
        detail = "correctness only: emulation says nothing about speed"
        return Device(kind="emulated", name="emulation on the CPU", detail=detail)
    name = "Triton's interpreter on the CPU"
    detail = "correctness only: what Triton compiles for a GPU may differ, and nothing is said about speed"
    return Device(kind="emulated", name=f"emulation and {name}" if candidate.extensions else name, detail=detail)


def _gpu(index: int) -> Device:
    import torch

    name = torch.cuda.get_device_name(index)
    major, minor = torch.cuda.get_device_capability(index)
    memory = torch.cuda.get_device_properties(index).total_memory
    return Device(kind="cuda", name=one_line(name, 120), detail=f"sm_{major}{minor}, {memory / 1e9:.0f} GB")
