"""Generators of the emulated device: they draw on the CPU, and name the device that their program asked for.

In: what a program asks of torch.Generator. Out: a class that stands for it.
Not here: what draws (`device_mode` has it refuse a generator of the other device).
"""

from __future__ import annotations

from typing import Any

import torch

from kernelgate.emulator.device.devices import CPU, GPU, names_gpu

_Own: Any = torch.Generator


class _Kind(type(_Own)):  # type: ignore[misc]
    def __instancecheck__(cls, made: object) -> bool:
        return isinstance(made, _Own)


class Generator(_Own, metaclass=_Kind):  # type: ignore[misc]
    """A generator of the device that it was made for."""

    device = CPU

    def __new__(cls, device: Any = CPU) -> Generator:
        made: Generator = super().__new__(cls)
        if names_gpu(device):
            made.device, made.offset = GPU, 0
        else:
            torch.device(device)  # raises if it is none
        return made

    def clone_state(self) -> Generator:
        made = Generator(self.device)
        made.set_state(self.get_state())
        return made

    def get_offset(self) -> int:
        """How many of its numbers are used. Only a GPU's generator counts them."""
        return self.offset if self.device == GPU else int(super().get_offset())

    def set_offset(self, offset: int) -> None:
        if self.device != GPU:
            super().set_offset(offset)
        self.offset = offset


def refuse_other_device(generator: object, *, on_cpu: bool) -> None:
    """Raises what PyTorch raises for a generator that is not of the device it draws for; default ones are of both."""
    if isinstance(generator, _Own) and generator is not torch.default_generator:
        wanted, found = ("cpu" if cpu else "cuda" for cpu in (on_cpu, generator.device == CPU))
        if wanted != found:
            raise RuntimeError(f"Expected a '{wanted}' device type for generator but found '{found}'")
