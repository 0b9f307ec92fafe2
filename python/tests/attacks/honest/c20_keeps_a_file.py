"""Writes what it has tuned to a temporary file and reads it again; tries its cache at home, and does without.

Class: 20
Problem: leakyrelu
Runs: emulation and gpu
Verdict: pass
"""

import json
import tempfile
from pathlib import Path

import torch.nn as nn
import torch.nn.functional as F

file = Path(tempfile.mkdtemp()) / "tuned.json"
file.write_text(json.dumps({"block_size": 256}))
try:
    known = (Path.home() / ".tuned_leaky_kernels" / "tuned.json").read_text()
except OSError:
    known = file.read_text()


class ModelNew(nn.Module):
    def __init__(self, negative_slope=0.01):
        super().__init__()
        self.negative_slope = negative_slope
        self.block_size = json.loads(known)["block_size"]

    def forward(self, x):
        return F.leaky_relu(x, self.negative_slope)
