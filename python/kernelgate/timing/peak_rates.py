"""The peak rates of a device, the roofs of the roofline model, and the least time that a problem can take: every byte
moved once, every operation done once, at those rates.

The peak rates are the best that the device reached, measured once and kept.
Bytes: a copy of device memory, by the best of our own kernel and PyTorch's copy; read and written bytes both count.
Operations: fused multiply-adds in registers for fp32, the largest matrix products for the tensor cores.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import torch

from kernelgate.atomic_write import write_whole
from kernelgate.json_decode import decoded

_VERSION = 1
_COPY_BYTES = 1 << 31
_PRODUCT = 8192
_CALLS = 12

_COPY = r"""
extern "C" __global__ void copy16(const float4* __restrict__ from, float4* __restrict__ to, long long n) {
  const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}
"""
_FMA_ROUNDS = 4096
_FMA = r"""
extern "C" __global__ void multiply_add(float* out, float a, float b) {
  float v[16];
  for (int k = 0; k < 16; ++k) v[k] = threadIdx.x + k;
  for (int r = 0; r < ROUNDS; ++r) {
#pragma unroll
    for (int k = 0; k < 16; ++k) v[k] = fmaf(v[k], a, b);
  }
  float sum = 0;
  for (int k = 0; k < 16; ++k) sum += v[k];
  if (sum == 12345.678f) out[0] = sum;
}
""".replace("ROUNDS", str(_FMA_ROUNDS))


class PeakRates(msgspec.Struct):
    """Bytes a second, and operations a second by arithmetic; 0 if one could not be measured."""

    copy: float
    fp32: float
    tf32: float
    fp16: float
    bf16: float


def peak_rates(device: torch.device, cache: Path) -> PeakRates:
    """The peak rates of a device, measured now or before. The first time takes about a second and 4 GB."""
    path = _path(device, cache)
    with contextlib.suppress(OSError, msgspec.DecodeError):
        return decoded(path.read_bytes(), PeakRates)
    measured = _measured(device)
    _keep(measured, path)
    return measured


def copied_again(device: torch.device, cache: Path) -> PeakRates:
    """The same with the copy measured once more: other work may have held up the device when it was first."""
    known = peak_rates(device, cache)
    free, _total = torch.cuda.mem_get_info(device)
    if free < _COPY_BYTES:
        return known  # of fewer bytes a part would stay in the cache
    with torch.cuda.device(device):
        found = msgspec.structs.replace(known, copy=max(known.copy, _copy_rate(device)))
    _keep(found, _path(device, cache))
    return found


def _keep(rates: PeakRates, path: Path) -> None:
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, msgspec.json.encode(rates))


def _path(device: torch.device, cache: Path) -> Path:
    properties = torch.cuda.get_device_properties(device)
    which = f"{_VERSION}/{properties.name}/{getattr(properties, 'uuid', '')}/{torch.version.cuda}/{torch.__version__}"
    return cache / "peak_rates" / f"{hashlib.sha256(which.encode()).hexdigest()[:24]}.json"


def _measured(device: torch.device) -> PeakRates:
    with torch.cuda.device(device):
        return PeakRates(
            copy=_copy_rate(device),
            fp32=_fp32_rate(device),
            tf32=_product_rate(device, torch.float32),
            fp16=_product_rate(device, torch.float16),
            bf16=_product_rate(device, torch.bfloat16),
        )


def _best_s(call: Callable[[], Any]) -> float:
    """The shortest time of some calls, by device events."""
    times = []
    for _ in range(_CALLS):
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        start.record()
        call()
        end.record()
        torch.cuda.synchronize()
        times.append(float(start.elapsed_time(end)) * 1e-3)
    return min(times[2:])


def _copy_rate(device: torch.device) -> float:
    free, _total = torch.cuda.mem_get_info(device)
    size = min(_COPY_BYTES, free // 4) // 4096 * 4096
    source = torch.ones(size // 4, device=device)
    target = torch.empty_like(source)
    ways: list[Callable[[], Any]] = [lambda: target.copy_(source)]
    kernel = _kernel(_COPY, "copy16")
    if kernel is not None:
        packs = size // 16
        grid = ((packs + 127) // 128, 1, 1)
        ways.append(lambda: kernel(grid=grid, block=(128, 1, 1), args=[source, target, packs]))
    return float(2 * size / min(_best_s(way) for way in ways))


def _fp32_rate(device: torch.device) -> float:
    kernel = _kernel(_FMA, "multiply_add")
    if kernel is None:
        return 0.0
    out = torch.zeros(1, device=device)
    blocks, threads = 32 * torch.cuda.get_device_properties(device).multi_processor_count, 256
    seconds = _best_s(lambda: kernel(grid=(blocks, 1, 1), block=(threads, 1, 1), args=[out, 0.999, 0.5]))
    return float(2.0 * 16 * _FMA_ROUNDS * blocks * threads / seconds)


def _product_rate(device: torch.device, dtype: torch.dtype) -> float:
    """Of cuBLAS; float32 with TF32 allowed."""
    a = torch.randn(_PRODUCT, _PRODUCT, device=device).to(dtype)
    before = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = True
    try:
        return float(2.0 * _PRODUCT**3 / _best_s(lambda: a @ a))
    finally:
        torch.backends.cuda.matmul.allow_tf32 = before


def _kernel(source: str, name: str) -> Any:
    """A kernel compiled by NVRTC; None if this PyTorch has no such function."""
    compile_kernel = getattr(torch.cuda, "_compile_kernel", None)
    if compile_kernel is None:
        return None
    try:
        return compile_kernel(source, name)
    except (RuntimeError, OSError):
        return None


def vendor_peak_rates(device: torch.device) -> PeakRates | None:
    """The peak rates of the data sheet; None for a device that is not listed."""
    known = vendor(torch.cuda.get_device_name(device))
    if known is None:
        return None
    return PeakRates(copy=known.memory, fp32=known.fp32, tf32=known.tf32, fp16=known.fp16, bf16=known.fp16)


@dataclass(frozen=True)
class Vendor:
    """Bytes a second of device memory, and operations a second by arithmetic."""

    name: str
    memory: float
    fp32: float
    tf32: float
    fp16: float


_KNOWN = {
    "A100-SXM4-80GB": Vendor("A100 SXM 80 GB", 2.039e12, 19.5e12, 156e12, 312e12),
    "A100-SXM4-40GB": Vendor("A100 SXM 40 GB", 1.555e12, 19.5e12, 156e12, 312e12),
    "A100-PCIE-40GB": Vendor("A100 PCIe 40 GB", 1.555e12, 19.5e12, 156e12, 312e12),
    "H100 80GB HBM3": Vendor("H100 SXM", 3.35e12, 66.9e12, 494.7e12, 989.4e12),
    "H200": Vendor("H200 SXM", 4.8e12, 66.9e12, 494.7e12, 989.4e12),
    "L40S": Vendor("L40S", 0.864e12, 91.6e12, 183e12, 362e12),
    "RTX 4090": Vendor("GeForce RTX 4090", 1.008e12, 82.6e12, 82.6e12, 165.2e12),
}
TARGET = _KNOWN["A100-SXM4-80GB"]


def vendor(device_name: str) -> Vendor | None:
    """The data sheet of a device, by the driver's whole name for it: one of a like name is cut or clocked otherwise.
    None for one that is not listed."""
    name = device_name.removeprefix("NVIDIA ").removeprefix("GeForce ")
    return _KNOWN.get(name)


SPLIT_PRODUCTS = 3
"""So many fp16 products, of the halves of the factors, give an fp32 product at fp32's accuracy."""


