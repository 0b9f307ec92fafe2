"""Fingerprints of tensors: one number for all bits, by a secret key.

In: a tensor and a key. Out: a number below 2**64: the sum of all 32-bit words, each times an odd number that follows
from the key. Two tensors that differ have the same one with a chance of less than 2**-30, unless their maker
knows the key.
"""

from __future__ import annotations

import torch

_CHUNK = 1 << 20  # words, so that a large tensor takes little memory beside itself
_STEP = 0x9E3779B97F4A7C15
_MASK = (1 << 64) - 1


class Fingerprints:
    """Of tensors on one device."""

    def __init__(self, key: int, device: torch.device) -> None:
        self._key = key
        self._device = device
        self._factors = torch.empty(0, dtype=torch.int64, device=device)

    def of(self, tensor: torch.Tensor) -> int:
        """Of a dense tensor's elements in row-major order; it must lie on the device."""
        flat = tensor.detach().contiguous()
        # A single element may have any stride, and is contiguous all the same.
        data = flat.as_strided((flat.numel(),), (1,), flat.storage_offset()).view(torch.uint8)
        if data.storage_offset() % 4:  # such as halves from the second on, which are no whole words
            data = data.clone()
        whole = data.numel() // 4 * 4
        total: int = data.numel()
        for start in range(0, whole, 4 * _CHUNK):
            words = data[start : min(start + 4 * _CHUNK, whole)].view(torch.int32)
            total = total * _STEP + self._sum(words) & _MASK
        rest = torch.zeros(4, dtype=torch.uint8, device=data.device)
        rest[: data.numel() - whole].copy_(data[whole:])
        return total * _STEP + self._sum(rest.view(torch.int32)) & _MASK

    def _sum(self, words: torch.Tensor) -> int:
        if self._factors.numel() < words.numel():
            generator = torch.Generator(device=self._device).manual_seed(self._key)
            drawn = torch.randint(
                -(1 << 62), 1 << 62, (words.numel(),), generator=generator, device=self._device
            )
            self._factors = drawn * 2 + 1
        return int((words.to(torch.int64) * self._factors[: words.numel()]).sum())
