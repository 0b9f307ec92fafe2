"""How close each program comes to the limit of the device, and what that predicts for another device.

In: measured times, the problem's work, the device's peak rates. Out: `Limit`.
"""

from __future__ import annotations

from typing import Any

import torch

from kernelgate.check.nesting import is_floating
from kernelgate.judge.reference.reference import NotAccepted, Reference
from kernelgate.report.measured import Limit, LowerBound, PeakRate, Phase, Prediction, Share, Timing
from kernelgate.timing.peak_rates import (
    TARGET,
    PeakRates,
    Work,
    counted_flops,
    lower_bound_of,
    matrix_peak,
    nbytes,
    vendor_peak_rates,
)

_BACKWARD_PRODUCTS = 2  # a product's backward call takes two of the same size, one for each factor


def limit_of(timing: Timing, reference: Reference, peak_rates: PeakRates, device: torch.device) -> Limit:
    """For the phases that were timed with cold caches."""
    vendor = vendor_peak_rates(device)
    of_vendor = _peak_rates(vendor, vendor=True) if vendor else []
    limit = Limit(peak_rates=_peak_rates(peak_rates, vendor=False) + of_vendor)
    work = _work(reference)
    phases = [phase for phase in work if any(row.phase == phase for row in timing.rows)]
    for phase in phases:
        seconds, name = lower_bound_of(work[phase], peak_rates, reference.dtype)
        bound = LowerBound(
            phase=phase, bytes=work[phase].bytes, flops=work[phase].flops, seconds=seconds, peak=name
        )
        limit.lower_bounds.append(bound)
        moved = work[phase].bytes if name == "device copy" else work[phase].flops
        for row in timing.rows:
            if row.phase == phase and row.cache_state == "cold" and row.median_s > 0:
                limit.shares.append(
                    Share(
                        program=row.program,
                        phase=phase,
                        share=seconds / row.median_s,
                        rate=moved / row.median_s,
                    )
                )
    if vendor is not None and TARGET.memory != vendor.copy:
        limit.predictions = _predictions(limit, peak_rates, vendor, work, reference.dtype)
    return limit


def _peak_rates(rates: PeakRates, *, vendor: bool) -> list[PeakRate]:
    found = [PeakRate(name="device copy", unit="B/s", rate=rates.copy, vendor=vendor)]
    for name in ("fp32", "TF32", "FP16", "BF16"):
        if (rate := getattr(rates, name.lower())) > 0:
            found.append(PeakRate(name=name, unit="FLOP/s", rate=rate, vendor=vendor))
    rate, name = matrix_peak(rates, torch.float32)
    if not vendor and name not in {peak.name for peak in found} and rate > 0:
        found.append(PeakRate(name=name, unit="FLOP/s", rate=rate))
    return found


def _work(reference: Reference) -> dict[Phase, Work]:
    """Bytes and operations of each phase. Backward: the gradients of result, inputs and parameters, once each, and the
    inputs again if there is a product."""
    inputs = reference.timed_inputs
    try:
        result = reference.expected_value(inputs)
    except NotAccepted:
        return {}
    module = reference.module(reference.dtype)
    parameters = list(module.parameters())
    flops = counted_flops(lambda: reference.call(module, inputs))
    forward = Work(nbytes([*inputs, *parameters, result]), flops)
    gradients: list[Any] = [v for v in inputs if is_floating(v)]
    again = [*inputs, *parameters] if flops else []
    backward = Work(nbytes([result, *gradients, *parameters, *again]), _BACKWARD_PRODUCTS * flops)
    step = Work(forward.bytes + backward.bytes, forward.flops + backward.flops)
    return {"forward": forward, "backward": backward, "training step": step}


def _predictions(
    limit: Limit, here: PeakRates, vendor: PeakRates, work: dict[Phase, Work], dtype: torch.dtype
) -> list[Prediction]:
    """For the target device, from the share of the limit that was reached here.

    It assumes that the target's peak rates lie as far below its data sheet as the peak rates here.
    """
    there = PeakRates(
        copy=TARGET.memory * here.copy / vendor.copy,
        fp32=TARGET.fp32 * here.fp32 / vendor.fp32,
        tf32=TARGET.tf32 * here.tf32 / vendor.tf32,
        fp16=TARGET.fp16 * here.fp16 / vendor.fp16,
        bf16=TARGET.fp16 * here.bf16 / vendor.fp16,
    )
    found = []
    for share in limit.shares:
        if share.phase == "forward" and share.share > 0:
            seconds, peak = lower_bound_of(work["forward"], there, dtype)
            found.append(
                Prediction(
                    device=TARGET.name,
                    program=share.program,
                    phase="forward",
                    seconds=seconds / share.share,
                    assumptions=f"same share of the limit as here, {min(share.share, 1):.0%}; "
                    f"{peak} there as far below the data sheet as here",
                )
            )
    return found[:4]