@dataclass(frozen=True)
class Work:
    """The work of one phase of a problem."""

    bytes: int
    flops: int


def nbytes(values: Iterable[Any]) -> int:
    """Bytes of the distinct elements of tensors; an expanded dimension counts once."""
    total = 0
    for value in values:
        if isinstance(value, torch.Tensor):
            distinct = 1
            for size, stride in zip(value.shape, value.stride(), strict=True):
                distinct *= size if stride else min(size, 1)
            total += distinct * value.element_size()
    return total


def counted_flops(call: Callable[[], Any]) -> int:
    """Operations of a call, by torch.utils.flop_counter."""
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counter:
        call()
    return int(counter.get_total_flops())


def lower_bound_of(work: Work, peak_rates: PeakRates, dtype: torch.dtype) -> tuple[float, str]:
    """Seconds, and the name of the peak that sets them."""
    moving = work.bytes / peak_rates.copy
    rate, name = matrix_peak(peak_rates, dtype)
    computing = work.flops / rate if work.flops and rate else 0.0
    return (computing, name) if computing > moving else (moving, "device copy")


def matrix_peak(peak_rates: PeakRates, dtype: torch.dtype) -> tuple[float, str]:
    """The fastest way to reach the accuracy of the dtype, in operations of the problem a second."""
    if dtype == torch.float16:
        return peak_rates.fp16, "FP16"
    if dtype == torch.bfloat16:
        return peak_rates.bf16, "BF16"
    if dtype == torch.float32 and peak_rates.fp16 / SPLIT_PRODUCTS > peak_rates.fp32:
        return peak_rates.fp16 / SPLIT_PRODUCTS, "FP16, three products"
    return peak_rates.fp32, "fp32"
