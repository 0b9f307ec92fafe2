"""Seeding the random generators of PyTorch that a device draws from.

In: a seed. Out: nothing; the generators' states are those that torch.manual_seed gives.
"""

from __future__ import annotations

import torch

_of_the_cpu = torch.default_generator
_all = torch.manual_seed


def seed_generators(seed: int, *, of_cuda: bool) -> None:
    """As torch.manual_seed, which formats the stack for each kind of device that is not in use. That takes longer than
    a call of a small module. `of_cuda`: those of GPUs, too; the CPU has one."""
    if of_cuda:
        _all(seed)
    else:
        _of_the_cpu.manual_seed(seed)
