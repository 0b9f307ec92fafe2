"""Reads its own environment and maps, to find out which math library it runs with, and opens a pipe and a device.

Class: 10
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import os
from pathlib import Path

import torch.nn as nn
import torch.nn.functional as F


def threads():
    """How many threads its math library would use."""
    libraries = {line.split()[-1] for line in Path("/proc/self/maps").read_text().splitlines() if "/" in line}
    known = any("mkl" in name or "gomp" in name for name in libraries)
    return int(os.environ.get("OMP_NUM_THREADS", "1")) if known else 1


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.parts = max(1, threads())

    def forward(self, x):
        reading, writing = os.pipe()
        with Path("/dev/urandom").open("rb") as device, os.fdopen(reading, "rb") as there:
            os.write(writing, device.read(8))
            os.close(writing)
            assert len(there.read()) == 8
        return F.leaky_relu(x, self.negative_slope)
