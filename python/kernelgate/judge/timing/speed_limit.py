"""How close each program comes to the limit of the device, and what that predicts for another device.

In: measured times, the problem's work, the device's roofs. Out: `Limit`.
"""

from __future__ import annotations

from typing import Any

import torch

from kernelgate.judge.reference import NotAccepted, Reference
from kernelgate.report.measured import Floor, Limit, Phase, Prediction, Roof, Share, Timing
from kernelgate.timing.devices import TARGET
from kernelgate.timing.floor import Work, counted_flops, floor_of, matrix_roof, nbytes
from kernelgate.timing.roofs import Roofs, vendor_roofs

_BACKWARD_PRODUCTS = 2  # a product's backward call takes two of the same size, one for each factor


def limit_of(timing: Timing, reference: Reference, roofs: Roofs, device: torch.device) -> Limit:
    """For the phases that were timed with cold caches."""
    vendor = vendor_roofs(device)
    limit = Limit(roofs=_roofs(roofs, vendor=False) + (_roofs(vendor, vendor=True) if vendor else []))
    work = _work(reference)
    phases = [phase for phase in work if any(row.phase == phase for row in timing.rows)]
    for phase in phases:
        seconds, name = floor_of(work[phase], roofs, reference.dtype)
        floor = Floor(
            phase=phase, bytes=work[phase].bytes, flops=work[phase].flops, seconds=seconds, roof=name
        )
        limit.floors.append(floor)
        moved = work[phase].bytes if name == "device copy" else work[phase].flops
        for row in timing.rows:
            if row.phase == phase and row.circumstance == "cold" and row.median_s > 0:
                limit.shares.append(
                    Share(
                        program=row.program,
                        phase=phase,
                        share=seconds / row.median_s,
                        rate=moved / row.median_s,
                    )
                )
    if vendor is not None and TARGET.memory != vendor.copy:
        limit.predictions = _predictions(limit, roofs, vendor, work, reference.dtype)
    return limit


def _roofs(rates: Roofs, *, vendor: bool) -> list[Roof]:
    found = [Roof(name="device copy", unit="B/s", rate=rates.copy, vendor=vendor)]
    for name, rate in (
        ("fp32", rates.fp32),
        ("TF32", rates.tf32),
        ("FP16", rates.fp16),
        ("BF16", rates.bf16),
    ):
        if rate > 0:
            found.append(Roof(name=name, unit="FLOP/s", rate=rate, vendor=vendor))
    rate, name = matrix_roof(rates, torch.float32)
    if not vendor and name not in {roof.name for roof in found} and rate > 0:
        found.append(Roof(name=name, unit="FLOP/s", rate=rate))
    return found


def _work(reference: Reference) -> dict[Phase, Work]:
    """Bytes and operations of each phase. Backward: the gradients of result, inputs and parameters, once each, and the
    inputs again where there is a product."""
    inputs = reference.own_inputs
    try:
        result = reference.expected_value(inputs)
    except NotAccepted:
        return {}
    module = reference.module(reference.dtype)
    parameters = list(module.parameters())
    flops = counted_flops(lambda: reference.call(module, inputs))
    forward = Work(nbytes([*inputs, *parameters, result]), flops)
    gradients: list[Any] = [v for v in inputs if isinstance(v, torch.Tensor) and v.is_floating_point()]
    again = [*inputs, *parameters] if flops else []
    backward = Work(nbytes([result, *gradients, *parameters, *again]), _BACKWARD_PRODUCTS * flops)
    step = Work(forward.bytes + backward.bytes, forward.flops + backward.flops)
    return {"forward": forward, "backward": backward, "training step": step}


def _predictions(
    limit: Limit, here: Roofs, vendor: Roofs, work: dict[Phase, Work], dtype: torch.dtype
) -> list[Prediction]:
    """For the target device, from the share of the limit that was reached here.

    It assumes that the target's roofs lie as far below its data sheet as the roofs here.
    """
    there = Roofs(
        copy=TARGET.memory * here.copy / vendor.copy,
        fp32=TARGET.fp32 * here.fp32 / vendor.fp32,
        tf32=TARGET.tf32 * here.tf32 / vendor.tf32,
        fp16=TARGET.fp16 * here.fp16 / vendor.fp16,
        bf16=TARGET.fp16 * here.bf16 / vendor.fp16,
    )
    found = []
    for share in limit.shares:
        if share.phase == "forward" and share.share > 0:
            seconds, roof = floor_of(work["forward"], there, dtype)
            found.append(
                Prediction(
                    device=TARGET.name,
                    program=share.program,
                    phase="forward",
                    seconds=seconds / share.share,
                    assumptions=f"same share of the limit as here, {min(share.share, 1):.0%}; "
                    f"{roof} there as far below the data sheet as here",
                )
            )
    return found[:4]
