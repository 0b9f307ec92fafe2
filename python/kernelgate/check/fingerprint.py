"""Fingerprints of tensors: one number for all bits, by a secret key.

In: a tensor and a key. Out: a number below 2**64: the sum of all 32-bit words, each times an odd number that follows
from the key. Two tensors that differ have the same one with a chance of less than 2**-30, unless their maker
knows the key.
"""

from __future__ import annotations

import torch

_CHUNK = 1 << 20  # words, so that a large tensor takes little memory beside itself
_CHUNKS_AT_ONCE = {"cuda": 16}  # a GPU takes 16 in about the time of one; a CPU keeps one in its cache
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
        sums = self._sums(data[:whole].view(torch.int32))
        if whole < data.numel():
            rest = torch.zeros(4, dtype=torch.uint8, device=data.device)
            rest[: data.numel() - whole].copy_(data[whole:])
            sums += self._sums(rest.view(torch.int32))
        for one in torch.cat(sums).tolist() if sums else ():
            total = total * _STEP + one & _MASK
        return total & _MASK

    def _sums(self, words: torch.Tensor) -> list[torch.Tensor]:
        factors = self._first_factors(min(_CHUNK, words.numel()))
        full = words.numel() // _CHUNK
        at_once = _CHUNKS_AT_ONCE.get(self._device.type, 1)
        chunks = words[: full * _CHUNK].view(full, _CHUNK).split(at_once) if full else []
        left = words[full * _CHUNK :].view(1, -1)
        products = (some * factors[: some.shape[1]] for some in (*chunks, left) if some.numel())  # in int64
        # A CPU adds along a row by one thread.
        return [one.sum(1) if len(one) > 1 else one.sum().view(1) for one in products]

    def _first_factors(self, count: int) -> torch.Tensor:
        if self._factors.numel() < count:
            # What a GPU draws first depends on how many it draws.
            drawn_count = _CHUNK if self._device.type == "cuda" else count
            generator = torch.Generator(device=self._device).manual_seed(self._key)
            drawn = torch.randint(
                -(1 << 62), 1 << 62, (drawn_count,), generator=generator, device=self._device
            )
            self._factors = drawn * 2 + 1
        return self._factors[:count]
