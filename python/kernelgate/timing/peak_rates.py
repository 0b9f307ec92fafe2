"""The peak rates of a device, the roofs of the roofline model: the best that it reached, measured once and kept.

Bytes: a copy of device memory, by the best of our own kernel and PyTorch's copy; read and written bytes both count.
Operations: fused multiply-adds in registers for fp32, the largest matrix products for the tensor cores.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import torch

from kernelgate.atomic_write import write_whole
from kernelgate.json_decode import decoded
from kernelgate.timing.devices import vendor

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
