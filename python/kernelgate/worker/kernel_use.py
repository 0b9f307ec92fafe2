"""What a worker looks at beside a result: each access of a call, what it costs, and whether the kernels do the work.

In: calls to make, and a backend. Out: plain facts, and faults in the device's own words; the judge puts them into words
and believes none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from kernelgate.backend import Backend
from kernelgate.backend.memory import storage_bytes
from kernelgate.check.nesting import is_floating, mapped, tensors_in
from kernelgate.worker.call_modes import observed

_MOST_KERNELS = 256


def watched(
    module: torch.nn.Module, inputs: Sequence[Any], backend: Backend
) -> tuple[Any, list[str], list[str] | None]:
    """The result of a plain call, PyTorch's operators in it, and the names of the kernels that ran on the device; None
    if the device does not name them."""
    if backend.launches() is not None:
        return *observed(module, inputs), None
    from kernelgate.profiling.trace import tracing

    with tracing(device=True) as traced:
        result, operators = observed(module, inputs)
    names = dict.fromkeys(event.name for event in traced.events if event.kind == "kernel")
    return result, operators, list(names)[:_MOST_KERNELS]


def kernels_matter(
    call: Callable[[Sequence[Any]], Any], draw: Callable[[], Sequence[Any]], backend: Backend
) -> bool | None:
    """Whether the result changes if no kernel does anything. None if that cannot be found out: no kernel ran, or
    results do not depend on the inputs.

    If it does not change, it is called on other inputs and tried again: a program may keep its last result in memory of
    its own.
    """
    before = backend.launches()
    result = result_bytes(call(draw()))
    if before is None or backend.launches() == before:
        return None

    def stays() -> bool:
        try:
            with backend.without_kernels():
                return bool(torch.equal(result, result_bytes(call(draw()))))
        except Exception:
            return False

    if not stays():
        return True
    return None if torch.equal(result, result_bytes(call(_others(draw())))) else not stays()


def _others(inputs: Sequence[Any]) -> list[Any]:
    return [
        mapped(value, lambda v: v * 0.5 + 1 if is_floating(v) else v.flip(0) if v.dim() else v)
        for value in inputs
    ]


def result_bytes(result: Any) -> torch.Tensor:
    """The tensors of the result as bytes; shape (n,), uint8."""
    parts = [storage_bytes(one.detach().contiguous()).clone() for one in tensors_in(result)]
    return torch.cat(parts) if parts else torch.empty(0, dtype=torch.uint8)


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
