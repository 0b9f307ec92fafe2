"""KernelBench's `eval_kernel_against_ref`, judged by KernelGate: the same arguments, and a result with the same fields.

    from kernelgate.testing.kernelbench import eval_kernel_against_ref

Only device, precision, measure_performance and verbose have an effect. The others say how KernelBench checks and times,
which is KernelGate's own affair: its seeds are secret, and its trials as many as its method takes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from kernelgate.commands.option_table import job_of
from kernelgate.commands.references import with_reference
from kernelgate.formats.traces import times
from kernelgate.report import Report
from kernelgate.report.measured import Timed
from kernelgate.report.model_text import as_model_text
from kernelgate.run import run


@dataclass
class KernelExecResult:
    """As KernelBench's; times are medians in milliseconds, -1 without any. `metadata`: the verdict in words."""

    compiled: bool = False
    correctness: bool = False
    metadata: dict[str, Any] = field(default_factory=dict)
    runtime: float = -1.0
    runtime_stats: dict[str, Any] = field(default_factory=dict)
    ref_runtime: float = -1.0
    ref_runtime_stats: dict[str, Any] = field(default_factory=dict)


def eval_kernel_against_ref(
    original_model_src: str,
    custom_model_src: str,
    seed_num: int = 42,
    num_correct_trials: int = 1,
    num_perf_trials: int = 10,
    measure_performance: bool = False,
    timing_method: str = "cuda_event",
    verbose: bool = False,
    build_dir: Any = None,
    device: Any = None,
    backend: str = "cuda",
    precision: Any = None,
    check_for_excessive_speedup: bool = True,
    excessive_speedup_threshold: float = 10,
) -> KernelExecResult:
    """Judges a candidate for a problem. `device`: a GPU's index or device, or a word of KernelGate's such as
    "emulated"; `precision`: a dtype of torch. Raises UsageError for what cannot be asked."""
    options: dict[str, Any] = {"reference": original_model_src, "device": _device(device)}
    if precision is not None:
        options["dtype"] = str(precision).removeprefix("torch.")
    written, reference = with_reference(options, custom_model_src)
    verb = "benchmark" if measure_performance else "verify"
    report = run(job_of(written, verb, custom_model_src, "custom_model", reference=reference))  # type: ignore[arg-type]
    if verbose:
        print(as_model_text(report))
    return as_result(report)


def as_result(report: Report) -> KernelExecResult:
    """A report in KernelBench's fields."""
    verdict = report.verdict
    kind = "internal" if verdict is None else verdict.kind
    result = KernelExecResult(
        compiled=kind in ("pass", "wrong", "fault", "weak"),
        correctness=kind == "pass",
        metadata={
            "hardware": report.device.name,
            "verdict": "" if verdict is None else verdict.sentence,
            "drop_in": verdict is not None and kind == "pass" and not (verdict.obstacle or verdict.untried),
            "kernelgate": as_model_text(report),
        },
    )
    found = times(report)
    if found is not None and result.correctness:
        own, reference = found
        result.runtime, result.runtime_stats = own.median_s * 1e3, _stats(own)
        result.ref_runtime, result.ref_runtime_stats = reference.median_s * 1e3, _stats(reference)
    return result


def _stats(timed: Timed) -> dict[str, Any]:
    samples = [seconds * 1e3 for seconds in timed.samples_s] or [timed.median_s * 1e3]
    mean = sum(samples) / len(samples)
    spread = (sum((one - mean) ** 2 for one in samples) / max(1, len(samples) - 1)) ** 0.5
    return {"mean": mean, "std": spread, "min": min(samples), "max": max(samples), "num_trials": timed.n}


def _device(device: Any) -> str:
    """A device of ours for an index, a torch.device or a word."""
    if device is None:
        return "auto"
    return f"cuda:{device}" if isinstance(device, int) else str(device)
