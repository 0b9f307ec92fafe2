"""The memory check in the worker: one call of the candidate, and what the device found in it.

In: a call to make, and a backend that examines. Out: faults in the device's own words, and whether unwritten memory
decides the result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from kernelgate.backend import Backend
from kernelgate.worker.kernel_use import result_bytes

_UNDEFINED = ("uninitialised", "absent_lane")  # faults that give a program a value which is what fresh memory holds
# Other contents of fresh memory: large as half, bfloat16 and float, once above zero and once below. The usual one is
# NaN, which the maximum of two numbers ignores.
_OTHER_POISON = (0x7B7B7B7B7B7B7B7B, 0xFBFBFBFBFBFBFBFB)


def examined(attempt: Callable[[], Any], backend: Backend) -> tuple[list[str], bool]:
    """The findings of a call, and whether unwritten memory matters. Raises what the call raises, unless a finding may
    explain it."""
    backend.examine_anew(0)
    try:
        result = result_bytes(attempt())
    except Exception:
        findings = backend.findings()
        if not findings:
            raise
        return findings, True
    findings = backend.findings()
    if not any(f'"kind":"{kind}"' in line for kind in _UNDEFINED for line in findings):
        return findings, False
    try:
        return findings, any(not torch.equal(result, _again(attempt, backend, p)) for p in _OTHER_POISON)
    except Exception:  # with other contents it takes another path
        return findings, True
    finally:
        backend.examine_anew(0)


def counted(attempt: Callable[[], Any], backend: Backend) -> list[str]:
    """What the accesses of a call cost, as far as the device counts that. What the call raises is raised."""
    backend.count_costs(True)
    try:
        attempt()
        return backend.costs()
    finally:
        backend.count_costs(False)


def _again(attempt: Callable[[], Any], backend: Backend, poison: int) -> torch.Tensor:
    backend.examine_anew(poison)
    result = result_bytes(attempt())
    backend.findings()  # the same ones
    return result
