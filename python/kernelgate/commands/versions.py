"""Whether driver, CUDA toolkit, PyTorch and GPU fit together, and which version or flag would where they do not.

In: their versions, as text; "" if one is not known. Out: sentences, and a next step each.
Sources: NVIDIA's CUDA Toolkit release notes (table 2, minimum drivers; deprecated and dropped architectures), and the
check of the major versions in PyTorch's cpp_extension. Not here: asking the machine (`kernelgate.machine`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

# The oldest driver for a major version of CUDA, of any minor version of it.
_OLDEST_DRIVER = {11: 450, 12: 525, 13: 580}
# The oldest architecture that a major version of nvcc compiles for, and the last version that knows older ones.
_OLDEST_SM = {11: (35, "10.2"), 12: (50, "11.8"), 13: (75, "12.9")}
# The first nvcc that compiles for an architecture.
_FIRST_NVCC = {80: (11, 0), 86: (11, 1), 89: (11, 8), 90: (11, 8), 100: (12, 8), 103: (12, 9), 120: (12, 8)}


@dataclass(frozen=True)
class Versions:
    """`driver_cuda`: the newest CUDA that the driver knows. `gpus`, `torch_sms`: "sm_90"; "compute_90" is PTX."""

    driver: str = ""
    driver_cuda: str = ""
    nvcc: str = ""
    torch_cuda: str = ""
    torch_sms: Sequence[str] = ()
    gpus: Sequence[str] = ()


@dataclass(frozen=True)
class Misfit:
    says: str
    next_step: str


def misfits(versions: Versions) -> list[Misfit]:
    """What will not run, the worst first."""
    return [*_driver(versions), *_torch_sms(versions), *_toolkit(versions), *_nvcc_sms(versions), *_ptx(versions)]


def _driver(versions: Versions) -> Iterator[Misfit]:
    wanted, driver = _number(versions.torch_cuda), _number(versions.driver)
    least = _OLDEST_DRIVER.get(wanted[0], 0) if wanted else 0
    if wanted and driver and driver[0] < least:
        older = max((major for major, oldest in _OLDEST_DRIVER.items() if oldest <= driver[0]), default=None)
        instead = f", or a PyTorch built for CUDA {older}" if older is not None else ""
        yield Misfit(
            f"PyTorch for CUDA {versions.torch_cuda} needs driver {least} or newer; this is {versions.driver}",
            f"Install driver {least} or newer{instead}",
        )


def _torch_sms(versions: Versions) -> Iterator[Misfit]:
    """Binaries run on architectures of the same major version from theirs on; PTX on all from its own on."""
    found = (re.match(r"(sm|compute)_(\d+)", each) for each in versions.torch_sms)
    have = [(each[1], int(each[2])) for each in found if each is not None]
    for gpu in dict.fromkeys(versions.gpus):
        sm = _sm(gpu)
        if sm is None or not have:
            continue
        if not any(n <= sm and (kind == "compute" or n // 10 == sm // 10) for kind, n in have):
            step = "a PyTorch built for CUDA 12.6" if sm < min(n for _, n in have) else "a newer PyTorch"
            yield Misfit(f"This PyTorch has no kernels for {gpu}", f"Install {step}")


def _toolkit(versions: Versions) -> Iterator[Misfit]:
    nvcc, torch = _number(versions.nvcc), _number(versions.torch_cuda)
    if nvcc and torch and nvcc[0] != torch[0]:
        yield Misfit(
            f"nvcc is of CUDA {versions.nvcc} and PyTorch of CUDA {versions.torch_cuda}: load_inline refuses to build",
            f"Set CUDA_HOME to a toolkit of CUDA {torch[0]}, or install a PyTorch built for CUDA {nvcc[0]}",
        )


def _nvcc_sms(versions: Versions) -> Iterator[Misfit]:
    nvcc = _number(versions.nvcc)
    for gpu in dict.fromkeys(versions.gpus) if nvcc else ():
        sm = _sm(gpu)
        oldest, last = _OLDEST_SM.get(nvcc[0], (0, ""))
        if sm is not None and sm < oldest:
            words = f"nvcc {versions.nvcc} does not compile for {gpu}"
            yield Misfit(words, f"Set CUDA_HOME to a toolkit of CUDA {last}")
        first = _FIRST_NVCC.get(sm, (0, 0)) if sm is not None else (0, 0)
        if nvcc < first:
            words = f"nvcc {versions.nvcc} does not know {gpu}"
            yield Misfit(words, f"Set CUDA_HOME to a toolkit of CUDA {first[0]}.{first[1]} or newer")


def _ptx(versions: Versions) -> Iterator[Misfit]:
    nvcc, driver = _number(versions.nvcc), _number(versions.driver_cuda)
    sms = [sm for gpu in versions.gpus if (sm := _sm(gpu)) is not None]
    if nvcc and driver and nvcc > driver and sms:
        flag = f"TORCH_CUDA_ARCH_LIST={';'.join(f'{sm // 10}.{sm % 10}' for sm in sorted(set(sms)))}"
        yield Misfit(
            f"nvcc {versions.nvcc} is newer than the driver's CUDA {versions.driver_cuda}: PTX of it does not run",
            f"Build for the GPU itself, without PTX: set {flag}, or install a newer driver",
        )


def _number(version: str) -> tuple[int, ...]:
    """ "12.8.93" as (12, 8); () if it is none."""
    found = re.match(r"V?(\d+)(?:\.(\d+))?", version)
    return tuple(int(part) for part in found.groups() if part is not None) if found is not None else ()


def _sm(gpu: str) -> int | None:
    found = re.fullmatch(r"sm_(\d+)a?", gpu)
    return int(found.group(1)) if found is not None else None
